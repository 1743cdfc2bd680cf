/**
 * K-SVD, the dictionary step for atoms without structure. The support of Z is held. Each atom d_l in turn, together with
 * its coefficients z_l, becomes a better rank-1 fit of what all other atoms leave of the patches Ω that use it:
 *
 *     E   = Y_Ω − Σ_{j ≠ l} d_j z_j  =  R_Ω + d_l z_l
 *     d_l ← E z_lᵀ / ‖E z_lᵀ‖
 *     z_l ← d_lᵀ E
 *
 * This is one step of the power method for the leading singular vectors of E (Rubinstein, Zibulevsky and Elad, 2008). Both
 * updates are least squares with the other factor held, so ‖Y − DZ‖ never rises. R = Y − DZ is kept up to date. Of a constant
 * atom only the coefficients are updated.
 */
import { addScaled, dot, type Matrix } from '../../math/matrix.js';
import type { Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import { isConstantAtom } from '../dictionary/dictionary.js';

/** One sweep over all atoms. Changes the atoms, the coefficients and the residuals R (N×P) in place. */
export function* ksvdSweep(atoms: Matrix, codes: Codes, R: Float64Array): Work<void> {
  const { starts, entries, patches } = usesOf(codes);
  for (let l = 0; l < codes.L; l++) {
    yield l / codes.L;
    const uses = { entries: entries.subarray(starts[l], starts[l + 1]), patches: patches.subarray(starts[l]) };
    updateAtom(atoms, l, uses, codes.values, R);
  }
}

/** One atom and its coefficients. */
function updateAtom(atoms: Matrix, l: number, { entries, patches }: Uses, values: Float64Array, R: Float64Array): void {
  const N = atoms.rows;
  const before = atoms.data.slice(l * N, (l + 1) * N);
  const next = new Float64Array(N);
  let energy = 0;
  for (let u = 0; u < entries.length; u++) {
    const z = values[entries[u]];
    energy += z * z;
    addScaled(next, 0, z, R, patches[u] * N, N);
  }
  addScaled(next, 0, energy, before, 0, N);
  if (isConstantAtom(atoms, l)) next.set(before);
  const norm = Math.sqrt(dot(next, 0, next, 0, N));
  // An atom that no patch uses stays as it is.
  if (!(norm > 0)) return;
  for (let n = 0; n < N; n++) next[n] /= norm;
  // d_lᵀE = d_lᵀR + z (d_lᵀ times the atom before): E is not formed, so R is read and written once.
  const along = dot(next, 0, before, 0, N);
  for (let u = 0; u < entries.length; u++) {
    const r = patches[u] * N;
    const held = values[entries[u]];
    const z = dot(next, 0, R, r, N) + held * along;
    for (let n = 0; n < N; n++) R[r + n] += held * before[n] - z * next[n];
    values[entries[u]] = z;
  }
  atoms.data.set(next, l * N);
}

/** The uses of atoms: each is an entry of the codes and its patch. */
interface Uses {
  readonly entries: Int32Array;
  readonly patches: Int32Array;
}

/** Z by atoms: the uses of atom l are `starts[l] … starts[l + 1] − 1`, each an entry of the codes and its patch. */
function usesOf({ L, P, indptr, indices }: Codes): Uses & { readonly starts: Int32Array } {
  const starts = new Int32Array(L + 1);
  for (const l of indices) starts[l + 1]++;
  for (let l = 0; l < L; l++) starts[l + 1] += starts[l];
  const free = starts.slice();
  const entries = new Int32Array(indices.length);
  const patches = new Int32Array(indices.length);
  for (let p = 0; p < P; p++) {
    for (let i = indptr[p]; i < indptr[p + 1]; i++) {
      const u = free[indices[i]]++;
      entries[u] = i;
      patches[u] = p;
    }
  }
  return { starts, entries, patches };
}
