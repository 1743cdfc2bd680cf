"""Golden data for the noise estimator of ght, computed independently of its sources: noise.json beside this file.

Made with Python 3.11.7, NumPy 2.4.6, SciPy 1.17.1.
Rerun: python3 make_noise.py        (a few seconds; it also checks what it makes)

The functions below follow the module comments in src/noise: blocks.ts, flat-blocks.ts, spectrum.ts, model.ts and coarse.ts of
coloured, gate.ts and limit.ts of white, and jpeg/jpeg.ts.

Layout of noise.json:

  pictures  name -> {"width", "height", "samples"}: 8-bit samples row by row, compressed by zlib, in base64.
  cases     a list of {"name", "planes", "gain", "offsets", "peak", "jpeg", "blocks", "margin", "expected"}. The channels
            of the image are gain * sample + offset of the pictures in "planes". "jpeg" is there for an image that counts as
            a JPEG. "blocks", if it is there, is the most blocks that are looked at. "margin" is the nearest that any
            discrete choice came to the other side, relative to what was compared.
  expected  {"blocks", "brightness", "white", "planes", "factor", "model", "coarse"}: the number of blocks, the brightness of
            every bin, whether the noise is white, the factor by which a denoiser takes the deviations, and of a JPEG
            model[plane][bin][8 v + u], the deviations that it takes, steps counted in. "coarse", if the case asks for it, is
            {"brightness", "deviations"}: the same at half the size of the image.
  planes    of expected: {"V", "R", "anchor", "confidence", "structure", "middle", "reference", "finest", "coarsest",
            "deviations"} of each plane after decorrelation. V[bin][8 v + u] is the variance in the flattest blocks, R[bin] tells
            noise from texture, deviations[bin][8 v + u] is what is made of them. "structure" is the share of blocks with
            structure above the noise.

Numbers are rounded to DIGITS significant digits.
"""

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import scipy.fft
from numpy.lib.stride_tricks import sliding_window_view

HERE = Path(__file__).resolve().parent

DIGITS = 11
# If two values are closer than this, rounding could decide between them, and the result is not usable as golden data.
SAFE_MARGIN = 1e-8

V_INDEX, U_INDEX = np.mgrid[0:8, 0:8].reshape(2, 64)
RADIUS = np.hypot(U_INDEX, V_INDEX)
NOT_MEAN = RADIUS > 0
HALVES = [NOT_MEAN & ((U_INDEX + V_INDEX) % 2 == parity) for parity in (0, 1)]
LOW = NOT_MEAN & (RADIUS < 2)
RING = (RADIUS >= 2) & (RADIUS < 3.2)
MIDDLE = (RADIUS >= 2) & (RADIUS < 5)
REFERENCE = (RADIUS >= 3) & (RADIUS < 5)
FINEST = RADIUS > 6

BELIEVABLE = 1.2


class Choices:
    """Comparisons that decide something, and the nearest that one came to the other side."""

    def __init__(self):
        self.margin = np.inf

    def note(self, a, b):
        self.margin = min(self.margin, abs(a - b) / max(abs(a), abs(b), 1e-300))

    def at_most(self, a, b):
        """a <= b. Equal values count as a choice that rounding cannot change only where both are 0."""
        if a != b or a != 0:
            self.note(a, b)
        return a <= b


# --- blocks.ts ---

def blocks_of(plane, origin, step):
    """All 8x8 blocks at every step-th row and column from the origin on, row by row."""
    x, y = origin
    return sliding_window_view(plane, (8, 8))[y::step, x::step].reshape(-1, 8, 8)


def grid_step(height, width, jpeg, most):
    """Every third pixel, or the blocks of the JPEG; further apart while there would be more than `most`."""
    x, y = jpeg["origin"] if jpeg else (0, 0)
    first, more = (8, 8) if jpeg else (3, 2)
    step = first
    while ((height - y - 8) // step + 1) * ((width - x - 8) // step + 1) > most:
        step += more
    return step


def is_clipped(channel):
    """Samples at an end of the range, if at least 0.2% are there. A channel below 2048 samples has none."""
    clipped = np.zeros(channel.shape, bool)
    if channel.size >= 2048:
        for end in (channel.min(), channel.max()):
            if np.mean(channel == end) >= 0.002:
                clipped |= channel == end
    return clipped


def brightness_bins(brightness, jpeg):
    """The bin of every block, and the brightness of the bins."""
    most, fill = (6, 600) if jpeg else (8, 1500)
    n = len(brightness)
    in_order = np.sort(brightness)
    count = min(most, max(1, n // fill))
    limits, before = [], 0
    for b in range(1, count):
        limit = in_order[b * n // count]
        below = np.sum(brightness < limit)
        if min(below - before, n - below) >= fill / 2:
            limits.append(limit)
            before = below
    bin_of = np.searchsorted(limits, brightness, side="right")
    medians = [np.sort(brightness[bin_of == b])[np.sum(bin_of == b) // 2] for b in range(len(limits) + 1)]
    return bin_of, medians


# --- flat-blocks.ts ---

def squared_coefficients(blocks):
    """y(f)^2 of every block. Coefficients within rounding of 0 are 0, so that blocks that are equal have equal ranks."""
    y = scipy.fft.dctn(blocks - blocks.mean(axis=(1, 2), keepdims=True), axes=(1, 2), norm="ortho").reshape(-1, 64)
    zero = np.abs(y) < 1e-9 * max(1, np.abs(y).max())
    assert np.all(np.abs(y[zero]) < 1e-4 * 1e-9 * max(1, np.abs(blocks).max())), "a coefficient is hardly 0"
    return np.where(zero, 0, y) ** 2


def flattest(y2, jpeg, choices):
    """V(f) and R of the blocks of one bin."""
    n = len(y2)
    share, least = (0.12, 60) if jpeg else (0.05, 150)
    chosen = min(max(least, int(share * n)), -(-n // 4))
    looked = min(n, 3 * chosen)
    used = min(n, 1024)
    some = y2[np.arange(used) * n // used]
    S = np.sort(some, axis=0)[int(0.1 * (used - 1))]
    for _ in range(3):
        floor = 1e-3 * S[NOT_MEAN].mean()
        weights = 1 / np.maximum(S, floor) if floor > 0 else np.ones(64)
        S, R = np.zeros(64), 0
        for half in (0, 1):
            ranked_by, measured = HALVES[half], HALVES[1 - half]
            t = (y2[:, ranked_by] * weights[ranked_by]).sum(axis=1)
            order = np.argsort(t, kind="stable")
            for cut in {chosen, looked} - {n}:
                note_cut(choices, t, y2, order, cut)
            S[measured] = y2[order[:chosen]].mean(axis=0)[measured]
            middle = measured & MIDDLE
            here = y2[order[:chosen]][:, middle].mean()
            if looked == chosen:
                R += 9 / 2
            else:
                there = y2[order[chosen:looked]][:, middle].mean()
                R += (there / here if here > 0 else np.inf if there > 0 else 1) / 2
    return S, R


def note_cut(choices, t, y2, order, cut):
    """The cut between two ranks. Blocks of equal coefficients are ranked by their place, which is exact."""
    last, following = order[cut - 1], order[cut]
    if t[last] == t[following] == 0 or np.array_equal(y2[last], y2[following]):
        return
    choices.note(t[last], t[following])


# --- spectrum.ts ---

def anchor_of(V, R, is_dark, is_bright, choices):
    level = np.sqrt(V[:, MIDDLE].mean(axis=1))
    median = np.median(level)
    bins = range(len(V))
    compressed = [is_dark[b] or is_bright[b] and not choices.at_most(R[b], BELIEVABLE) for b in bins]
    asked = [b for b in bins if not (compressed[b] and not choices.at_most(0.35 * median, level[b]))]
    # Noise is even at several brightnesses: then an uneven bin far below them is a compressed highlight next to edges.
    even = [b for b in bins if level[b] > 0 and choices.at_most(R[b], 1.3)]
    agreeing = {a: sum(1 for b in even if level[b] >= level[a] and choices.at_most(level[b], 1.5 * level[a])) for a in even}
    agreed = min([level[a] for a in even if agreeing[a] >= max(2, 0.4 * len(V))], default=0)
    doubtful = [not choices.at_most(R[b], 2) and not choices.at_most(agreed, 2.5 * level[b]) for b in bins]
    # No camera compresses its noise more than ten times: what is left over is text.
    some = [level[b] for b in bins if level[b] > 0 and not doubtful[b]]
    if some and not (asked and choices.at_most(min(level[b] for b in asked), 10 * min(some))):
        asked = list(bins)
    noisy = [b for b in asked if level[b] > 0 and not doubtful[b]]
    sure = []
    if noisy:
        lowest = min(level[b] for b in noisy)
        sure = [b for b in noisy if choices.at_most(R[b], BELIEVABLE) and choices.at_most(level[b], 2.5 * lowest)]
    anchor = min(sure or asked, key=lambda b: level[b])
    same = np.exp(0.15)
    like = [b for b in asked if b == anchor or choices.at_most(level[b], same * level[anchor])
            and choices.at_most(level[anchor], same * level[b]) and choices.at_most(R[b], max(BELIEVABLE, R[anchor]))]
    return anchor, like


def slope(variance):
    lower = variance[(RADIUS >= 1.5) & (RADIUS < 3)].mean()
    return np.sqrt(variance[(RADIUS >= 3.5) & (RADIUS < 5)].mean() / (lower or 1))


def structure_of(energies, deviations, steps, choices):
    """The share of blocks whose energy at 3 <= r < 5 is more than four times that of the noise and a quarter of the steps."""
    noise = (deviations ** 2 + (steps / 4) ** 2)[:, REFERENCE].mean(axis=1)
    shown = 0
    for energy, limit in zip(energies, 4 * noise):
        if limit > 0:
            choices.note(limit, energy[np.argmin(np.abs(energy - limit))])
        shown += np.sum(energy > limit)
    return float(shown / sum(len(energy) for energy in energies))


def softness(structure):
    """1 up to a share of 0.1, 0 from 0.3 on."""
    return np.clip((0.3 - structure) / 0.2, 0, 1)


def belief(R, soft):
    """1 at R = 1.2. It falls by 1 per 2 of R to 0.5 in a soft picture, by 2 per 1 of R to 0.1 in a sharp one."""
    return soft * max(0.5, 1 - (R - BELIEVABLE) / 2) + (1 - soft) * max(0.1, 1 - 2 * (R - BELIEVABLE))


def levels_of(V, R, S, like, choices):
    """The variance of every bin as a multiple of S."""
    mean = S[MIDDLE].mean()
    if mean == 0:
        return np.zeros(len(V))
    used = [f for f in range(64) if RADIUS[f] >= 1.5 and choices.at_most(0.1 * mean, S[f])]
    levels = [np.mean(v[used] / S[used]) if b in like else np.quantile(v[used] / S[used], 0.2) for b, v in enumerate(V)]
    return np.minimum(levels, np.where(np.array(R) <= BELIEVABLE, 2.0 ** 2, 1.25 ** 2))


def plane_spectrum(V, R, energies, is_dark, is_bright, is_chroma, steps, choices):
    """The spectrum of a plane. `steps` are those of a JPEG, and 0 otherwise."""
    anchor, like = anchor_of(V, R, is_dark, is_bright, choices)
    with np.errstate(divide="ignore"):
        measured = np.where(NOT_MEAN, np.exp(np.log(V[like]).mean(axis=0)), 0)
    levels = levels_of(V, R, measured, like, choices)
    variances = levels[:, None] * measured
    most = (4 if is_chroma else 1.35) ** 2 * variances[:, RING].mean(axis=1, keepdims=True)
    variances = np.where(LOW, np.minimum(variances, most), variances)
    variances[:, 0] = 1.6 ** 2 * np.maximum(variances[:, 1], variances[:, 8])
    smooth = variances.copy()
    smooth[1:-1] = (variances[:-2] + 2 * variances[1:-1] + variances[2:]) / 4
    deviations, coarsest = np.sqrt(smooth), np.sqrt(levels.mean() * measured[LOW].mean())
    confidence = min(1, BELIEVABLE / R[anchor])
    believed = confidence
    if not is_chroma and sum(map(len, energies)) >= 1500:
        believed = 1
        if not choices.at_most(R[anchor], BELIEVABLE):
            believed = belief(R[anchor], softness(structure_of(energies, deviations, steps, choices)))
    deviations = believed * deviations
    if np.any(steps > 0) and np.any(V[:, MIDDLE].mean(axis=1) == 0):
        # Noise above a quarter of a step would have left something in the empty blocks.
        deviations, coarsest = np.minimum(deviations, steps / 4), min(coarsest, steps[LOW].max() / 4)
    return {"V": V, "R": R, "anchor": anchor, "confidence": confidence, "believed": believed, "coarsest": coarsest,
            "deviations": deviations,
            "structure": structure_of(energies, deviations, steps, choices)}


def bands(deviations):
    mean = (deviations ** 2).mean(axis=0)
    return {name: np.sqrt(mean[band].mean())
            for name, band in [("middle", MIDDLE), ("reference", REFERENCE), ("finest", FINEST)]}


def decorrelated(channels):
    """The orthonormal DCT over R, G and B; other numbers of planes stay."""
    if len(channels) != 3:
        return channels
    R, G, B = channels
    return np.stack([(R + G + B) / np.sqrt(3), (R - B) / np.sqrt(2), (R - 2 * G + B) / np.sqrt(6)])


def estimate(channels, peak, jpeg, most, choices):
    return estimate_of_planes(decorrelated(channels), channels, peak, jpeg, most, choices)


def estimate_of_planes(planes, channels, peak, jpeg, most, choices):
    """The estimate of decorrelated planes. Blocks with samples that are clipped in a channel are left out."""
    height, width = planes[0].shape
    is_colour = len(planes) == 3
    origin, step = jpeg["origin"] if jpeg else (0, 0), grid_step(height, width, jpeg, most)
    blocks = [blocks_of(plane, origin, step) for plane in planes]
    clipped = np.any([np.zeros((height, width), bool), *[is_clipped(channel) for channel in channels]], axis=0)
    free = ~blocks_of(clipped, origin, step).any(axis=(1, 2))
    if free.sum() >= min(2000, len(free) / 4):
        blocks = [each[free] for each in blocks]
    count = len(blocks[0])
    bin_of, brightness = brightness_bins(blocks[0].mean(axis=(1, 2)), jpeg)
    full = peak * (np.sqrt(3) if is_colour else 1)
    is_dark, is_bright = np.array(brightness) < full * 32 / 255, np.array(brightness) > full * 192 / 255
    steps = jpeg_steps(jpeg, len(planes), peak / 255) if jpeg else np.zeros((len(planes), 64))
    # Deviations of 1e-14 of the largest sample and less are rounding: far below the noise of all cases but those without any.
    rounding = 1e-14 * max(np.abs(plane).max() for plane in planes)
    found = []
    for c, each in enumerate(blocks):
        y2 = squared_coefficients(each)
        in_bins = [y2[bin_of == b] for b in range(len(brightness))]
        V, R = zip(*[flattest(some, jpeg, choices) for some in in_bins])
        V = np.array(V)
        V[V <= rounding ** 2] = 0
        energies = [some[:, REFERENCE].mean(axis=1) for some in in_bins]
        found.append(plane_spectrum(V, R, energies, is_dark, is_bright, is_colour and c > 0, steps[c], choices))
    if is_colour and jpeg:
        limit = white_limit(found, steps[0], count, choices)
        luma = found[0]
        luma["deviations"] = np.minimum(luma["deviations"], np.where(NOT_MEAN, limit, 1.6 * limit))
        luma["coarsest"] = min(luma["coarsest"], limit)
    elif is_colour:
        found[0]["deviations"] = corrected_by_chroma(choices, *found)
    for plane in found:
        plane.update(bands(plane["deviations"]))
    return {"blocks": count, "brightness": brightness, "planes": found}


# --- chroma-evidence.ts ---

def corrected_by_chroma(choices, luma, *chromas):
    """The deviations of luma: they fall no faster with frequency than those of the chromas, and are not below them."""
    level = lambda mean_squares, band: np.sqrt(mean_squares[band].mean())
    L = (luma["deviations"] ** 2).mean(axis=0)
    each = [(plane["deviations"] ** 2).mean(axis=0) for plane in chromas]
    if level(L, MIDDLE) == 0 or any(level(plane, MIDDLE) == 0 for plane in each):
        return luma["deviations"]
    C = np.mean(each, axis=0)
    factors = np.ones(64)
    with np.errstate(divide="ignore", invalid="ignore"):
        enough = choices.at_most(level(L, MIDDLE) / 4, level(C, MIDDLE))
        for low, high in [(3.2, 5), (5, 7)] if enough else []:
            band = (RADIUS >= low) & (RADIUS < high)
            limit = 1.1 * level(L, band) / level(C, band) * np.sqrt(C / L)
            factors = np.where((RADIUS < low) & (limit < factors), np.maximum(limit, 0.25), factors)
    raised = max(1, min(1 / luma["believed"], level(C, MIDDLE) / level(factors ** 2 * L, MIDDLE)))
    return raised * factors * luma["deviations"]


# --- gate.ts, limit.ts, jpeg.ts, model.ts, coarse.ts ---

def is_white(planes, jpeg, choices):
    if jpeg:
        return False
    flat = lambda plane, least: choices.at_most(least * plane["reference"], plane["finest"])
    if len(planes) != 3:
        return all(plane["confidence"] < 1 or flat(plane, 0.55) for plane in planes)
    luma, *chromas = planes
    return all(flat(plane, 0.85) and choices.at_most(0.5 * luma["finest"], plane["finest"]) for plane in chromas)


def white_limit(planes, steps, blocks, choices):
    luma, *chromas = planes
    deviation = np.sqrt((luma["deviations"] ** 2).mean(axis=0))
    W = np.quantile(np.maximum(deviation, steps / 4)[RADIUS > 4], 0.2)
    C = max(np.sqrt((plane["deviations"] ** 2).mean(axis=0)[LOW].mean()) for plane in chromas)
    measured = np.quantile(deviation[RADIUS > 4], 0.2)
    shown = choices.at_most(W / 4, C) and choices.at_most(0.8 * W, measured)
    white = choices.at_most(C, 1.25 * W) and (shown or (luma["confidence"] < 1 and blocks >= 1500))
    return W if white else np.inf


def jpeg_steps(jpeg, channels, grey_level):
    luma = grey_level * np.array(jpeg["luma"], float)
    if channels != 3:
        return [luma] * channels
    h, v = jpeg["subsampling"]
    table = np.zeros((8, 8))
    part = np.array(jpeg["chroma"], float).reshape(8, 8)[::v, ::h]
    table[:part.shape[0], :part.shape[1]] = part
    rgb_of_chroma = np.array([[0, 1.402], [-0.344136, -0.714136], [1.772, 0]])
    planes = np.array([[1, 0, -1], [1, -2, 1]]) / np.sqrt([[2], [6]])
    factors = np.sqrt(((planes @ rgb_of_chroma) ** 2).sum(axis=1))
    return [np.sqrt(3) * luma] + [grey_level * factor * np.sqrt(h * v) * table.ravel() for factor in factors]


def model_factor(luma):
    """1.65 for a steep spectrum of luma in a soft picture; 1 for a flat spectrum, and in a sharp picture."""
    steep = np.clip((0.85 - slope((luma["deviations"] ** 2).sum(axis=0))) / (0.85 - 0.65), 0, 1)
    return 1 + 0.65 * softness(luma["structure"]) * steep


def model_deviations(planes, factor, jpeg, peak):
    """sqrt(factor^2 V + (share step)^2); the share is doubled in a soft picture."""
    steps = jpeg_steps(jpeg, len(planes), peak / 255)
    grown = 1 + softness(planes[0]["structure"])
    shares = [grown * (0.3 if len(planes) == 3 and c > 0 else 0.25) for c in range(len(planes))]
    return [np.hypot(factor * plane["deviations"], share * step) for plane, share, step in zip(planes, shares, steps)]


def coarse_model(planes, whole, jpeg, peak, choices):
    """The noise of planes of even size at half their size: 1.25 times what is believed, and 0 for a plane without flat areas.
    A quarter of that of the chromas in a sharp picture that was not a JPEG, unless it is blotches.
    The samples of the half planes are float32."""
    halves = [(plane[::2, ::2] + plane[1::2, ::2] + plane[::2, 1::2] + plane[1::2, 1::2]) / 4 for plane in planes]
    halves = [half.astype(np.float32).astype(float) for half in halves]
    found = estimate_of_planes(halves, [], peak, None, 30_000, choices)
    share = 1
    if len(planes) == 3 and not jpeg:
        C = np.mean([(plane["deviations"] ** 2).mean(axis=0) for plane in whole[1:]], axis=0)
        ring = C[RING].mean()
        blotches = np.clip(np.sqrt(C[LOW].mean() / ring) - 2, 0, 1) if ring > 0 else 0
        share = 0.25 + 0.75 * max(softness(whole[0]["structure"]), blotches)
    deviations = []
    for c, (plane, low) in enumerate(zip(found["planes"], [each["coarsest"] for each in whole])):
        level = 2 * np.sqrt((plane["deviations"] ** 2).mean(axis=0)[RING].mean())
        reduced = 1 if choices.at_most(level, 1.25 * low) else 1.25 * low / level
        deviations.append((share if c > 0 else 1) * (1.25 if plane["confidence"] == 1 else 0) * reduced * plane["deviations"])
    return {"brightness": found["brightness"], "deviations": deviations}


# --- pictures ---

def in_bytes(plane):
    return np.clip(np.rint(plane), 0, 255)


def normal(height, width, seed):
    return np.random.default_rng(seed).standard_normal((height, width))


def blurred(noise, across, down):
    """Circular convolution along rows and columns."""
    for kernel, axis in [(across, 1), (down, 0)]:
        noise = sum(weight * np.roll(noise, k, axis) for k, weight in enumerate(kernel))
    return noise


def shading(height, width, dark, bright):
    """Brightness that rises from the top to the bottom, a little from left to right."""
    y, x = np.mgrid[0:height, 0:width]
    return dark + (bright - dark) * (0.9 * y / height + 0.1 * x / width)


def rippled(height, width, period):
    """From 0.1 to 1.9, never flat for long."""
    y, x = np.mgrid[0:height, 0:width]
    return 1 + 0.9 * np.sin(2 * np.pi * x / period) * np.sin(2 * np.pi * y / period)


def standard_table(quality):
    """The luma and chroma tables of annex K at a quality from 50 on."""
    luma = [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
            14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
            49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99]
    chroma = np.full((8, 8), 99)
    chroma[:4, :4] = [[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]]
    percent = 200 - 2 * quality
    return [np.maximum(1, (np.array(table).reshape(8, 8) * percent + 50) // 100) for table in (luma, chroma)]


def through_jpeg(channels, quality, origin=(0, 0)):
    """What a JPEG leaves of channels whose block grid begins at the origin; what lies before it stays."""
    x, y = origin
    to_ycc = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
    is_colour = len(channels) == 3
    planes = np.einsum("ij,jyx->iyx", to_ycc, channels) if is_colour else np.array(channels)
    luma, chroma = standard_table(quality)
    for c, plane in enumerate(planes):
        table = chroma if c > 0 else luma
        for top in range(y, plane.shape[0] - 7, 8):
            for left in range(x, plane.shape[1] - 7, 8):
                block = scipy.fft.dctn(plane[top:top + 8, left:left + 8] - 128, norm="ortho")
                plane[top:top + 8, left:left + 8] = scipy.fft.idctn(np.rint(block / table) * table, norm="ortho") + 128
    if is_colour:
        planes = np.einsum("ij,jyx->iyx", np.linalg.inv(to_ycc), planes)
    return [in_bytes(plane) for plane in planes]


def make_pictures():
    pictures = {}
    soft, softer = [0.25, 0.5, 0.25], [0.25, 0.25, 0.25, 0.25]
    pictures["white"] = in_bytes(shading(176, 176, 90, 120) + 3 * normal(176, 176, 1))
    rows = np.arange(210)[:, None]
    growing = np.where(rows < 56, 1.2, np.where(rows < 126, 1.9, 4))
    pictures["growing"] = in_bytes(60 + 0.4 * rows + growing * normal(210, 210, 2))
    pictures["blurred"] = in_bytes(shading(126, 128, 100, 110) + 9 * blurred(normal(126, 128, 3), soft, [0.5, 0.5]))
    pictures["constant"] = np.full((176, 176), 77.0)
    pictures["clipped"] = in_bytes(shading(128, 132, -60, 330) + 4 * normal(128, 132, 4))
    pictures["overexposed"] = in_bytes(shading(90, 90, 160, 500) + 5 * normal(90, 90, 5))
    pictures["small"] = in_bytes(shading(40, 44, 120, 300) + 6 * normal(40, 44, 6))
    pictures["8x8"] = in_bytes(120 + 9 * normal(8, 8, 7))
    pictures["9x11"] = in_bytes(120 + 9 * normal(11, 9, 8))
    texture = blurred(normal(128, 128, 10), [0.35, 0.65], [0.35, 0.65])
    pictures["texture"] = in_bytes(120 + 8 * (0.5 + 0.5 * rippled(128, 128, 60)) * texture)
    pictures["grain"] = in_bytes(120 + 5 * rippled(92, 92, 60) * normal(92, 92, 11))
    pictures["sharp grain"] = in_bytes(120 + 5 * rippled(128, 128, 60) * blurred(normal(128, 128, 14), [0.5, 0.5], [1]))
    calm = np.arange(128)[:, None] < 102
    pictures["half sharp"] = in_bytes(120 + np.where(calm, 2.9 + 2.1 * rippled(128, 128, 60), 45) * normal(128, 128, 16))
    quiet = (np.arange(128)[:, None] % 16 < 12) & (np.arange(128) % 16 < 12)
    pictures["cells"] = in_bytes(120 + np.where(quiet, 1.5, 9) * normal(128, 128, 17))
    upper = np.arange(176)[:, None] < 80
    pictures["faint grain"] = in_bytes(np.where(upper, 110, 130) + np.where(upper, 1 + rippled(176, 176, 60), 2.2)
                                       * normal(176, 176, 13))
    dark = np.arange(176)[:, None] < 84
    pictures["shadows"] = in_bytes(np.where(dark, 20, shading(176, 176, 90, 130))
                                   + np.where(dark, 0.5, 4) * blurred(normal(176, 176, 12), [0.8, 0.6], [1]))
    bright = np.arange(176)[:, None] >= 92
    half_noise, ripples = normal(176, 176, 15), rippled(176, 176, 60)
    pictures["paper"] = in_bytes(np.where(bright, 225, 100) + np.where(bright, 1, 9) * half_noise)
    pictures["highlights"] = in_bytes(np.where(bright, 225, 100) + np.where(bright, 1.5 * ripples, 9) * half_noise)
    for c, name in enumerate(["red", "green", "blue"]):
        own = blurred(normal(100, 100, 20 + c), softer, softer)
        common = normal(100, 100, 19)
        pictures[name] = in_bytes(shading(100, 100, 80 + 20 * c, 130) + common + 16 * own)
    grey = shading(187, 189, 100, 120) + 5 * normal(187, 189, 30)
    pictures["jpeg grey"] = through_jpeg([grey], 75, origin=(5, 3))[0]
    page = np.where(np.arange(280)[:, None] < 140, 100 + 25 * normal(280, 280, 35), 200)
    pictures["jpeg page"] = through_jpeg([page], 50)[0]
    detail = 40 * rippled(104, 104, 37) * blurred(normal(104, 104, 31), soft, soft)
    channels = [shading(104, 104, 90, 130 + 10 * c) + detail + 10 * normal(104, 104, 32 + c) for c in range(3)]
    for name, plane in zip(["jpeg red", "jpeg green", "jpeg blue"], through_jpeg(channels, 70)):
        pictures[name] = plane
    return pictures


# --- writing ---

def jpeg_of(quality, origin=(0, 0), subsampling=(1, 1)):
    luma, chroma = [table.ravel().tolist() for table in standard_table(quality)]
    return {"luma": luma, "chroma": chroma, "origin": list(origin), "subsampling": list(subsampling)}


CASES = [
    {"name": "white noise", "planes": ["white"]},
    {"name": "white noise, 16-bit samples of 257 times the value", "planes": ["white"], "gain": 257, "peak": 65535},
    {"name": "white noise, offset 1e9", "planes": ["white"], "offsets": [1e9], "peak": 1e9},
    {"name": "white noise, few blocks", "planes": ["white"], "blocks": 1000},
    {"name": "a constant plane, then white noise: all blocks of one brightness", "planes": ["constant", "white"]},
    {"name": "grey in three channels, tinted", "planes": ["white", "white", "white"], "offsets": [0, 10.1, 20.2]},
    {"name": "noise that grows with brightness", "planes": ["growing"]},
    {"name": "two planes, binned by the brightness of the first", "planes": ["white", "shadows"]},
    {"name": "blurred noise", "planes": ["blurred"], "coarse": True},
    {"name": "constant", "planes": ["constant"]},
    {"name": "clipped at both ends", "planes": ["clipped"]},
    {"name": "clipped nearly everywhere", "planes": ["overexposed"]},
    {"name": "too small to tell clipped samples", "planes": ["small"]},
    {"name": "one block", "planes": ["8x8"]},
    {"name": "two blocks", "planes": ["9x11"]},
    {"name": "texture that falls with frequency, nowhere flat", "planes": ["texture"]},
    {"name": "texture at all frequencies, nowhere flat", "planes": ["grain"]},
    {"name": "texture of a sharp picture, nowhere flat", "planes": ["sharp grain"]},
    {"name": "uneven noise, and structure in a fifth of the picture", "planes": ["half sharp"]},
    {"name": "quiet cells that the half image does not show", "planes": ["cells"], "coarse": True},
    {"name": "faint texture at one brightness, more noise at the other", "planes": ["faint grain"]},
    {"name": "shadows that were pressed together", "planes": ["shadows"]},
    {"name": "bright paper with even noise", "planes": ["paper"]},
    {"name": "highlights that were pressed together", "planes": ["highlights"]},
    {"name": "colour", "planes": ["red", "green", "blue"], "coarse": True},
    {"name": "colour of 4:2:0", "planes": ["red", "green", "blue"], "jpeg": jpeg_of(90, subsampling=(2, 2))},
    {"name": "grey JPEG", "planes": ["jpeg grey"], "jpeg": jpeg_of(75, origin=(5, 3))},
    {"name": "grey JPEG with empty blocks", "planes": ["jpeg page"], "jpeg": jpeg_of(50)},
    {"name": "colour JPEG of white noise on texture", "planes": ["jpeg red", "jpeg green", "jpeg blue"],
     "jpeg": jpeg_of(70)},
]


def describe_case(case, pictures):
    choices = Choices()
    case = {"gain": 1, "offsets": [0] * len(case["planes"]), "peak": 255, **case}
    channels = np.stack([case["gain"] * pictures[name] + offset
                         for name, offset in zip(case["planes"], case["offsets"])])
    jpeg, peak = case.get("jpeg"), case["peak"]
    found = estimate(channels, peak, jpeg, case.get("blocks", 30_000), choices)
    expected = {"blocks": found["blocks"], "brightness": found["brightness"],
                "white": bool(is_white(found["planes"], jpeg, choices)), "planes": found["planes"],
                "factor": model_factor(found["planes"][0])}
    if jpeg:
        expected["model"] = model_deviations(found["planes"], expected["factor"], jpeg, peak)
    if case.get("coarse"):
        expected["coarse"] = coarse_model(decorrelated(channels), found["planes"], jpeg, peak, choices)
    print(f"{case['name']}: {found['blocks']} blocks, margin {choices.margin:.1e}, white {expected['white']}")
    for plane in found["planes"]:
        level = np.sqrt(plane["V"][:, MIDDLE].mean(axis=1))
        print("   R", np.round(plane["R"], 3), "level", np.round(level, 3), "anchor", plane["anchor"],
              "confidence", round(plane["confidence"], 3), "structure", round(plane["structure"], 3),
              *[f"{name} {plane[name]:.3f}" for name in ("coarsest", "middle", "reference", "finest")])
    assert choices.margin > SAFE_MARGIN, f"{case['name']}: a choice is within rounding"
    margin = {"margin": float(f"{choices.margin:.2g}")} if np.isfinite(choices.margin) else {}
    return {**case, **margin, "expected": plain(expected)}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def packed(picture):
    height, width = picture.shape
    # Small blocks of literals: the codes follow the brightness, which changes from row to row.
    compressor = zlib.compressobj(9, memLevel=5, strategy=zlib.Z_FILTERED)
    compressed = compressor.compress(picture.astype(np.uint8).tobytes()) + compressor.flush()
    return {"width": width, "height": height, "samples": base64.b64encode(compressed).decode()}


def compact(value):
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def make_noise():
    pictures = make_pictures()
    cases = [describe_case(case, pictures) for case in CASES]
    lines = ['{"pictures":{', ",\n".join(f"{compact(name)}:{compact(packed(picture))}"
                                         for name, picture in pictures.items()),
             '},"cases":[', ",\n".join(compact(case) for case in cases), "]}"]
    (HERE / "noise.json").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    make_noise()
