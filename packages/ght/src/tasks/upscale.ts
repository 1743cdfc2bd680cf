import { OptionError, positive, ResourceError } from '../errors.js';
import type { Image, Samples } from '../image/image.js';
import { checkPixels, checkShape, mapped } from '../image/image.js';
import type { Operator, Plane, Size } from '../operators/operator.js';
import { enlarged, reductionOperator, resampled } from '../operators/reduction.js';
import { cubicResampling, type ReductionBlur } from '../operators/resampling.js';
import { checkRestoredSigma } from '../pipelines/given-noise.js';
import { drive, type Work } from '../work.js';
import type { RestorationOptions, Restored } from './restore-options.js';
import { checkSigma, resolveRestoreOptions } from './restore-options.js';
import { restorePlanes, unitOf } from './restore-planes.js';

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

/** The deviation of the first step by the factor, and the highest; the last step has the factor as its deviation. */
const [FIRST, MOST_FIRST] = [20, 60];
/** The most pixels of a result. */
const MOST_PIXELS = 2 ** 28;
const MOST_BLUR = 16;

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
  const { signal } = settings;
  const sigma = checkSigma(options.sigma === undefined ? 0 : options.sigma);
  const large = sizeOf(image, factor);
  const blur = checkBlur(options.blur === undefined ? 'bicubic' : options.blur);
  await drive(checkPixels(image), { signal });

  await drive(checkRestoredSigma(sigma, image.planes, image.peak), { signal });
  const unit = await drive(unitOf(image), { signal });
  const operator = reductionOperator(large, image, blur);
  const colour = image.planes.length === 3;
  const scaled = await drive(inUnits(image.planes, unit), { signal });
  const planes = colour ? [await drive(luma(scaled), { signal })] : scaled;
  const outcome = await restorePlanes(
    {
      ...{ task: 'upscale', operator, planes },
      start: (plane) => enlarged(operator, plane),
      ...{ sigma, first: Math.min(FIRST * factor, MOST_FIRST), last: factor },
    },
    unit,
    settings,
  );
  const restored = colour
    ? await drive(coloured(scaled, planes[0], outcome.planes[0], operator), { signal })
    : outcome.planes;
  for (const plane of restored) for (let i = 0; i < plane.length; i++) plane[i] *= unit;
  const alpha = image.alpha && (await drive(enlargedAlpha(image.alpha, operator), { signal }));
  const { history, engine } = outcome;
  return {
    image: { ...image, ...large, planes: restored, ...(alpha && { alpha }) },
    ...{ sigma, estimated: false, quality: settings.quality, history, engine },
  };
}

/** The size of the result. */
function sizeOf({ width, height }: Image, factor: number): Size {
  positive('factor', factor, 'use a factor such as 2');
  if (factor < 1) throw new OptionError('factor', 'must be at least 1', factor, 'use a factor such as 2');
  const large = { width: Math.round(factor * width), height: Math.round(factor * height) };
  if (large.width * large.height > MOST_PIXELS) {
    const rule = `must give at most ${MOST_PIXELS} pixels`;
    const value = `${factor}, which gives ${large.width}×${large.height}`;
    throw new ResourceError('factor', rule, value, 'use a smaller factor, or crop the image');
  }
  return large;
}

function checkBlur(blur: ReductionBlur): ReductionBlur {
  if (blur === 'bicubic' || blur === 'area') return blur;
  const gaussian = typeof blur === 'object' && blur !== null ? blur.gaussian : undefined;
  if (typeof gaussian === 'number' && gaussian > 0 && gaussian <= MOST_BLUR) return blur;
  const rule = `must be bicubic, area, or { gaussian } with a deviation above 0 and at most ${MOST_BLUR}`;
  throw new OptionError('blur', rule, blur, 'use bicubic for images that a program has reduced');
}

function* inUnits(planes: readonly Samples[], unit: number): Work<Plane[]> {
  const scaled: Plane[] = [];
  for (const plane of planes) scaled.push(yield* mapped(plane, (value) => value / unit));
  return scaled;
}

/** Y of YCbCr, ITU-R BT.601. */
function* luma([red, green, blue]: readonly Plane[]): Work<Plane> {
  const plane = red.map((value, i) => 0.299 * value + 0.587 * green[i] + 0.114 * blue[i]);
  yield 1;
  return plane;
}

/** Each channel is enlarged by interpolation, and gets what the restored luma has beyond the interpolated one. */
function* coloured(channels: readonly Plane[], small: Plane, restored: Plane, operator: Operator): Work<Plane[]> {
  const plain = yield* interpolated(small, operator);
  const result: Plane[] = [];
  for (const channel of channels) {
    const large = yield* interpolated(channel, operator);
    for (let i = 0; i < large.length; i++) large[i] += restored[i] - plain[i];
    result.push(large);
  }
  return result;
}

function interpolated(plane: Plane, { picture, observed }: Operator): Work<Plane> {
  const rows = cubicResampling(observed.height, picture.height);
  return resampled(plane, rows, cubicResampling(observed.width, picture.width));
}

/** Alpha by interpolation, within the range that it had, in the type that it had. */
function* enlargedAlpha(alpha: Samples, operator: Operator): Work<Samples> {
  const large = yield* interpolated(Float64Array.from(alpha), operator);
  let [least, most] = [alpha[0], alpha[0]];
  for (let i = 1; i < alpha.length; i++) [least, most] = [Math.min(least, alpha[i]), Math.max(most, alpha[i])];
  const whole = !(alpha instanceof Float32Array || alpha instanceof Float64Array);
  const result = new (alpha.constructor as new (length: number) => Samples)(large.length);
  for (let i = 0; i < large.length; i++) {
    const value = Math.min(most, Math.max(least, large[i]));
    result[i] = whole ? Math.round(value) : value;
  }
  return result;
}
