import { totalmem } from 'node:os';
import type { Image, Quality, RepresentOptions } from 'ght';
import { denoiseMemoryEstimate, memoryEstimate, ResourceError } from 'ght';
import { bytes } from './output/table.js';

/** The approximate peak memory for representing an image in bytes, including the image. */
export function representMemory(image: Image, options: RepresentOptions): number {
  return bytesOf(image) + memoryEstimate(image.width, image.height, image.planes.length, options);
}

/** Refuses an image whose run would not fit into the memory of this machine, with the estimate and a remedy. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  refuse(image, representMemory(image, options), 'crop the image, or use a larger --stride or fewer --atoms');
}

/** The approximate number of float64 copies of all samples that denoising needs in addition to its passes, by kind of noise. */
const COPIES = {
  /** Only the colour transform, which is counted separately. */
  white: 0,
  /** The samples after the variance-stabilising transform, and after its inverse. */
  'signal-dependent': 2,
  /** The samples that are overwritten at two scales, and those at half the size. */
  coloured: 1.25,
} as const;

/** The same for denoising by groups. */
export function refuseTooLargeToDenoise(image: Image, quality: Quality | undefined, kind: keyof typeof COPIES): void {
  const { width, height, planes } = image;
  const copies = (planes.length === 3 && kind !== 'coloured' ? 1 : 0) + COPIES[kind];
  const passes = denoiseMemoryEstimate(width, height, planes.length, quality);
  // The image, and the output file before and after compression.
  const needed = 3 * bytesOf(image) + 8 * copies * width * height * planes.length + passes;
  refuse(image, needed, 'cut the image into parts');
}

function bytesOf({ planes, alpha }: Image): number {
  return [...planes, ...(alpha ? [alpha] : [])].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function refuse({ width, height }: Image, needed: number, remedy: string): void {
  const there = totalmem();
  if (needed <= 0.9 * there) return;
  const rule = `must need less memory than this machine has, ${bytes(there)}`;
  throw new ResourceError('IMAGE', rule, `${width}×${height}, about ${bytes(needed)}`, remedy);
}
