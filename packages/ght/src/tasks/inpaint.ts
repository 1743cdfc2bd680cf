import type { Image, Samples } from '../image/image.js';
import { checkShape } from '../image/image.js';
import { inpainting } from '../pipelines/restore/inpainting.js';
import type { RestorationOptions, Restored } from '../pipelines/restore/options.js';
import { resolveRestoreOptions } from '../pipelines/restore/options.js';
import { restoreWhole } from '../pipelines/restore/whole.js';

/** Options of `inpaint`. All are optional. */
export interface InpaintOptions extends RestorationOptions {
  /**
   * The standard deviation of white noise on the known pixels, in the units of the image, at least 0. With 0 the known pixels are
   * returned as they are; otherwise they are denoised too.
   *
   * @default 0
   */
  readonly sigma?: number;
}

/**
 * Fills missing pixels from the pixels around them. The mask has one sample per pixel, and pixels where it is not 0 are missing. `auto`
 * takes transparent pixels (alpha 0) and samples that are NaN as missing, in all channels. The values of missing pixels are ignored.
 * Transparent pixels that were filled become opaque.
 *
 * Scratches, text, dead pixels and small holes are filled with the texture of their surroundings. Holes wider than about 16 pixels
 * stay blurred in the middle, within the range of the pixels around them. `missing` in the result says how much was filled, and
 * `warnings` whether the mask looks inverted.
 *
 * @param mask - One sample per pixel: pixels where it is not 0 are missing.
 *
 * @example
 * ```js
 * import { inpaint } from 'ght';
 *
 * const image = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const mask = new Uint8Array(64 * 64).fill(1, 64 * 30, 64 * 32); // two rows are missing
 * const { image: filled } = await inpaint(image, mask);
 * console.log(filled.planes[0].length);
 * ```
 */
export async function inpaint(image: Image, mask: Samples | 'auto', options: InpaintOptions = {}): Promise<Restored> {
  checkShape(image);
  const settings = resolveRestoreOptions('inpaint', options, ['sigma']);
  return restoreWhole(image, inpainting(mask, options.sigma), settings);
}
