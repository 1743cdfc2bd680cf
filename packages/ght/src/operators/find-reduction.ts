/**
 * How a small picture was reduced, from its spectrum alone. In units of the small pixel every reduction is the same low-pass for any
 * factor, and what distinguishes them is close to the highest frequency:
 *
 * - area averaging keeps most there, and folds back what lies beyond it (aliasing): edges have stairs that the large picture did not have;
 * - single samples, as from a reduction to the nearest pixel, fold back even more;
 * - a cubic window keeps less and folds back little;
 * - a wide Gaussian keeps almost nothing.
 *
 * The power P_k at the frequencies k/16, k = 1 … 8, is averaged over windows of 16 samples of rows and columns. Each window is divided by
 * its total power, so that a few strong edges do not decide. With x_k = log P_{k+1} − log P_1, k = 1 … 7, which do not depend on contrast,
 *
 *     log-odds of aliasing = a·x + a₀         deviation of the Gaussian = g·x + g₀, in small pixels
 *     log-odds of single samples = s·x + s₀
 *
 * where a and s are logistic and g a linear regression over photographs that were reduced in known ways (`bench/reductions.js`).
 *
 * A wrong answer must do little harm. Between the certain answers the reduction is a mixture of both windows. A picture that was soft
 * before it was reduced looks like one that was reduced by a wide Gaussian, and too wide a Gaussian causes ringing where too narrow a
 * one is only less sharp: so only wide ones are considered, and only a part of their width is assumed. What single samples have folded
 * back looks like detail, and is sharpened like detail: the result then is cubic interpolation, or between that and the restored picture.
 */
import type { Work } from '../work.js';
import type { Plane, Size } from './operator.js';
import type { AssumedReduction } from './resampling.js';

/** How a picture was reduced, as far as it shows; plain data. */
export interface FoundReduction {
  /**
   * The reduction that is assumed. `mixed` is between `bicubic` and `area`. `points` are single samples, whose aliasing looks like detail:
   * the result is mixed with plain cubic interpolation.
   */
  readonly kind: 'bicubic' | 'area' | 'mixed' | 'gaussian' | 'points';
  /** For `gaussian` its deviation, in pixels of the large picture. */
  readonly width?: number;
  /** For `mixed` the share of `area`, for `points` that of cubic interpolation in the result, from 0 to 1. */
  readonly share?: number;
  /** How certain it is, from 0 to 1. */
  readonly confidence: number;
  /** Why it is not known: the picture has too little detail, or its noise was removed, and detail with it. */
  readonly reason?: 'too-little-detail' | 'noise-removed';
}

/** Samples per window, and from one window to the next along a line. */
const [WINDOW, STEP] = [16, 4];
const FREQUENCIES = WINDOW / 2;
/** The total power of a window, on the scale where 255 is full scale, from which it counts in full. */
const CONTRAST = 1000;
/** Added to a power relative to the total, so that it has a logarithm. */
const FLOOR = 1e-5;
/** The share of windows with contrast from which a picture has enough detail. */
const LEAST_DETAIL = 0.05;
/** The most samples that are looked at; of a larger picture, lines are left out. */
const MOST_SAMPLES = 2 ** 21;

/** a and a₀: the log-odds of aliasing. */
const ALIASING = [4.39, 0.92, -6.08, -2.84, -3.55, 2.04, 7.33, 5.16] as const;
/** s and s₀: the log-odds of single samples. */
const POINTS = [1, -2.6, -4.19, -1.45, 1.41, 3.04, 3.4, 5.44] as const;
/** g and g₀: the deviation of a Gaussian, in small pixels. */
const WIDTH = [-0.0617, 0.0353, 0.0878, 0.0635, -0.0442, -0.0227, -0.1092, 0.1732] as const;
/** The probability of aliasing up to which the reduction counts as cubic, and that from which it counts as area averaging. */
const [CUBIC, AREA] = [0.1, 0.5];
/** The probability of single samples from which the result is mixed with cubic interpolation, and that from which it is nothing else. */
const [MIXED_POINTS, SURE_POINTS] = [0.7, 0.9];
/** The least deviation that counts as a wide Gaussian, the spread of the estimate, and the part of it that is assumed. */
const GAUSSIAN = { least: 0.58, spread: 0.03, part: 0.6 } as const;
/** The share of area averaging for a picture of which nothing is known. */
const UNKNOWN_SHARE = 0.6;

/** Finds how planes of this size were reduced; they are on the scale where 255 is full scale. */
export function* findReduction(planes: readonly Plane[], size: Size, factor: number): Work<FoundReduction> {
  const power = yield* meanPower(planes, size);
  if (power.reduce((sum, each) => sum + each, 0) < LEAST_DETAIL) return unknownReduction('too-little-detail');
  const x = spectrumShape(power);
  const width = affine(WIDTH, x);
  if (width >= GAUSSIAN.least) {
    const confidence = logistic((width - GAUSSIAN.least) / GAUSSIAN.spread);
    return { kind: 'gaussian', width: GAUSSIAN.part * width * factor, confidence };
  }
  const points = logistic(affine(POINTS, x));
  if (points > MIXED_POINTS) {
    const share = Math.min(1, (points - MIXED_POINTS) / (SURE_POINTS - MIXED_POINTS));
    return { kind: 'points', share, confidence: points };
  }
  const aliasing = logistic(affine(ALIASING, x));
  if (aliasing <= CUBIC) return { kind: 'bicubic', confidence: 1 - aliasing };
  if (aliasing >= AREA) return { kind: 'area', confidence: aliasing };
  const share = (aliasing - CUBIC) / (AREA - CUBIC);
  return { kind: 'mixed', share, confidence: Math.max(aliasing, 1 - aliasing) };
}

/** The answer for a picture that does not show it. */
export function unknownReduction(reason: FoundReduction['reason']): FoundReduction {
  return { kind: 'mixed', share: UNKNOWN_SHARE, confidence: 0, reason };
}

/** The operator's view of what was found. */
export function assumedReduction({ kind, width = 1, share = UNKNOWN_SHARE }: FoundReduction): AssumedReduction {
  if (kind === 'gaussian') return { gaussian: width };
  if (kind === 'points') return 'area';
  return kind === 'mixed' ? { mixed: share } : kind;
}

/** x, from the power at the frequencies 0 … 8. */
export function spectrumShape(power: ArrayLike<number>): number[] {
  const logs = Array.from(power, (each) => Math.log(each + FLOOR));
  return logs.slice(2).map((each) => each - logs[1]);
}

/** The mean power of rows and columns at the frequencies 0 … 8 of a window, each window relative to its total. */
export function* meanPower(planes: readonly Plane[], { width, height }: Size): Work<Float64Array> {
  const sums = new Float64Array(FREQUENCIES + 1);
  const skip = Math.ceil((planes.length * width * height) / MOST_SAMPLES);
  let windows = 0;
  for (const plane of planes) {
    for (let row = 0; row < height; row += skip) {
      windows += addLine(sums, plane, row * width, 1, width);
      yield (0.5 * row) / height;
    }
    for (let column = 0; column < width; column += skip) {
      windows += addLine(sums, plane, column, width, height);
      yield 0.5 + (0.5 * column) / width;
    }
  }
  return sums.map((sum) => sum / Math.max(1, windows));
}

const HANN = Float64Array.from({ length: WINDOW }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / WINDOW) ** 2);
const HANN_SUM = HANN.reduce((sum, each) => sum + each, 0);
const waves = (wave: (angle: number) => number) =>
  Array.from({ length: FREQUENCIES + 1 }, (_, k) =>
    Float64Array.from({ length: WINDOW }, (_value, i) => wave((2 * Math.PI * k * i) / WINDOW)),
  );
const [COSINES, SINES] = [waves(Math.cos), waves(Math.sin)];

/** Adds the relative power of the windows of a line of samples, and returns their number. */
function addLine(sums: Float64Array, plane: Plane, from: number, step: number, length: number): number {
  const values = new Float64Array(WINDOW);
  const power = new Float64Array(FREQUENCIES + 1);
  let windows = 0;
  for (let begin = 0; begin + WINDOW <= length; begin += STEP) {
    let centre = 0;
    for (let i = 0; i < WINDOW; i++) {
      values[i] = plane[from + (begin + i) * step];
      centre += (HANN[i] * values[i]) / HANN_SUM;
    }
    for (let i = 0; i < WINDOW; i++) values[i] = HANN[i] * (values[i] - centre);
    let total = CONTRAST;
    for (let k = 0; k <= FREQUENCIES; k++) {
      let [re, im] = [0, 0];
      for (let i = 0; i < WINDOW; i++) {
        re += COSINES[k][i] * values[i];
        im += SINES[k][i] * values[i];
      }
      power[k] = re * re + im * im;
      total += power[k];
    }
    for (let k = 0; k <= FREQUENCIES; k++) sums[k] += power[k] / total;
    windows++;
  }
  return windows;
}

/** w·x + w₀; w₀ is the last of the weights. */
function affine(weights: readonly number[], x: readonly number[]): number {
  return x.reduce((sum, each, k) => sum + weights[k] * each, weights[x.length]);
}

const logistic = (t: number) => 1 / (1 + Math.exp(-t));
