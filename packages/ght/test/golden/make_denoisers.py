"""Golden data for the group denoisers of ght, computed independently of its sources: denoisers.json beside this file.

Made with Python 3.11.2, NumPy 1.24.2, SciPy 1.10.1 (Debian 12).
Rerun: python3 make_denoisers.py        (a few seconds; it also checks what it makes)

Layout of denoisers.json:

  pictures  name -> {"width", "height", "planes"}: the noisy input. A plane lists its samples row by row. The noise has
            deviation 1 in every plane. Every sample is a multiple of 1/8, so that distances between patches of a
            picture are exact in float64 and in float32, and ties between them are real.
  cases     a list of {"name", "picture", "steps" or "quality", "planes", "margins"}: the outcome for that picture.
            "steps" lists passes with all their parameters. A case with "quality" is the whole recipe of that name; its
            steps are in RECIPES below and not in the file, so that a test holds the library's recipes against them.
            A case with "coloured": true has the noise of the file instead of white noise.
  noise     {"brightness", "deviations"}: deviations[plane][brightness][8 v + u] of noise that depends on brightness and
            frequency. Patches are then divided by them in their DCT, and transformed no further.
  planes    of a case: its result, rounded to DECIMALS decimals.
  margins   of a case: the nearest that any discrete choice came to the other side.
              "matching"   (next distance - distance) / next distance, over guides that are not exact
              "threshold"  ||c| - tau|
              "rank"       |singular value - tau|
            The keys are there where such choices are made. All are far above the rounding of float64, so a float64
            engine must agree to about 1e-10 of the largest sample. They also exceed the rounding errors of float32 on
            these pictures, so a float32 engine should make the same choices and agree to about 1e-4.

A pass is {"name", "from", "guide", "to", "patch", "stride", "reach", "members", "window", "filter"}:

  references  patches at every stride-th row and column, and at the last
  group       the reference, then the others with their first sample within `reach` rows and columns of the
              reference's, by squared distance on the first plane of `guide`; among equals the first in the picture;
              `members` in all, the same on every plane
  filter      threshold  2-D transform of each patch (dct, or bior for bior1.5), Haar along the group; keep |c| >= tau
                         and the first coefficient; weight 1 / kept
              wiener     the same transforms; c p^2 / (p^2 + 1) with p of the group on `guide`, the first coefficient
                         as it is; weight 1 / sum of the squared factors
              rank       subtract the mean patch; keep singular values >= factor noise (sqrt(N) + sqrt(m));
                         weight 1 / sqrt(1 + rank)
              Groups for Haar are cut to a power of two.
  to          the mean of all filtered patches that show a pixel, weighted by weight times Kaiser window (beta `window`)

A blend is {"share", "a", "b", "to"}: to = share a + (1 - share) b.
"""

import json
from pathlib import Path

import numpy as np
import scipy.fft
from numpy.lib.stride_tricks import sliding_window_view

HERE = Path(__file__).resolve().parent

DECIMALS = 10
# If two values are closer than this, rounding could decide between them, and the result is not usable as golden data.
# The seeds of the pictures were chosen for this margin, which is wide enough for float32.
SAFE_MARGIN = 4e-6


# --- transforms ---

def haar_matrix(m):
    """Orthonormal Haar for m = 2^j, the mean in the first row."""
    if m == 1:
        return np.ones((1, 1))
    sums, differences = np.kron(haar_matrix(m // 2), [1, 1]), np.kron(np.eye(m // 2), [1, -1])
    return np.vstack([sums, differences]) / np.sqrt(2)


def bior15_low_pass():
    """The analysis low-pass of bior1.5, from what defines it (Cohen, Daubechies and Feauveau 1992): ten taps that are
    biorthogonal to the Haar scaling function and its even shifts, and whose frequency response has a zero of order 5 at
    pi. Taps are counted from the first of the pair that the Haar function covers, hence from -4 to 5."""
    n = np.arange(-4, 6)
    shifts = [((n == 2 * k) | (n == 2 * k + 1)) / np.sqrt(2) for k in range(-2, 3)]
    moments = [(-1.0) ** n * (n - 0.5) ** j for j in range(5)]
    taps = np.linalg.solve(np.array(shifts + moments), np.array([0, 0, 1, 0, 0] + [0] * 5))
    published = np.array([0.01657281518405971, -0.01657281518405971, -0.12153397801643787, 0.12153397801643787,
                          0.7071067811865476])
    assert np.allclose(taps, np.concatenate([published, published[::-1]]), rtol=0, atol=1e-14)
    return taps


def bior15_level(n):
    """One level on n samples continued periodically: n / 2 rows of the low-pass, then the Haar differences."""
    low = np.zeros((n // 2, n))
    for k in range(n // 2):
        np.add.at(low[k], (2 * k + np.arange(-4, 6)) % n, bior15_low_pass())
    high = np.kron(np.eye(n // 2), [1, -1]) / np.sqrt(2)
    level = np.vstack([low, high])
    # The synthesis scaling function must be Haar's.
    assert np.allclose(np.linalg.inv(level)[:, :n // 2], np.kron(np.eye(n // 2), [[1], [1]]) / np.sqrt(2))
    return level


def bior15_matrix(n):
    """All levels, down to one low-pass coefficient; rows scaled to norm 1."""
    A, length = np.eye(n), n
    while length > 1:
        A[:length] = bior15_level(length) @ A[:length]
        length //= 2
    return A / np.linalg.norm(A, axis=1, keepdims=True)


BIOR15 = bior15_matrix(8)
BIOR15_INVERSE = np.linalg.inv(BIOR15)

# Patches are the last two axes.
FORWARD = {"none": lambda coefficients: coefficients,
           "dct": lambda patches: scipy.fft.dctn(patches, axes=(-2, -1), norm="ortho"),
           "bior": lambda patches: BIOR15 @ patches @ BIOR15.T}
BACKWARD = {"none": lambda coefficients: coefficients,
            "dct": lambda c: scipy.fft.idctn(c, axes=(-2, -1), norm="ortho"),
            "bior": lambda c: BIOR15_INVERSE @ c @ BIOR15_INVERSE.T}


def forward(patches, transform):
    return np.tensordot(haar_matrix(len(patches)), FORWARD[transform](patches), axes=1)


def backward(coefficients, transform):
    return BACKWARD[transform](np.tensordot(haar_matrix(len(coefficients)).T, coefficients, axes=1))


# --- groups ---

class Margins(dict):
    """The least margin of each kind of choice."""

    def note(self, kind, gaps):
        if len(gaps):
            self[kind] = min(self.get(kind, np.inf), float(np.min(gaps)))


def references(length, patch, stride):
    last = length - patch
    return sorted({*range(0, last + 1, stride), last})


def match(windows, y, x, step, margins, ordered):
    """The rows and columns of the members of the group at (y, x), nearest first. `windows` are all patches of
    the guide. `ordered`: whether it matters in which order they are."""
    reach, members = step["reach"], step["members"]
    top, left = max(0, y - reach), max(0, x - reach)
    near = windows[top:y + reach + 1, left:x + reach + 1]
    distances = np.sum((near - windows[y, x]) ** 2, axis=(2, 3))
    distances[y - top, x - left] = -1  # the reference comes first, also before one that is the same
    order = np.argsort(distances, axis=None, kind="stable")
    if margins is not None:
        sorted_distances = np.sort(distances, axis=None)[1:members + 1]
        gaps = np.diff(sorted_distances) / sorted_distances[1:]
        margins.note("matching", gaps if ordered else gaps[members - 2:])
    rows, columns = np.unravel_index(order[:members], distances.shape)
    return rows + top, columns + left


def power_of_two(m):
    return 1 << (m.bit_length() - 1)


# --- filters: a group of patches and its pilot -> the filtered group, its weight ---

def threshold_filter(group, pilot, how, margins):
    c = forward(group, how["transform"])
    keep = np.abs(c) >= how["tau"]
    margins.note("threshold", np.abs(np.abs(c) - how["tau"]).ravel()[1:])
    keep[0, 0, 0] = True
    return backward(np.where(keep, c, 0), how["transform"]), 1 / np.count_nonzero(keep)


def wiener_filter(group, pilot, how, margins):
    power = forward(pilot, how["transform"]) ** 2
    gain = power / (power + 1)
    gain[0, 0, 0] = 1
    return backward(gain * forward(group, how["transform"]), how["transform"]), 1 / np.sum(gain ** 2)


def rank_filter(group, pilot, how, margins):
    X = group.reshape(len(group), -1)
    m, N = X.shape
    mean = X.mean(axis=0)
    U, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
    tau = how["factor"] * how["noise"] * (np.sqrt(N) + np.sqrt(m))
    rank = np.count_nonzero(s >= tau)
    margins.note("rank", np.abs(s - tau))
    low_rank = mean + (U[:, :rank] * s[:rank]) @ Vt[:rank]
    return low_rank.reshape(group.shape), 1 / np.sqrt(1 + rank)


FILTERS = {"threshold": threshold_filter, "wiener": wiener_filter, "rank": rank_filter}


# --- passes and recipes; a picture is an array (planes, height, width) ---

def deviations_at(noise, plane, brightness):
    """Linear between brightnesses, constant beyond the first and the last."""
    table = np.array(noise["deviations"][plane])
    columns = [np.interp(brightness, noise["brightness"], table[:, f]) for f in range(table.shape[1])]
    return np.maximum(np.reshape(columns, (8, 8)), 1e-3)


def run_pass(step, source, guide, margins, noise=None):
    n, how = step["patch"], step["filter"]
    if noise:
        how = {**how, "transform": "none"}
    _, height, width = source.shape
    patches, pilots = [sliding_window_view(picture, (n, n), axis=(1, 2)) for picture in (source, guide)]
    window = np.outer(np.kaiser(n, step["window"]), np.kaiser(n, step["window"]))
    exact = np.array_equal(8 * guide, np.rint(8 * guide))  # then ties are real, and decided by the place
    with_haar = how["kind"] != "rank"
    total, weights = np.zeros_like(source), np.zeros_like(source)
    for y in references(height, n, step["stride"]):
        for x in references(width, n, step["stride"]):
            rows, columns = match(pilots[0], y, x, step, None if exact else margins, ordered=with_haar)
            if with_haar:
                m = power_of_two(len(rows))
                rows, columns = rows[:m], columns[:m]
            brightness = pilots[0, rows, columns].mean()
            for c in range(len(source)):
                group, pilot = patches[c, rows, columns], pilots[c, rows, columns]
                if noise:
                    s = deviations_at(noise, c, brightness)
                    group, pilot = FORWARD["dct"](group) / s, FORWARD["dct"](pilot) / s
                filtered, weight = FILTERS[how["kind"]](group, pilot, how, margins)
                if noise:
                    filtered = BACKWARD["dct"](filtered * s)
                for v, u, patch in zip(rows, columns, filtered):
                    total[c, v:v + n, u:u + n] += weight * window * patch
                    weights[c, v:v + n, u:u + n] += weight * window
    return total / weights


def follow(steps, noisy, noise=None):
    slots, margins = {"noisy": noisy}, Margins()
    for step in steps:
        if "filter" in step:
            result = run_pass(step, slots[step["from"]], slots[step["guide"]], margins, noise)
        else:
            result = step["share"] * slots[step["a"]] + (1 - step["share"]) * slots[step["b"]]
        slots[step["to"]] = result
    return result, margins


def a_pass(source, guide, to, stride, reach, members, window, **how):
    return {"from": source, "guide": guide, "to": to, "patch": 8, "stride": stride, "reach": reach, "members": members,
            "window": window, "filter": how}


def balanced(to):
    return [a_pass("noisy", "noisy", "pilot", 3, 19, 16, 2, kind="threshold", transform="bior", tau=2.6),
            a_pass("noisy", "pilot", to, 4, 24, 32, 2, kind="wiener", transform="dct")]


RECIPES = {
    "fast": [a_pass("noisy", "noisy", "pilot", 1, 0, 1, 0, kind="threshold", transform="dct", tau=2.6),
             a_pass("noisy", "pilot", "pilot", 1, 0, 1, 0, kind="wiener", transform="dct")],
    "balanced": balanced("pilot"),
    "best": [*balanced("joint"),
             a_pass("noisy", "pilot", "pilot", 4, 29, 64, 0, kind="rank", factor=1.03, noise=1),
             {"share": 0.6, "a": "pilot", "b": "joint", "to": "pilot"},
             {"share": 0.2, "a": "noisy", "b": "pilot", "to": "noisy"},
             a_pass("noisy", "pilot", "pilot", 5, 29, 96, 0, kind="rank", factor=1.03, noise=0.25)],
}

# Each kind of filter alone: more members than a power of two, fewer candidates than members at a rim, more members
# than samples of a patch, strides that do and do not reach the last place.
PASSES = {
    "threshold, DCT": a_pass("noisy", "noisy", "pilot", 3, 7, 20, 2, kind="threshold", transform="dct", tau=2.6),
    "threshold, bior1.5": a_pass("noisy", "noisy", "pilot", 5, 2, 16, 3, kind="threshold", transform="bior", tau=2.8),
    "Wiener": a_pass("noisy", "noisy", "pilot", 4, 9, 11, 2, kind="wiener", transform="bior"),
    "low rank, fewer members than samples":
        a_pass("noisy", "noisy", "pilot", 3, 6, 30, 0, kind="rank", factor=0.9, noise=1),
    "low rank, more members than samples":
        a_pass("noisy", "noisy", "pilot", 7, 12, 80, 2, kind="rank", factor=1, noise=0.8),
}


# --- pictures ---

def clean_plane(height, width, phase):
    """Flat parts, a ramp, edges and two textures, some ten deviations of the noise high."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    ramp = 5 * x / width - 3 * y / height
    disc = 6 * (np.hypot(x - 0.65 * width, y - 0.35 * height) < height / 4)
    step = -4 * (x + 0.4 * y < 0.35 * width)
    texture = 3 * np.sin(0.9 * x + 0.35 * y + phase) * (y > 0.6 * height)
    weave = 2 * np.cos(1.6 * x + phase) * np.cos(1.3 * y) * ((x < 0.45 * width) & (y < 0.4 * height))
    return ramp + disc + step + texture + weave


def noisy_picture(height, width, gains, seed):
    """One plane for each gain; of the later ones only the contrast is less, as of chromas."""
    rng = np.random.default_rng(seed)
    planes = [gain * clean_plane(height, width, phase=c) + rng.standard_normal((height, width))
              for c, gain in enumerate(gains)]
    picture = np.rint(8 * np.stack(planes)) / 8
    assert np.ptp(picture) < 64  # or distances would not be exact in float32: 64 (64 * 8)^2 = 2^24
    return picture


def coloured_noise(planes):
    """Noise that falls with frequency, and grows with brightness up to a point; other planes have other levels."""
    v, u = np.mgrid[0:8, 0:8]
    spectrum = 1.42 / (1 + 0.15 * np.hypot(u, v))
    levels = [0.8, 1.1, 0.9]
    deviations = [[np.round(level * (1 - 0.2 * c) * spectrum, 6).ravel().tolist() for level in levels]
                  for c in range(planes)]
    return {"brightness": [-3.0, 1.5, 6.0], "deviations": deviations}


# --- writing ---

def describe_case(name, picture_name, picture, key, value, steps, noise=None):
    result, margins = follow(steps, picture, noise)
    assert min(margins.values(), default=1) > SAFE_MARGIN, f"{name}: a choice is within rounding: {margins}"
    print(f"{picture_name}, {name}: deviation from the input {np.std(result - picture):.3f}, margins",
          {kind: f"{margin:.1e}" for kind, margin in margins.items()})
    rounded = {kind: float(f"{margin:.2g}") for kind, margin in margins.items()}
    coloured = {"coloured": True} if noise else {}
    return {"name": name, "picture": picture_name, **coloured, key: value, "margins": rounded, "planes": plain(result)}


def plain(picture):
    return [[round(value, DECIMALS) + 0.0 for value in plane.ravel().tolist()] for plane in picture]


def compact(value):
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def make_denoisers():
    pictures = {"grey": noisy_picture(40, 44, [1], seed=378), "colour": noisy_picture(32, 35, [1, 0.5, 0.3], seed=39)}
    cases = [describe_case(name, "grey", pictures["grey"], "steps", [{"name": name, **step}], [step])
             for name, step in PASSES.items()]
    cases += [describe_case(quality, name, picture, "quality", quality, steps)
              for name, picture in pictures.items() for quality, steps in RECIPES.items()]
    noise = coloured_noise(3)
    for name in ["threshold, DCT", "Wiener", "low rank, more members than samples"]:
        cases.append(describe_case(f"{name}, coloured noise", "colour", pictures["colour"], "steps",
                                   [{"name": name, **PASSES[name]}], [PASSES[name]], noise))
    cases.append(describe_case("best, coloured noise", "colour", pictures["colour"], "quality", "best", RECIPES["best"],
                               noise))
    inputs = {name: {"width": picture.shape[2], "height": picture.shape[1], "planes": plain(picture)}
              for name, picture in pictures.items()}
    lines = ['{"pictures":{', ",\n".join(f"{compact(name)}:{compact(value)}" for name, value in inputs.items()),
             '},"noise":', compact(noise), ',"cases":[', ",\n".join(compact(case) for case in cases), "]}"]
    (HERE / "denoisers.json").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    make_denoisers()
