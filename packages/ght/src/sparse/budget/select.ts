/**
 * H_S, the projection onto matrices with at most S nonzeros: keep the S entries of largest magnitude.
 *
 * Exact, total and linear in the number of entries. Exactly min(S, number of nonzeros) entries survive; among equal
 * magnitudes the lowest index wins. The S-th largest is found by counting (`rank.ts`).
 */
import { InputError, wholeNumber } from '../../errors.js';
import { nthLargest } from './rank.js';

/** Which entries H_S keeps: those above `threshold`, and those equal to it at an index below `tieEnd`. */
export interface Selection {
  /** The smallest magnitude that is kept; 0 if every nonzero is kept, Infinity if none is. */
  readonly threshold: number;
  /** How many nonzeros are kept. */
  readonly kept: number;
  /** Entries equal to the threshold survive below this index. */
  readonly tieEnd: number;
}

/** Selects the S entries of largest magnitude of `values`, none of which may be NaN. */
export function selectLargest(values: Float64Array, S: number): Selection {
  checkSelection(values, S);
  return chooseLargest(values, S);
}

function checkSelection(values: Float64Array, S: number): void {
  wholeNumber('S', S, 0, Number.POSITIVE_INFINITY, 'give how many entries to keep');
  const bad = values.findIndex(Number.isNaN);
  if (bad < 0) return;
  throw new InputError(`values[${bad}]`, 'must be a number', Number.NaN, 'replace NaN first');
}

/** `selectLargest` for solvers, whose budget is already checked. If an iteration has diverged, NaN counts as large. */
export function chooseLargest(values: Float64Array, S: number): Selection {
  if (S <= 0) return { threshold: Number.POSITIVE_INFINITY, kept: 0, tieEnd: 0 };
  let nonzero = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) nonzero++;
  if (S >= nonzero) return { threshold: 0, kept: nonzero, tieEnd: values.length };
  const { threshold, larger } = nthLargest([values], S);
  return { threshold, kept: S, tieEnd: endOfTies(values, threshold, S - larger) };
}

/** True if H_S keeps this value at this index. */
export function survives(selection: Selection, value: number, index: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude > selection.threshold || (magnitude === selection.threshold && index < selection.tieEnd);
}

/** Z ← H_S(X); Z may be X itself. */
export function hardThreshold(X: Float64Array, S: number, Z: Float64Array = new Float64Array(X.length)): Selection {
  checkSelection(X, S);
  return keepLargest(X, S, Z);
}

/** `hardThreshold` for solvers. */
export function keepLargest(X: Float64Array, S: number, Z: Float64Array): Selection {
  const selection = chooseLargest(X, S);
  for (let i = 0; i < X.length; i++) Z[i] = survives(selection, X[i], i) ? X[i] : 0;
  return selection;
}

/** One past the index of the last tie that survives, if `quota` entries equal to the threshold survive. */
function endOfTies(values: Float64Array, threshold: number, quota: number): number {
  let left = quota;
  let i = 0;
  // If the threshold is NaN nothing equals it, and the loop ends with the values.
  for (; left > 0 && i < values.length; i++) if (Math.abs(values[i]) === threshold) left--;
  return i;
}
