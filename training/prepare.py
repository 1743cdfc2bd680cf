"""Makes training images of large photographs: each at the given lengths of its longer side, at most half its own.

Reduced so far, a photograph has neither noise nor traces of compression left.
"""
import argparse
import glob
import os

from PIL import Image


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("originals", help="folder of JPEG and PNG files")
    parser.add_argument("out", help="folder to write to, with train/ and valid/ in it")
    parser.add_argument("--valid", nargs="*", default=[], help="names without extension of those for validation")
    parser.add_argument("--sides", nargs="*", type=int, default=[1280, 640], help="lengths of the longer side")
    parser.add_argument("--colour", action="store_true", help="keep the colours, in JPEG files")
    parser.add_argument("--jpeg", type=int, default=94, help="quality of the JPEG files")
    asked = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = None
    for path in sorted(glob.glob(os.path.join(asked.originals, "*"))):
        name, _ = os.path.splitext(os.path.basename(path))
        folder = os.path.join(asked.out, "valid" if name in asked.valid else "train")
        os.makedirs(folder, exist_ok=True)
        photograph = Image.open(path).convert("RGB")
        longest = max(photograph.size)
        for side in asked.sides:
            scale = min(side, longest // 2) / longest
            size = tuple(round(length * scale) for length in photograph.size)
            reduced = photograph.resize(size, Image.LANCZOS, reducing_gap=3.0)
            to = os.path.join(folder, f"{name}-{side}")
            if asked.colour:
                # Chromas at the full resolution.
                reduced.save(f"{to}.jpg", quality=asked.jpeg, subsampling=0, optimize=True)
            else:
                reduced.convert("L").save(f"{to}.png")


if __name__ == "__main__":
    main()
