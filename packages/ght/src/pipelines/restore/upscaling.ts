/**
 * A reduction, whose inverse enlarges. Of RGB, the luma is restored, and the colours are interpolated. What is not given is found first:
 * noise, which is removed, and how the image was reduced.
 */
import { OptionError, oneOf, positive, ResourceError } from '../../errors.js';
import { checkPixels, type Image, type Samples } from '../../image/image.js';
import { checkJpeg, type JpegInfo } from '../../noise/model.js';
import { assumedReduction, findReduction, unknownReduction } from '../../operators/find-reduction.js';
import type { Operator, Plane, Size } from '../../operators/operator.js';
import { enlarged, reductionOperator, resampled } from '../../operators/reduction.js';
import { cubicResampling, type ReductionBlur } from '../../operators/resampling.js';
import { drive, type Watch, type Work, watchOver } from '../../work.js';
import { resolveDenoiseOptions } from '../denoise/options.js';
import { denoiseWhole } from '../denoise/whole.js';
import type { Findings, FoundInput } from './findings.js';
import { certainNoise } from './input-noise.js';
import { checkSigma, type RestoreSettings } from './options.js';
import { inUnits, type RestorationProblem, unitFor } from './problem.js';

/** The deviation of the first step by the factor, and the highest; that of the last step by the factor. */
const [FIRST, MOST_FIRST, LAST] = [20, 60, 2];
/** The most pixels of a result. */
const MOST_PIXELS = 2 ** 28;
const MOST_BLUR = 16;

/** The deviation that is left of removed noise, and of the steps of a JPEG, on the scale where 255 is full scale. */
const LEFT = { noise: 1, steps: 2 } as const;
/** The steps of a JPEG are removed from luma in part, since the loop removes the rest better, and in full from the colours. */
const STEPS = { strength: 0.5, strengthChroma: 2, impulses: 'off', banding: 'off' } as const;

/** The share of plain interpolation in the enlarged picture of a JPEG: what its steps have left is sharpened like detail. */
const PLAIN_OF_JPEG = 0.3;

/** What is given about an image that is enlarged; see `UpscaleOptions`. */
export interface UpscalingOptions {
  readonly blur?: ReductionBlur | 'auto';
  readonly sigma?: number | 'auto';
  readonly jpeg?: JpegInfo | 'auto' | 'off';
}

/** The problem of enlarging an image of this size. */
export function upscaling(
  observed: Size,
  factor: number,
  { blur = 'auto', sigma = 'auto', jpeg = 'auto' }: UpscalingOptions = {},
): RestorationProblem {
  const given = sigma === 'auto' ? undefined : checkSigma(sigma);
  const large = enlargedSize(observed, factor);
  if (blur !== 'auto') checkBlur(blur);
  if (typeof jpeg === 'object') checkJpeg(jpeg);
  else oneOf('jpeg', jpeg, ['auto', 'off']);
  const asked = { factor, blur, sigma: given, jpeg };
  return {
    ...{ task: 'upscale', sigma: given, first: Math.min(FIRST * factor, MOST_FIRST), last: LAST * factor },
    ...((blur === 'auto' || given === undefined) && {
      diagnose: (image: Image, settings: RestoreSettings, watch: Watch) => diagnose(image, asked, settings, watch),
    }),
    *open(image, found) {
      yield* checkPixels(image);
      const unit = yield* unitFor(image.planes, image.peak, given);
      const reduction = found.reduction ?? unknownReduction(undefined);
      const operator = reductionOperator(large, image, blur === 'auto' ? assumedReduction(reduction) : blur);
      const colour = image.planes.length === 3;
      const scaled = yield* inUnits(image.planes, unit);
      const data = yield* restoredPlanes(scaled);
      return {
        ...{ unit, operator, planes: data },
        start: (plane) => enlarged(operator, plane),
        *result(loop) {
          const restored = yield* restrained(loop, data, operator, plainShare(found));
          const planes = colour ? yield* coloured(scaled, data[0], restored[0], operator) : restored;
          for (const plane of planes) for (let i = 0; i < plane.length; i++) plane[i] *= unit;
          const alpha = image.alpha && (yield* enlargedAlpha(image.alpha, operator));
          return { ...image, ...large, planes, ...(alpha && { alpha }) };
        },
      };
    },
  };
}

/** What is asked about an image: what is not given. */
interface Asked extends Required<Pick<UpscalingOptions, 'blur' | 'jpeg'>> {
  readonly factor: number;
  readonly sigma: number | undefined;
}

/** Removes certain noise from an image whose noise is not given, and finds how it was reduced. */
async function diagnose(
  image: Image,
  { factor, blur, sigma, jpeg }: Asked,
  { quality, engine, threads, worker }: RestoreSettings,
  watch: Watch,
): Promise<FoundInput> {
  const { signal } = watch;
  await drive(checkPixels(image), { signal });
  const unit = await drive(unitFor(image.planes, image.peak, sigma), { signal });
  const noise = sigma === undefined ? await drive(certainNoise(image, jpeg), watchOver(watch, 0, 0.5)) : undefined;
  if (noise) {
    // An estimated spectrum is denoised at two scales; the noise of flat areas and the steps of a JPEG are at one.
    const isSteps = noise.jpeg !== undefined && noise.levels === undefined;
    const one = { noise: noise.model, ...(isSteps ? STEPS : ({ impulses: 'off', banding: 'off' } as const)) };
    const known = noise.levels ? { jpeg } : one;
    const recipe = quality === 'learned' ? 'best' : quality;
    const how = { engine, threads, worker, signal };
    const settings = resolveDenoiseOptions(image.planes.length, { ...known, quality: recipe, ...how });
    const { planes } = (await denoiseWhole(image, settings)).image;
    const left = unit * (isSteps ? LEFT.steps : LEFT.noise);
    const found = { sigma: left, estimated: true, noise, warnings: [] };
    const reduction = unknownReduction('noise-removed');
    return { found: blur === 'auto' ? { ...found, reduction } : found, denoised: planes };
  }
  const found = { sigma: sigma ?? 0, estimated: sigma === undefined, warnings: [] };
  if (blur !== 'auto') return { found };
  const planes = await drive(restoredPlanes(await drive(inUnits(image.planes, unit), { signal })), { signal });
  return {
    found: { ...found, reduction: await drive(findReduction(planes, image, factor), watchOver(watch, 0.5, 1)) },
  };
}

/** How much of the result is plain interpolation, because what was found says that the loop sharpens errors. */
function plainShare({ reduction, noise }: Findings): number {
  if (noise) return noise.jpeg ? PLAIN_OF_JPEG : 0;
  return reduction?.kind === 'points' ? (reduction.share ?? 1) : 0;
}

/** Restored planes, mixed with this share of the interpolated data. */
function* restrained(planes: readonly Plane[], data: readonly Plane[], operator: Operator, share: number) {
  if (share === 0) return planes;
  for (const [c, plane] of planes.entries()) {
    const plain = yield* interpolated(data[c], operator);
    for (let i = 0; i < plane.length; i++) plane[i] += share * (plain[i] - plane[i]);
  }
  return planes;
}

/** The planes that the loop restores: the luma of RGB, or all. */
function* restoredPlanes(planes: readonly Plane[]): Work<readonly Plane[]> {
  return planes.length === 3 ? [yield* luma(planes)] : planes;
}

/** The size of the result. */
export function enlargedSize({ width, height }: Size, factor: number): Size {
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

function checkBlur(blur: ReductionBlur): void {
  if (blur === 'bicubic' || blur === 'area') return;
  const gaussian = typeof blur === 'object' && blur !== null ? blur.gaussian : undefined;
  if (typeof gaussian === 'number' && gaussian > 0 && gaussian <= MOST_BLUR) return;
  const rule = `must be auto, bicubic, area, or { gaussian } with a deviation above 0 and at most ${MOST_BLUR}`;
  throw new OptionError('blur', rule, blur, 'leave it out to have it found');
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
