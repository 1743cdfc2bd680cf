import { checkShape, type Image } from '../image/image.js';
import { restored, withoutMissing } from '../pipelines/denoise/missing.js';
import { keepHidden } from '../pipelines/denoise/opacity.js';
import { type DenoiseOptions, resolveDenoiseOptions } from '../pipelines/denoise/options.js';
import { type Denoised, denoiseWhole } from '../pipelines/denoise/whole.js';
import { drive } from '../work.js';

/**
 * Removes noise, with one global threshold over all patches of all planes. No options are needed: the noise, white or coloured,
 * is estimated, and impulses and banding are removed first if they are found. RGB is denoised as luma and two chromas, with groups
 * of similar patches found on luma. Equal channels stay equal. Alpha is passed through; pixels of alpha 0 stay as they are, and the noise
 * is estimated from the others.
 *
 * Values may have any scale, and images any size. Only the estimate of the noise needs at least 3×3 pixels, or 32×32 if the noise
 * grows with the signal. An image without noise is returned bit for bit. The input must not change before the promise has settled,
 * because it is not copied. NaN is refused unless the option `missing` says what becomes of it.
 *
 * @example
 * ```js
 * import { denoise, describe } from 'ght';
 *
 * const noisy = { width: 64, height: 64, planes: [new Float32Array(64 * 64)], peak: 255 }; // your pixels
 * const result = await denoise(noisy); // the pixels are in result.image
 * console.log(describe(result)); // what was found, such as [ 'noise: white, σ = 25.1' ]
 * ```
 */
export async function denoise(noisy: Image, options: DenoiseOptions = {}): Promise<Denoised> {
  checkShape(noisy);
  const settings = resolveDenoiseOptions(noisy.planes.length, options);
  const {
    missing: wanted,
    planes: { signal },
  } = settings;
  if (wanted === undefined) return denoiseWhole(noisy, settings);
  const { image: known, holes } = await drive(withoutMissing(noisy), { signal });
  const { image, ...report } = await denoiseWhole(known, settings);
  const results = [...image.planes];
  for (const [c, missing] of holes.entries()) {
    if (missing) results[c] = await drive(restored(results[c], noisy, missing, wanted), { signal });
  }
  return { image: { ...image, planes: await drive(keepHidden(results, noisy), { signal }) }, ...report };
}
