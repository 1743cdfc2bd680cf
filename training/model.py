"""The unrolled iteration.

One step of sparse coding with a convolutional dictionary B, thresholds of kappa noise deviations and an analysis A:

    r = y - fold(B a)
    a = soft(a + A unfold(r), sigma * kappa)

K steps with matrices of their own, from a = 0, and at the end x = mean + fold(D a). Atoms have 8x8 pixels and lie 2 pixels apart:
the image is taken apart into its 4 phases at half the resolution, where an atom has 4x4 taps of 4 phases. Nothing but the
thresholds depends on sigma, and they are proportional to it, so that scaling image and noise scales the result.

A coarse dictionary can be added: the same step with codes c for the residual at half the resolution, where its atoms span 16x16
pixels and lie 4 pixels apart. All steps share its matrices A', B', D'; each step has its own thresholds:

    r = y - fold(B a) - enlarged(fold(B' c))
    c = soft(c + A' unfold(reduced(r)), sigma * kappa')
"""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

TAPS = 4
PHASES = 4
SAMPLES = TAPS * TAPS * PHASES


def phases_of(image):
    """[B, H, W] -> [B, H/2, W/2, 4]: the samples of each 2x2 square, row by row."""
    b, h, w = image.shape
    return image.reshape(b, h // 2, 2, w // 2, 2).permute(0, 1, 3, 2, 4).reshape(b, h // 2, w // 2, PHASES)


def image_of(phases):
    """The inverse of phases_of."""
    b, h, w, _ = phases.shape
    return phases.reshape(b, h, w, 2, 2).permute(0, 1, 3, 2, 4).reshape(b, 2 * h, 2 * w)


def reduced(r):
    """[B, h, w, 4] -> [B, h/2, w/2, 4]: the image at half the resolution, in its phases. White noise keeps its deviation."""
    return phases_of(r.sum(-1) / 2)


def enlarged(phases):
    """The adjoint of reduced, [B, h, w, 1]: the four phases are equal."""
    return image_of(phases)[..., None] / 2


def gather(r, dtype):
    """[B, h, w, C] -> [B, h, w, 16 C]: the 4x4 sites from one above and left to two below and right, zero outside."""
    b, h, w, c = r.shape
    padded = F.pad(r, (0, 0, 1, 2, 1, 2))
    sites = [padded[:, dy : dy + h, dx : dx + w] for dy in range(TAPS) for dx in range(TAPS)]
    return torch.stack(sites, 3).reshape(b, h, w, TAPS * TAPS * c).to(dtype)


def scatter(patches, dtype):
    """The adjoint of gather: every patch is added where it was taken from."""
    b, h, w, n = patches.shape
    padded = F.pad(patches.reshape(b, h, w, TAPS, TAPS, n // 16), (0, 0, 0, 0, 0, 0, 2, 1, 2, 1))
    total = 0
    for dy in range(TAPS):
        for dx in range(TAPS):
            total = total + padded[:, 3 - dy : 3 - dy + h, 3 - dx : 3 - dx + w, dy, dx].float()
    return total.to(dtype)


def soft(a, u, threshold):
    z = a.float() + u.float()
    return (z - torch.maximum(torch.minimum(z, threshold), -threshold)).to(u.dtype)


class Plain:
    """The three functions above as they are."""

    gather = staticmethod(gather)
    scatter = staticmethod(scatter)
    soft = staticmethod(soft)


class Compiled(Plain):
    """The same, compiled for images of one size: for training on a GPU."""

    @classmethod
    def make(cls):
        torch._dynamo.config.cache_size_limit = 64
        for name in ("gather", "scatter", "soft"):
            setattr(cls, name, staticmethod(torch.compile(globals()[name], dynamic=False)))


class Unfold(torch.autograd.Function):
    @staticmethod
    def forward(ctx, r, dtype, kernels):
        ctx.dtype, ctx.kernels = r.dtype, kernels
        return kernels.gather(r, dtype)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.kernels.scatter(gradient, ctx.dtype), None, None


class Fold(torch.autograd.Function):
    @staticmethod
    def forward(ctx, patches, kernels):
        ctx.dtype, ctx.kernels = patches.dtype, kernels
        return kernels.scatter(patches, torch.float32)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.kernels.gather(gradient, ctx.dtype), None


def first_atoms(count, seed):
    """The DCT and as many random orthonormal bases as it takes, scaled to a tight frame of bound 1; rows are atoms."""
    k = np.arange(8)
    cosines = np.cos(np.pi * (2 * k[None] + 1) * k[:, None] / 16) * math.sqrt(2 / 8)
    cosines[0] /= math.sqrt(2)
    random = np.random.RandomState(seed)
    bases = [np.kron(cosines, cosines)]
    while 64 * len(bases) < count:
        bases.append(np.linalg.qr(random.randn(64, 64))[0])
    atoms = np.concatenate(bases)[:count]
    order = [
        (2 * dy + py) * 8 + 2 * dx + px for dy in range(4) for dx in range(4) for py in range(2) for px in range(2)
    ]
    return torch.tensor(atoms[:, order] / math.sqrt(16 * count / 64), dtype=torch.float32)


def coded(a, r, A, threshold, dtype, kernels):
    """The next codes, from the residual r; a is None for codes of 0."""
    u = F.linear(Unfold.apply(r, dtype, kernels), A)
    return kernels.soft(torch.zeros_like(u) if a is None else a, u, threshold)


def folded(a, B, kernels):
    """fold(B a): the image of the codes, in its phases."""
    return Fold.apply(F.linear(a, B.t()), kernels)


class Unrolled(nn.Module):
    def __init__(self, steps=18, atoms=128, seed=0, coarse=0):
        """`coarse` is the number of coarse atoms; 0 for no coarse dictionary."""
        super().__init__()
        self.config = dict(steps=steps, atoms=atoms)
        self.multiple = 2
        start = first_atoms(atoms, 0)
        # The thresholds are learned in units of an atom's norm, in which one learning rate serves all.
        self.norm = float(start.norm(dim=1).mean())
        jitter = torch.Generator().manual_seed(1 + seed)

        def copies(n):
            return start[None] + 0.02 * start.std() * torch.randn((n, *start.shape), generator=jitter)

        self.A = nn.Parameter(copies(steps))
        self.B = nn.Parameter(copies(steps - 1))
        self.D = nn.Parameter(start.clone())
        self.kappa = nn.Parameter(torch.full((steps, atoms), 0.35))
        self.coarse = coarse
        if coarse:
            self.config["coarse"] = coarse
            self.multiple = 4
            # Half a tight frame of bound 1: the two dictionaries together have the bound 1.25, and a step is stable below 2.
            start = 0.5 * first_atoms(coarse, 0)
            self.coarse_norm = float(start.norm(dim=1).mean())
            self.coarse_A = nn.Parameter(start.clone())
            self.coarse_B = nn.Parameter(start.clone())
            self.coarse_D = nn.Parameter(start.clone())
            self.coarse_kappa = nn.Parameter(torch.full((steps, coarse), 0.35))

    def matrices(self):
        return [self.A, self.B, self.D] + ([self.coarse_A, self.coarse_B, self.coarse_D] if self.coarse else [])

    def kappas(self):
        return [self.kappa] + ([self.coarse_kappa] if self.coarse else [])

    def thresholds(self):
        return self.kappa.abs() * self.norm

    def coarse_thresholds(self):
        return self.coarse_kappa.abs() * self.coarse_norm

    def forward(self, noisy, sigma, dtype=torch.float32):
        """noisy [B, H, W] with sides that are multiples of `multiple`, sigma [B], in the same units."""
        mean = noisy.mean((1, 2), keepdim=True)
        y = phases_of(noisy - mean)
        sigma = sigma[:, None, None, None]
        A, B, D, *shared = (matrix.to(dtype) for matrix in self.matrices())
        thresholds = self.thresholds()
        if self.coarse:
            coarse_A, coarse_B, coarse_D = shared
            coarse_thresholds = self.coarse_thresholds()
        kernels = Compiled if torch.is_grad_enabled() else Plain
        a = c = None
        for k in range(self.config["steps"]):
            r = y
            if k > 0:
                r = r - folded(a, B[k - 1], kernels)
                if self.coarse:
                    r = r - enlarged(folded(c, coarse_B, kernels))
            a = coded(a, r, A[k], thresholds[k] * sigma, dtype, kernels)
            if self.coarse:
                c = coded(c, reduced(r), coarse_A, coarse_thresholds[k] * sigma, dtype, kernels)
        x = folded(a, D, kernels)
        if self.coarse:
            x = x + enlarged(folded(c, coarse_D, kernels))
        return mean + image_of(x)


def denoise(model, noisy, sigma, dtype=torch.float32, rim=16):
    """Images of any size [B, H, W], mirrored at the rim."""
    b, h, w = noisy.shape
    right, below = -w % model.multiple, -h % model.multiple
    padded = F.pad(noisy[:, None], (rim, rim + right, rim, rim + below), mode="reflect")[:, 0]
    with torch.no_grad():
        result = model(padded, torch.full((b,), sigma, device=noisy.device), dtype)
    return result[:, rim : rim + h, rim : rim + w]
