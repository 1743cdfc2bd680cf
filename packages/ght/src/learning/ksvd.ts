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
import { addScaled, dot, type Matrix } from '../algebra/matrix.js';
import type { Codes } from '../codes/codes.js';
import { isConstantAtom } from '../dictionary/dictionary.js';
import type { Work } from '../work.js';

/** One sweep over all atoms. Changes the atoms, the coefficients and the residuals R (N×P) in place. */
export function* ksvdSweep(atoms: Matrix, codes: Codes, R: Float64Array): Work<void> {
  const { rows: N, data: D } = atoms;
  const { values } = codes;
  const { starts, entries, patches } = usesOf(codes);
  const next = new Float64Array(N);
  for (let l = 0; l < codes.L; l++) {
    yield l / codes.L;
    const uses = { from: starts[l], to: starts[l + 1] };
    next.fill(0);
    let energy = 0;
    for (let u = uses.from; u < uses.to; u++) {
      const z = values[entries[u]];
      energy += z * z;
      addScaled(next, 0, z, R, patches[u] * N, N);
    }
    addScaled(next, 0, energy, D, l * N, N);
    if (isConstantAtom(atoms, l)) next.set(D.subarray(l * N, (l + 1) * N));
    const norm = Math.sqrt(dot(next, 0, next, 0, N));
    // An atom that no patch uses stays as it is.
    if (!(norm > 0)) continue;
    for (let n = 0; n < N; n++) next[n] /= norm;
    for (let u = uses.from; u < uses.to; u++) {
      const r = patches[u] * N;
      addScaled(R, r, values[entries[u]], D, l * N, N);
      const z = dot(next, 0, R, r, N);
      addScaled(R, r, -z, next, 0, N);
      values[entries[u]] = z;
    }
    D.set(next, l * N);
  }
}

/** Z by atoms: the uses of atom l are `starts[l] … starts[l + 1] − 1`, each an entry of the codes and its patch. */
function usesOf({ L, P, indptr, indices }: Codes): Record<'starts' | 'entries' | 'patches', Int32Array> {
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
