"""GHT-QPM and GHT-ADMM in PyTorch on a GPU, for bench/gpu.js. usage: torch_ght.py FOLDER BITS...

FOLDER holds patches.npy (P x 64) and dictionary.npy (100 x 64, one atom per row). For 2^BITS patches and 10 atoms per patch it prints
one JSON object per solver and form: `plain` is the paper's step (an inverse, one product, the S-th largest by histogram and sort),
`compiled` the form in the coordinates of the singular value decomposition, by torch.compile, with the threshold looked for near its
last value. Both are float32 without TF32.
"""
import json
import sys
import time

import numpy as np
import torch

folder, sizes = sys.argv[1], [int(b) for b in sys.argv[2:]]
torch.backends.cuda.matmul.allow_tf32 = False
patches = np.load(f"{folder}/patches.npy", mmap_mode="r")
atoms = torch.from_numpy(np.load(f"{folder}/dictionary.npy").astype(np.float64)).T  # 64 x 100
MAGNITUDE = 0x7FFFFFFF


def bits_of(x):
    return x.view(torch.int32) & MAGNITUDE


def nth_largest(x, n):
    """The bits of the n-th largest magnitude: the bucket of its upper 16 bits, then a sort within the bucket."""
    bits = bits_of(x).flatten()
    counts = torch.bincount(bits >> 15, minlength=1 << 16)
    from_top = counts.flip(0).cumsum(0).flip(0)
    bucket = int((from_top >= n).sum()) - 1
    above = int(from_top[bucket + 1]) if bucket + 1 < len(from_top) else 0
    inside = bits[(bits >> 15) == bucket]
    return inside.sort(descending=True).values[n - above - 1].view(torch.float32)


class Plain:
    """X = (D'D + rho)^-1 (D'Y + rho Z - L),  Z = H_S(X + L/rho),  L += rho (X - Z); QPM has L = 0."""

    def __init__(self, Y, rho, admm):
        self.rho, self.admm, self.Y = rho, admm, Y
        self.D = atoms.float().cuda()
        eye = torch.eye(atoms.shape[1], dtype=torch.float64)
        self.inverse = torch.linalg.inv(atoms.T @ atoms + rho * eye).float().cuda()
        self.W = self.D.T @ Y
        self.Z = torch.zeros_like(self.W)
        self.L = torch.zeros_like(self.W)

    def step(self, S):
        X = self.inverse @ (self.W + self.rho * self.Z - self.L)
        V = X + self.L / self.rho if self.admm else X
        self.Z = torch.where(V.abs() >= nth_largest(V, S), V, 0)
        if self.admm:
            self.L = self.L + self.rho * (X - self.Z)
        return (self.D @ self.Z - self.Y).square().sum()


@torch.compile(dynamic=False)
def middle(c, t, q, sigma, g, admm: bool):
    r = c - sigma * t
    m = g * (r - sigma * (t - q)) if admm else g * r
    return m, t + m, r.square().sum()


@torch.compile(dynamic=True)
def near(x, lo: int, hi: int):
    bits = bits_of(x)
    return (bits >= hi).sum(), (bits >= lo) & (bits < hi)


@torch.compile(dynamic=True)
def cut(x, threshold: float):
    return torch.where(x.abs() >= threshold, x, 0)


class Compiled:
    """r = c - sigma t, M = g r, X = Z + V M, with c = Q'Y and t = V'Z; the error is that of the codes read."""

    def __init__(self, Y, rho, admm):
        Q, s, Vt = torch.linalg.svd(atoms, full_matrices=False)
        self.V, self.sigma = Vt.T.float().cuda(), s.float().cuda()[:, None]
        self.g = self.sigma / (self.sigma.square() + rho)
        self.c, self.admm = Q.T.float().cuda() @ Y, admm
        self.Z = torch.zeros(atoms.shape[1], Y.shape[1], device="cuda")
        self.q = torch.zeros_like(self.c)
        self.threshold, self.moved, self.k = None, 0.5, 0

    def step(self, S):
        M, self.q, error = middle(self.c, self.V.T @ self.Z, self.q, self.sigma, self.g, self.admm)
        X = torch.addmm(self.Z, self.V, M)
        threshold = self.look_near(X, S)
        threshold = float(nth_largest(X, S)) if threshold is None else threshold
        self.moved = abs(threshold / self.threshold - 1) if self.threshold else 0.5
        self.threshold, self.k = threshold, self.k + 1
        self.Z = cut(X, threshold)
        return error

    def look_near(self, X, S):
        if self.threshold is None:
            return None
        around = min(0.9, max(0.002, 2 * self.moved, 0.3 / self.k**2))
        lo, hi = (int(np.float32(self.threshold * f).view(np.int32)) for f in (1 - around, 1 + around))
        above, inside = near(X, lo, hi)
        rank = S - int(above)
        candidates = bits_of(X)[inside]
        if not 0 < rank <= candidates.numel():
            return None
        return float(candidates.sort(descending=True).values[rank - 1].view(torch.float32))


def milliseconds(form, Y, S, rho, admm):
    """Per iteration, after 30; and the error of the last."""
    run = form(Y, rho, admm)
    for _ in range(30):
        run.step(S)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(40):
        error = run.step(S)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / 40 * 1e3, float(error)


for bits in sizes:
    P = 1 << bits
    Y = torch.from_numpy(np.array(patches[:P], dtype=np.float32)).cuda().T.contiguous()
    for solver, rho in (("qpm", 0.1), ("admm", 1.0)):
        for name, form in (("plain", Plain), ("compiled", Compiled)):
            try:
                ms, error = milliseconds(form, Y, 10 * P, rho, solver == "admm")
            except Exception as problem:
                print(f"{name} {solver} 2^{bits}: {problem!r}"[:300], file=sys.stderr)
                continue
            print(json.dumps({"solver": solver, "form": name, "bits": bits, "ms": ms, "rmse": (error / P) ** 0.5}), flush=True)
