"""Denoisers of scikit-image and OpenCV, if they are installed.

usage: denoisers.py NOISY.npy CLEAN.npy SIGMA
Both are H x W x C, 0 to 255. Prints a JSON list: what, PSNR in dB, wall and CPU seconds. The noise level is given to all.
Non-local means of scikit-image with the h of its own example, 0.6 sigma; wavelets with BayesShrink and cycle spinning;
OpenCV takes bytes, so its input is rounded and clipped, and h = sigma.
"""
import json
import sys
import time

import numpy as np

noisy_path, clean_path, sigma = sys.argv[1], sys.argv[2], float(sys.argv[3])
noisy, clean = np.load(noisy_path), np.load(clean_path)
grey = noisy.shape[2] == 1
results = []


def measure(what, denoise):
    start = time.perf_counter(), time.process_time()
    estimate = denoise()
    seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    error = np.mean((estimate.reshape(clean.shape).astype(np.float64) - clean) ** 2)
    results.append({"what": what, "psnr": float(10 * np.log10(255**2 / error)), "seconds": seconds, "cpu": cpu})


try:
    from skimage.restoration import cycle_spin, denoise_nl_means, denoise_wavelet

    image = noisy[:, :, 0] if grey else noisy
    axis = None if grey else -1
    measure(
        "NLM, scikit-image",
        lambda: denoise_nl_means(
            image, patch_size=5, patch_distance=6, h=0.6 * sigma, sigma=sigma, fast_mode=True, channel_axis=axis
        ),
    )
    options = {"channel_axis": axis, "convert2ycbcr": not grey, "method": "BayesShrink", "mode": "soft"}
    unit = image / 255
    measure(
        "wavelet, scikit-image",
        lambda: 255
        * cycle_spin(
            unit,
            func=denoise_wavelet,
            max_shifts=3,
            func_kw={**options, "sigma": sigma / 255 if grey else None, "rescale_sigma": True},
            channel_axis=axis,
            num_workers=1,
        ),
    )
except ImportError:
    pass

try:
    import cv2

    byte = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
    if grey:
        measure("NLM, OpenCV", lambda: cv2.fastNlMeansDenoising(byte[:, :, 0].copy(), None, sigma))
    else:
        measure("NLM, OpenCV", lambda: cv2.fastNlMeansDenoisingColored(byte, None, sigma, sigma))
except ImportError:
    pass

print(json.dumps(results))
