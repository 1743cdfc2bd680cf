"""Writes a checkpoint as the weights that the library reads: one .npz of float16 arrays, as bytes: 2 × the
shape, the low bytes of all numbers first, because the high ones shrink if they are next to each other.

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


def split(values):
    """Float16 as its low and its high bytes."""
    pairs = np.ascontiguousarray(values, "<f2").view(np.uint8).reshape(*values.shape, 2)
    return np.ascontiguousarray(np.moveaxis(pairs, -1, 0))


def export(checkpoint, weights):
    kept = torch.load(checkpoint, map_location="cpu", weights_only=True)
    coarse = kept["config"].get("coarse", 0)
    if coarse:
        raise SystemExit(f"{checkpoint}: must have no coarse dictionary, because the library does not read one yet; it has {coarse} coarse atoms; train without --coarse")
    model = Unrolled(**kept["config"])
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), kept["parameters"]):
            parameter.copy_(value)
        values = dict(A=model.A, B=model.B, D=model.D, kappa=model.thresholds())
        rounded = {name: values[name].half() for name in NAMES}
        np.savez(weights, **{name: split(value.numpy()) for name, value in rounded.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("weights", help="the .npz to write")
    asked = parser.parse_args()
    export(asked.checkpoint, asked.weights)


if __name__ == "__main__":
    main()
