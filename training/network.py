"""The network for colour pictures.

Three planes in the axes luma and chromas (an orthonormal transform of R, G, B), each less its mean, and a map of the noise's deviation
in each plane. `squares` takes the planes apart into their 4 phases at half the resolution; the maps are averaged there. Then a residual network on several scales, from fine to coarse and back:

    h = head(squares(y), mean(s))
    h = blocks(h); kept, h = h, down(h)              for each scale but the coarsest
    h = blocks(h)
    h = blocks(up(h) + kept)                         back to the finest
    x = y - pictures(tail(h))                        block(h) = h + B max(A h, 0)

All maps are linear but max(., 0), and none adds a constant. So scaling picture and noise scales the result: net(a y, a s) = a net(y, s).
`head`, `tail`, A and B are convolutions of 3x3 with zeros outside; `down` maps squares of 2x2 to one site, `up` one site to a square.
"""
import functools
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PLANES = 3

AXES = torch.tensor(
    [
        [1 / math.sqrt(3)] * 3,
        [1 / math.sqrt(2), 0, -1 / math.sqrt(2)],
        [1 / math.sqrt(6), -2 / math.sqrt(6), 1 / math.sqrt(6)],
    ]
)


@functools.cache
def axes_on(device):
    return AXES.to(device)


def to_axes(pictures):
    """[B, 3, H, W] in R, G, B -> luma and chromas."""
    return torch.einsum("oc,bchw->bohw", axes_on(pictures.device), pictures)


def from_axes(planes):
    """The inverse of to_axes, which is its adjoint."""
    return torch.einsum("co,bchw->bohw", axes_on(planes.device), planes)


def even(channels):
    """GPUs are slow unless channels come in eights; the weights of those too many are not used."""
    return 8 * math.ceil(channels / 8)


def convolution(inputs, outputs, gain):
    layer = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    nn.init.orthogonal_(layer.weight, gain)
    return layer


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = convolution(width, width, math.sqrt(2))
        self.b = convolution(width, width, 0.2)

    def forward(self, h):
        return h + self.b(F.relu(self.a(h), inplace=True))


class Network(nn.Module):
    def __init__(self, widths=(64, 96, 128), blocks=2, squares=2):
        super().__init__()
        self.config = dict(widths=list(widths), blocks=blocks, squares=squares)
        self.squares = squares
        self.multiple = squares * 2 ** (len(widths) - 1)
        several = lambda width: nn.Sequential(*(Block(width) for _ in range(blocks)))
        pairs = list(zip(widths, widths[1:]))
        self.inputs, self.outputs = PLANES * squares**2 + PLANES, PLANES * squares**2
        self.head = convolution(even(self.inputs), widths[0], 1)
        self.finer = nn.ModuleList(several(width) for width in widths[:-1])
        self.down = nn.ModuleList(nn.Conv2d(w, v, 2, 2, bias=False) for w, v in pairs)
        self.coarsest = several(widths[-1])
        self.up = nn.ModuleList(nn.ConvTranspose2d(v, w, 2, 2, bias=False) for w, v in pairs)
        self.back = nn.ModuleList(several(width) for width in widths[:-1])
        self.tail = convolution(widths[0], even(self.outputs), 0.2)
        for layer in (*self.down, *self.up):
            nn.init.orthogonal_(layer.weight)

    def forward(self, y, deviations):
        """y and deviations [B, 3, H, W] with sides that are multiples of `multiple`, in the same units."""
        maps = F.avg_pool2d(deviations, self.squares)
        surplus = torch.zeros_like(maps[:, :1]).expand(-1, even(self.inputs) - self.inputs, -1, -1)
        h = torch.cat([F.pixel_unshuffle(y, self.squares), maps, surplus], 1)
        h = self.head(h.contiguous(memory_format=torch.channels_last))
        kept = []
        for blocks, down in zip(self.finer, self.down):
            kept.append(blocks(h))
            h = down(kept[-1])
        h = self.coarsest(h)
        for blocks, up, fine in zip(reversed(self.back), reversed(self.up), reversed(kept)):
            h = blocks(up(h) + fine)
        return y - F.pixel_shuffle(self.tail(h)[:, : self.outputs].float(), self.squares)


def denoise(network, noisy, sigma, rim=32):
    """Pictures in R, G, B of any size [B, 3, H, W] with white noise of deviation sigma, mirrored at the rim."""
    b, _, h, w = noisy.shape
    planes = to_axes(noisy)
    means = planes.mean((2, 3), keepdim=True)
    right, below = -w % network.multiple, -h % network.multiple
    padded = F.pad(planes - means, (rim, rim + right, rim, rim + below), mode="reflect")
    with torch.no_grad():
        result = network(padded, torch.full_like(padded, sigma))
    return from_axes(result[:, :, rim : rim + h, rim : rim + w] + means)
