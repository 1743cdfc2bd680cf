/**
 * Compressive sampling matching pursuit (Needell and Tropp 2009, Algorithm 2.1), patch by patch:
 *
 *     u = Dᵀv                       the proxy of the residual v
 *     T = supp(u_2s) ∪ supp(a)      2s new candidates join the support
 *     b_T = argmin ‖D_T b − y‖²     least squares on all of them
 *     a = b_s,   v = y − D a        prune to s, and the new residual
 *
 * until ‖v‖ falls by less than the tolerance, or rises. The result is the better of the last two iterates.
 *
 * T has up to 3s atoms. If they are linearly dependent, as more than N always are, many b fit equally well, and pruning them leaves
 * different codes. This page takes the shortest change of b (`supportFit`); wasm leaves out the atoms of T that depend on those before
 * them. So the engines agree on a patch unless T is nearly dependent or two magnitudes are nearly equal where one of them is kept.
 * Either way the error that is reported is that of the codes.
 */
import { dot } from '../../math/matrix.js';
import { chooseLargest, survives } from '../budget/select.js';
import { type Dictionary, synthesize } from '../dictionary/dictionary.js';
import { supportFit } from './least-squares.js';
import type { PatchSolver } from './patchwise.js';
import type { PatchStop } from './stopping.js';

/** CoSaMP with s atoms per patch. */
export function cosamp(D: Dictionary, s: number, stop: PatchStop): PatchSolver {
  const { N, L } = D;
  const fit = supportFit(D);
  const v = new Float64Array(N);
  const u = new Float64Array(L);
  const a = new Float64Array(L);
  return (Y, from, best) => {
    const errors: number[] = [];
    const kept: number[] = [];
    v.set(Y.subarray(from, from + N));
    a.fill(0);
    let error = dot(v, 0, v, 0, N);
    while (errors.length < stop.maxIterations && error > 0 && s > 0) {
      for (let l = 0; l < L; l++) u[l] = dot(D.atoms.data, l * N, v, 0, N);
      const largest = chooseLargest(u, 2 * s);
      const T: number[] = [];
      for (let l = 0; l < L; l++) if ((u[l] !== 0 && survives(largest, u[l], l)) || a[l] !== 0) T.push(l);
      const b = new Float64Array(T.length);
      fit(Y, from, T, b);
      const pruned = chooseLargest(b, s);
      a.fill(0);
      for (let i = 0; i < b.length; i++) if (survives(pruned, b[i], i)) a[T[i]] = b[i];
      synthesize(D, a, 0, v, 0);
      for (let n = 0; n < N; n++) v[n] = Y[from + n] - v[n];
      const next = dot(v, 0, v, 0, N);
      if (next >= error) break;
      best.set(a);
      errors.push(next);
      kept.push(pruned.kept);
      const fall = Math.sqrt(error) - Math.sqrt(next);
      error = next;
      if (fall < stop.tolerance) break;
    }
    return { errors, kept };
  };
}
