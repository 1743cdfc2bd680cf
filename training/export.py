"""Writes a checkpoint as the weights that the library reads: one .npz of float16 arrays, and a fixture beside it.

    A      steps × atoms × 64       analysis
    B      (steps − 1) × atoms × 64 synthesis, from the second step on
    D      atoms × 64               the dictionary of the result
    kappa  steps × atoms            thresholds in noise deviations

The 64 samples of an atom are 4×4 taps of the 2×2 phases, in the order (tap row, tap column, phase row, phase column).
"""
import argparse

import numpy as np
import torch

from model import Unrolled

NAMES = ("A", "B", "D", "kappa")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("weights", help="the .npz to write")
    parser.add_argument("--fixture", help="an .npz to write: a noisy tile, its sigma and what the rounded weights make of it")
    asked = parser.parse_args()
    kept = torch.load(asked.checkpoint, map_location="cpu", weights_only=True)
    model = Unrolled(**kept["config"])
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), kept["parameters"]):
            parameter.copy_(value)
        values = dict(A=model.A, B=model.B, D=model.D, kappa=model.thresholds())
        rounded = {name: values[name].half() for name in NAMES}
        np.savez(asked.weights, **{name: value.numpy() for name, value in rounded.items()})
        if asked.fixture:
            for name in ("A", "B", "D"):
                getattr(model, name).copy_(rounded[name].float())
            model.kappa.copy_(rounded["kappa"].float() / model.norm)
            y, x = np.mgrid[0:48, 0:64]
            clean = 0.5 + 0.3 * np.sin(x / 5) * np.cos(y / 9) + 0.2 * (x > y)
            noisy = (clean + 0.1 * np.random.RandomState(0).randn(48, 64)).astype(np.float32)
            result = model(torch.tensor(noisy)[None], torch.tensor([0.1]))[0]
            np.savez(asked.fixture, noisy=noisy, sigma=np.float32(0.1), denoised=result.numpy())


if __name__ == "__main__":
    main()
