import { InputError, notNegative, positive } from '../errors.js';
import type { Image, Samples } from '../signal/image.js';
import { finish, stretches, type Work } from '../work.js';

/** The root mean square difference of two arrays per sample. (The paper's RMSE is per patch.) */
export function rmsePixel(a: Samples, b: Samples): number {
  return finish(rmseOver([a], [b]));
}

/** Differences in this range have squares, and sums of squares, that neither overflow nor lose digits. */
const [LEAST, GREATEST] = [1e-140, 1e140];

/** {@link rmsePixel} over several pairs of arrays together. */
export function* rmseOver(a: readonly Samples[], b: readonly Samples[]): Work<number> {
  let [most, count] = [0, 0];
  for (const [c, samples] of a.entries()) {
    const others = b[c];
    checkSameLength(samples, others);
    count += samples.length;
    for (const [from, to] of stretches(samples.length)) {
      for (let i = from; i < to; i++) most = Math.max(most, Math.abs(samples[i] - others[i]));
      yield to / samples.length;
    }
  }
  if (most === 0) return 0;
  const unit = most < LEAST || most > GREATEST ? most : 1;
  let sum = 0;
  for (const [c, samples] of a.entries()) {
    const others = b[c];
    let own = 0;
    for (const [from, to] of stretches(samples.length)) {
      for (let i = from; i < to; i++) own += ((samples[i] - others[i]) / unit) ** 2;
      yield to / samples.length;
    }
    sum += own;
  }
  return unit * Math.sqrt(sum / count);
}

/** Rejects arrays that cannot be compared sample by sample. */
export function checkSameLength(a: Samples, b: Samples): void {
  if (a.length > 0 && a.length === b.length) return;
  const rule = 'must both have the same samples, and at least one';
  throw new InputError('arrays', rule, `${a.length} and ${b.length}`, 'give two planes of one size');
}

/** Peak signal-to-noise ratio in dB of a per-sample RMSE; Infinity for 0. */
export function psnrOf(rmse: number, peak: number): number {
  notNegative('rmse', rmse, 'give the root mean square error per sample');
  return 20 * Math.log10(positive('peak', peak, 'give the full scale, such as 255') / rmse);
}

/**
 * Peak signal-to-noise ratio in dB between two images over all their planes, alpha aside, or between two arrays; Infinity if
 * they are equal. Of two images the full scale is the peak of the second, the clean one.
 */
export function psnr(image: Image, clean: Image): number;
export function psnr(a: Samples, b: Samples, peak: number): number;
export function psnr(a: Image | Samples, b: Image | Samples, peak?: number): number {
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
