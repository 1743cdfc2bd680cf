import type { Image } from '../image/image.js';
import { checkPixels, checkShape } from '../image/image.js';
import { noiseEstimate } from '../noise/white/sigma.js';
import { blurOperator } from '../operators/blur.js';
import type { BlurKernel } from '../operators/kernel.js';
import { checkedKernel } from '../operators/kernel.js';
import { checkRestoredSigma } from '../pipelines/given-noise.js';
import { drive } from '../work.js';
import type { RestorationOptions, Restored } from './restore-options.js';
import { checkSigma, resolveRestoreOptions } from './restore-options.js';
import { imagePlanes, loopPlanes, restorePlanes, unitOf } from './restore-planes.js';

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

/** The deviation of the first step, and the least of the last. */
const [FIRST, LEAST_LAST] = [49, 0.3];
/** The estimate of a blurred image is a few percent low, and too low a deviation is what costs. */
const CAUTION = 1.1;
/** The least deviation that is taken for an estimate, in units of the loop: somewhat more than the rounding to bytes. */
const LEAST_ESTIMATE = 0.4;

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
  const { signal } = settings;
  const told = options.sigma === undefined || options.sigma === 'auto' ? undefined : checkSigma(options.sigma);
  const { width, height } = image;
  const weights = checkedKernel(kernel, width, height);
  await drive(checkPixels(image), { signal });
  if (told !== undefined) await drive(checkRestoredSigma(told, image.planes, image.peak), { signal });
  const unit = await drive(unitOf(image), { signal });
  const sigma = told ?? cautious(await drive(noiseEstimate(image), { signal }), unit);
  const operator = blurOperator({ width, height }, weights);
  const outcome = await restorePlanes(
    {
      ...{ task: 'deblur', operator, planes: await drive(loopPlanes(image.planes, unit), { signal }) },
      start: operator.mirrored,
      ...{ sigma, first: FIRST, last: LEAST_LAST },
    },
    unit,
    settings,
  );
  const planes = await drive(imagePlanes(outcome.planes.map(operator.framed), unit), { signal });
  const { history, engine } = outcome;
  return {
    image: { ...image, planes },
    ...{ sigma, estimated: told === undefined, quality: settings.quality, history, engine },
  };
}

/** The deviation to assume, from the estimates of the planes. */
function cautious(estimates: readonly number[], unit: number): number {
  const square = estimates.reduce((sum, value) => sum + (value / unit) ** 2, 0) / estimates.length;
  return unit * Math.max(CAUTION * Math.sqrt(square), LEAST_ESTIMATE);
}
