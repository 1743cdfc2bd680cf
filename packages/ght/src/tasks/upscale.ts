import type { Image } from '../image/image.js';
import { checkShape } from '../image/image.js';
import type { ReductionBlur } from '../operators/resampling.js';
import type { RestorationOptions, Restored } from '../pipelines/restore/options.js';
import { resolveRestoreOptions } from '../pipelines/restore/options.js';
import { upscaling } from '../pipelines/restore/upscaling.js';
import { restoreWhole } from '../pipelines/restore/whole.js';

/** Options of `upscale`. All are optional. */
export interface UpscaleOptions extends RestorationOptions {
  /**
   * How the small image was made from the large one. `bicubic`: reduced with a cubic window, as most programs do. `area`: each pixel
   * is the mean of the area that it covers, as in a camera. `{ gaussian }`: a Gaussian blur of this deviation, in pixels of the large
   * image, above 0 and at most 16.
   *
   * @default 'bicubic'
   */
  readonly blur?: ReductionBlur;
  /** The standard deviation of white noise in the units of the image, at least 0. @default 0 */
  readonly sigma?: number;
}

/**
 * Enlarges an image by a factor of at least 1, which need not be whole. The result, reduced again, gives the image. Of RGB, the luma is
 * restored, and the colours are enlarged by cubic interpolation.
 *
 * @example
 * ```js
 * import { upscale } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const { image: large } = await upscale(image, 2, { quality: 'fast' });
 * console.log(large.width, large.height); // 128 128
 * ```
 */
export async function upscale(image: Image, factor: number, options: UpscaleOptions = {}): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions(options, ['sigma', 'blur']);
  return restoreWhole(image, upscaling(image, factor, options.blur, options.sigma), settings);
}
