"""fastNlMeansDenoisingMulti on the pages of noisy.bin (float32) in a folder, for several strengths: prints files and seconds as JSON.

usage: python3 opencv_series.py FOLDER PAGES HEIGHT WIDTH
"""
import json
import os
import sys
import time

import cv2
import numpy as np

folder, pages, height, width = sys.argv[1], *map(int, sys.argv[2:])
cv2.setNumThreads(1)
noisy = np.fromfile(os.path.join(folder, "noisy.bin"), np.float32).reshape(pages, height, width)
images = [np.clip(np.round(page), 0, 255).astype(np.uint8) for page in noisy]
results = []
for h in (15, 20, 25, 30):
    begin = time.process_time()
    denoised = []
    for page in range(pages):
        # As many neighbours as there are on both sides, at most three: the window must be within the series.
        beside = min(3, page, pages - 1 - page)
        denoised.append(cv2.fastNlMeansDenoisingMulti(images, page, 2 * beside + 1, None, h, 7, 21))
    seconds = time.process_time() - begin
    file = f"denoised-{h}.bin"
    np.stack(denoised).tofile(os.path.join(folder, file))
    results.append({"file": file, "seconds": seconds})
print(json.dumps(results))
