"""Writes matrices as SciPy writes them: .mat files of level 5 in all their forms, and sparse .npz files.

Every file holds Y[i, j] = 4 i - 3 j (5 x 7), cut to the range of its type, unless its name says otherwise. SciPy writes the byte
order of its machine, so the big-endian file is written here by the definition of the format; SciPy reads it back.
"""

import struct
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

here = Path(__file__).parent
i, j = np.mgrid[0:5, 0:7]
Y = 4.0 * i - 3.0 * j


def save(name, compressed=False, **variables):
    scipy.io.savemat(here / name, variables, do_compression=compressed)


save("double.mat", Y=Y + 0.25)
save("compressed.mat", compressed=True, Y=Y + 0.25)
save("whole.mat", Y=Y)
save("single.mat", Y=(Y + 0.25).astype("f4"))
for kind in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]:
    save(f"{kind}.mat", Y=(np.abs(Y) if kind[0] == "u" else Y).astype(kind))
save("logical.mat", Y=Y > 0)
sparse = np.where((i + j) % 3 == 0, Y + 0.25, 0)
save("sparse.mat", Y=scipy.sparse.csc_matrix(sparse))
save("sparse_compressed.mat", compressed=True, Y=scipy.sparse.csc_matrix(sparse))
save("several.mat", compressed=True, note="text", Y=Y, D=Y.T, cells=np.array([1, "a"], dtype=object), s={"a": 1})
save("complex.mat", Y=Y + 1j)
save("cube.mat", Y=np.zeros((2, 3, 4)))
rows, columns, channels = np.mgrid[0:6, 0:5, 0:3]
save("colour.mat", compressed=True, picture=(100.0 * rows + 10 * columns + channels).astype("f4"), mask=Y > 0, text="text")
save("wide.mat", Y=np.full((2, 2), 2**53 + 1, dtype="i8"))
scipy.io.savemat(here / "level4.mat", {"Y": Y}, format="4")


def element(kind, data):
    return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)


def small(kind, data):
    """Data of at most four bytes lie in the tag."""
    return struct.pack(">HH", len(data), kind) + data.ljust(4, b"\0")


flags = element(6, struct.pack(">II", 6, 0))
content = flags + element(5, struct.pack(">ii", 5, 7)) + small(1, b"Y") + element(9, (Y + 0.25).T.astype(">f8").tobytes())
header = b"MATLAB 5.0 MAT-file, big-endian".ljust(124) + struct.pack(">H", 0x0100) + b"MI"
(here / "big_endian.mat").write_bytes(header + struct.pack(">II", 14, len(content)) + content)
assert np.array_equal(scipy.io.loadmat(here / "big_endian.mat")["Y"], Y + 0.25)

for form in ["csc", "csr", "coo", "bsr"]:
    scipy.sparse.save_npz(here / f"{form}.npz", scipy.sparse.csc_matrix(sparse).asformat(form))
np.savez(here / "arrays.npz", Y=Y, D=Y.T)
np.savez_compressed(here / "one.npz", anything=(Y + 0.25).astype("f4"))
