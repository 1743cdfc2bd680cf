"""Colours of CIE Lab and CMYK as sRGB, by Pillow and Little CMS. CMYK needs a profile; libvips has one built in:

    node -e "const s = require('sharp'), fs = require('fs'); const p = s({create: {width: 1, height: 1, channels: 3, background: 'red'}});
      p.toColourspace('cmyk').withIccProfile('cmyk').tiff().toBuffer().then((b) => s(b).metadata()).then((m) => fs.writeFileSync('cmyk.icc', m.icc))"
    python3 make_colours.py cmyk.icc > colours.json
"""
import itertools
import json
import sys

from PIL import Image, ImageCms

SRGB = ImageCms.createProfile("sRGB")
# Without a table of colours that is interpolated, which is wrong by up to 20 at the borders of sRGB.
EXACT = 0x100


def convert(mode, pixels, profile, intent):
    image = Image.new(mode, (len(pixels), 1))
    image.putdata(pixels)
    return [list(pixel) for pixel in ImageCms.profileToProfile(image, profile, SRGB, renderingIntent=intent, outputMode="RGB", flags=EXACT).getdata()]


# Pillow has a and b with an offset of 128, as ICC.
lab = [(lightness, a, b) for lightness in (0, 20, 77, 128, 190, 255) for a in (98, 128, 141, 190) for b in (70, 121, 128, 160)]
inks = [pixel for pixel in itertools.product((0, 40, 100), (0, 60, 110), (0, 50, 100), (0, 60))]
json.dump({
    "lab": [{"stored": list(stored), "rgb": rgb} for stored, rgb in zip(lab, convert("LAB", lab, ImageCms.createProfile("LAB"), 1))],
    "cmyk": [{"stored": list(stored), "rgb": rgb} for stored, rgb in zip(inks, convert("CMYK", inks, sys.argv[1], 0))],
}, sys.stdout)
print()
