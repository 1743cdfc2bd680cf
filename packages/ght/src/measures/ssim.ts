import { InputError, positive } from '../errors.js';
import type { Samples } from '../image/image.js';
import { mirror } from '../image/mirror.js';
import { checkSameLength } from './error.js';

const RADIUS = 5;
const SIGMA = 1.5;

/** The Gaussian window of 11 samples, σ = 1.5, that Wang et al. 2004 use. */
const WINDOW = (() => {
  const weights = Float64Array.from({ length: 2 * RADIUS + 1 }, (_, i) =>
    Math.exp(-((i - RADIUS) ** 2) / (2 * SIGMA ** 2)),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
})();

/**
 * The mean structural similarity of two planes (Wang, Bovik, Sheikh, Simoncelli 2004): Gaussian window σ = 1.5,
 * K₁ = 0.01, K₂ = 0.03, averaged over the pixels whose whole window lies inside. If the plane is too small for any such
 * pixel, it is mirrored at its edges and averaged over all pixels.
 */
export function ssim(a: Samples, b: Samples, width: number, height: number, peak: number): number {
  checkSameLength(a, b);
  if (a.length !== width * height) {
    const rule = `must hold width × height = ${width * height} samples`;
    throw new InputError('arrays', rule, a.length, 'give planes of that size');
  }
  positive('peak', peak, 'give the full scale, such as 255');
  const c1 = (0.01 * peak) ** 2;
  const c2 = (0.03 * peak) ** 2;
  const blurred = (f: (i: number) => number) =>
    blur(
      Float64Array.from({ length: a.length }, (_, i) => f(i)),
      width,
      height,
    );
  const ma = blurred((i) => a[i]);
  const mb = blurred((i) => b[i]);
  const aa = blurred((i) => a[i] * a[i]);
  const bb = blurred((i) => b[i] * b[i]);
  const ab = blurred((i) => a[i] * b[i]);

  const inside = width > 2 * RADIUS && height > 2 * RADIUS;
  const rim = inside ? RADIUS : 0;
  let sum = 0;
  for (let y = rim; y < height - rim; y++) {
    for (let x = rim; x < width - rim; x++) {
      const i = y * width + x;
      const covariance = ab[i] - ma[i] * mb[i];
      const variances = aa[i] - ma[i] ** 2 + bb[i] - mb[i] ** 2;
      sum += ((2 * ma[i] * mb[i] + c1) * (2 * covariance + c2)) / ((ma[i] ** 2 + mb[i] ** 2 + c1) * (variances + c2));
    }
  }
  return sum / ((width - 2 * rim) * (height - 2 * rim));
}

function blur(plane: Float64Array, width: number, height: number): Float64Array {
  const rows = new Float64Array(plane.length);
  const out = new Float64Array(plane.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let k = -RADIUS; k <= RADIUS; k++) {
        rows[y * width + x] += WINDOW[k + RADIUS] * plane[y * width + mirror(x + k, width)];
      }
    }
  }
  for (let y = 0; y < height; y++) {
    for (let k = -RADIUS; k <= RADIUS; k++) {
      const from = mirror(y + k, height) * width;
      for (let x = 0; x < width; x++) out[y * width + x] += WINDOW[k + RADIUS] * rows[from + x];
    }
  }
  return out;
}
