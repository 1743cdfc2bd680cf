"""Zarr stores of zarr-python, each with a digest of its samples by NumPy: the matrix of zarr/matrix.test.ts.

usage: python3 make_zarrs.py OUT.json.gz [--full]

Without --full a selection that has every value of every property, and most pairs of them. Needs python3-zarr 2 with numcodecs. The stores
of format 3 have the chunks of a store of format 2 and documents by the letter of the specification. The digest is SHA-256 over all
samples as little-endian float64, row by row, channels of a pixel side by side. A store without one must be refused.
"""
import base64
import gzip
import hashlib
import itertools
import json
import os
import struct
import sys

import numcodecs
import numpy
import zarr

WIDTH, HEIGHT, CHUNK = 21, 18, 16
TYPES = ["u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8"]
NAMES = {"u": "uint", "i": "int", "f": "float"}
BLOSC = ["lz4", "lz4hc", "zstd", "zlib", "blosclz"]
SHUFFLES = {0: "plain", 1: "shuffle", 2: "bitshuffle"}
entries = []


def image(kind, channels=None):
    """Slopes, edges and some noise, with the extremes of the type."""
    y, x, c = numpy.mgrid[0:HEIGHT, 0:WIDTH, 0 : channels or 1]
    values = (numpy.sin(x / 5 + c) + numpy.cos(y / 4) + 2) / 4
    values[6:] = numpy.round(values[6:] * 9) / 9
    values[2:5, 3:9] = 0
    if kind[0] == "f":
        array = (numpy.round(values * 1000) - 300).astype(kind)
        array[0, 0], array[0, 1] = numpy.finfo(kind).max, -numpy.finfo(kind).tiny
    else:
        limits = numpy.iinfo(kind)
        array = (limits.min + numpy.clip(values, 0, 1) * (float(limits.max) - limits.min)).astype(kind)
        array[0, 0], array[0, 1] = limits.max, limits.min
    return numpy.ascontiguousarray(numpy.moveaxis(array, -1, 0)) if channels else array[..., 0]


def digest(array):
    pixels = numpy.moveaxis(array, 0, -1) if array.ndim == 3 else array
    return hashlib.sha256(numpy.ascontiguousarray(pixels, "<f8").tobytes()).hexdigest()


def add(name, files, array=None):
    packed = {path: base64.b64encode(bytes(content)).decode() for path, content in files.items()}
    entries.append({"name": name, "files": packed, "samples": None if array is None else digest(array)})


def store(array, dtype=None, only=None, **options):
    """The files of an array in format 2, and its samples as zarr-python reads them."""
    files = {}
    chunks = options.pop("chunks", (1,) * (array.ndim - 2) + (CHUNK, CHUNK))
    place = zarr.open(
        zarr.storage.KVStore(files), mode="w", shape=array.shape, chunks=chunks, dtype=dtype or array.dtype, **options
    )
    if only is None:
        place[:] = array
    else:
        place[only] = array[only]
    return dict(files), place[:]


def compressor(name, size=0):
    """A compressor by its name."""
    if name.startswith("blosc"):
        _, cname, shuffle = name.split("-")
        code = {value: key for key, value in SHUFFLES.items()}[shuffle]
        return numcodecs.Blosc(cname, 5, code, size)
    return {
        "none": None,
        "zstd": numcodecs.Zstd(5),
        "gzip": numcodecs.GZip(5),
        "zlib": numcodecs.Zlib(5),
        "lz4": numcodecs.LZ4(),
        "bz2": numcodecs.BZ2(5),
        "lzma": numcodecs.LZMA(),
    }[name]


def filters(name, dtype):
    size = numpy.dtype(dtype).itemsize
    return {
        "none": None,
        "shuffle": [numcodecs.Shuffle(size)],
        "delta": [numcodecs.Delta(dtype)],
        "delta shuffle": [numcodecs.Delta(dtype), numcodecs.Shuffle(size)],
        "crc32": [numcodecs.CRC32()],
        "adler32": [numcodecs.Adler32()],
    }[name]


COMPRESSORS = ["none", "zstd", "gzip", "zlib", "lz4", *(f"blosc-{c}-{s}" for c in BLOSC for s in SHUFFLES.values())]
FILTERS = ["none", "shuffle", "delta", "delta shuffle", "crc32", "adler32"]


def format2(full):
    """Types × orders of bytes × compressors × filters × orders of axes × separators × channels."""
    product = itertools.product(TYPES, "<>", COMPRESSORS, FILTERS, "CF", "./", [None, 3])
    for i, (kind, endian, packing, filtering, order, separator, channels) in enumerate(product):
        # The selection: all compressors and types without filters, and of the rest a stride that is prime to the lengths of all lists.
        plain = filtering == "none" and order == "C" and separator == "." and channels is None and endian == "<"
        if not full and not plain and i % 131 != 0:
            continue
        dtype = f"{endian}{kind}" if kind[1] != "1" else f"|{kind}"
        array = image(kind, channels).astype(dtype)
        chunks = (2, CHUNK, CHUNK) if channels else (CHUNK, CHUNK)
        files, samples = store(
            array,
            chunks=chunks,
            compressor=compressor(packing),
            filters=filters(filtering, dtype),
            order=order,
            dimension_separator=separator,
            fill_value=0,
        )
        name = f"{NAMES[kind[0]]}{8 * int(kind[1])} {'big' if endian == '>' else 'little'} {packing} {filtering} {order} {separator}"
        add(f"v2 {name} x{channels or 1}", files, samples)


def blocks():
    """Blosc buffers of several blocks, of which the last one is shorter, and of noise."""
    noise = numpy.frombuffer(hashlib.shake_128(b"noise").digest(64 * 64 * 2), "<u2").reshape(64, 64)
    slope = (numpy.arange(64 * 64).reshape(64, 64) // 3).astype("<u2")
    for cname, (shuffle, word), size in itertools.product(BLOSC, SHUFFLES.items(), (512, 3000)):
        array = slope.copy()
        array[:8, :16] = noise[:8, :16]
        options = {"chunks": (64, 50), "compressor": numcodecs.Blosc(cname, 9, shuffle, size), "fill_value": 0}
        add(f"v2 blocks of {size} blosc-{cname}-{word}", *store(array, **options))
    for packing in ("blosc-lz4-shuffle", "blosc-blosclz-plain", "blosc-zstd-bitshuffle", "zstd", "lz4", "gzip"):
        add(f"v2 noise {packing}", *store(noise[:24, :24], chunks=(16, 16), compressor=compressor(packing), fill_value=0))


def missing():
    """Fill values, and chunks that are not stored."""
    corner = (slice(0, CHUNK), slice(0, CHUNK))
    for kind, fills in {"u1": [0, 255], "i2": [-32768], "f4": [0.1, float("nan"), float("-inf")], "f8": [1e300]}.items():
        for fill in fills:
            files, samples = store(image(kind), only=corner, fill_value=fill, compressor=compressor("zstd"))
            add(f"v2 missing chunks {kind} {fill}", files, samples)
    files, samples = store(image("u1"), fill_value=None, compressor=compressor("zstd"))
    add("v2 no fill value", files, samples)
    del files["0.1"]
    add("v2 no fill value, missing chunk", files)


def crc32c(content):
    value = 0xFFFFFFFF
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return struct.pack("<I", value ^ 0xFFFFFFFF)


def document(array, chunks, codecs, **more):
    kind = array.dtype.kind
    return {
        **{"zarr_format": 3, "node_type": "array", "shape": list(array.shape)},
        "data_type": f"{NAMES[kind]}{8 * array.dtype.itemsize}",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        **{"fill_value": 0, "codecs": codecs, "attributes": {}},
        **more,
    }


def named(name, **configuration):
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def encoded(value):
    return json.dumps(value).encode()


def codec3(packing, dtype):
    """The codec of format 3 with the bytes of a compressor of format 2."""
    size = numpy.dtype(dtype).itemsize
    if packing.startswith("blosc"):
        _, cname, shuffle = packing.split("-")
        word = {"plain": "noshuffle"}.get(shuffle, shuffle)
        return [named("blosc", cname=cname, clevel=5, shuffle=word, typesize=size, blocksize=0)]
    return {
        "none": [],
        "zstd": [named("zstd", level=5, checksum=False)],
        "gzip": [named("gzip", level=5)],
        "zlib": [named("numcodecs.zlib", level=5)],
        "lz4": [named("numcodecs.lz4", acceleration=1)],
    }[packing]


def chunks_of(array, packing, **options):
    """The chunks of an array by their places, and its samples."""
    files, samples = store(array, compressor=compressor(packing), fill_value=0, **options)
    return {tuple(map(int, name.split("."))): content for name, content in files.items() if name[0] != "."}, samples


def format3(full):
    product = itertools.product(TYPES, "<>", COMPRESSORS, [False, True], "CF", ["/", ".", "v2"], [None, 3])
    for i, (kind, endian, packing, sealed, order, naming, channels) in enumerate(product):
        if not full and i % 61 != 0:
            continue
        dtype = f"{endian}{kind}" if kind[1] != "1" else f"|{kind}"
        array = image(kind, channels).astype(dtype)
        shape = (2, CHUNK, CHUNK) if channels else (CHUNK, CHUNK)
        chunks, samples = chunks_of(array, packing, order=order, chunks=shape)
        codecs = [
            *([named("transpose", order=list(reversed(range(array.ndim))))] if order == "F" else []),
            named("bytes", endian="big" if endian == ">" else "little"),
            *codec3(packing, dtype),
            *([named("crc32c")] if sealed else []),
        ]
        encoding = named("v2") if naming == "v2" else named("default", separator=naming)
        files = {"zarr.json": encoded(document(array, shape, codecs, chunk_key_encoding=encoding))}
        for place, content in chunks.items():
            path = ".".join(map(str, place)) if naming == "v2" else naming.join(["c", *map(str, place)])
            files[path] = bytes(content) + (crc32c(content) if sealed else b"")
        name = f"{NAMES[kind[0]]}{8 * int(kind[1])} {'big' if endian == '>' else 'little'} {packing}"
        add(f"v3 {name}{' crc32c' if sealed else ''} {order} {naming} x{channels or 1}", files, samples)


def shard(chunks, counts, at_end, sealed, big=False):
    """A shard of chunks by their places inside it."""
    size = 16 * int(numpy.prod(counts)) + (4 if sealed else 0)
    body, places = b"", []
    for place in itertools.product(*map(range, counts)):
        content = bytes(chunks[place]) if place in chunks else None
        start = len(body) + (0 if at_end else size)
        places += [2**64 - 1] * 2 if content is None else [start, len(content)]
        body += content or b""
    index = struct.pack(f"{'>' if big else '<'}{len(places)}Q", *places)
    index += crc32c(index) if sealed else b""
    return body + index if at_end else index + body


def shards():
    """Four chunks of 8×8 per file, some of which are missing."""
    inner = (8, 8)
    for kind, packing, location, sealed, absent in itertools.product(
        ["u1", "<u2", ">f4"], ["none", "zstd", "gzip", "blosc-lz4-shuffle"], ["end", "start"], [True, False], [False, True]
    ):
        array = image(kind[-2:]).astype(kind)
        chunks, samples = chunks_of(array, packing, chunks=inner)
        if absent:
            del chunks[1, 1]
            samples = samples.copy()
            samples[8:16, 8:16] = 0
            for place in [place for place in chunks if place[0] >= 2]:
                del chunks[place]
            samples[16:] = 0
        endian = "big" if kind[0] == ">" else "little"
        codecs = [named("bytes", endian=endian), *codec3(packing, kind)]
        index = [named("bytes", endian=endian), *([named("crc32c")] if sealed else [])]
        sharding = named(
            "sharding_indexed", chunk_shape=list(inner), codecs=codecs, index_codecs=index, index_location=location
        )
        files = {"zarr.json": encoded(document(array, (CHUNK, CHUNK), [sharding]))}
        for row, column in itertools.product(range(2), range(2)):
            own = {(y % 2, x % 2): content for (y, x), content in chunks.items() if (y // 2, x // 2) == (row, column)}
            if own:
                files[f"c/{row}/{column}"] = shard(own, (2, 2), location == "end", sealed, endian == "big")
        name = f"{NAMES[kind[-2]]}{8 * int(kind[-1])} {endian} {packing} index at {location}"
        add(f"v3 shards {name}{', crc32c' if sealed else ''}{', absent' if absent else ''}", files, samples)


def groups():
    """OME-Zarr 0.4 and 0.5: the picture is in a folder that the attributes name."""
    array = image("u2", 3)
    axes = [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    scales = [{"axes": axes, "datasets": [{"path": "full/size"}]}]
    files, samples = store(array, compressor=compressor("blosc-lz4-shuffle"), dimension_separator="/", fill_value=0)
    group = {".zgroup": encoded({"zarr_format": 2}), ".zattrs": encoded({"multiscales": scales})}
    add("v2 OME-Zarr 0.4", {**group, **{f"full/size/{name}": content for name, content in files.items()}}, samples)
    chunks, samples = chunks_of(array, "zstd")
    codecs = [named("bytes", endian="little"), *codec3("zstd", "u2")]
    inside = document(array, (1, CHUNK, CHUNK), codecs, dimension_names=["c", "y", "x"])
    ome = {"ome": {"version": "0.5", "multiscales": scales}}
    files = {"zarr.json": encoded({"zarr_format": 3, "node_type": "group", "attributes": ome})}
    files["full/size/zarr.json"] = encoded(inside)
    files.update({f"full/size/c/{'/'.join(map(str, place))}": content for place, content in chunks.items()})
    add("v3 OME-Zarr 0.5", files, samples)


def refused():
    """Intact stores of kinds that are not read."""
    plain = image("u1")
    for dtype in ["?", "<f2", "<i8", ">u8", "<c8", "S3", "<U2", "<M8[s]", [("a", "<u2"), ("b", "<f4")]]:
        array = numpy.zeros((HEIGHT, WIDTH), dtype)
        add(f"v2 type {numpy.dtype(dtype).str}", store(array, compressor=None, fill_value=None)[0])
    for packing in ("bz2", "lzma"):
        add(f"v2 {packing}", store(plain, compressor=compressor(packing))[0])
    for name, kind, filtering in [
        ("fixedscaleoffset", "f4", numcodecs.FixedScaleOffset(0, 10, "<f4", "<i2")),
        ("quantize", "f4", numcodecs.Quantize(3, "<f4")),
        ("astype", "f4", numcodecs.AsType("<f8", "<f4")),
        ("delta of another type", "u1", numcodecs.Delta("|u1", "<i2")),
        ("packbits", "?", numcodecs.PackBits()),
    ]:
        array = image("u1" if kind == "?" else kind).astype(kind)
        add(f"v2 filter {name}", store(array, filters=[filtering], compressor=None)[0])
    two = [named("bytes", endian="little"), *codec3("gzip", "u1"), *codec3("zstd", "u1")]
    little, grey = named("bytes", endian="little"), (CHUNK, CHUNK)
    deep = named("sharding_indexed", chunk_shape=[8, 8], codecs=[little], index_codecs=[little])
    outer = named("sharding_indexed", chunk_shape=[16, 16], codecs=[deep], index_codecs=[little])
    for name, value in {
        "two compressions": document(plain, grey, two),
        "an unknown codec": document(plain, grey, [little, named("zfp")]),
        "a codec that casts": document(plain, grey, [named("cast_value", data_type="float32"), little]),
        "snappy": document(plain, grey, [little, named("blosc", cname="snappy", clevel=5, shuffle="noshuffle")]),
        "no order of bytes": document(image("u2"), grey, [named("bytes")]),
        "no bytes": document(plain, grey, [named("gzip", level=1)]),
        "bytes twice": document(plain, grey, [little, little]),
        "transposed twice along an axis": document(plain, grey, [named("transpose", order=[0, 0]), little]),
        "transposed after bytes": document(plain, grey, [little, named("transpose", order=[1, 0])]),
        "shards in shards": document(plain, grey, [outer]),
        "shards that are compressed": document(plain, grey, [deep, named("gzip", level=1)]),
        "shards of half chunks": document(plain, (12, 16), [deep]),
        "another grid": document(plain, grey, [little], chunk_grid=named("rectilinear")),
        "other keys": document(plain, grey, [little], chunk_key_encoding=named("fanout")),
        "a transformer": document(plain, grey, [little], storage_transformers=[named("indirect")]),
        "an unknown field": document(plain, grey, [little], epoch=3),
        "half": document(plain, grey, [little], data_type="float16"),
        "an extension type": document(plain, grey, [little], data_type=named("numpy.datetime64", unit="s")),
        "a fill value of another type": document(plain, grey, [little], fill_value=256),
        "no fill value": {key: value for key, value in document(plain, grey, [little]).items() if key != "fill_value"},
        "chunks of no samples": document(plain, (0, 16), [little]),
        "a negative shape": document(plain, grey, [little], shape=[-18, 21]),
        "a format of the future": document(plain, grey, [little], zarr_format=4),
    }.items():
        add(f"v3 {name}", {"zarr.json": encoded(value)})


full = "--full" in sys.argv
format2(full)
blocks()
missing()
format3(full)
shards()
groups()
refused()
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(json.dumps(entries).encode())
print(f"{len(entries)} stores, {os.path.getsize(sys.argv[1])} bytes")
