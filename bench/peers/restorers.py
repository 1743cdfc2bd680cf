"""Inpainting, deblurring and upscaling by others, if they are installed.

usage: restorers.py inpaint DATA.npy CLEAN.npy MISSING.npy
       restorers.py deblur DATA.npy CLEAN.npy KERNEL.npy SIGMA
       restorers.py upscale DATA.npy CLEAN.npy FACTOR
Arrays are grey, 0 to 255. Prints a JSON list: what, PSNR in dB after clipping, wall and CPU seconds.

Inpainting: Telea and Navier-Stokes of OpenCV, on bytes; biharmonic of scikit-image. Deblurring: total variation by ADMM, with
the surroundings of the frame unknown (masked splitting) and the best of several weights, and scikit-image's Richardson-Lucy with
the best number of steps. The clean image chooses weight and steps; the time is that of one of them. Upscaling: cubic and
Lanczos interpolation of OpenCV.
"""
import json
import sys
import time

import numpy as np

task, data_path, clean_path, *rest = sys.argv[1:]
data, clean = np.load(data_path), np.load(clean_path)
results = []


def psnr(estimate, border=0):
    inner = slice(border, -border or None)
    error = np.mean((np.clip(estimate, 0, 255)[inner, inner] - clean[inner, inner]) ** 2)
    return float(10 * np.log10(255**2 / error))


def measure(what, restore, choices=(None,), border=0):
    """Runs once per choice and reports the best, with its own time."""
    outcomes = []
    for choice in choices:
        start = time.perf_counter(), time.process_time()
        estimate = restore(choice) if choice is not None else restore()
        seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
        outcomes.append({"what": what, "psnr": psnr(estimate, border), "seconds": seconds, "cpu": cpu})
    results.append(max(outcomes, key=lambda outcome: outcome["psnr"]))


def otf(kernel, shape):
    """The kernel's transform, its centre at the first pixel."""
    plane = np.zeros(shape)
    plane[: kernel.shape[0], : kernel.shape[1]] = kernel
    shift = (-(kernel.shape[0] // 2), -(kernel.shape[1] // 2))
    return np.fft.rfft2(np.roll(plane, shift, (0, 1)))


def total_variation(y, kernel, weight, steps=150):
    """min |M(k * x) - y|^2 / 2 + weight TV(x), M cutting the rim off: ADMM with w = k * x and d = gradient of x."""
    r = max(kernel.shape)
    padded = np.pad(y, r, mode="symmetric")
    shape = padded.shape
    known = np.zeros(shape, bool)
    known[r:-r, r:-r] = True
    F, I = np.fft.rfft2, lambda X: np.fft.irfft2(X, shape)
    K, dx, dy = otf(kernel, shape), otf(np.array([[1.0, -1.0]]), shape), otf(np.array([[1.0], [-1.0]]), shape)
    nu, mu = 0.1, 10 * weight / 255 ** 0.5
    den = nu * np.abs(K) ** 2 + mu * (np.abs(dx) ** 2 + np.abs(dy) ** 2) + 1e-12
    w, p, q = padded.copy(), np.zeros(shape), np.zeros(shape)
    a, u, v = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for _ in range(steps):
        X = (nu * np.conj(K) * F(w - a) + mu * (np.conj(dx) * F(p - u) + np.conj(dy) * F(q - v))) / den
        b = I(K * X)
        w = np.where(known, (padded + nu * (b + a)) / (1 + nu), b + a)
        a = a + b - w
        gx, gy = I(X * dx) + u, I(X * dy) + v
        size = np.maximum(np.hypot(gx, gy), 1e-9)
        shrink = np.maximum(1 - weight / mu / size, 0)
        p, q = gx * shrink, gy * shrink
        u, v = gx - p, gy - q
    return I(X)[r:-r, r:-r]


if task == "inpaint":
    missing = np.load(rest[0]) > 0
    try:
        from skimage.restoration import inpaint_biharmonic

        measure("biharmonic, scikit-image", lambda: 255 * inpaint_biharmonic(data / 255, missing))
    except ImportError:
        pass
    try:
        import cv2

        byte, hole = data.astype(np.uint8), missing.astype(np.uint8)
        for name, method in [("Telea", cv2.INPAINT_TELEA), ("Navier-Stokes", cv2.INPAINT_NS)]:
            measure(f"{name}, OpenCV", lambda: cv2.inpaint(byte, hole, 3, method).astype(float))
    except ImportError:
        pass

if task == "deblur":
    kernel = np.load(rest[0])
    kernel = kernel / kernel.sum()
    sigma = float(rest[1])
    weights = [share * sigma**2 for share in (0.02, 0.03, 0.045, 0.07, 0.1)]
    measure("TV, best weight", lambda weight: total_variation(data, kernel, weight), weights)
    try:
        from skimage.restoration import richardson_lucy

        r = max(kernel.shape)
        padded = np.pad(np.maximum(data, 0), r, mode="symmetric") / 255
        cut = slice(r, -r)

        def lucy(steps):
            return 255 * richardson_lucy(padded, kernel, num_iter=steps)[cut, cut]

        measure("Richardson-Lucy, scikit-image, best steps", lucy, (5, 10, 20, 40))
    except (ImportError, TypeError):
        pass

if task == "upscale":
    factor = int(rest[0])
    try:
        import cv2

        size = (clean.shape[1], clean.shape[0])
        for name, method in [("cubic", cv2.INTER_CUBIC), ("Lanczos", cv2.INTER_LANCZOS4)]:
            measure(f"{name}, OpenCV", lambda: cv2.resize(data, size, interpolation=method), border=factor)
    except ImportError:
        pass

print(json.dumps(results))
