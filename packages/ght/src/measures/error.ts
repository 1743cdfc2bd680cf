import { InputError, notNegative, positive } from '../errors.js';
import type { Samples } from '../signal/image.js';
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

/** Peak signal-to-noise ratio in dB between two arrays; Infinity if they are equal. */
export function psnr(a: Samples, b: Samples, peak: number): number {
  return psnrOf(rmsePixel(a, b), peak);
}
