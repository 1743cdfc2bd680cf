import type { Image } from '../image/image.js';
import { checkShape } from '../image/image.js';
import type { NoiseOptions } from '../noise/estimate.js';
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
  /**
   * The JPEG that the image was, as read from its file; `auto` searches the pixels for it; `off` does not. Its quantisation steps count
   * as noise.
   *
   * @default 'auto'
   */
  readonly jpeg?: NoiseOptions['jpeg'];
}

/**
 * Removes a blur. The kernel is the picture of a single point of light; only the ratios of its weights matter. With `auto` it is
 * estimated as a Gaussian, a disk or a straight motion; `blur` in the result says which. A picture that looks sharp is then refused.
 * Nothing is assumed about what lies outside the frame. If a kernel does not fit, `warnings` in the result has the reason.
 *
 * @param kernel - The picture of a single point of light, or `auto`.
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
export async function deblur(
  image: Image,
  kernel: BlurKernel | 'auto',
  options: DeblurOptions = {},
): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions('deblur', options, ['sigma', 'jpeg']);
  return restoreWhole(image, deblurring(image, kernel, options), settings);
}
