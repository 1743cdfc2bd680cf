"""Writes the fixture that every engine of the library is tested with: a colour tile and its result, by NumPy in float64.

    python3 fixture_colour.py ../packages/colour/colour.npz ../packages/ght/test/golden/colour.npz

The planes are in units of their noise, with mean 0; those of the chromas have noise of another deviation. Like a block of the library, the tile is
computed with 12 pixels of its surroundings, mirrored with the edge repeated, and with more below and right up to multiples of 8. This is
an implementation of its own: it shares nothing with `network.py`.
"""
import argparse

import numpy as np

HALO = 12
MULTIPLE = 8


def near(h):
    """[rows, columns, n] -> [rows, columns, 3, 3, n]: the neighbours of each site, zero outside."""
    rows, columns, _ = h.shape
    padded = np.pad(h, ((1, 1), (1, 1), (0, 0)))
    return np.stack([np.stack([padded[dy : dy + rows, dx : dx + columns] for dx in range(3)], 2) for dy in range(3)], 2)


def convolved(h, weights):
    return np.einsum("yxuvi,ouvi->yxo", near(h), weights, optimize=True)


def squares(h):
    """[2 rows, 2 columns, n] -> [rows, columns, 2, 2, n]."""
    rows, columns, n = h.shape
    return h.reshape(rows // 2, 2, columns // 2, 2, n).transpose(0, 2, 1, 3, 4)


def unsquared(s):
    rows, columns, _, _, n = s.shape
    return s.transpose(0, 2, 1, 3, 4).reshape(2 * rows, 2 * columns, n)


def through(model, scale, h, blocks):
    for k in blocks:
        h = h + convolved(np.maximum(convolved(h, model[f"A{scale}"][k]), 0), model[f"B{scale}"][k])
    return h


def denoised(model, planes, deviations):
    """planes [3, H, W] in the units of `deviations`."""
    _, height, width = planes.shape
    below, right = (HALO + -side % MULTIPLE for side in (height, width))
    y = np.pad(planes, ((0, 0), (HALO, below), (HALO, right)), mode="symmetric")
    phases = squares(y.transpose(1, 2, 0)).transpose(0, 1, 4, 2, 3)
    rows, columns = phases.shape[:2]
    maps = np.broadcast_to(deviations, (rows, columns, 3))
    h = convolved(np.concatenate([phases.reshape(rows, columns, 12), maps], 2), model["head"])
    last = sum(name.startswith("A") for name in model) - 1
    kept = []
    for scale in range(last):
        half = len(model[f"A{scale}"]) // 2
        kept.append(through(model, scale, h, range(half)))
        h = np.einsum("yxuvi,ouvi->yxo", squares(kept[-1]), model[f"down{scale}"], optimize=True)
    h = through(model, last, h, range(len(model[f"A{last}"])))
    for scale in reversed(range(last)):
        up = unsquared(np.einsum("yxi,ouvi->yxuvo", h, model[f"up{scale}"], optimize=True))
        half = len(model[f"A{scale}"]) // 2
        h = through(model, scale, up + kept[scale], range(half, 2 * half))
    noise = convolved(h, model["tail"]).reshape(rows, columns, 3, 2, 2).transpose(0, 1, 3, 4, 2)
    x = y - unsquared(noise).transpose(2, 0, 1)
    return x[:, HALO : HALO + height, HALO : HALO + width]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("fixture", help="the .npz to write")
    asked = parser.parse_args()
    model = {name: array.astype(np.float64) for name, array in np.load(asked.weights).items()}
    deviations = np.array([1, 0.7, 1.2])
    y, x = np.mgrid[0:21, 0:27]
    clean = np.stack([3 * np.sin(x / 5) * np.cos(y / 9) + 6 * (x > y), 2 * (x > y) - 1, np.cos(x / 7)])
    tile = clean + np.random.RandomState(0).randn(*clean.shape) * deviations[:, None, None]
    # In units of the noise of each plane.
    tile = ((tile - tile.mean((1, 2), keepdims=True)) / deviations[:, None, None]).astype(np.float32)
    scaled = deviations[:, None, None]
    result = denoised(model, tile * scaled, deviations) / scaled
    np.savez_compressed(asked.fixture, noisy=tile, deviations=deviations, denoised=result)


if __name__ == "__main__":
    main()
