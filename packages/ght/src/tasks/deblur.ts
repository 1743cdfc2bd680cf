import type { Image } from '../image/image.js';
import { checkShape } from '../image/image.js';
import type { BlurKernel } from '../operators/kernel.js';
import { deblurring } from '../pipelines/restore/deblurring.js';
import type { RestorationOptions, Restored } from '../pipelines/restore/options.js';
import { resolveRestoreOptions } from '../pipelines/restore/options.js';
import { restoreWhole } from '../pipelines/restore/whole.js';

/** Options of `deblur`. All are optional. */
export interface DeblurOptions extends RestorationOptions {
  /**
   * The standard deviation of white noise in the units of the image, at least 0. `auto` estimates it. Too low a value leaves
   * amplified noise; too high a value costs some detail.
   *
   * @default 'auto'
   */
  readonly sigma?: number | 'auto';
}

/**
 * Removes a known blur. The kernel is the picture of a single point of light; only the ratios of its weights matter. Nothing is
 * assumed about what lies outside the frame. A blur that is not known is not estimated.
 *
 * @example
 * ```js
 * import { deblur, diskKernel } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { image: sharp } = await deblur(image, diskKernel(3), { quality: 'fast' });
 * console.log(sharp.width, sharp.height);
 * ```
 */
export async function deblur(image: Image, kernel: BlurKernel, options: DeblurOptions = {}): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions(options, ['sigma']);
  return restoreWhole(image, deblurring(image, kernel, options.sigma), settings);
}
