import type { Image } from '../image/image.js';
import { checkShape } from '../image/image.js';
import type { JpegInfo } from '../noise/model.js';
import type { ReductionBlur } from '../operators/resampling.js';
import type { RestorationOptions, Restored } from '../pipelines/restore/options.js';
import { resolveRestoreOptions } from '../pipelines/restore/options.js';
import { upscaling } from '../pipelines/restore/upscaling.js';
import { restoreWhole } from '../pipelines/restore/whole.js';

/** Options of `upscale`. All are optional. */
export interface UpscaleOptions extends RestorationOptions {
  /**
   * How the small image was made from the large one. `auto` finds it in the spectrum of the image, and takes something between `bicubic`
   * and `area` if it is not certain. `bicubic`: reduced with a cubic window, as most programs do. `area`: each pixel is the mean of the
   * area that it covers, as in a camera. `{ gaussian }`: a Gaussian blur of this deviation, in pixels of the large image, above 0 and at
   * most 16.
   *
   * @default 'auto'
   */
  readonly blur?: ReductionBlur | 'auto';
  /**
   * The standard deviation of white noise in the units of the image, at least 0; 0 for none. `auto` removes noise and JPEG steps first, if
   * it finds any.
   *
   * @default 'auto'
   */
  readonly sigma?: number | 'auto';
  /**
   * For `sigma: 'auto'`: the JPEG that the image was, as read from its file, whose quantisation steps count as noise. `auto` searches the
   * pixels for it, `off` does not.
   *
   * @default 'auto'
   */
  readonly jpeg?: JpegInfo | 'auto' | 'off';
}

/**
 * Enlarges an image by a factor of at least 1, which need not be whole. The result, reduced again, gives the image. Of RGB, the luma is
 * restored, and the colours are enlarged by cubic interpolation. The result says what was found about the image (`describe`).
 *
 * @param factor - Pixels of the result per pixel of the image, in each direction.
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
  const settings = resolveRestoreOptions('upscale', options, ['sigma', 'blur', 'jpeg']);
  return restoreWhole(image, upscaling(image, factor, options), settings);
}
