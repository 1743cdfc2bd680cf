/** Targets that refer to the file that is written, whose samples are rounded. */
import type { RepresentOptions } from 'ght';
import type { ImageFile } from '../io/index.js';

/** The largest sample that the file can hold; undefined for floats. */
export function largestOf({ sample, depth }: Pick<ImageFile, 'sample' | 'depth'>): number | undefined {
  return sample === 'uint' ? 2 ** depth - 1 : undefined;
}

/** Makes a target PSNR that of the written file, which holds integers. */
export function forWriting(options: RepresentOptions, file: Pick<ImageFile, 'sample' | 'depth'>): RepresentOptions {
  const { budget } = options;
  const largestInteger = largestOf(file);
  if (budget === undefined || !('psnr' in budget) || largestInteger === undefined) return options;
  return { ...options, budget: { ...budget, largestInteger } };
}
