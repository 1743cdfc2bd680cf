/** A reduction, whose inverse enlarges. Of RGB, the luma is restored, and the colours are interpolated. */
import { OptionError, positive, ResourceError } from '../../errors.js';
import type { Samples } from '../../image/image.js';
import { checkPixels } from '../../image/image.js';
import type { Operator, Plane, Size } from '../../operators/operator.js';
import { enlarged, reductionOperator, resampled } from '../../operators/reduction.js';
import { cubicResampling, type ReductionBlur } from '../../operators/resampling.js';
import type { Work } from '../../work.js';
import { checkSigma } from './options.js';
import { inUnits, type RestorationProblem, unitFor } from './problem.js';

/** The deviation of the first step by the factor, and the highest; the last step has the factor as its deviation. */
const [FIRST, MOST_FIRST] = [20, 60];
/** The most pixels of a result. */
const MOST_PIXELS = 2 ** 28;
const MOST_BLUR = 16;

/** The problem of enlarging an image of this size. */
export function upscaling(
  observed: Size,
  factor: number,
  blur: ReductionBlur = 'bicubic',
  sigma = 0,
): RestorationProblem {
  checkSigma(sigma);
  const large = enlargedSize(observed, factor);
  checkBlur(blur);
  return {
    ...{ task: 'upscale', sigma, first: Math.min(FIRST * factor, MOST_FIRST), last: factor },
    *open(image) {
      yield* checkPixels(image);
      const unit = yield* unitFor(image.planes, image.peak, sigma);
      const operator = reductionOperator(large, image, blur);
      const colour = image.planes.length === 3;
      const scaled = yield* inUnits(image.planes, unit);
      const data = colour ? [yield* luma(scaled)] : scaled;
      return {
        ...{ unit, operator, planes: data },
        start: (plane) => enlarged(operator, plane),
        *result(restored) {
          const planes = colour ? yield* coloured(scaled, data[0], restored[0], operator) : restored;
          for (const plane of planes) for (let i = 0; i < plane.length; i++) plane[i] *= unit;
          const alpha = image.alpha && (yield* enlargedAlpha(image.alpha, operator));
          return { ...image, ...large, planes, ...(alpha && { alpha }) };
        },
      };
    },
  };
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
  const rule = `must be bicubic, area, or { gaussian } with a deviation above 0 and at most ${MOST_BLUR}`;
  throw new OptionError('blur', rule, blur, 'use bicubic for images that a program has reduced');
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
