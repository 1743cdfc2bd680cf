/** Numerically difficult problems: unusual sizes, scales, signals and dictionaries. */
import fc from 'fast-check';
import type { Dictionary } from '../../src/index.js';
import {
  completeDct,
  denseDictionary,
  gaussianDictionary,
  isGhtError,
  overcompleteDct,
  randomSource,
  separableDictionary,
} from '../../src/index.js';

/** The settings of a property, which runs on the same cases every time. */
export const runs = (numRuns: number) => ({ numRuns, seed: 20260701, endOnFailure: true }) as const;

/** Dictionaries by their defects, before they are scaled. */
const dictionaries: Readonly<Record<string, () => Dictionary>> = {
  Gaussian: () => gaussianDictionary(12, 20, 1),
  'separable DCT': () => overcompleteDct(4, 6),
  'N > L': () => gaussianDictionary(19, 7, 2),
  'zero columns': () =>
    denseDictionary(
      6,
      5,
      [...new Array(30)].map((_, i) => (Math.floor(i / 6) % 2 ? 0 : (i % 7) - 3)),
    ),
  'duplicate columns': () =>
    denseDictionary(
      4,
      6,
      [...new Array(24)].map((_, i) => [1, 2, 3, 4, 0, 1, 0, 1][i % 8]),
    ),
  'rank 1': () =>
    denseDictionary(
      5,
      8,
      [...new Array(40)].map((_, i) => (1 + (i % 5)) * (1 + Math.floor(i / 5))),
    ),
  'atoms of very different length': () => denseDictionary(3, 4, [1e9, 0, 0, 0, 1e-9, 0, 0, 0, 0, 1, 1, 1]),
  'separable and rank-deficient': () =>
    separableDictionary({ rows: 3, cols: 3, data: Float64Array.of(1, 2, 3, 2, 4, 6, 0, 0, 0) }, completeDct(2).atoms),
  'one entry': () => denseDictionary(1, 1, [2]),
};

/** Signals by their special property, with magnitudes of about 1. */
const signals: Readonly<Record<string, (length: number) => Float64Array>> = {
  normal: (length) => {
    const { normal } = randomSource(3);
    return Float64Array.from({ length }, () => normal());
  },
  zero: (length) => new Float64Array(length),
  constant: (length) => new Float64Array(length).fill(0.7),
  impulse: (length) => Float64Array.from({ length }, (_, i) => Number(i === length >> 1)),
  'of all sizes': (length) => {
    const { normal, uniform } = randomSource(4);
    return Float64Array.from({ length }, () => normal() * 10 ** (-15 * uniform()));
  },
};

/** Scales: usual, beyond float32 on both sides, with squares beyond float64, and denormal. */
export const scale = fc.constantFrom(1, 255, 1e-30, 1e30, 1e-200, 1e200, 1e-310);

/** Patch counts: one, and primes. */
const count = fc.constantFrom(1, 2, 7);

/** A problem of any kind. */
export const problem = fc
  .record({
    atoms: fc.constantFrom(...Object.keys(dictionaries)),
    size: fc.constantFrom(1, 1e-20, 1e20),
    kind: fc.constantFrom(...Object.keys(signals)),
    scale,
    P: count,
  })
  .map(({ atoms, size, kind, scale, P }) => {
    const D = scaled(dictionaries[atoms](), size);
    return { atoms, kind, scale, D, P, Y: signals[kind](D.N * P).map((value) => value * scale) };
  });

/** The dictionary of a problem alone. */
export const dictionary = fc
  .tuple(fc.constantFrom(...Object.keys(dictionaries)), fc.constantFrom(1, 1e-20, 1e20))
  .map(([atoms, size]) => scaled(dictionaries[atoms](), size));

function scaled(D: Dictionary, by: number): Dictionary {
  const times = (data: Float64Array) => data.map((value) => value * by);
  if (!D.factors) return denseDictionary(D.N, D.L, times(D.atoms.data));
  return separableDictionary({ ...D.factors[0], data: times(D.factors[0].data) }, D.factors[1]);
}

/** Images: one pixel, smaller than a patch, prime sizes; constant, zero, an impulse, noise; any scale. */
export const image = fc
  .record({
    width: fc.constantFrom(1, 3, 7, 13, 17),
    height: fc.constantFrom(1, 2, 8, 11),
    channels: fc.constantFrom(1, 2, 3),
    kind: fc.constantFrom(...Object.keys(signals)),
    scale,
  })
  .map(({ width, height, channels, kind, scale }) => ({
    ...{ width, height, peak: scale },
    planes: Array.from({ length: channels }, (_, c) =>
      signals[kind](width * height).map((v) => v * scale * (1 - 0.3 * c)),
    ),
  }));

/** Numbers that are invalid as a count, level or size. */
export const badNumbers = [Number.NaN, -1, Number.POSITIVE_INFINITY, '3', null] as const;

/** The error message of a call that must fail; it must have the parameter, the rule, the value and the remedy. */
export function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return explained(error);
  }
  throw new Error('it was accepted');
}

/** {@link refusal} for a promise. */
export async function refused(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => {
      throw new Error('it was accepted');
    },
    (error) => explained(error),
  );
}

function explained(error: unknown): string {
  if (!isGhtError(error)) throw error;
  const { message, parameter, rule, remedy } = error;
  const complete = [parameter, rule, remedy].every((part) => part.length > 0 && message.includes(part));
  if (!complete || message.includes('\n')) throw new Error(`not a complete message: ${message}`);
  return message;
}

/** √(Σ(a − b)² / count), for differences of any scale. */
export function distance(a: Float64Array, b: Float64Array, count: number): number {
  const unit = a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0) || 1;
  return unit * Math.sqrt(a.reduce((sum, value, i) => sum + ((value - b[i]) / unit) ** 2, 0) / count);
}
