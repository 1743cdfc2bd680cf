/**
 * How well a blur explains the spectrum of a picture. Pictures have spectra that fall like a power of the frequency, somewhat
 * differently by direction. A blur multiplies them by |K|², and white noise adds N:
 *
 *     M(f) = |K(f)|² exp(Σ_j β_j φ_j(f)) + N        φ = 1, log|f|, cos 2θ, sin 2θ, cos 4θ, sin 4θ
 *
 * β and log N minimise
 *
 *     Σ_f h((log P(f) − log M(f)) / s) · w  +  Σ_j (β_j − β̄_j)² / 2d_j²
 *
 * with Huber's function h, by Levenberg and Marquardt. Without the second sum, a Gaussian blur could pass for a picture whose
 * spectrum falls steeply, and a motion blur for one with stripes: β̄ and d say what pictures are like. The least value is the
 * cost of the blur. The cost of the true blur is the lowest, as zeros of |K|² leave marks that no β can make.
 */
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { matrix } from '../../math/matrix.js';
import type { PowerSpectrum } from './spectrum.js';

/** The exponent of the power spectra of pictures, and how far it varies; how far their directions differ. */
const [EXPONENT, EXPONENT_DEVIATION, DIRECTION_DEVIATION] = [-2.2, 0.3, 0.3];
const [FREE, FREE_DEVIATION] = [0, 1e3];
/** β̄ and d, the last for log N. */
const MEANS = [FREE, EXPONENT, 0, 0, 0, 0, FREE];
const DEVIATIONS = [
  FREE_DEVIATION,
  EXPONENT_DEVIATION,
  ...[DIRECTION_DEVIATION, DIRECTION_DEVIATION, DIRECTION_DEVIATION, DIRECTION_DEVIATION],
  FREE_DEVIATION,
];
const UNKNOWNS = MEANS.length;
const FEATURES = UNKNOWNS - 1;
/** s: how far the logarithm of a mean spectrum is from any smooth one. */
const SPREAD = 0.35;
/** Where Huber's function becomes straight. */
const STRAIGHT = 2;
/** w: neighbouring frequencies are not independent, and count as fewer. */
const WEIGHT = 0.1;
/** Frequencies below this many waves per window are not used: they have what the window has cut off. */
const LEAST_WAVES = 1.5;
/** log|f| is counted from here, in waves per pixel. */
const MIDDLE = 0.1;
const [FEW_STEPS, MOST_STEPS] = [2, 12];
const MOST_DAMPINGS = 6;
/** The decrease of the cost at which the steps end, and the most that an unknown changes in one. */
const [SETTLED, MOST_CHANGE] = [1e-3, 2];

/** The frequencies of a spectrum with their features. */
export interface Frequencies {
  readonly side: number;
  /** Their places in the spectrum. */
  readonly places: Uint32Array;
  /** φ, one frequency after the other. */
  readonly features: Float64Array;
}

/** The best explanation of a spectrum by one blur. */
export interface SpectrumFit {
  readonly cost: number;
  /** β, and log N. */
  readonly unknowns: readonly number[];
}

/** The frequencies of windows of this side. */
export function frequenciesOf(side: number): Frequencies {
  const places: number[] = [];
  const features: number[] = [];
  for (let k = 0; k <= side / 2; k++) {
    for (let l = 0; l < side; l++) {
      const row = l <= side / 2 ? l : l - side;
      const radius = Math.hypot(k, row);
      // In the first and the last column each frequency comes twice.
      if (radius < LEAST_WAVES || ((k === 0 || 2 * k === side) && row < 0)) continue;
      const angle = Math.atan2(row, k);
      places.push(k * side + l);
      features.push(1, Math.log(radius / side / MIDDLE));
      features.push(Math.cos(2 * angle), Math.sin(2 * angle), Math.cos(4 * angle), Math.sin(4 * angle));
    }
  }
  return { side, places: Uint32Array.from(places), features: Float64Array.from(features) };
}

/**
 * Explains a spectrum by a blur. `start` are the unknowns of another fit. A fit whose cost is above `hopeless` after a few steps is not
 * continued.
 */
export function fitSpectrum(
  { power }: PowerSpectrum,
  { power: response }: PowerSpectrum,
  frequencies: Frequencies,
  start?: readonly number[],
  hopeless = Number.POSITIVE_INFINITY,
): SpectrumFit {
  const model = { power, response, ...frequencies };
  let unknowns = start ?? firstUnknowns(model);
  let cost = costOf(model, unknowns);
  let damping = 1e-3;
  for (let step = 0; step < MOST_STEPS; step++) {
    const equations = normalEquations(model, unknowns);
    let better: SpectrumFit | undefined;
    for (let attempt = 0; attempt < MOST_DAMPINGS && !better; attempt++) {
      const change = solved(equations, damping);
      const next = unknowns.map((value, j) => value + Math.max(-MOST_CHANGE, Math.min(MOST_CHANGE, change[j])));
      const nextCost = costOf(model, next);
      if (nextCost < cost) better = { cost: nextCost, unknowns: next };
      damping *= better ? 0.2 : 10;
    }
    if (!better) break;
    const gain = cost - better.cost;
    ({ cost, unknowns } = better);
    if (gain < SETTLED || (step >= FEW_STEPS && cost > hopeless)) break;
  }
  return { cost, unknowns };
}

interface Model extends Frequencies {
  readonly power: Float64Array;
  readonly response: Float64Array;
}

/** The usual exponent through the mean logarithm, and a little noise. */
function firstUnknowns({ power, places, features }: Model): number[] {
  let sum = 0;
  places.forEach((i, n) => {
    sum += Math.log(power[i]) - EXPONENT * features[n * FEATURES + 1];
  });
  const level = sum / places.length;
  return [level, EXPONENT, 0, 0, 0, 0, level - 5];
}

/** log M − log N of one frequency would overflow for absurd β: exponents are bounded. */
const bounded = (exponent: number) => Math.exp(Math.max(-300, Math.min(300, exponent)));

function exponentAt(features: Float64Array, n: number, unknowns: readonly number[]): number {
  let exponent = 0;
  for (let j = 0; j < FEATURES; j++) exponent += unknowns[j] * features[n * FEATURES + j];
  return exponent;
}

function costOf({ power, response, places, features }: Model, unknowns: readonly number[]): number {
  const noise = bounded(unknowns[FEATURES]);
  let sum = 0;
  places.forEach((i, n) => {
    const model = response[i] * bounded(exponentAt(features, n, unknowns)) + noise;
    const off = Math.abs(Math.log(power[i] / model)) / SPREAD;
    sum += off < STRAIGHT ? off ** 2 / 2 : STRAIGHT * (off - STRAIGHT / 2);
  });
  return unknowns.reduce((all, value, j) => all + ((value - MEANS[j]) / DEVIATIONS[j]) ** 2 / 2, WEIGHT * sum);
}

/** JᵀWJ and JᵀWr of the logarithms at the present unknowns. */
function normalEquations({ power, response, places, features }: Model, unknowns: readonly number[]) {
  const left = matrix(UNKNOWNS, UNKNOWNS);
  const right = new Float64Array(UNKNOWNS);
  const noise = bounded(unknowns[FEATURES]);
  const slope = new Float64Array(UNKNOWNS);
  places.forEach((i, n) => {
    const signal = response[i] * bounded(exponentAt(features, n, unknowns));
    const residual = Math.log(power[i] / (signal + noise));
    const off = Math.abs(residual) / SPREAD;
    const weight = ((off < STRAIGHT ? 1 : STRAIGHT / off) * WEIGHT) / SPREAD ** 2;
    const share = signal / (signal + noise);
    for (let j = 0; j < FEATURES; j++) slope[j] = share * features[n * FEATURES + j];
    slope[FEATURES] = 1 - share;
    for (let j = 0; j < UNKNOWNS; j++) {
      right[j] += weight * slope[j] * residual;
      for (let k = j; k < UNKNOWNS; k++) left.data[j * UNKNOWNS + k] += weight * slope[j] * slope[k];
    }
  });
  for (let j = 0; j < UNKNOWNS; j++) {
    right[j] -= (unknowns[j] - MEANS[j]) / DEVIATIONS[j] ** 2;
    left.data[j * UNKNOWNS + j] += 1 / DEVIATIONS[j] ** 2;
  }
  return { left, right };
}

/** The change of the unknowns with this damping of the diagonal. */
function solved({ left, right }: ReturnType<typeof normalEquations>, damping: number): Float64Array {
  const damped = matrix(UNKNOWNS, UNKNOWNS, (i, j) => left.data[j * UNKNOWNS + i] * (i === j ? 1 + damping : 1));
  const factor = cholesky(damped);
  const change = right.slice();
  if (!factor) return change.fill(0);
  forwardSubstitute(factor, change);
  backwardSubstitute(factor, change);
  return change;
}
