"""Photographs as grey arrays, and random crops of them."""
import glob
import os

import numpy as np
import torch
from PIL import Image


def load(folder):
    """Every image of a folder, in the order of its name, in grey, 0..255."""
    files = sorted(glob.glob(os.path.join(folder, "*.png")) + glob.glob(os.path.join(folder, "*.jpg")))
    if not files:
        raise SystemExit(f"{folder}: must hold PNG or JPEG images; none is there; see README.md for what to put there")
    return [np.asarray(Image.open(file).convert("L")) for file in files]


class Crops:
    """Crops of photographs that lie one after the other in memory. Photographs with more detail come more often."""

    def __init__(self, photographs, side, device):
        self.side = side
        self.device = device
        photographs = [p for p in photographs if min(p.shape) >= side]
        self.samples = torch.cat([torch.tensor(p.copy()).reshape(-1) for p in photographs]).to(device)
        shapes = torch.tensor([p.shape for p in photographs])
        self.height, self.width = shapes[:, 0].to(device), shapes[:, 1].to(device)
        sizes = torch.tensor([p.size for p in photographs])
        self.first = (torch.cumsum(sizes, 0) - sizes).to(device)
        detail = torch.tensor([float(np.abs(np.diff(p.astype(np.float32), axis=1)).mean()) for p in photographs])
        weights = sizes.float() * torch.clamp(detail, max=8.0)
        self.cumulative = torch.cumsum(weights / weights.sum(), 0).to(device)

    def draw(self, count):
        """`count` crops in 0..1, an eighth of them in each orientation."""
        at = torch.rand(count, device=self.device)
        i = torch.searchsorted(self.cumulative, at).clamp(max=len(self.cumulative) - 1)
        y = (torch.rand(count, device=self.device) * (self.height[i] - self.side + 1)).long()
        x = (torch.rand(count, device=self.device) * (self.width[i] - self.side + 1)).long()
        ramp = torch.arange(self.side, device=self.device)
        rows = self.first[i, None] + (y[:, None] + ramp) * self.width[i, None]
        crops = self.samples[rows[:, :, None] + (x[:, None] + ramp)[:, None, :]].float() / 255
        return torch.cat([turned(part, k) for k, part in enumerate(crops.chunk(8))])


def turned(crops, k):
    """One of the eight orientations of squares."""
    if k & 1:
        crops = crops.transpose(1, 2)
    flipped = [axis for bit, axis in ((2, 1), (4, 2)) if k & bit]
    return crops.flip(flipped) if flipped else crops
