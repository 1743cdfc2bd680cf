"""TIFF files of libtiff (tiffcp), GDAL and tifffile, each with a digest of its samples by NumPy: the matrix of tiff/matrix.test.ts.

usage: python3 make_tiffs.py OUT.json.gz [--full]

Without --full a selection that has every value of every property, and most pairs of them. Needs python3-tifffile, python3-gdal and
libtiff-tools. The digest is SHA-256 over all samples as little-endian float64, row by row, channels of a pixel side by side. A file
without one must be refused.
"""
import base64
import gzip
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy
import tifffile
from osgeo import gdal

gdal.UseExceptions()
WIDTH, HEIGHT = 18, 17
TYPES = ["uint8", "uint16", "uint32", "int8", "int16", "int32", "float16", "float32", "float64"]
PREDICTED = {"lzw", "zip", "zstd"}
folder = tempfile.mkdtemp()
entries = []


def image(dtype, channels):
    """Slopes, edges and noise, with the extremes of the type."""
    y, x, c = numpy.mgrid[0:HEIGHT, 0:WIDTH, 0:channels]
    values = (numpy.sin(x / 5 + c) + numpy.cos(y / 4) + 2) / 4 + ((x * 7 + y * 13 + c * 5) % 11) / 200
    values[2:5, 3:9] = 0
    if dtype.startswith("float"):
        array = (values * 1000 - 300).astype(dtype)
        array[0, 0] = numpy.finfo(dtype).max
        array[0, 1] = -numpy.finfo(dtype).tiny
        return array
    limits = numpy.iinfo(dtype)
    array = (limits.min + numpy.clip(values, 0, 1) * (float(limits.max) - limits.min)).astype(dtype)
    array[0, 0], array[0, 1] = limits.max, limits.min
    return array


def digest(array):
    return hashlib.sha256(numpy.ascontiguousarray(array, "<f8").tobytes()).hexdigest()


def add(name, path, array=None):
    with open(path, "rb") as file:
        content = file.read()
    entries.append(
        {"name": name, "bytes": base64.b64encode(content).decode(), "samples": None if array is None else digest(array)}
    )


def base(dtype, channels, **options):
    array = image(dtype, channels)
    path = os.path.join(folder, f"{dtype}-{channels}.tif")
    colour = {1: {}, 2: {}, 3: {"photometric": "rgb"}, 4: {"photometric": "rgb", "extrasamples": ["unassalpha"]}}[channels]
    pixels = array[..., 0] if channels == 1 else array
    planar = {} if channels == 1 else {"planarconfig": "contig"}
    tifffile.imwrite(path, pixels, metadata=None, **{"photometric": "minisblack", **planar, **colour, **options})
    return path, array


def tiffcp(source, *options):
    path = os.path.join(folder, "copy.tif")
    if os.path.exists(path):
        os.remove(path)
    result = subprocess.run(["tiffcp", *options, source, path], capture_output=True, text=True)
    # libtiff says so where a compression does not go with a type.
    if result.returncode != 0 or not os.path.exists(path):
        return None
    return path


def lossless(full):
    """Types × channels × compression × predictor × layout × byte order × planes."""
    compressions = ["none", "lzw", "zip", "packbits", "zstd", "lerc", "lerc:0:s1", "lerc:0:s2"]
    layouts = [("strips", ["-s", "-r", "8"]), ("one strip", ["-s", "-r", "99"]), ("tiles", ["-t", "-w", "16", "-l", "16"])]
    orders = [("little", ["-L"]), ("big", ["-B"]), ("BigTIFF", ["-L", "-8"]), ("big BigTIFF", ["-B", "-8"])]
    planes = [("contig", ["-p", "contig"]), ("separate", ["-p", "separate"])]
    product = itertools.product(TYPES, [1, 2, 3, 4], compressions, [1, 2, 3], layouts, orders, planes)
    for i, (dtype, channels, compression, predictor, layout, order, plane) in enumerate(product):
        if predictor > 1 and compression not in PREDICTED:
            continue
        if predictor == 3 and not dtype.startswith("float"):
            continue
        if channels == 1 and plane[0] == "separate":
            continue
        # The selection: a stride that is prime to the lengths of all lists.
        if not full and i % 23 != 0:
            continue
        source, array = base(dtype, channels)
        coded = f"{compression}:{predictor}" if predictor > 1 else compression
        path = tiffcp(source, "-c", coded, *layout[1], *order[1], *plane[1])
        name = f"{dtype} x{channels} {coded} {layout[0]} {order[0]} {plane[0]}"
        # libtiff reverses the bytes of these before it encodes them, which the formats do not ask for: they have two readings.
        twofold = order[0].startswith("big") and (predictor == 3 or (compression.startswith("lerc") and dtype[-1] != "8"))
        if path:
            add(name, path, None if twofold else array)


def few_bits():
    """Samples of less than a byte, palettes, white as zero, reversed bits, CCITT."""
    for bits in (1, 2, 4):
        for photometric in ("minisblack", "miniswhite", "palette"):
            levels = 2**bits
            index = (image("uint8", 1)[..., 0].astype(int) * levels // 256).astype("uint8")
            source = gdal.GetDriverByName("GTiff")
            path = os.path.join(folder, "few.tif")
            options = [f"NBITS={bits}", *([f"PHOTOMETRIC={photometric.upper()}"] if photometric != "palette" else [])]
            dataset = source.Create(path, WIDTH, HEIGHT, 1, gdal.GDT_Byte, options)
            shown = (index * (255 // (levels - 1)))[..., None]
            if photometric == "palette":
                table = gdal.ColorTable()
                colours = [((37 * i) % 256, (91 * i + 10) % 256, (255 - 13 * i) % 256) for i in range(levels)]
                for i, colour in enumerate(colours):
                    table.SetColorEntry(i, colour)
                dataset.GetRasterBand(1).SetRasterColorTable(table)
                shown = numpy.array(colours)[index]
            if photometric == "miniswhite":
                shown = 255 - shown
            dataset.GetRasterBand(1).WriteArray(index)
            dataset = None
            for name, options in {
                "plain": ["-c", "none"],
                "lzw": ["-c", "lzw"],
                "tiles": ["-c", "zip", "-t", "-w", "16", "-l", "16"],
                "packbits big": ["-c", "packbits", "-B"],
                "reversed bits": ["-c", "none", "-f", "lsb2msb"],
                "g4": ["-c", "g4"],
                "g3": ["-c", "g3:1d", "-r", "8"],
                "g3 2d": ["-c", "g3:2d"],
                "g3 filled, reversed": ["-c", "g3:1d:fill", "-f", "lsb2msb"],
            }.items():
                if name.startswith("g") and (bits > 1 or photometric == "palette"):
                    continue
                copy = tiffcp(path, *options)
                if copy:
                    add(f"{bits}-bit {photometric} {name}", copy, shown)
    for dtype in ("uint8", "uint16"):
        source, array = base(dtype, 1, photometric="miniswhite")
        limit = numpy.iinfo(dtype).max
        for order in ("-L", "-B"):
            add(f"white as zero {dtype} {order}", tiffcp(source, "-c", "zip:2", order), limit - array)
    index = image("uint8", 1)[..., 0]
    table = numpy.stack([(numpy.arange(256) * k + 5) % 256 for k in (3, 7, 11)]).astype("uint16")
    for scale, name in ((257, "16 bits"), (1, "8 bits, as some write it")):
        path = os.path.join(folder, "palette.tif")
        tifffile.imwrite(path, index, photometric="palette", colormap=table * scale, metadata=None)
        add(f"palette of {name}", tiffcp(path, "-c", "lzw:2", "-B"), numpy.moveaxis(table[:, index], 0, -1))


def lossy():
    """JPEG and WebP: what libtiff itself decodes."""
    for channels, coded, options in [
        (1, "jpeg", []),
        (3, "jpeg", []),
        (3, "jpeg:r", []),
        (3, "jpeg", ["-B"]),
        (3, "jpeg:r:90", ["-p", "separate"]),
        (3, "jpeg", ["-t", "-w", "16", "-l", "16"]),
        (1, "jpeg", ["-t", "-w", "16", "-l", "16", "-8"]),
        (3, "jpeg", ["-r", "8"]),
        (3, "webp", []),
        (4, "webp:100", ["-t", "-w", "16", "-l", "16"]),
    ]:
        source, _ = base("uint8", channels)
        path = tiffcp(source, "-c", coded, *options)
        name = f"uint8 x{channels} {coded} {' '.join(options)}"
        if not path:
            continue
        kept = os.path.join(folder, "lossy.tif")
        os.replace(path, kept)
        array = gdal.Open(kept).ReadAsArray().reshape(channels, HEIGHT, WIDTH)
        add(name, kept, numpy.moveaxis(array, 0, -1))


def by_gdal():
    """Files of GDAL: its own tags, predictors, sizes of tiles, overviews inside, sparse ones."""
    for dtype, kind in [("uint8", gdal.GDT_Byte), ("uint16", gdal.GDT_UInt16), ("int16", gdal.GDT_Int16), ("float32", gdal.GDT_Float32), ("float64", gdal.GDT_Float64)]:
        for options in (
            ["COMPRESS=DEFLATE", "PREDICTOR=2", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=32", "ENDIANNESS=BIG"],
            ["COMPRESS=LZW", "PREDICTOR=2", "INTERLEAVE=BAND"],
            ["COMPRESS=ZSTD", "PREDICTOR=3" if dtype.startswith("float") else "PREDICTOR=2", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"],
            ["COMPRESS=LERC_ZSTD", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16", "MAX_Z_ERROR=0"],
            ["BLOCKYSIZE=1", "BIGTIFF=YES"],
        ):
            array = image(dtype, 3)
            path = os.path.join(folder, "gdal.tif")
            try:
                dataset = gdal.GetDriverByName("GTiff").Create(path, WIDTH, HEIGHT, 3, kind, ["PHOTOMETRIC=RGB", *options])
                for band in range(3):
                    dataset.GetRasterBand(band + 1).WriteArray(array[..., band])
                dataset.SetGeoTransform([440720, 60, 0, 3751320, 0, -60])
                dataset = None
            except RuntimeError:
                continue
            add(f"GDAL {dtype} {' '.join(options)}", path, array)
    for compress in ("NONE", "DEFLATE", "LZW"):
        path = os.path.join(folder, "sparse.tif")
        options = ["SPARSE_OK=TRUE", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16", f"COMPRESS={compress}"]
        dataset = gdal.GetDriverByName("GTiff").Create(path, WIDTH, HEIGHT, 1, gdal.GDT_Byte, options)
        dataset.GetRasterBand(1).WriteArray(image("uint8", 1)[:16, :16, 0], 0, 0)
        dataset = None
        add(f"sparse {compress}", path)


def refused():
    """Intact files of kinds that are not read."""
    source, array = base("uint16", 3)
    for name, options in {
        "LZMA": ["-c", "lzma"],
        "LZW with reversed bits": ["-c", "lzw", "-f", "lsb2msb"],
    }.items():
        path = tiffcp(source, *options)
        if path:
            add(name, path)
    path = os.path.join(folder, "other.tif")
    for name, pixels, options in [
        ("premultiplied alpha", image("uint8", 4), {"photometric": "rgb", "extrasamples": ["assocalpha"], "planarconfig": "contig"}),
        ("complex numbers", image("float32", 1)[..., 0].astype("complex64"), {"photometric": "minisblack"}),
        ("64-bit integers", image("int32", 1)[..., 0].astype("int64"), {"photometric": "minisblack"}),
        ("YCbCr without JPEG", image("uint8", 3), {"photometric": "ycbcr", "planarconfig": "contig"}),
        ("several pages", numpy.stack([image("uint8", 1)[..., 0]] * 2), {"photometric": "minisblack"}),
    ]:
        tifffile.imwrite(path, pixels, metadata=None, **options)
        add(name, path)
    for bits in (10, 12, 14):
        dataset = gdal.GetDriverByName("GTiff").Create(path, WIDTH, HEIGHT, 1, gdal.GDT_UInt16, [f"NBITS={bits}"])
        dataset.GetRasterBand(1).WriteArray(image("uint16", 1)[..., 0] >> (16 - bits))
        dataset = None
        add(f"{bits}-bit samples", path)


full = "--full" in sys.argv
lossless(full)
few_bits()
lossy()
by_gdal()
refused()
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(json.dumps(entries).encode())
print(f"{len(entries)} files, {os.path.getsize(sys.argv[1])} bytes")
