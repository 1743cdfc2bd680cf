import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { dot, gram, matrix } from '../../math/matrix.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** Improves the coefficients `x` of the atoms `support` towards argmin ‖D_Ω x − y‖²; returns the squared error. */
export type SupportFit = (Y: Float64Array, from: number, support: ArrayLike<number>, x: Float64Array) => number;

/** Relative to the largest diagonal entry: enough to factor a linearly dependent support. More than N atoms are always one. */
const RIDGE = 1e-10;

/**
 * Least squares on any support. The normal equations get a tiny ridge, and the fit is repeated on the residual,
 * x ← x + (D_ΩᵀD_Ω + εI)⁻¹ D_Ωᵀ(y − D_Ω x). After three rounds the bias of the ridge is gone; if the atoms are dependent,
 * the change of x is the shortest of all best fits.
 */
export function supportFit(D: Dictionary): SupportFit {
  const { N, L } = D;
  const atoms = D.atoms.data;
  const G = gram(D.atoms).data;
  const r = new Float64Array(N);
  return (Y, from, support, x) => {
    const n = support.length;
    const A = matrix(n, n, (i, j) => G[support[j] * L + support[i]]);
    let largest = 0;
    for (let i = 0; i < n; i++) largest = Math.max(largest, A.data[i * n + i]);
    for (let i = 0; i < n; i++) A.data[i * n + i] += RIDGE * largest;
    const C = largest > 0 ? cholesky(A) : undefined;
    const change = new Float64Array(n);
    for (let round = 0; round < 4; round++) {
      for (let k = 0; k < N; k++) r[k] = Y[from + k];
      for (let i = 0; i < n; i++) for (let k = 0; k < N; k++) r[k] -= x[i] * atoms[support[i] * N + k];
      // The last round only measures.
      if (!C || round === 3) break;
      for (let i = 0; i < n; i++) change[i] = dot(atoms, support[i] * N, r, 0, N);
      forwardSubstitute(C, change);
      backwardSubstitute(C, change);
      for (let i = 0; i < n; i++) x[i] += change[i];
    }
    return dot(r, 0, r, 0, N);
  };
}
