"""Non-local means of OpenCV, if it is installed.

usage: opencv_nlm.py NOISY.npy CLEAN.npy H [H ...]
Both are H x W x C, uint8, RGB or grey. Prints a JSON list: what, PSNR in dB, wall and CPU seconds, one for each strength h.
"""
import json
import sys
import time

import cv2
import numpy as np

noisy, clean = np.load(sys.argv[1]), np.load(sys.argv[2])
grey = noisy.shape[2] == 1
results = []
for h in map(float, sys.argv[3:]):
    start = time.perf_counter(), time.process_time()
    if grey:
        out = cv2.fastNlMeansDenoising(noisy[:, :, 0].copy(), None, h)[:, :, None]
    else:
        bgr = np.ascontiguousarray(noisy[:, :, ::-1])
        out = cv2.fastNlMeansDenoisingColored(bgr, None, h, h)[:, :, ::-1]
    seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    error = np.mean((out.astype(np.float64) - clean) ** 2)
    psnr = float(10 * np.log10(255**2 / error)) if error > 0 else None
    results.append({"what": f"NLM, OpenCV, h = {h:g}", "psnr": psnr, "seconds": seconds, "cpu": cpu})
print(json.dumps(results))
