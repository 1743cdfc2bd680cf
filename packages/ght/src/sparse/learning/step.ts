/**
 * One dictionary step of online learning (Mairal, Bach, Ponce and Sapiro, 2010, here under a global budget): better atoms for the
 * codes of all batches so far, whose support is held. The sums S and C (`sums.ts`) are all it needs, so a step costs the same for
 * any number of patches, and the atoms can move after every small batch.
 *
 *     dense        d_l ← (c_l − Σ_{j≠l} S_jl d_j) / S_ll, atom by atom
 *     separable    one factor by least squares, the other one held (`factors.ts`)
 *
 * Atoms are then scaled to norm 1, and their codes by the inverse: in S and C, so that DZ stays the same. So ‖Y − DZ‖ never rises.
 *
 * Constant atoms are not changed: a flat patch then needs one atom and has no error.
 */
import { addScaled, dot, type Matrix } from '../../math/matrix.js';
import type { Work } from '../../work.js';
import { type Dictionary, denseDictionary, isConstantAtom, separableDictionary } from '../dictionary/dictionary.js';
import { fitFactors } from './factors.js';
import { type Sums, scaleCodes } from './sums.js';

/** Fits of both factors per step. */
const ROUNDS = 2;

/** The dictionary after one step from D, with the kind of D: separable if it has factors. The sums become those of the scaled codes. */
export function* dictionaryStep(D: Dictionary, sums: Sums): Work<Dictionary> {
  if (D.factors) {
    let factors: readonly [Matrix, Matrix] = D.factors;
    for (let round = 0; round < ROUNDS; round++) {
      yield round / ROUNDS;
      factors = fitFactors(factors, sums);
    }
    return separableDictionary(factors[0], factors[1], 'learned');
  }
  const atoms = { ...D.atoms, data: D.atoms.data.slice() };
  yield* descend(atoms, sums);
  return denseDictionary(D.N, D.L, atoms.data, 'learned');
}

/** next ← next − Σ_j column_j d_j. Four atoms at a time, so that `next` is read and written less often. */
function subtractAll(next: Float64Array, atoms: Float64Array, column: Float64Array): void {
  const N = next.length;
  let j = 0;
  for (; j + 4 <= column.length; j += 4) {
    const [a, b, c, d] = [column[j], column[j + 1], column[j + 2], column[j + 3]];
    if (a === 0 && b === 0 && c === 0 && d === 0) continue;
    for (let n = 0, p = j * N, q = p + N, r = q + N, s = r + N; n < N; n++, p++, q++, r++, s++) {
      next[n] -= a * atoms[p] + b * atoms[q] + (c * atoms[r] + d * atoms[s]);
    }
  }
  for (; j < column.length; j++) addScaled(next, 0, -column[j], atoms, j * N, N);
}

/** One sweep of block coordinate descent over all atoms. */
function* descend(atoms: Matrix, sums: Sums): Work<void> {
  const { S, C } = sums;
  const { rows: N, cols: L, data } = atoms;
  const next = new Float64Array(N);
  for (let l = 0; l < L; l++) {
    if (l % 16 === 0) yield l / L;
    const used = S.data[l * L + l];
    // An atom that no patch uses stays as it is.
    if (!(used > 0) || isConstantAtom(atoms, l)) continue;
    next.set(C.data.subarray(l * N, (l + 1) * N));
    const column = S.data.slice(l * L, (l + 1) * L);
    column[l] = 0;
    subtractAll(next, data, column);
    const norm = Math.sqrt(dot(next, 0, next, 0, N));
    if (!(norm > 0)) continue;
    for (let n = 0; n < N; n++) data[l * N + n] = next[n] / norm;
    scaleCodes(sums, l, norm / used);
  }
}
