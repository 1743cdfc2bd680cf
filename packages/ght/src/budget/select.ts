/**
 * H_S, the projection onto matrices with at most S nonzeros: keep the S entries of largest magnitude.
 *
 * Exact, total and linear in the number of entries. Exactly min(S, number of nonzeros) entries survive; among equal
 * magnitudes the lowest index wins. float64 magnitudes order like their bit patterns, so the S-th largest is found by
 * histograms of the bits: one pass over the top 16 bits of everything, then only the boundary bucket is refined.
 */
import { InputError, wholeNumber } from '../errors.js';

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

/** `selectLargest` for solvers, whose budget is checked; where an iteration has diverged, a NaN counts as large. */
export function chooseLargest(values: Float64Array, S: number): Selection {
  if (S <= 0) return { threshold: Number.POSITIVE_INFINITY, kept: 0, tieEnd: 0 };
  let nonzero = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) nonzero++;
  if (S >= nonzero) return { threshold: 0, kept: nonzero, tieEnd: values.length };
  const threshold = values.length < 1024 ? bySorting(values, S) : byHistogram(values, S);
  return { threshold, kept: S, tieEnd: endOfTies(values, S, threshold) };
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

/** For the few entries of one patch the engine's own sort is quicker than clearing a histogram. */
function bySorting(values: Float64Array, S: number): number {
  const magnitudes = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) magnitudes[i] = Math.abs(values[i]);
  return magnitudes.sort()[values.length - S];
}

function byHistogram(values: Float64Array, S: number): number {
  // Little-endian words: the odd ones hold sign, exponent and the top of the mantissa.
  let words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  let wanted = S;
  // From the top: 16 bits under the sign, then 15, then the low word in two halves.
  for (const [odd, shift, bits] of [
    [1, 15, 16],
    [1, 0, 15],
    [0, 16, 16],
    [0, 0, 16],
  ]) {
    const mask = 2 ** bits - 1;
    const histogram = new Uint32Array(2 ** bits);
    for (let i = odd; i < words.length; i += 2) histogram[(words[i] >>> shift) & mask]++;
    let bucket = mask;
    while (wanted > histogram[bucket]) wanted -= histogram[bucket--];
    const boundary = new Uint32Array(2 * histogram[bucket]);
    for (let i = 0, n = 0; n < boundary.length; i += 2) {
      if (((words[i + odd] >>> shift) & mask) === bucket) {
        boundary[n++] = words[i];
        boundary[n++] = words[i + 1];
      }
    }
    words = boundary;
  }
  return Math.abs(new Float64Array(words.buffer)[0]);
}

/** One past the index of the last entry equal to the threshold that is still needed to make S. */
function endOfTies(values: Float64Array, S: number, threshold: number): number {
  let above = 0;
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) > threshold) above++;
  let needed = S - above;
  let i = 0;
  // A NaN counts towards S but equals nothing, so the end of the values ends it too.
  for (; needed > 0 && i < values.length; i++) if (Math.abs(values[i]) === threshold) needed--;
  return i;
}
