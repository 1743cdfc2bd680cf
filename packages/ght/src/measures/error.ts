import type { Samples } from '../signal/image.js';

/** Σ (a − b)² over two arrays of one length. */
export function squaredError(a: Samples, b: Samples): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

/** The root mean square difference of two arrays, a sample: not the paper's RMSE, which is a patch. */
export function rmsePixel(a: Samples, b: Samples): number {
  return Math.sqrt(squaredError(a, b) / a.length);
}

/** Peak signal-to-noise ratio in dB of a per-sample RMSE; Infinity for 0. */
export function psnrOf(rmse: number, peak: number): number {
  return 20 * Math.log10(peak / rmse);
}

/** Peak signal-to-noise ratio in dB between two arrays; Infinity if they are equal. */
export function psnr(a: Samples, b: Samples, peak: number): number {
  return psnrOf(rmsePixel(a, b), peak);
}
