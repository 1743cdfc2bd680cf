import { totalmem } from 'node:os';
import type { Image, Quality, RepresentOptions } from 'ght';
import { denoiseMemoryEstimate, memoryEstimate, ParameterError } from 'ght';
import { bytes } from './output/table.js';

/** Refuses an image whose run would not fit into this machine's memory, with the estimate and what to do. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  const needed = memoryEstimate(image.width, image.height, image.planes.length, options);
  refuse(image, needed, 'crop the image, or use a larger --stride or fewer --atoms');
}

/** The same for denoising by groups. */
export function refuseTooLargeToDenoise(image: Image, quality?: Quality): void {
  const { width, height, planes } = image;
  // The image as it came, transformed and back, beside what the passes need.
  const copies = 3 * 8 * width * height * planes.length;
  refuse(image, copies + denoiseMemoryEstimate(width, height, planes.length, quality), 'cut the image into parts');
}

function refuse({ width, height }: Image, needed: number, remedy: string): void {
  const there = totalmem();
  if (needed <= 0.9 * there) return;
  const rule = `must need less memory than this machine has, ${bytes(there)}`;
  throw new ParameterError('IMAGE', rule, `${width}×${height}, about ${bytes(needed)}`, remedy);
}
