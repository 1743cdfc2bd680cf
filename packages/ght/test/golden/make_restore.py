"""Golden data for restoration, computed independently of the sources of ght: restore.json beside this file.

Made with Python 3.11.2, NumPy 1.24.2, SciPy 1.10.1, scikit-image 0.19.3 (Debian 12).
Rerun: python3 make_restore.py

Layout of restore.json:

  picture     {"width", "height", "data"}: a picture, row by row.
  resized     a list of {"width", "height", "data"}: the picture resized to that size as MATLAB's imresize does it with
              its default, bicubic with antialiasing.
  missing     the missing pixels of the picture, 1 for each.
  biharmonic  the picture with those pixels replaced such that the sum of the squares of its Laplacian is least, by a sparse
              direct solver. It is scikit-image's inpaint_biharmonic, but for its clipping to the range of the known pixels;
              the script prints the difference.
"""

import json
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve
from skimage.restoration import inpaint_biharmonic

DECIMALS = 9


def cubic(t):
    t = np.abs(t)
    inner = 1.5 * t**3 - 2.5 * t**2 + 1
    return np.where(t <= 1, inner, np.where(t <= 2, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2, 0))


def resize_matrix(n, m):
    """Rows: the m samples of a line of n samples. Antialiased if m < n; the rim is mirrored."""
    scale = m / n
    a = min(scale, 1.0)
    width = 4 / a
    u = (np.arange(m) + 0.5) / scale - 0.5
    left = np.floor(u - width / 2).astype(int)
    matrix = np.zeros((m, n))
    for p in range(int(np.ceil(width)) + 2):
        j = left + p
        jj = np.mod(j, 2 * n)
        np.add.at(matrix, (np.arange(m), np.where(jj < n, jj, 2 * n - 1 - jj)), a * cubic(a * (u - j)))
    return matrix / matrix.sum(1, keepdims=True)


def laplacian(n):
    """Second differences along a line, without those across its ends."""
    ends = np.r_[-1.0, -2 * np.ones(n - 2), -1.0]
    return sp.diags([ends, np.ones(n - 1), np.ones(n - 1)], [0, 1, -1])


def least_bent(x, missing):
    h, w = x.shape
    L = sp.kron(sp.eye(h), laplacian(w)) + sp.kron(laplacian(h), sp.eye(w))
    B = (L.T @ L).tocsc()
    holes, known = np.flatnonzero(missing), np.flatnonzero(~missing)
    filled = x.ravel().astype(float).copy()
    filled[holes] = spsolve(B[holes][:, holes], -B[holes][:, known] @ filled[known])
    return filled.reshape(h, w)


def plane(x):
    return {"width": x.shape[1], "height": x.shape[0], "data": np.round(x, DECIMALS).ravel().tolist()}


height, width = 18, 24
rng = np.random.default_rng(1)
y, x = np.mgrid[:height, :width]
picture = np.round(120 + 60 * np.sin(0.5 * x + 0.2 * y) + 40 * (y > 9) + 8 * rng.standard_normal((height, width)))
resized = []
for h, w in [(9, 12), (6, 8), (12, 16), (7, 10), (36, 48), (27, 36)]:
    resized.append(plane(resize_matrix(height, h) @ picture @ resize_matrix(width, w).T))
missing = rng.random((height, width)) < 0.4
missing[4:8, 10:14] = True
holes = np.where(missing, 0, picture)
bent = least_bent(picture, missing)
other = 255 * inpaint_biharmonic(holes / 255, missing)
clipped = np.clip(bent, picture[~missing].min(), picture[~missing].max())
print("differs from scikit-image by at most", np.abs(clipped - other).max())
golden = {
    "picture": plane(picture),
    "resized": resized,
    "missing": missing.astype(int).ravel().tolist(),
    "biharmonic": plane(bent),
}
Path(__file__).with_name("restore.json").write_text(json.dumps(golden) + "\n")
