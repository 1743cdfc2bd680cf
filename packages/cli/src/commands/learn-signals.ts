/** What `ght learn --signals` learns from: a matrix of signals, and the atoms it begins with. */

import { type Dictionary, denseDictionary, InputError, OptionError, randomSource } from 'ght';
import { readMatrix } from '../io/index.js';

const FLAG = '--signals';
/** As many atoms as `ght learn` has by default, if that many signals are there. */
const USUAL_ATOMS = 256;

/** The signals in a file, one per column. */
export function readSignals(text: string) {
  return readMatrix(text, FLAG, 'Y');
}

/** A dictionary of signals that were chosen at random, at length 1: the usual start if nothing is known about them. */
export function dictionaryOfSignals(
  { rows, cols, data }: Awaited<ReturnType<typeof readSignals>>,
  atoms: number | readonly [number, number] = Math.min(USUAL_ATOMS, 4 * rows),
  seed = 1,
): Dictionary {
  if (typeof atoms !== 'number') {
    throw new OptionError('--atoms', 'must be one number for signals', atoms.join('x'), 'write it like --atoms 256');
  }
  const { below } = randomSource(seed);
  const order = Int32Array.from({ length: cols }, (_, p) => p);
  const D = new Float64Array(rows * atoms);
  let found = 0;
  for (let left = cols; left > 0 && found < atoms; left--) {
    const at = below(left);
    const p = order[at];
    order[at] = order[left - 1];
    const signal = data.subarray(p * rows, (p + 1) * rows);
    const length = Math.hypot(...signal);
    if (!(length > 0 && Number.isFinite(length))) continue;
    D.set(
      signal.map((value) => value / length),
      rows * found++,
    );
  }
  if (found < atoms) {
    const rule = `must have at least ${atoms} signals that are finite and not zero, for as many atoms`;
    throw new InputError(FLAG, rule, `${cols}`, 'give more signals, or use fewer atoms');
  }
  return denseDictionary(rows, atoms, D);
}

/** The side of the patches that the signals are, for a start with the DCT. */
export function sideOf({ rows, cols }: Awaited<ReturnType<typeof readSignals>>): number {
  const side = Math.sqrt(rows);
  if (Number.isInteger(side)) return side;
  const remedy = 'leave out --init and --separable, which need the DCT';
  throw new InputError(FLAG, 'must have as many rows as a square patch has pixels', `${rows}×${cols}`, remedy);
}
