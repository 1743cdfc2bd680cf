/**
 * Detects and estimates the offsets of rows, as described in `banding.ts`. Columns are rows with another index step.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';
import { ranked } from '../order.js';

/** The order in which a plane is read: `rows` lines of `columns` samples, with the index steps from one to the next. */
export interface Axis {
  readonly rows: number;
  readonly columns: number;
  readonly rowStep: number;
  readonly columnStep: number;
}

/** The axis of the rows, and that of the columns. */
export function axesOf(width: number, height: number): readonly [Axis, Axis] {
  return [
    { rows: height, columns: width, rowStep: width, columnStep: 1 },
    { rows: width, columns: height, rowStep: 1, columnStep: width },
  ];
}

/** The number of segments, and of columns of each that are used. */
const SEGMENTS = 8;
const COLUMNS = 31;
const FEWEST_COLUMNS = 4;
/** Rows that count as one observation for the standard error. */
const STRETCH = 16;
const FEWEST_ROWS = 4 * STRETCH;
/** The smallest nugget in standard errors, and as a share of V_1. */
const ERRORS = 3.5;
const SHARE = 1 / 2;
/** The smallest slope of a segment, and the smallest part of a quarter of the rows. */
const SLOPE = 1 / 2;
const QUARTER = 1 / 10;
/** The largest share of the variance of the offsets at one frequency. */
const ONE_PERIOD = 0.25;
/** Differences are clipped at this multiple of their typical size. */
const CUT = 3;
/** Lags of the differences that the profile is fitted to. */
const LAGS = 8;
/** The change of the picture per row is estimated from changes of the profile over up to this many rows. */
const STEPS = 16;
/** The smallest variance of a step of the picture, as a share of that of the offsets: slower changes belong to the picture. */
const LEAST_STEP = 0.02;
/** The smallest variance of typical offsets, as a share of that of all: lines in only some of the rows are not banding. */
const TYPICAL = 1 / 3;
/** Degrees of freedom of the steps of the picture: few, so that a horizon counts as a step. */
const FREEDOM = 3;
/** The number of sweeps of least squares for the profile, and of reweighting rounds. */
const SWEEPS = 200;
const REWEIGHTINGS = 20;
/** Rows between two yields. */
const ROWS_PER_YIELD = 32;

/** The variance of the offsets of the rows; 0 if there is no banding. */
export function* nugget(plane: Samples, axis: Axis): Work<number> {
  const { rows } = axis;
  if (rows < FEWEST_ROWS || axis.columns < SEGMENTS * FEWEST_COLUMNS) return 0;
  const one = yield* segmentDifferences(plane, axis, 1);
  const two = yield* segmentDifferences(plane, axis, 2);
  cutOff(one);
  cutOff(two);
  // The part of each row in the nugget, per segment: its own difference times the mean of those of all others.
  const n = rows - 2;
  const perRow = new Float64Array(n);
  const own = new Float64Array(SEGMENTS);
  let [first, shared] = [0, 0];
  for (let k = 0; k < SEGMENTS; k++) {
    for (let r = 0; r < n; r++) {
      let others1 = 0;
      let others1b = 0;
      let others2 = 0;
      for (let l = 0; l < SEGMENTS; l++) {
        if (l === k) continue;
        others1 += one[l][r] / (SEGMENTS - 1);
        others1b += one[l][r + 1] / (SEGMENTS - 1);
        others2 += two[l][r] / (SEGMENTS - 1);
      }
      const v1 = (one[k][r] * others1 + one[k][r + 1] * others1b) / 2;
      const part = 2 * v1 - two[k][r] * others2;
      perRow[r] += part / SEGMENTS;
      own[k] += part / n;
      first += v1 / (n * SEGMENTS);
    }
    shared += own[k] / SEGMENTS;
  }
  const { mean, error } = meanAndError(perRow);
  yield 1;
  if (!(mean > ERRORS * error && mean > SHARE * first)) return 0;
  if (own.some((part) => part < SLOPE * shared)) return 0;
  if (quarters(perRow).some((part) => part < QUARTER * mean)) return 0;
  if (periodShare(one) > ONE_PERIOD) return 0;
  return mean / 2;
}

/** Per segment and row r, the median over its columns of y(r + lag) − y(r). */
function* segmentDifferences(plane: Samples, axis: Axis, lag: number): Work<Float64Array[]> {
  const { rows, columns, rowStep, columnStep } = axis;
  const differences = Array.from({ length: SEGMENTS }, () => new Float64Array(rows - lag));
  const used = Math.min(COLUMNS, Math.floor(columns / SEGMENTS));
  const values = new Float64Array(used);
  const first = Int32Array.from({ length: SEGMENTS * used }, (_, n) => {
    const [k, i] = [Math.floor(n / used), n % used];
    return Math.floor(((k + (i + 0.5) / used) * columns) / SEGMENTS) * columnStep;
  });
  for (let r = 0; r < rows - lag; r++) {
    for (let k = 0; k < SEGMENTS; k++) {
      for (let i = 0; i < used; i++) {
        const at = r * rowStep + first[k * used + i];
        values[i] = plane[at + lag * rowStep] - plane[at];
      }
      differences[k][r] = median(values, used);
    }
    if (r % ROWS_PER_YIELD === 0) yield r / rows;
  }
  return differences;
}

/** Clips differences at a multiple of their typical size, so that a few edges do not dominate. */
function cutOff(differences: readonly Float64Array[]): void {
  for (const some of differences) {
    const sizes = some.map(Math.abs).sort();
    const limit = (CUT * sizes[sizes.length >> 1]) / NORMAL_MEDIAN;
    for (let r = 0; r < some.length; r++) some[r] = Math.max(-limit, Math.min(limit, some[r]));
  }
}

/** The median of |normal|. */
const NORMAL_MEDIAN = 0.6744897501960817;

/** The mean, and its standard error from the means of stretches. */
function meanAndError(values: Float64Array): { mean: number; error: number } {
  const count = Math.floor(values.length / STRETCH);
  const means = Array.from({ length: count }, (_, s) => average(values.subarray(s * STRETCH, (s + 1) * STRETCH)));
  const mean = average(values);
  const squares = means.reduce((total, part) => total + (part - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (count - 1) / count) };
}

/** The means of the four quarters. */
const quarters = (values: Float64Array) =>
  [0, 1, 2, 3].map((k) =>
    average(values.subarray(Math.floor((k * values.length) / 4), Math.floor(((k + 1) * values.length) / 4))),
  );

const average = (values: Float64Array) => values.reduce((total, value) => total + value, 0) / values.length;

/**
 * The largest share of one frequency in the common differences: their power at it and its neighbours, over the power at all
 * frequencies. At most 512 rows are used.
 */
function periodShare(differences: readonly Float64Array[]): number {
  const n = Math.min(512, differences[0].length);
  const common = Float64Array.from({ length: n }, (_, r) => differences.reduce((sum, some) => sum + some[r], 0));
  const half = n >> 1;
  const power = new Float64Array(half + 1);
  for (let f = 1; f <= half; f++) {
    let [re, im] = [0, 0];
    // A recurrence instead of a sine per sample.
    const [c, s] = [Math.cos((2 * Math.PI * f) / n), Math.sin((2 * Math.PI * f) / n)];
    let [a, b] = [1, 0];
    for (let r = 0; r < n; r++) {
      re += common[r] * a;
      im += common[r] * b;
      [a, b] = [a * c - b * s, a * s + b * c];
    }
    power[f] = (re * re + im * im) * (2 * f === n ? 0.5 : 1);
  }
  const all = power.reduce((total, value) => total + value, 0);
  let most = 0;
  for (let f = 1; f <= half; f++) most = Math.max(most, power[f - 1] + power[f] + (power[f + 1] ?? 0));
  return all === 0 ? 0 : most / all;
}

/** The offsets of the rows, without their slow part, given their variance; undefined if only a few rows have one. */
export function* offsetsOf(plane: Samples, axis: Axis, variance: number): Work<Float64Array | undefined> {
  const profile = yield* profileOf(plane, axis);
  // Typical squares of the changes over j rows are 2σ² + j q²: q² is the slope of a line through the first, by least squares.
  const first = typicalSquare(differencesOf(profile, 1));
  let [rise, squares] = [0, 0];
  for (let j = 2; j <= STEPS; j++) {
    rise += (j - 1) * (typicalSquare(differencesOf(profile, j)) - first);
    squares += (j - 1) ** 2;
  }
  const q2 = Math.max(rise / squares, LEAST_STEP * variance);
  const picture = robustWalk(profile, variance, q2);
  yield 1;
  const offsets = profile.map((value, r) => value - picture[r]);
  return typicalSquare(offsets) < TYPICAL * variance ? undefined : offsets;
}

/** The profile P of the rows whose differences best fit the medians D_j(r) over all columns, by Gauss–Seidel sweeps. */
function* profileOf(plane: Samples, { rows, columns, rowStep, columnStep }: Axis): Work<Float64Array> {
  const lags = Math.min(LAGS, rows - 1);
  const values = new Float64Array(columns);
  const D = Array.from({ length: lags + 1 }, () => new Float64Array(rows));
  for (let r = 0; r < rows; r++) {
    for (let j = 1; j <= lags && r + j < rows; j++) {
      for (let c = 0, at = r * rowStep; c < columns; c++, at += columnStep) {
        values[c] = plane[at + j * rowStep] - plane[at];
      }
      D[j][r] = median(values, columns);
    }
    if (r % 4 === 0) yield r / rows;
  }
  const P = new Float64Array(rows);
  for (let r = 1; r < rows; r++) P[r] = P[r - 1] + D[1][r - 1];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let r = 0; r < rows; r++) {
      let [sum, count] = [0, 0];
      for (let j = 1; j <= lags; j++) {
        if (r + j < rows) sum += P[r + j] - D[j][r];
        if (r + j < rows) count++;
        if (r - j >= 0) sum += P[r - j] + D[j][r - j];
        if (r - j >= 0) count++;
      }
      P[r] = sum / count;
    }
    if (sweep % 16 === 0) yield sweep / SWEEPS;
  }
  return P;
}

/** g of the module comment in `banding.ts`: tridiagonal systems, each with the weights of the previous solution. */
function robustWalk(P: Float64Array, variance: number, q2: number): Float64Array {
  const n = P.length;
  let g = P;
  const weights = new Float64Array(n - 1).fill(1 / q2);
  for (let round = 0; round < REWEIGHTINGS; round++) {
    g = smooth(P, variance, weights);
    for (let r = 0; r < n - 1; r++) weights[r] = (FREEDOM + 1) / (FREEDOM * q2 + (g[r + 1] - g[r]) ** 2);
  }
  return g;
}

/** Solves (1/σ² + Lᵀ diag(w) L) g = P/σ² with L the differences, by elimination. */
function smooth(P: Float64Array, variance: number, w: Float64Array): Float64Array {
  const n = P.length;
  const diagonal = new Float64Array(n);
  const right = new Float64Array(n);
  for (let r = 0; r < n; r++) {
    diagonal[r] = 1 / variance + (w[r - 1] ?? 0) + (w[r] ?? 0);
    right[r] = P[r] / variance;
    if (r === 0) continue;
    const factor = w[r - 1] / diagonal[r - 1];
    diagonal[r] -= factor * w[r - 1];
    right[r] += factor * right[r - 1];
  }
  const g = right;
  for (let r = n - 1; r >= 0; r--) g[r] = (right[r] + (r + 1 < n ? w[r] * g[r + 1] : 0)) / diagonal[r];
  return g;
}

const differencesOf = (values: Float64Array, lag: number) =>
  Float64Array.from({ length: values.length - lag }, (_, r) => values[r + lag] - values[r]);

/** The variance of normal values, from the median of their magnitudes. */
function typicalSquare(values: Float64Array): number {
  const sizes = values.map(Math.abs).sort();
  return (sizes[sizes.length >> 1] / NORMAL_MEDIAN) ** 2;
}

/** The median of the first `count` values, which are rearranged; for an even count, the upper of the two middle ones. */
function median(values: Float64Array, count: number): number {
  return ranked(values, count >> 1, 0, count);
}
