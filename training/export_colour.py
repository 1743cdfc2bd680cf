"""Writes the averaged weights of a checkpoint as the library reads them: one .npz of float16 arrays, outputs x taps x inputs.

    head           channels of scale 0 x 3 x 3 x 15      12 phases of the planes, 3 maps
    A0, B0, ...    blocks x channels x 3 x 3 x channels  of each scale, in the order in which they run
    down0, ...     channels of scale 1 x 2 x 2 x channels of scale 0
    up0, ...       channels of scale 0 x 2 x 2 x channels of scale 1; the taps are places of outputs
    tail           12 x 3 x 3 x channels of scale 0
"""
import argparse

import numpy as np
import torch

from network import Network


def arrays(network):
    inputs_last = lambda layer: layer.weight.permute(0, 2, 3, 1)
    named = {"head": inputs_last(network.head)[..., : network.inputs], "tail": inputs_last(network.tail)[: network.outputs]}
    for scale in range(len(network.finer) + 1):
        blocks = [*network.finer[scale], *network.back[scale]] if scale < len(network.finer) else network.coarsest
        named[f"A{scale}"] = torch.stack([inputs_last(block.a) for block in blocks])
        named[f"B{scale}"] = torch.stack([inputs_last(block.b) for block in blocks])
    for scale, (down, up) in enumerate(zip(network.down, network.up)):
        named[f"down{scale}"] = inputs_last(down)
        named[f"up{scale}"] = up.weight.permute(1, 2, 3, 0)
    return {name: array.detach().half().numpy() for name, array in named.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", help="the file that ends in -average.pt")
    parser.add_argument("weights", help="the .npz to write")
    asked = parser.parse_args()
    kept = torch.load(asked.checkpoint, map_location="cpu")
    network = Network(**kept["config"])
    if network.squares != 2:
        raise SystemExit(f"{asked.checkpoint}: must begin at half the resolution, because the library reads no other; train with --squares 2")
    with torch.no_grad():
        for weight, value in zip(network.parameters(), kept["tensors"]):
            weight.copy_(value)
    np.savez(asked.weights, **arrays(network))


if __name__ == "__main__":
    main()
