"""Trains the unrolled denoiser. Run `python3 train.py --help`; README.md says what is needed."""
import argparse
import json
import math
import os
import time

import torch

import photographs
from evaluate import table
from model import Compiled, Unrolled

BATCH = 64
CROP = 72
BORDER = 4
SIGMA = (4, 58)
WARM_UP = 500
LAST_RATE = 0.002
THRESHOLD_RATE = 4.0
CLIP = 30.0


def arguments():
    parser = argparse.ArgumentParser(description="Trains the unrolled denoiser on a folder of photographs.")
    parser.add_argument("--photographs", default="photographs/train", help="clean images to train on")
    parser.add_argument("--validation", default="photographs/valid", help="images that decide between models")
    parser.add_argument("--test", action="append", default=[], metavar="NAME=FOLDER[+OFFSET]", help="measured at the end")
    parser.add_argument("--steps", type=int, default=120_000, help="steps of the whole schedule")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this long; run again to go on")
    parser.add_argument("--rate", type=float, default=1e-3, help="the highest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unrolled", type=int, default=18, help="steps of the unrolled iteration")
    parser.add_argument("--atoms", type=int, default=128)
    parser.add_argument("--coarse", type=int, default=0, help="atoms of the coarse dictionary; 0 for none")
    parser.add_argument("--out", default="out", help="folder of the checkpoint and the log")
    parser.add_argument("--name", default="grey")
    return parser.parse_args()


def rate_at(step, steps):
    """From 0 up over the warm-up, then down along half a cosine."""
    progress = min(1.0, step / steps)
    return min(1.0, (step + 1) / WARM_UP) * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * progress)))


def main():
    asked = arguments()
    start = time.time()
    os.makedirs(asked.out, exist_ok=True)
    log = open(os.path.join(asked.out, f"{asked.name}.log"), "a")

    def say(*words):
        line = " ".join(map(str, (f"[{time.time() - start:7.1f}]", *words)))
        print(line, flush=True)
        print(line, file=log, flush=True)

    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    dtype = torch.bfloat16 if gpu else torch.float32
    torch.backends.cuda.matmul.allow_tf32 = False
    if gpu:
        Compiled.make()
    crops = photographs.Crops(photographs.load(asked.photographs), CROP, device)
    validation = {"validation": (photographs.load(asked.validation), 0)}
    model = Unrolled(asked.unrolled, asked.atoms, asked.seed, asked.coarse).to(device)
    rates = [torch.tensor(0.0, device=device), torch.tensor(0.0, device=device)]
    groups = [
        dict(params=model.matrices(), lr=rates[0]),
        dict(params=model.kappas(), lr=rates[1]),
    ]
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.99), **(dict(capturable=True, foreach=True) if gpu else {}))
    loss_now = torch.zeros((), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        clean = crops.draw(BATCH)
        sigma = (SIGMA[0] + (SIGMA[1] - SIGMA[0]) * torch.rand(BATCH, device=device)) / 255
        noisy = clean + sigma[:, None, None] * torch.randn_like(clean)
        error = (model(noisy, sigma, dtype) - clean)[:, BORDER:-BORDER, BORDER:-BORDER].square().mean((1, 2))
        loss = (255 * error / sigma).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        loss_now.mul_(0.99).add_(0.01 * loss.detach())

    def set_rates(done):
        rate = asked.rate * rate_at(done, asked.steps)
        for tensor, group, value in zip(rates, optimizer.param_groups, (rate, THRESHOLD_RATE * rate)):
            tensor.fill_(value)
            if not gpu:
                group["lr"] = value

    torch.manual_seed(asked.seed)
    set_rates(0)
    replay = step
    if gpu:
        # Steps that warm up the compiler have a rate of almost 0; a graph is then one launch per step.
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(4):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(graph):
            step()
        replay = graph.replay
    path = os.path.join(asked.out, f"{asked.name}.pt")
    done = 0
    if os.path.exists(path):
        kept = torch.load(path, map_location=device, weights_only=True)
        if kept["config"] != model.config:
            raise SystemExit(f"{path}: must hold the model that is trained, {model.config}; it holds {kept['config']}; choose another --name")
        done = kept["done"]
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), kept["parameters"]):
                parameter.copy_(value)
            for parameter, value in zip(model.parameters(), kept["moments"]):
                state = optimizer.state[parameter]
                for name, tensor in value.items():
                    state[name].copy_(tensor) if name in state else state.setdefault(name, tensor)
        torch.manual_seed(asked.seed + done)
    say(f"{asked.name}: {sum(p.numel() for p in model.parameters())} parameters, from step {done} of {asked.steps}, {len(crops.first)} photographs, {crops.samples.numel() / 1e6:.1f} Mpx")

    def keep():
        if gpu:
            torch.cuda.synchronize()
        moments = [{k: v.clone() for k, v in optimizer.state[p].items()} for p in model.parameters()]
        torch.save(dict(config=model.config, done=done, parameters=[p.detach().clone() for p in model.parameters()], moments=moments), path + ".part")
        os.replace(path + ".part", path)

    began, first, told = time.time(), done, time.time()
    while done < asked.steps and time.time() - start < asked.seconds:
        set_rates(done)
        for _ in range(10):
            replay()
            done += 1
        if gpu and done % 50 == 0:
            torch.cuda.synchronize()
        if time.time() - told > 60:
            say(f"step {done}, loss {float(loss_now):.4f}, {1e3 * (time.time() - began) / (done - first):.2f} ms per step", json.dumps(table(model, validation, (25,))))
            keep()
            told = time.time()
    keep()
    pace = 1e3 * (time.time() - began) / max(1, done - first)
    sets = dict(validation)
    for test in asked.test:
        name, _, place = test.partition("=")
        folder, _, offset = place.partition("+")
        sets[name] = (photographs.load(folder), int(offset or 0))
    say(f"step {done}, loss {float(loss_now):.4f}, {pace:.2f} ms per step", json.dumps(table(model, sets, (15, 25, 50))))


if __name__ == "__main__":
    main()
