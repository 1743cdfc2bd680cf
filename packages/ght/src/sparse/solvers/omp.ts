/**
 * Orthogonal matching pursuit (Pati, Rezaiifar and Krishnaprasad 1993; Tropp and Gilbert 2007), patch by patch:
 *
 *     j = argmax |⟨d_j, r⟩| / ‖d_j‖,   Ω ← Ω ∪ {j},   x_Ω = argmin ‖D_Ω x − y‖²,   r = y − D_Ω x_Ω
 *
 * until s atoms are in use or the patch is represented exactly.
 */
import type { Dictionary } from '../dictionary/dictionary.js';
import type { PatchSolver } from './patchwise.js';
import { type Pursue, pursuer } from './pursuit.js';

/** OMP with at most s atoms per patch. */
export function omp(D: Dictionary, s: number, pursue: Pursue = pursuer(D, 'omp')): PatchSolver {
  const counting = Int32Array.from({ length: D.L }, (_, k) => k + 1);
  return (Y, from, x) => {
    const { count, support, errors, coefficients } = pursue(Y, from, s);
    for (const [k, value] of coefficients().entries()) x[support[k]] = value;
    return { errors: errors.subarray(1, count + 1), kept: counting };
  };
}
