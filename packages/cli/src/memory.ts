import { totalmem } from 'node:os';
import type { Image, RepresentOptions } from 'ght';
import { memoryEstimate, ParameterError } from 'ght';
import { bytes } from './output/table.js';

/** Refuses an image whose run would not fit into this machine's memory, with the estimate and what to do. */
export function refuseTooLarge(image: Image, options: RepresentOptions): void {
  const { width, height, planes } = image;
  const needed = memoryEstimate(width, height, planes.length, options);
  const there = totalmem();
  if (needed <= 0.9 * there) return;
  const rule = `must need less memory than this machine has, ${bytes(there)}`;
  const remedy = 'crop the image, or use a larger --stride or fewer --atoms';
  throw new ParameterError('IMAGE', rule, `${width}×${height}, about ${bytes(needed)}`, remedy);
}
