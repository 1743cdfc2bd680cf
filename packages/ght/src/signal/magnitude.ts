import { ParameterError } from '../errors.js';

type Samples = Float32Array | Float64Array;

/**
 * The engines compute in float32, whose squares end at 1e38 and begin at 1e-38. With all numbers below 1e15 and the
 * largest above 1e-15, energies of patches stay within; outside, a result would be zeros or infinities without a word.
 */
const MOST = 1e15;
const LEAST = 1e-15;

/** Refuses the first number that is not finite or too large to square, by the name that `place` gives to its index. */
export function checkNumbers(values: Samples, place: (index: number) => string): void {
  const bad = values.findIndex((value) => !(Math.abs(value) <= MOST));
  if (bad < 0) return;
  const value = values[bad];
  if (!Number.isFinite(value)) {
    throw new ParameterError(place(bad), 'must be a finite number', value, 'replace NaN and infinities first');
  }
  throw new ParameterError(place(bad), `must be at most ${MOST} in magnitude`, value, 'replace it, or scale all down');
}

/** Refuses numbers that are all too small to square, unless all are zero. */
export function checkScale(name: string, arrays: readonly Samples[]): void {
  let most = 0;
  for (const values of arrays) {
    for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
    if (most >= LEAST) return;
  }
  if (most === 0) return;
  throw new ParameterError(name, `must have numbers of at least ${LEAST} in magnitude`, most, 'scale all of them up');
}
