import { InputError, notNegative, positive } from '../errors.js';
import type { Image, Samples } from '../image/image.js';
import { finish, stretches, type Work } from '../work.js';

/** The root mean square difference of two arrays per sample. (The paper's RMSE is per patch.) */
export function rmsePixel(a: Samples, b: Samples): number {
  return finish(rmseOver([a], [b]));
}

/** Differences in this range have squares, and sums of squares, that neither overflow nor lose digits. */
const [LEAST, GREATEST] = [1e-140, 1e140];

/** {@link rmsePixel} over several pairs of arrays together. */
export function* rmseOver(a: readonly Samples[], b: readonly Samples[]): Work<number> {
  const count = a.reduce((sum, { length }) => sum + length, 0);
  return rmseOfSquares([yield* squaresOver(a, b)], count);
}

/** The sums of squared differences of each pair of arrays. */
export interface Squares {
  /** The unit of the differences: 1, unless their squares would overflow or underflow. */
  readonly unit: number;
  /** The sum of each pair, in that unit. */
  readonly squares: Float64Array;
}

/** The squared differences of pairs of arrays. */
export function* squaresOver(a: readonly Samples[], b: readonly Samples[]): Work<Squares> {
  let most = 0;
  for (const [c, samples] of a.entries()) {
    const others = b[c];
    checkSameLength(samples, others);
    for (const [from, to] of stretches(samples.length)) {
      for (let i = from; i < to; i++) most = Math.max(most, Math.abs(samples[i] - others[i]));
      yield to / samples.length;
    }
  }
  const unit = most > 0 && (most < LEAST || most > GREATEST) ? most : 1;
  const squares = new Float64Array(a.length);
  if (most === 0) return { unit, squares };
  for (const [c, samples] of a.entries()) {
    const others = b[c];
    let own = 0;
    for (const [from, to] of stretches(samples.length)) {
      for (let i = from; i < to; i++) own += ((samples[i] - others[i]) / unit) ** 2;
      yield to / samples.length;
    }
    squares[c] = own;
  }
  return { unit, squares };
}

/**
 * The root mean square of `count` differences, from the sums of parts; each pair of arrays is summed over the parts first. Parts may
 * be of images with different numbers of planes.
 */
export function rmseOfSquares(parts: readonly Squares[], count: number): number {
  const unit = parts.reduce((largest, part) => Math.max(largest, part.unit), 0);
  let sum = 0;
  const planes = parts.reduce((most, { squares }) => Math.max(most, squares.length), 0);
  for (let c = 0; c < planes; c++) {
    sum += parts.reduce((own, part) => own + (part.squares[c] ?? 0) * (part.unit / unit) ** 2, 0);
  }
  return unit * Math.sqrt(sum / count);
}

/** Rejects arrays that cannot be compared sample by sample. */
export function checkSameLength(a: Samples, b: Samples): void {
  if (a.length > 0 && a.length === b.length) return;
  const rule = 'must both have the same samples, and at least one';
  throw new InputError('arrays', rule, `${a.length} and ${b.length}`, 'give two planes of one size');
}

/** Peak signal-to-noise ratio in dB of an RMSE per sample. */
export function psnrOf(rmse: number, peak: number): number {
  notNegative('rmse', rmse, 'give the root mean square error per sample');
  return 20 * Math.log10(positive('peak', peak, 'give the full scale, such as 255') / rmse);
}

/**
 * Peak signal-to-noise ratio in dB: between two images over all their planes, without alpha; between two arrays; or of a root mean
 * square error per sample. It is Infinity if they are equal. Of two images the full scale is the peak of the second, the clean one.
 */
export function psnr(image: Image, clean: Image): number;
export function psnr(a: Samples, b: Samples, peak: number): number;
export function psnr(rmse: number, peak: number): number;
export function psnr(a: Image | Samples | number, b: Image | Samples | number, peak?: number): number {
  if (typeof a === 'number' || typeof b === 'number') return psnrOf(a as number, b as number);
  if (!isImage(a) && !isImage(b)) return psnrOf(rmsePixel(a, b), peak as number);
  if (!isImage(a) || !isImage(b)) {
    const rule = 'must be two images, or two arrays of samples';
    throw new InputError('image and clean', rule, 'one of each', 'give the planes of the image, or the whole of both');
  }
  const size = ({ width, height, planes }: Image) => `${width}×${height}×${planes.length}`;
  if (size(a) !== size(b)) {
    const remedy = 'give two images of the same size and channels';
    throw new InputError('image', `must have the size of the clean image, ${size(b)}`, size(a), remedy);
  }
  const squares = a.planes.map((plane, c) => rmsePixel(plane, b.planes[c]) ** 2);
  return psnrOf(Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length), b.peak);
}

function isImage(value: Image | Samples): value is Image {
  return typeof value === 'object' && value !== null && 'planes' in value;
}
