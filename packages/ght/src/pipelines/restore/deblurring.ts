/** A blur, known or found. The picture of the loop is larger than the image by a rim, of which nothing is known. */
import { InputError } from '../../errors.js';
import { checkPixels, type Image } from '../../image/image.js';
import type { NoiseOptions } from '../../noise/estimate.js';
import { type BlurEstimate, estimateBlur, looksSharp, type NoBlurReason } from '../../operators/blind/estimate.js';
import { blurOperator } from '../../operators/blur.js';
import { type BlurKernel, checkedKernel, shapedKernel } from '../../operators/kernel.js';
import type { Size } from '../../operators/operator.js';
import type { Work } from '../../work.js';
import type { Findings } from './findings.js';
import { type JpegNoise, jpegNoise } from './jpeg-noise.js';
import { checkSigma } from './options.js';
import { estimatedSigma, imagePlanes, loopPlanes, type RestorationProblem, unitFor } from './problem.js';

/** The deviation of the first step, and the least of the last. */
const [FIRST, LEAST_LAST] = [49, 0.3];
/**
 * The errors of a JPEG are not white, and are largest where the picture is: more is assumed than their deviation. From 1.3 to 1.5 times
 * the true deviation was best at qualities from 75 to 97, in grey and in colour, and the estimate is a tenth low.
 */
const JPEG_CAUTION = 1.6;

/**
 * The confidence in the kind of a blur from which the result is the restored picture alone; that up to which the most of the blurred
 * picture is mixed in, and how much that is. The wrong kind does more harm than half of the right one does good.
 */
const KEPT = { sure: 0.8, doubtful: 0.6, most: 0.35 } as const;

/** The share of the blurred picture in the result, if its blur was found with this confidence. */
export function keptShare(confidence: number): number {
  return KEPT.most * Math.max(0, Math.min(1, (KEPT.sure - confidence) / (KEPT.sure - KEPT.doubtful)));
}

/** How the noise of a blurred image is known. */
export interface BlurNoise {
  readonly sigma?: number | 'auto';
  readonly jpeg?: NoiseOptions['jpeg'];
}

/** The problem of removing a blur from an image of this size. */
export function deblurring(
  { width, height }: Size,
  kernel: BlurKernel | 'auto',
  { sigma = 'auto', jpeg }: BlurNoise = {},
): RestorationProblem {
  const given = sigma === 'auto' ? undefined : checkSigma(sigma);
  const weights = kernel === 'auto' ? undefined : checkedKernel(kernel, width, height);
  return {
    ...{ task: 'deblur', sigma: given, first: FIRST, last: LEAST_LAST, bounded: true },
    *find(image) {
      yield* checkPixels(image);
      const unit = yield* unitFor(image.planes, image.peak, given);
      const planes = yield* loopPlanes(image.planes, unit);
      const noise = yield* jpegNoise(image, planes, unit, jpeg);
      const floor = noise?.floor ?? 0;
      const found = weights ? undefined : yield* foundBlur(image, planes[0], floor);
      const sharp = weights && (yield* looksSharp(planes[0], image, weights, floor));
      return {
        sigma: given ?? (yield* noiseWithJpeg(image, unit, noise)),
        estimated: given === undefined,
        ...(noise && { jpegQuality: noise.quality }),
        ...(found && { blur: found }),
        warnings: sharp ? [{ reason: 'image-sharp' }] : [],
      };
    },
    *open(image, { blur }: Findings) {
      yield* checkPixels(image);
      const unit = yield* unitFor(image.planes, image.peak, given);
      const operator = blurOperator({ width, height }, weights ?? kernelOf(blur, { width, height }));
      const data = yield* loopPlanes(image.planes, unit);
      const kept = weights || !blur ? 0 : keptShare(blur.confidence);
      return {
        ...{ unit, operator, planes: data, start: operator.mirrored },
        *result(planes) {
          const restored = planes.map(operator.framed);
          if (kept > 0) {
            restored.forEach((plane, c) => {
              for (let i = 0; i < plane.length; i++) plane[i] += kept * (data[c][i] - plane[i]);
            });
          }
          return { ...image, planes: yield* imagePlanes(restored, unit) };
        },
      };
    },
  };
}

function kernelOf(blur: BlurEstimate | undefined, { width, height }: Size): BlurKernel {
  if (!blur) throw new Error('no blur was found');
  return checkedKernel(shapedKernel(blur), width, height);
}

/** The deviation to assume for white noise and the errors of a JPEG together, in units of the image. */
function* noiseWithJpeg(image: Image, unit: number, jpeg: JpegNoise | undefined): Work<number> {
  const white = yield* estimatedSigma(image, unit);
  if (!jpeg) return white;
  const { variances } = jpeg;
  const mean = variances.reduce((sum, variance) => sum + variance, 0) / variances.length;
  return Math.hypot(white, JPEG_CAUTION * unit * Math.sqrt(mean));
}

/** The remedies for pictures in which no blur can be found. */
const REFUSALS: Readonly<Record<NoBlurReason, readonly [rule: string, remedy: string]>> = {
  sharp: [
    'must be blurred for the kernel auto: its spectrum has no trace of a Gaussian, disk or straight motion blur',
    'leave a sharp picture as it is, or give the kernel, such as gaussian:1.6, disk:4 or motion:15,30',
  ],
  flat: ['must show something for the kernel auto', 'give the kernel, or an image with edges'],
  'too-small': ['must be at least 32×32 pixels for the kernel auto', 'give the kernel, or a larger part of the image'],
};

/** The blur of a plane in units of the loop; refused with the reason if there is none. */
function* foundBlur({ width, height }: Size, plane: Float64Array, floor: number): Work<BlurEstimate> {
  const found = yield* estimateBlur(plane, { width, height }, floor);
  if (typeof found !== 'string') return found;
  const [rule, remedy] = REFUSALS[found];
  const value = { sharp: 'a sharp picture', flat: 'a flat one', 'too-small': `${width}×${height}` }[found];
  throw new InputError('image', rule, value, remedy);
}
