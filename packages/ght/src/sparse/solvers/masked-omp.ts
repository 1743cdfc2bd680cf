/**
 * Joint OMP of patches with missing samples: the paper's problem on the known samples alone,
 *
 *     minimise Σ_p ‖m_p∘(D x_p − y_p)‖²   subject to   Σ_p ‖x_p‖₀ ≤ S
 *
 * Every patch is pursued over the rows of D that belong to its known samples, and tells what each further atom would gain
 * there. Then S goes to the largest gains of all patches, as in `joint-omp.ts`. The codes are fitted to the known samples,
 * and D x_p also has the missing ones.
 *
 * Atoms that hardly show on the known samples are left out: a small value there would be a large one on the missing samples.
 * For the same reason, a patch has at most half as many atoms as known samples, and at most 16.
 */

import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { divide, emptyPaths } from './joint-omp.js';
import { type Pursue, pursuer } from './pursuit.js';

/** The least length of an atom on the known samples, relative to its length. */
const LEAST_LENGTH = 0.15;
/** The most atoms per patch. */
const MOST_ATOMS = 16;

/** The outcome: D x_p of all patches, and how the budget was divided. */
export interface MaskedCodes {
  /** All samples of all patches. */
  readonly patches: Float64Array;
  /** The atoms of each patch. */
  readonly counts: Int32Array;
  /** The smallest gain that was kept: the price of an atom. */
  readonly threshold: number;
  /** Nonzeros used. */
  readonly kept: number;
}

/** Joint OMP with S atoms in all; `known` is nonzero for each known sample of Y. */
export function* maskedOmp(D: Dictionary, Y: Float64Array, known: Uint8Array, S: number): Work<MaskedCodes> {
  const { N } = D;
  const P = Y.length / N;
  const paths = emptyPaths(D, P);
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield (0.6 * p) / P;
    const { pursue, y, most } = onKnown(D, Y, known, p);
    const { count, errors } = pursue(y, 0, most);
    for (let k = 0; k < count; k++) paths.gains[p * paths.row + k] = errors[k] - errors[k + 1];
    paths.followed[p] = count;
  }
  const { counts, threshold, kept } = divide(paths, S);
  const patches = new Float64Array(N * P);
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield 0.6 + (0.4 * p) / P;
    if (counts[p] === 0) continue;
    const { pursue, y } = onKnown(D, Y, known, p);
    const { support, coefficients } = pursue(y, 0, counts[p]);
    coefficients().forEach((value, k) => {
      const atom = support[k] * N;
      for (let n = 0; n < N; n++) patches[p * N + n] += value * D.atoms.data[atom + n];
    });
  }
  return { patches, counts, threshold, kept };
}

/** The known samples of a patch, and a pursuer over the rows of D that belong to them. */
function onKnown(
  { N, L, atoms }: Dictionary,
  Y: Float64Array,
  known: Uint8Array,
  p: number,
): { readonly pursue: Pursue; readonly y: Float64Array; readonly most: number } {
  const rows: number[] = [];
  for (let n = 0; n < N; n++) if (known[p * N + n]) rows.push(n);
  const data = new Float64Array(rows.length * L);
  for (let l = 0; l < L; l++) {
    const energy = rows.reduce((sum, row) => sum + atoms.data[l * N + row] ** 2, 0);
    if (energy < LEAST_LENGTH ** 2) continue;
    for (const [i, row] of rows.entries()) data[l * rows.length + i] = atoms.data[l * N + row];
  }
  const y = Float64Array.from(rows, (row) => Y[p * N + row]);
  const restricted = { N: rows.length, L, atoms: { rows: rows.length, cols: L, data } };
  return { pursue: pursuer(restricted, 'order-recursive'), y, most: Math.min(MOST_ATOMS, Math.floor(rows.length / 2)) };
}
