"""Trains the network for colour pictures. Run `python3 train_colour.py --help`; README.md says what is needed."""
import argparse
import glob
import json
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from PIL import Image

from muon import Muon
from network import Network, denoise, to_axes

BATCH = 64
CROP = 128
BORDER = 8
MOST_SIGMA = 75
WARM_UP = 500
CLIP = 1.0
AVERAGED = 0.999


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photographs", default="photographs/colour/train", help="clean images to train on")
    parser.add_argument("--validation", default="photographs/colour/valid", help="images that decide between models")
    parser.add_argument("--test", action="append", default=[], metavar="NAME=FOLDER", help="measured at the end")
    parser.add_argument("--steps", type=int, default=160_000, help="steps of the whole schedule")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this long; run again to go on")
    parser.add_argument("--rate", type=float, default=1e-3, help="the highest learning rate")
    parser.add_argument("--adam", action="store_true", help="use Adam for all weights")
    parser.add_argument("--widths", default="64,96,128", help="channels of each scale, from the finest")
    parser.add_argument("--blocks", type=int, default=2, help="residual blocks per scale and direction")
    parser.add_argument("--squares", type=int, default=2, help="2 to begin at half the resolution; 1 at the full one")
    parser.add_argument("--decay", type=float, default=0.4, help="the part of the steps, at their end, over which the rate falls to 0")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="out", help="folder of the checkpoint and the log")
    parser.add_argument("--name", default="colour")
    return parser.parse_args()


def load(folder):
    """Every image of a folder, in the order of its name: arrays of H x W x 3."""
    files = sorted(glob.glob(os.path.join(folder, "*.png")) + glob.glob(os.path.join(folder, "*.jpg")))
    if not files:
        raise SystemExit(f"{folder}: must hold PNG or JPEG images; none is there; see README.md for what to put there")
    with ThreadPoolExecutor() as threads:
        return list(threads.map(lambda file: np.asarray(Image.open(file).convert("RGB")), files))


def halved(photograph):
    picture = Image.fromarray(photograph)
    return np.asarray(picture.resize((picture.width // 2, picture.height // 2), Image.LANCZOS))


class Crops:
    """Crops of photographs that lie one after the other in memory, in luma and chromas less the mean of the photograph."""

    def __init__(self, photographs, device):
        photographs = [p for p in photographs if min(p.shape[:2]) >= CROP]
        self.device = device
        self.samples = torch.cat([torch.from_numpy(p.copy()).reshape(-1, 3) for p in photographs]).to(device)
        shapes = torch.tensor([p.shape[:2] for p in photographs])
        self.height, self.width = shapes[:, 0].to(device), shapes[:, 1].to(device)
        sizes = shapes.prod(1)
        self.first = (torch.cumsum(sizes, 0) - sizes).to(device)
        self.means = torch.tensor(np.stack([p.mean((0, 1)) for p in photographs]), dtype=torch.float32).to(device)
        detail = torch.tensor([float(np.abs(np.diff(p[..., 1].astype(np.float32), axis=1)).mean()) for p in photographs])
        weights = sizes.float() * detail.clamp(1, 8)
        self.cumulative = torch.cumsum(weights / weights.sum(), 0).to(device)

    def draw(self, count):
        """`count` crops, 1 for white, an eighth of them in each orientation."""
        i = torch.searchsorted(self.cumulative, torch.rand(count, device=self.device)).clamp(max=len(self.cumulative) - 1)
        y = (torch.rand(count, device=self.device) * (self.height[i] - CROP + 1)).long()
        x = (torch.rand(count, device=self.device) * (self.width[i] - CROP + 1)).long()
        ramp = torch.arange(CROP, device=self.device)
        rows = self.first[i, None] + (y[:, None] + ramp) * self.width[i, None]
        crops = self.samples[rows[:, :, None] + (x[:, None] + ramp)[:, None, :]].float() - self.means[i][:, None, None]
        crops = to_axes(crops.permute(0, 3, 1, 2) / 255)
        return torch.cat([turned(part, k) for k, part in enumerate(crops.chunk(8))])


def turned(crops, k):
    """One of the eight orientations of squares."""
    if k & 1:
        crops = crops.transpose(2, 3)
    flipped = [axis for bit, axis in ((2, 2), (4, 3)) if k & bit]
    return crops.flip(flipped) if flipped else crops


def deviations(count, device):
    """Maps of the noise's deviation [count, 3, H, W]. A part of each orientation has a level per plane, and levels that change along the crop."""
    uniform = lambda least, most, *shape: least + (most - least) * torch.rand(*shape, device=device)
    sigma = uniform(0.5, MOST_SIGMA, count, 1, 1, 1) / 255
    varied = (torch.arange(count, device=device) % 8 >= 6).float()[:, None, None, None]
    levels = torch.cat([torch.zeros(count, 1, 1, 1, device=device), uniform(-1.2, 0.5, count, 2, 1, 1)], 1)
    ramp = torch.linspace(-1, 1, CROP, device=device)
    slope = uniform(-0.5, 0.5, count, 1, 1, 1) * ramp[:, None] + uniform(-0.5, 0.5, count, 1, 1, 1) * ramp
    return sigma * torch.exp(varied * (levels + slope))


def psnr(network, images, sigma):
    """Mean over images, white noise neither clipped nor rounded, with the seed 1000 sigma + i; the estimate is clipped."""
    device = next(network.parameters()).device
    values = []
    for i, clean in enumerate(images):
        clean = clean.astype(np.float32)
        noise = np.random.RandomState(1000 * sigma + i).randn(*clean.shape).astype(np.float32)
        noisy = torch.tensor((clean + sigma * noise) / 255, device=device).permute(2, 0, 1)[None]
        estimate = (255 * denoise(network, noisy, sigma / 255)).clamp(0, 255)[0].permute(1, 2, 0)
        error = (estimate - torch.tensor(clean, device=device)).square().mean()
        values.append(float(10 * torch.log10(255**2 / error)))
    return float(np.mean(values))


def table(network, sets, sigmas):
    # Each picture has a size of its own: trying all algorithms for it would take longer than the picture.
    torch.backends.cudnn.benchmark = False
    return {name: {sigma: round(psnr(network, images, sigma), 3) for sigma in sigmas} for name, images in sets.items()}


def rate_at(step, steps, decay):
    """Up over the warm-up, constant, and down along a line over the last part."""
    return min(1.0, (step + 1) / WARM_UP, max(0.0, (steps - step) / (decay * steps)))


def main():
    asked = arguments()
    start = time.time()
    os.makedirs(asked.out, exist_ok=True)
    log = open(os.path.join(asked.out, f"{asked.name}.log"), "a")

    def say(*words):
        line = " ".join(map(str, (f"[{time.time() - start:6.1f}] {asked.name}", *words)))
        print(line, flush=True)
        print(line, file=log, flush=True)

    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(asked.seed)
    widths = [int(width) for width in asked.widths.split(",")]
    network = Network(widths, asked.blocks, asked.squares).to(device).to(memory_format=torch.channels_last)
    average = Network(widths, asked.blocks, asked.squares).to(device).to(memory_format=torch.channels_last)
    average.load_state_dict(network.state_dict())
    weights, averages = list(network.parameters()), list(average.parameters())
    photographs = load(asked.photographs)
    with ThreadPoolExecutor() as threads:
        crops = Crops(photographs + list(threads.map(halved, photographs)), device)
    validation = load(asked.validation)

    ends = [] if asked.adam else [network.head.weight, network.tail.weight]
    by_adam = weights if asked.adam else ends
    muon = None if asked.adam else Muon([w for w in weights if not any(w is end for end in ends)])
    rate = torch.tensor(0.0, device=device) if gpu else 0.0
    adam = torch.optim.Adam(by_adam, lr=rate, betas=(0.9, 0.99), **(dict(capturable=True, foreach=True) if gpu else {}))
    loss_now = torch.zeros((), device=device)

    def step():
        for weight in weights:
            weight.grad = None
        with torch.no_grad():
            clean = crops.draw(BATCH)
            s = deviations(BATCH, device)
            noisy = clean + s * torch.randn_like(clean)
        with torch.autocast(device, torch.bfloat16, enabled=gpu, cache_enabled=False):
            estimate = network(noisy, s)
        error = (estimate - clean)[:, :, BORDER:-BORDER, BORDER:-BORDER]
        # An error grows about as the root of the noise, so all levels count alike.
        level = s[:, :1, CROP // 2, CROP // 2, None, None].sqrt()
        loss = 16 * ((error.square() + 1e-6).sqrt() / level).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, CLIP)
        adam.step()
        if muon:
            muon.step()
        with torch.no_grad():
            torch._foreach_mul_(averages, AVERAGED)
            torch._foreach_add_(averages, [w.detach() for w in weights], alpha=1 - AVERAGED)
        loss_now.mul_(0.99).add_(0.01 * loss.detach())

    def set_rates(done):
        now = asked.rate * rate_at(done, asked.steps, asked.decay)
        if muon:
            muon.rate.fill_(now)
        if gpu:
            rate.fill_(now)
        else:
            adam.param_groups[0]["lr"] = now

    # Files of at most 16 MiB: the weights, their averages, and what the optimisers remember.
    files = [os.path.join(asked.out, f"{asked.name}-{part}.pt") for part in ("weights", "average", "moments")]

    def moments():
        held = list(muon.moments.values()) if muon else []
        return held + [value for w in by_adam for _, value in sorted(adam.state[w].items()) if torch.is_tensor(value)]

    def keep():
        for file, tensors in zip(files, (weights, averages, moments())):
            torch.save(dict(config=network.config, done=done, tensors=[t.detach().contiguous() for t in tensors]), file + ".part")
            os.replace(file + ".part", file)

    # The optimisers make what they remember in the first step; a rate of 0 changes nothing but that.
    set_rates(0)
    if muon:
        muon.rate.fill_(0)
    if gpu:
        rate.fill_(0)
    else:
        adam.param_groups[0]["lr"] = 0.0
    go = step
    if gpu:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(4):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        go = graph.replay
    else:
        step()
    done = 0
    with torch.no_grad():
        for moment in moments():
            moment.zero_()
        if all(map(os.path.exists, files)):
            for file, tensors in zip(files, (weights, averages, moments())):
                kept = torch.load(file, map_location=device)
                if kept["config"] != network.config:
                    raise SystemExit(f"{file}: must hold the network that is trained, {network.config}; it holds {kept['config']}; choose another --name")
                done = kept["done"]
                for tensor, value in zip(tensors, kept["tensors"]):
                    tensor.copy_(value)
    torch.manual_seed(asked.seed + 1 + done)
    say(f"{sum(w.numel() for w in weights)} parameters, from step {done} of {asked.steps}, {len(photographs)} photographs, {len(crops.samples) / 1e6:.1f} Mpx")

    began, first, told = time.time(), done, time.time()
    while done < asked.steps and time.time() - start < asked.seconds:
        set_rates(done)
        for _ in range(10):
            go()
            done += 1
        if gpu and done % 50 == 0:
            torch.cuda.synchronize()
        if time.time() - told > 100:
            say(f"step {done}, loss {float(loss_now):.4f}, {1e3 * (time.time() - began) / (done - first):.2f} ms per step", json.dumps(table(average, {"valid": validation}, (25,))))
            keep()
            told = time.time()
    if gpu:
        torch.cuda.synchronize()
    pace = 1e3 * (time.time() - began) / max(1, done - first)
    keep()
    sets = {"valid": validation} | {name: load(folder) for name, _, folder in (test.partition("=") for test in asked.test)}
    say(f"step {done}, loss {float(loss_now):.4f}, {pace:.2f} ms per step", json.dumps(table(average, sets, (15, 25, 50))))


if __name__ == "__main__":
    main()
