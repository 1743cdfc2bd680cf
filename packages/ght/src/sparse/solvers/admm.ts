/**
 * GHT-ADMM, Algorithm 2 of Borhani, Watt and Katsaggelos: the alternating direction method of multipliers as a heuristic
 * for
 *
 *     minimise ‖DX − Y‖²_F   subject to ‖Z‖₀ ≤ S, X = Z
 *
 * with the dual variable Λ of the constraint X = Z:
 *
 *     (DᵀD + ρI) Xᵏ = DᵀY + ρZᵏ⁻¹ − Λᵏ⁻¹      by the Cholesky factor C that GHT-QPM uses
 *     Zᵏ = H_S(Xᵏ + Λᵏ⁻¹/ρ)
 *     Λᵏ = Λᵏ⁻¹ + ρ(Xᵏ − Zᵏ)
 *
 * ρ may change from iteration to iteration (`penalty.ts`). Λ is the unscaled dual variable, so it stays as it is; an engine
 * that carries U = Λ/ρ multiplies it by ρᵏ⁻¹/ρᵏ.
 *
 * The problem is not convex and the error may rise, so the loop keeps the best iterate. (In the Lagrangian printed in the
 * paper, ρ would have to be ρ/2 for these updates. The updates are what the paper runs, and what is implemented here.)
 */
import { backwardSubstitute, forwardSubstitute } from '../../math/cholesky.js';
import type { Matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import { keepLargest, type Selection } from '../budget/select.js';

/** One iteration: reads Z and Λ, computes X + Λ/ρ, and writes the new Z and Λ. */
export function* admmStep(
  C: Matrix,
  W: Float64Array,
  X: Float64Array,
  Z: Float64Array,
  Lambda: Float64Array,
  rho: number,
  S: number,
): Work<Selection> {
  const L = C.rows;
  for (let from = 0; from < X.length; from += L) {
    for (let i = from; i < from + L; i++) X[i] = W[i] + rho * Z[i] - Lambda[i];
    forwardSubstitute(C, X, from);
    backwardSubstitute(C, X, from);
    if ((from / L) % PATCHES_PER_YIELD === 0) yield from / X.length;
  }
  // X + Λ/ρ is written to Z, and H_S turns it into Z in place.
  for (let i = 0; i < Z.length; i++) Z[i] = X[i] + Lambda[i] / rho;
  const selection = keepLargest(Z, S, Z);
  for (let i = 0; i < Z.length; i++) Lambda[i] += rho * (X[i] - Z[i]);
  return selection;
}
