"""EXR files of many kinds by OpenImageIO's oiiotool, which has OpenEXR, with their samples as it reads them, floats of 32 bits in base64:

    python3 make_exrs.py exrs.json.gz
"""
import base64
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy

WIDTH, HEIGHT = 23, 18
folder = tempfile.mkdtemp()
entries = []


def tool(*arguments):
    subprocess.run(["oiiotool", "--nosoftwareattrib", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def write_pfm(path, plane):
    with open(path, "wb") as file:
        file.write(b"Pf\n%d %d\n-1.0\n" % (plane.shape[1], plane.shape[0]))
        file.write(plane[::-1].astype("<f4").tobytes())


def channel(path, name):
    """A channel by way of a TIFF of one strip of floats."""
    single = os.path.join(folder, "one.tif")
    tool(path, "--ch", name, "--origin", "+0+0", "--fullpixels", "--scanline", "-d", "float", "--compression", "none", "--attrib", "tiff:RowsPerStrip", HEIGHT, "-o", single)
    with open(single, "rb") as file:
        data = file.read()
    assert data[:4] == b"II*\0"
    (at,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, at)
    tags = {}
    for i in range(count):
        tag, kind, length, value = struct.unpack_from("<HHII", data, at + 2 + 12 * i)
        tags[tag] = (value & 0xFFFF if kind == 3 else value, length)
    assert tags[256][0] == WIDTH and tags[257][0] == HEIGHT and tags[273][1] == 1 and tags[258][0] == 32
    return numpy.frombuffer(data, "<f4", WIDTH * HEIGHT, tags[273][0])


y, x = numpy.mgrid[:HEIGHT, :WIDTH]
random = numpy.random.default_rng(1)
planes = [4 ** (x / WIDTH * 3 - 1) * (1 + c) + 0.1 * random.standard_normal(x.shape) for c in range(3)]
planes.append((x > 5).astype(float))
for c, plane in enumerate(planes):
    write_pfm(os.path.join(folder, f"{c}.pfm"), plane)


def source(names):
    inputs = [os.path.join(folder, f"{c}.pfm") for c in range(len(names))]
    arguments = [inputs[0]]
    for each in inputs[1:]:
        arguments += [each, "--chappend"]
    return [*arguments, "--chnames", ",".join(names)]


def add(name, names, *options, read=True):
    path = os.path.join(folder, "made.exr")
    tool(*source(names), *options, "-o", path)
    samples = {each: base64.b64encode(channel(path, each).tobytes()).decode() for each in names} if read else None
    with open(path, "rb") as file:
        entries.append({"name": name, "bytes": base64.b64encode(file.read()).decode(), "samples": samples})


RGB, RGBA = ["R", "G", "B"], ["R", "G", "B", "A"]
for depth in ("half", "float"):
    for compression in ("none", "rle", "zips", "zip", "piz", "pxr24"):
        add(f"RGB {depth} {compression}", RGB, "-d", depth, "--compression", compression)
add("RGB half b44", RGB, "-d", "half", "--compression", "b44")
add("RGBA half zip tiles", RGBA, "-d", "half", "--compression", "zip", "--tile", 16, 16)
add("grey float zip", ["Y"], "-d", "float", "--compression", "zip")
add("depth float zips", ["Z"], "-d", "float", "--compression", "zips")
add("layer half piz", ["beauty.R", "beauty.G", "beauty.B"], "-d", "half", "--compression", "piz")
add("window half zip", RGB, "-d", "half", "--compression", "zip", "--origin", "+5+7", "--fullsize", "60x50+0+0")
add("overscan half piz", RGB, "-d", "half", "--compression", "piz", "--origin", "-3-4", "--fullsize", "16x11+0+0")
add("attributes half zip", RGB, "-d", "half", "--compression", "zip", "--attrib", "owner", "nobody", "--attrib", "Copyright", "none")
add("dwaa", RGB, "-d", "half", "--compression", "dwaa", read=False)
add("whole numbers", ["id"], "-d", "uint32", "--compression", "zip", read=False)
add("picture and depth", ["R", "G", "B", "Z"], "-d", "half", "--compression", "zip", read=False)
path = os.path.join(folder, "parts.exr")
tool(*source(RGB), *source(["Y"]), "--siappend", "-d", "half", "-o", path)
with open(path, "rb") as file:
    entries.append({"name": "parts", "bytes": base64.b64encode(file.read()).decode(), "samples": None})
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(json.dumps(entries).encode())
print(f"{len(entries)} files, {os.path.getsize(sys.argv[1])} bytes")
