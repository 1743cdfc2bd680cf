import { totalmem } from 'node:os';
import type { DenoiseQuality, Image, Quality, RepresentOptions } from 'ght';
import { denoiseMemoryEstimate, ResourceError } from 'ght';
import { denoiseMemory, type NoiseKind, type Pixels, representMemory } from 'ght-images';
import { bytes } from './output/table.js';

/** An image, as far as the memory of a run depends on it. */
export function pixelsOf({ width, height, planes, alpha }: Image): Pixels {
  const all = [...planes, ...(alpha ? [alpha] : [])];
  return { width, height, channels: planes.length, bytes: all.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** Refuses an image whose run would not fit into the memory of this machine, with the estimate and a remedy. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  const needed = representMemory(pixelsOf(image), options);
  refuse(image, needed, 'crop the image, or use a larger --stride or fewer --atoms');
}

/** The same for denoising by groups. */
export function refuseTooLargeToDenoise(image: Image, quality: DenoiseQuality | undefined, kind: NoiseKind): void {
  refuse(image, denoiseMemory(pixelsOf(image), quality, kind), 'cut the image into parts');
}

/** Bytes per sample that a restoration has beside its passes: the picture, its estimates, and the spectra of a blur. */
const RESTORED_BYTES = 120;

/** The same for restoration; `factor` is the size of the result by that of the image. */
export function refuseTooLargeToRestore(image: Image, quality: Quality | undefined, factor = 1): void {
  const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(factor * side)));
  const { channels, bytes: own } = pixelsOf(image);
  const passes = denoiseMemoryEstimate(width, height, channels, quality);
  const needed = own + RESTORED_BYTES * width * height * channels + passes;
  refuse(image, needed, factor > 1 ? 'use a smaller --factor, or crop the image' : 'crop the image');
}

/** Whether a run that needs so many bytes fits into the memory of this machine. */
export function fitsInMemory(needed: number): boolean {
  return needed <= 0.9 * totalmem();
}

function refuse({ width, height }: Image, needed: number, remedy: string): void {
  if (fitsInMemory(needed)) return;
  const rule = `must need less memory than this machine has, ${bytes(totalmem())}`;
  throw new ResourceError('IMAGE', rule, `${width}×${height}, about ${bytes(needed)}`, remedy);
}
