/**
 * The power spectrum of a picture, by which an unknown blur is found: the geometric mean of the periodograms of many windows,
 *
 *     log P(f) = mean over windows of log |F(w∘y)(f)|² + γ
 *
 * A blur multiplies the spectrum of every window by the same |K(f)|², so the mean of the logarithms shows it, and a few strong
 * edges do not hide it. γ is Euler's constant: the mean logarithm of an exponential variable is that much below the logarithm
 * of its mean. White noise of deviation σ has P = σ². The windows are Hann's, and overlap by half.
 */
import { planeTransform } from '../../math/fft.js';
import type { Work } from '../../work.js';
import type { BlurKernel } from '../kernel.js';
import type { Plane, Size } from '../operator.js';

/** A power per frequency of a square window: the columns k = 0 … side/2, one after the other, each with `side` frequencies. */
export interface PowerSpectrum {
  /** The side of the windows in pixels. */
  readonly side: number;
  readonly power: Float64Array;
}

/** The sides of windows; the largest that fits with room for several is used. */
const SIDES = [64, 32] as const;
/** The most windows along one direction: more do not make the spectrum clearer. */
const MOST_WINDOWS = 40;
const EULER = 0.5772156649;
/** The power of frequencies that have none, in units of the loop: far below that of rounding. */
const LEAST_POWER = 1e-9;
/** The power response of Hann's window at the distance of one frequency. */
const SMEAR = [1 / 6, 2 / 3, 1 / 6] as const;

/** The side of the windows for a picture of this size; undefined if it is too small. */
export function windowSide({ width, height }: Size): number | undefined {
  const least = Math.min(width, height);
  return SIDES.find((side) => least >= 1.5 * side || (side === SIDES[1] && least >= side));
}

/** The mean spectrum of the windows of a plane. */
export function* powerSpectrum(plane: Plane, { width, height }: Size, side: number): Work<PowerSpectrum> {
  const { forward } = planeTransform(side, side);
  const hann = Float64Array.from({ length: side }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / side) ** 2);
  const norm = hann.reduce((sum, weight) => sum + weight ** 2, 0) ** 2;
  const [columns, rows] = [startsOf(width, side), startsOf(height, side)];
  const logs = new Float64Array((side / 2 + 1) * side);
  const window = new Float64Array(side * side);
  for (const top of rows) {
    for (const left of columns) {
      cutWindow(plane, width, left, top, hann, window);
      const { re, im } = yield* forward(window);
      for (let i = 0; i < logs.length; i++) logs[i] += Math.log((re[i] ** 2 + im[i] ** 2) / norm + LEAST_POWER);
    }
    yield (top + side) / height;
  }
  const count = rows.length * columns.length;
  return { side, power: logs.map((sum) => Math.exp(sum / count + EULER)) };
}

/** Where windows begin along one direction: half a window apart, or farther if there would be too many. */
function startsOf(length: number, side: number): number[] {
  const most = 1 + Math.floor((length - side) / (side / 2));
  const count = Math.min(most, MOST_WINDOWS);
  return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * (length - side)) / (count - 1))));
}

/** One window, weighted, without its weighted mean. */
function cutWindow(plane: Plane, width: number, left: number, top: number, hann: Plane, into: Plane): void {
  const side = hann.length;
  let [sum, weights] = [0, 0];
  for (let y = 0, i = 0; y < side; y++) {
    for (let x = 0; x < side; x++, i++) {
      const weight = hann[x] * hann[y];
      into[i] = plane[(top + y) * width + left + x];
      sum += weight * into[i];
      weights += weight;
    }
  }
  const mean = sum / weights;
  for (let y = 0, i = 0; y < side; y++)
    for (let x = 0; x < side; x++, i++) into[i] = hann[x] * hann[y] * (into[i] - mean);
}

/** |K|² of a kernel whose weights may have any sum, as windows of this side see it: spread to the neighbouring frequencies. */
export function* blurResponse({ width, height, data }: BlurKernel, side: number): Work<PowerSpectrum> {
  const plane = new Float64Array(side * side);
  let sum = 0;
  for (let y = 0; y < height; y++) {
    const row = modulo(y - Math.floor(height / 2), side);
    for (let x = 0; x < width; x++) {
      const weight = data[y * width + x];
      plane[row * side + modulo(x - Math.floor(width / 2), side)] += weight;
      sum += weight;
    }
  }
  const { re, im } = yield* planeTransform(side, side).forward(plane);
  const exact = re.map((value, i) => (value ** 2 + im[i] ** 2) / sum ** 2);
  const power = new Float64Array(exact.length);
  for (let k = 0, i = 0; k <= side / 2; k++) {
    for (let l = 0; l < side; l++, i++) {
      for (let a = -1; a <= 1; a++) {
        for (let b = -1; b <= 1; b++) power[i] += SMEAR[a + 1] * SMEAR[b + 1] * exact[indexOf(k + a, l + b, side)];
      }
    }
  }
  return { side, power };
}

/** The index of a frequency whose column may lie beyond the half that is kept: the other half is its mirrored conjugate. */
function indexOf(k: number, l: number, side: number): number {
  const column = modulo(k, side);
  return column <= side / 2 ? column * side + modulo(l, side) : (side - column) * side + modulo(-l, side);
}

function modulo(value: number, n: number): number {
  return ((value % n) + n) % n;
}
