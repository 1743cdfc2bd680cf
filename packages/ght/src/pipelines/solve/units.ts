/**
 * The units a problem is solved in. Fourth powers of the samples and atoms occur (AIHT's step size has ‖DDᵀr‖²), and the
 * fastest engine computes in float32, whose largest number is 3e38 and whose smallest is 1e-45. So a problem whose numbers
 * are far from 1 is solved in other units, and its result is converted back:
 *
 *     D = 2^d D′,   Y = 2^y Y′,   Z = 2^(y − d) Z′,   ρ = 4^d ρ′
 *
 * Powers of two, so that nothing is rounded. A problem in the usual range, such as any photograph, is left unchanged and is
 * not copied.
 */

import { InputError } from '../../errors.js';
import { largest, shifted, unitExponent } from '../../image/scale.js';
import type { Signals } from '../../image/signals.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { Dictionary } from '../../sparse/dictionary/dictionary.js';
import type { HistoryEntry } from '../../sparse/solvers/loop.js';

/** Exponents of the units: 2^d of the dictionary and 2^y of the signals. */
export interface Units {
  readonly d: number;
  readonly y: number;
}

/** The largest magnitudes that need no other units, as exponents of 2. */
const USUAL_ATOMS = [-8, 8] as const;
const USUAL_SIGNALS = [-16, 20] as const;

/** The units of a problem whose signals have the largest magnitude `most`; undefined if it can stay unchanged. */
export function unitsOf(D: Dictionary, most: number): Units | undefined {
  const d = unitExponent(largest(D.atoms.data), ...USUAL_ATOMS);
  const y = unitExponent(most, ...USUAL_SIGNALS);
  return d === 0 && y === 0 ? undefined : { d, y };
}

/** The dictionary in units of 2^d; the factors of a separable one are scaled separately. */
export function shiftedDictionary(D: Dictionary, d: number): Dictionary {
  const times = (data: Float64Array, e: number) => data.map((value) => shifted(value, -e));
  const atoms = { ...D.atoms, data: times(D.atoms.data, d) };
  if (!D.factors) return { ...D, atoms };
  // The product may have a usual scale although neither factor has.
  const [A, B] = D.factors;
  const a = Math.floor(Math.log2(largest(A.data)));
  return {
    ...D,
    atoms,
    factors: [
      { ...A, data: times(A.data, a) },
      { ...B, data: times(B.data, d - a) },
    ],
  };
}

/** Signals times 2^e. */
export function shiftedSignals(signals: Signals, e: number): Signals {
  if (e === 0) return signals;
  const { N, P, read, prepare } = signals;
  return {
    ...{ N, P, prepare },
    read(from, into) {
      // In their own units they may not fit in float32.
      const samples = new Float64Array(into.length);
      read(from, samples);
      for (let i = 0; i < into.length; i++) into[i] = shifted(samples[i], e);
    },
  };
}

/** Codes times 2^e, without the coefficients that underflow to zero. */
export function shiftedCodes(codes: Codes, e: number): Codes {
  if (e === 0) return codes;
  const { L, P } = codes;
  const values = codes.values.map((value) => shifted(value, e));
  if (!values.every(Number.isFinite)) {
    const remedy = 'scale the dictionary or the signals, so that their sizes are nearer to each other';
    throw new InputError('Y', 'must have coefficients below the largest number', 'an overflow', remedy);
  }
  if (!values.includes(0)) return { ...codes, values };
  const indptr = new Int32Array(P + 1);
  const kept: number[] = [];
  for (let p = 0; p < P; p++) {
    for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) if (values[i] !== 0) kept.push(i);
    indptr[p + 1] = kept.length;
  }
  return {
    ...{ L, P, indptr },
    indices: Int32Array.from(kept, (i) => codes.indices[i]),
    values: Float64Array.from(kept, (i) => values[i]),
  };
}

/** A history entry in the units of the user. The threshold of joint OMP is a gain, which has the units of a squared error. */
export function shiftedEntry(entry: HistoryEntry, { d, y }: Units, gains: boolean): HistoryEntry {
  const { rmse, threshold } = entry;
  return {
    ...entry,
    rmse: shifted(rmse, y),
    threshold: threshold === null ? null : shifted(threshold, gains ? 2 * y : y - d),
  };
}
