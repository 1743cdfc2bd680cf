"""Stacks of other programs, each with its samples: what stacks.test.ts reads and writes back.

usage: python3 make_stacks.py OUT.json.gz

Needs python3-tifffile and python3-zarr 2. A TIFF is one file in base64, a Zarr a list of files. The samples are those of the writer, with the
axes in the order that the reader must give: pages as they lie in the file, then rows and columns.
"""
import base64
import gzip
import json
import os
import sys
import tempfile

import numpy
import tifffile
import zarr

WIDTH, HEIGHT = 9, 7
entries = []


def samples(shape, kind="u2"):
    """Numbers that differ from sample to sample."""
    count = int(numpy.prod(shape))
    values = (numpy.arange(count) * 40503 + 77) % (200 if kind == "u1" else 60000)
    return values.reshape(shape).astype(kind)


def add(name, axes, array, content):
    entries.append({"name": name, "axes": axes, "samples": array.reshape(-1).tolist(), **content})


def tiff(name, axes, array, stored=None, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        tifffile.imwrite(path, array if stored is None else stored, **options)
        with open(path, "rb") as file:
            add(name, axes, array, {"file": base64.b64encode(file.read()).decode()})


def imagej(name, order):
    array = samples((3, 2, 2, HEIGHT, WIDTH))
    luts = [numpy.zeros((3, 256), "u1") for _ in range(2)]
    luts[0][1] = luts[1][0] = numpy.arange(256)
    metadata = {
        **{"axes": "TZCYX", "unit": "um", "spacing": 1.5, "finterval": 2.0, "mode": "composite", "Info": "made µ"},
        **{"Labels": [f"page {i} µ" for i in range(12)], "Ranges": (10.0, 200.0, 20.0, 300.0), "LUTs": luts},
    }
    tiff(name, "tzc", array, imagej=True, byteorder=order, resolution=(4, 4), metadata=metadata)


imagej("imagej-little.tif", "<")
imagej("imagej-big.tif", ">")
# ImageJ itself lists only the first page of files above 4 GiB.
many = samples((5, HEIGHT, WIDTH))
tiff("imagej-one-directory.tif", "z", many, imagej=True, metadata={"axes": "ZYX"}, truncate=True)
tiff("plain.tif", "t", samples((4, HEIGHT, WIDTH), "u1"), photometric="minisblack", metadata=None)
tiff("colour.tif", "t", samples((3, HEIGHT, WIDTH, 3), "u1"), photometric="rgb", metadata=None)
ome = samples((3, 2, 2, HEIGHT, WIDTH))
scales = {
    **{"axes": "TCZYX", "PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.25, "PhysicalSizeYUnit": "µm"},
    **{"PhysicalSizeZ": 1.5, "PhysicalSizeZUnit": "µm", "TimeIncrement": 2.0, "TimeIncrementUnit": "s"},
    **{"Channel": {"Name": ["DAPI", "GFP <2>"]}, "Name": "cells & more"},
}
tiff("cells.ome.tif", "tcz", ome, ome=True, photometric="minisblack", metadata=scales)
# The same pages in another order, which the elements of the OME-XML say.
order = numpy.random.default_rng(1).permutation(12)
xml = (
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="shuffled">'
    '<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="9" SizeY="7" SizeZ="2" SizeC="2" SizeT="3">'
    '<Channel ID="Channel:0:0" Color="16711935" SamplesPerPixel="1"/><Channel ID="Channel:0:1" SamplesPerPixel="1"/>'
    + "".join(
        f'<TiffData IFD="{list(order).index(i)}" FirstZ="{i % 2}" FirstC="{i // 2 % 2}" FirstT="{i // 4}" PlaneCount="1"/>'
        for i in range(12)
    )
    + "</Pixels></Image></OME>"
)
pages = ome.reshape(12, HEIGHT, WIDTH)
tiff("shuffled.ome.tif", "tcz", ome, stored=pages[order], photometric="minisblack", description=xml, metadata=None)


def ome_zarr(name, axes, array, chunks, omero=None):
    with tempfile.TemporaryDirectory() as folder:
        group = zarr.open_group(folder, mode="w")
        group.create_dataset("0", data=array, chunks=chunks, dimension_separator="/", compressor=zarr.Blosc("lz4"))
        kinds = {"t": "time", "c": "channel"}
        units = {"t": "second", "z": "micrometer", "y": "micrometer", "x": "micrometer"}
        steps = {"t": 2.0, "z": 1.5, "y": 0.25, "x": 0.25}
        group.attrs["multiscales"] = [
            {
                **{"version": "0.4", "name": "cells", "metadata": {"made": "here"}},
                "axes": [
                    {"name": a, "type": kinds.get(a, "space"), **({"unit": units[a]} if a in units else {})} for a in axes
                ],
                "datasets": [
                    {
                        "path": "0",
                        "coordinateTransformations": [{"type": "scale", "scale": [steps.get(a, 1.0) for a in axes]}],
                    }
                ],
            }
        ]
        if omero:
            group.attrs["omero"] = omero
        group.attrs["mine"] = {"kept": True}
        files = {}
        for place, _, names in os.walk(folder):
            for file in names:
                path = os.path.join(place, file)
                with open(path, "rb") as content:
                    files[os.path.relpath(path, folder)] = base64.b64encode(content.read()).decode()
        add(name, axes[:-2], array, {"files": files})


window = {"min": 0, "max": 65535, "start": 5, "end": 900}
colours = [("DAPI", "0000FF"), ("GFP", "00FF00")]
channels = [{"label": label, "color": colour, "active": True, "window": window} for label, colour in colours]
omero = {"id": 1, "name": "cells", "channels": channels, "rdefs": {"model": "color"}}
ome_zarr("cells.zarr", "tczyx", ome, (1, 2, 2, 4, 5), omero)
ome_zarr("depth.zarr", "zyx", many, (2, HEIGHT, WIDTH))

with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(json.dumps(entries).encode())
