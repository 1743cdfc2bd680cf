import { totalmem } from 'node:os';
import type { Image, Quality, RepresentOptions } from 'ght';
import { denoiseMemoryEstimate, memoryEstimate, ResourceError } from 'ght';
import { bytes } from './output/table.js';

/** Bytes that representing an image takes at its peak, about, the image among them. */
export function representMemory(image: Image, options: RepresentOptions): number {
  return bytesOf(image) + memoryEstimate(image.width, image.height, image.planes.length, options);
}

/** Refuses an image whose run would not fit into this machine's memory, with the estimate and what to do. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  refuse(image, representMemory(image, options), 'crop the image, or use a larger --stride or fewer --atoms');
}

/** Copies of all samples in float64, about, that denoising makes beside its passes, by what the noise is. */
const COPIES = {
  /** None but the axes of colour. */
  white: 0,
  /** The samples whose noise was made even, and those that come back from there. */
  'signal-dependent': 2,
  /** The samples that are written over at two scales, and those of half the size. */
  coloured: 1.25,
} as const;

/** The same for denoising by groups. */
export function refuseTooLargeToDenoise(image: Image, quality: Quality | undefined, kind: keyof typeof COPIES): void {
  const { width, height, planes } = image;
  const copies = (planes.length === 3 && kind !== 'coloured' ? 1 : 0) + COPIES[kind];
  const passes = denoiseMemoryEstimate(width, height, planes.length, quality);
  // The image, and the file that is made of the result, before and after compression.
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
