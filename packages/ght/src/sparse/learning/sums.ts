/**
 * What dictionary steps need of all patches and codes so far: two sums over batches. The codes of earlier batches are out of date, so
 * these count less and less.
 *
 *     S ← βS + ZZᵀ,   C ← βC + YZᵀ            ‖DZ − Y‖² = tr(DᵀD S) − 2 tr(DᵀC) + ‖Y‖²
 *
 * Over coherent atoms a pursuit in float32 can end on a support that is almost linearly dependent, with coefficients that are
 * huge or not numbers. A single one would spoil all atoms, so such a code is left out.
 */
import { addScaled, dot, type Matrix, matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** Larger coefficients, in units of the norm of the patch, come from an almost dependent support. Atoms have norm 1. */
const LARGEST = 30;

/** The sums over all batches so far. */
export interface Sums {
  /** ZZᵀ, L×L. */
  readonly S: Matrix;
  /** YZᵀ, N×L. */
  readonly C: Matrix;
}

/** The sums before the first batch. */
export function emptySums({ N, L }: Dictionary): Sums {
  return { S: matrix(L, L), C: matrix(N, L) };
}

/** Adds the patches Y and their codes; what was there before counts `keep` times as much as it did. */
export function* addBatch({ S, C }: Sums, Y: Float64Array, codes: Codes, keep: number): Work<void> {
  const [L, N] = [S.rows, C.rows];
  for (const { data } of [S, C]) for (let i = 0; i < data.length; i++) data[i] *= keep;
  const { P, indptr, indices, values } = codes;
  const [s, c] = [S.data, C.data];
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield p / P;
    const [from, to] = [indptr[p], indptr[p + 1]];
    if (!isSound(values, from, to, dot(Y, p * N, Y, p * N, N))) continue;
    for (let i = from; i < to; i++) {
      const z = values[i];
      const column = indices[i] * L;
      // Atoms rise within a patch, so this is the upper half.
      for (let j = from; j <= i; j++) s[column + indices[j]] += z * values[j];
    }
    // Two atoms at a time, so that the patch is read less often.
    let i = from;
    for (; i + 2 <= to; i += 2) {
      const [y, z] = [values[i], values[i + 1]];
      const [first, second] = [indices[i] * N, indices[i + 1] * N];
      for (let n = 0, at = p * N; n < N; n++, at++) {
        const sample = Y[at];
        c[first + n] += y * sample;
        c[second + n] += z * sample;
      }
    }
    if (i < to) addScaled(c, indices[i] * N, values[i], Y, p * N, N);
  }
  for (let l = 0; l < L; l++) for (let j = 0; j < l; j++) S.data[j * L + l] = S.data[l * L + j];
}

/** Whether all coefficients of a patch are usable. */
function isSound(values: Float64Array, from: number, to: number, energy: number): boolean {
  for (let i = from; i < to; i++) if (!(values[i] ** 2 <= LARGEST ** 2 * energy)) return false;
  return true;
}

/** Multiplies the coefficients of atom l in the sums. */
export function scaleCodes({ S, C }: Sums, l: number, by: number): void {
  const { rows: L } = S;
  const { rows: N } = C;
  for (let j = 0; j < L; j++) {
    S.data[l * L + j] *= by;
    S.data[j * L + l] *= by;
  }
  for (let n = l * N; n < (l + 1) * N; n++) C.data[n] *= by;
}
