"""Writes the fixture that every engine of the library is tested with: a tile and its result, by NumPy in float64.

    python3 fixture.py ../packages/ght/weights/grey.npz ../packages/ght/test/golden/learned.npz

The tile is in units of its noise, with mean 0, as the library's denoisers get it. Like a block of the library, it is computed with 16 pixels
of its surroundings, mirrored with the edge repeated, and one more where a side is odd. This is an implementation of its own: it shares nothing with `model.py`.
"""
import argparse

import numpy as np

HALO = 16


def joined(halves):
    """Float16 whose low bytes are stored before its high ones."""
    return (halves[0] + 256 * halves[1].astype(np.uint16)).view(np.float16).astype(np.float64)


def unfold(r):
    """[H, W] -> [H/2, W/2, 64]: the 8x8 patches from two pixels above and left of each square of 2x2, zero outside."""
    h, w = r.shape
    padded = np.pad(r, ((2, 4), (2, 4)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (8, 8))[: h : 2, : w : 2]
    # (row of squares, row in the square, column of squares, column in the square) -> squares first
    return patches.reshape(h // 2, w // 2, 4, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(h // 2, w // 2, 64)


def fold(patches):
    """The adjoint of unfold."""
    rows, columns, _ = patches.shape
    squares = patches.reshape(rows, columns, 4, 4, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(rows, columns, 8, 8)
    padded = np.zeros((2 * rows + 6, 2 * columns + 6))
    for i in range(rows):
        for j in range(columns):
            padded[2 * i : 2 * i + 8, 2 * j : 2 * j + 8] += squares[i, j]
    return padded[2:-4, 2:-4]


def denoised(model, tile):
    h, w = tile.shape
    y = np.pad(tile, ((HALO, HALO + h % 2), (HALO, HALO + w % 2)), mode="symmetric")
    a = np.zeros((y.shape[0] // 2, y.shape[1] // 2, model["kappa"].shape[1]))
    for k, (A, kappa) in enumerate(zip(model["A"], model["kappa"])):
        r = y - fold(a @ model["B"][k - 1]) if k > 0 else y
        z = a + unfold(r) @ A.T
        a = np.sign(z) * np.maximum(np.abs(z) - kappa, 0)
    return fold(a @ model["D"])[HALO : HALO + h, HALO : HALO + w]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("fixture", help="the .npz to write")
    asked = parser.parse_args()
    model = {name: joined(array) for name, array in np.load(asked.weights).items()}
    y, x = np.mgrid[0:19, 0:26]
    clean = 3 * np.sin(x / 5) * np.cos(y / 9) + 4 * (x > y)
    tile = clean + np.random.RandomState(0).randn(*clean.shape)
    tile = (tile - tile.mean()).astype(np.float32)
    np.savez_compressed(asked.fixture, noisy=tile, denoised=denoised(model, tile.astype(np.float64)))


if __name__ == "__main__":
    main()
