/**
 * The noise that the quantisation of a JPEG has left in a blurred picture. A coefficient of an 8×8 block that was rounded to a multiple
 * of its step s, other than 0, has an error of variance s²/12. The error of a coefficient that was rounded to 0 is the coefficient itself,
 * which is far smaller in a blurred picture: s²/12 everywhere would be many times too much. Coefficients of one frequency are nearly
 * Laplacian, of scale b, and the share p that is not 0 gives it:
 *
 *     p = exp(−s/2b)        variance = p s²/12 + 2b² − p (s²/4 + sb + 2b²)
 *
 * The last two terms are the mean square of what was rounded to 0. A frequency that has nothing but zeros adds nothing.
 */
import type { Image } from '../../image/image.js';
import { dct8x8 } from '../../noise/coloured/dct8.js';
import { jpegOf, type NoiseOptions } from '../../noise/estimate.js';
import { JPEG_PEAK, jpegQuality, jpegSteps } from '../../noise/jpeg/jpeg.js';
import { checkJpeg, type JpegInfo } from '../../noise/model.js';
import type { Plane, Size } from '../../operators/operator.js';
import type { Work } from '../../work.js';

/** The side and the coefficients of a block. */
const [SIDE, FREQUENCIES] = [8, 64];
/** The most that counts as the share of coefficients that are not 0, as the scale of all others is unknown. */
const MOST_SHARE = 0.999;

/** The share of s²/12 below which a spectrum is not known: more hides a disk, less makes a Gaussian too small. */
const FLOOR = 0.3;

/** The noise of a JPEG. */
export interface JpegNoise {
  /** The mean square of the errors of each plane, in units of the loop. */
  readonly variances: readonly number[];
  /** A power of the first plane below which nothing is known of its spectrum, as coefficients may have been rounded to 0. */
  readonly floor: number;
  /** The approximate quality. */
  readonly quality: number;
}

/** The noise of the JPEG that an image was, which is given, or looked for in its pixels. The planes are those of the loop. */
export function* jpegNoise(
  image: Image,
  planes: readonly Plane[],
  unit: number,
  given: NoiseOptions['jpeg'] = 'auto',
): Work<JpegNoise | undefined> {
  if (given === 'off') return undefined;
  if (given !== 'auto') checkJpeg(given);
  const jpeg = given === 'auto' ? yield* jpegOf(image) : given;
  if (!jpeg) return undefined;
  const steps = jpegSteps(jpeg, planes.length, image.peak / JPEG_PEAK / unit);
  const variances: number[] = [];
  for (const [c, plane] of planes.entries()) variances.push(yield* variance(plane, image, jpeg, steps[c]));
  const floor = (FLOOR * steps[0].reduce((sum, step) => sum + step ** 2, 0)) / FREQUENCIES / 12;
  return { variances, floor, quality: jpegQuality(jpeg) };
}

function* variance(plane: Plane, { width, height }: Size, { origin }: JpegInfo, steps: Float64Array): Work<number> {
  const [left, top] = origin ?? [0, 0];
  const counts = new Float64Array(FREQUENCIES);
  const block = new Float64Array(FREQUENCIES);
  let blocks = 0;
  for (let y = top; y + SIDE <= height; y += SIDE) {
    for (let x = left; x + SIDE <= width; x += SIDE, blocks++) {
      for (let j = 0; j < SIDE; j++) {
        const from = (y + j) * width + x;
        block.set(plane.subarray(from, from + SIDE), j * SIDE);
      }
      dct8x8(block).forEach((value, f) => {
        if (Math.abs(value) > steps[f] / 2) counts[f]++;
      });
    }
    yield y / height;
  }
  if (blocks === 0) return 0;
  return counts.reduce((sum, count, f) => sum + roundingError(steps[f], count / blocks), 0) / FREQUENCIES;
}

/** The mean square error of Laplacian coefficients, of which this share is not rounded to 0. */
function roundingError(step: number, share: number): number {
  if (!(step > 0) || share === 0) return 0;
  const p = Math.min(share, MOST_SHARE);
  const b = -step / (2 * Math.log(p));
  return (p * step ** 2) / 12 + 2 * b ** 2 - p * (step ** 2 / 4 + step * b + 2 * b ** 2);
}
