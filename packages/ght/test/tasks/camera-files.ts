/** Pictures with the noise of files: coloured, and cut by JPEG. */
import sharp from 'sharp';
import type { Image, Samples } from '../../src/index.js';
import { psnr, readJpegInfo } from '../../src/index.js';
import { filtered, whiteNoise } from '../noise/made-noise.js';

export const joined = (planes: readonly Samples[]) => Float64Array.from(planes.flatMap((plane) => [...plane]));
export const level = (image: Image, clean: Image) => psnr(joined(image.planes), joined(clean.planes), clean.peak);
export const inBytes = (image: Image): Image => ({
  ...image,
  planes: image.planes.map((plane) => Uint8Array.from(plane, (v) => Math.min(255, Math.max(0, Math.round(v))))),
});

export const KERNEL = [0.25, 0.5, 0.25];

/** Noise that was blurred along rows and columns, as demosaicking and resizing do. */
export const coloured = (clean: Image, sigma: number, seed = 3): Image => ({
  ...clean,
  planes: clean.planes.map((plane, c) => {
    const noise = filtered(whiteNoise(plane.length, seed + c), clean.width, KERNEL, KERNEL);
    return Float64Array.from(plane, (value, i) => value + (sigma / 0.375) * noise[i]);
  }),
});

/** The image as a JPEG of this quality, and what its file says. */
export async function jpegOf(image: Image, quality: number) {
  const { width, height, planes } = inBytes(image);
  const pixels = Buffer.from(Array.from({ length: 3 * width * height }, (_, i) => planes[i % 3][Math.floor(i / 3)]));
  const bytes = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
  const data = await sharp(bytes).raw().toBuffer();
  const decoded = [0, 1, 2].map((c) => Uint8Array.from({ length: width * height }, (_, i) => data[3 * i + c]));
  return { image: { ...image, planes: decoded }, jpeg: readJpegInfo(bytes) };
}
