"""Makes training images of large photographs: each in grey at 1280 and at 640 pixels on its longer side.

Reduced so far, a photograph has neither noise nor traces of compression left.
"""
import argparse
import glob
import os

from PIL import Image

SIDES = (1280, 640)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", help="folder of JPEG files")
    parser.add_argument("out", help="folder to write to, with train/ and valid/ in it")
    parser.add_argument("--valid", nargs="*", default=[], help="names without extension of those for validation")
    asked = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = None
    for path in sorted(glob.glob(os.path.join(asked.originals, "*.jpg"))):
        name = os.path.splitext(os.path.basename(path))[0]
        folder = os.path.join(asked.out, "valid" if name in asked.valid else "train")
        os.makedirs(folder, exist_ok=True)
        photograph = Image.open(path).convert("RGB")
        longest = max(photograph.size)
        for side in SIDES:
            scale = min(side, longest // 2) / longest
            size = tuple(round(length * scale) for length in photograph.size)
            reduced = photograph.resize(size, Image.LANCZOS, reducing_gap=3.0).convert("L")
            reduced.save(os.path.join(folder, f"{name}-{side}.png"))


if __name__ == "__main__":
    main()
