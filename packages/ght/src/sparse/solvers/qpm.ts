/**
 * GHT-QPM, Algorithm 1 of Borhani, Watt and Katsaggelos.
 *
 *     minimise ‖DX − Y‖²_F + ρ‖X − Z‖²_F   subject to ‖Z‖₀ ≤ S
 *
 * by alternating between X and Z:
 *
 *     (DᵀD + ρI) Xᵏ = DᵀY + ρZᵏ⁻¹      by a Cholesky factor CCᵀ computed once, and two substitutions
 *     Zᵏ = H_S(Xᵏ)
 *
 * Both steps minimise the objective exactly, so it never rises.
 */

import { OptionError } from '../../errors.js';
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../math/cholesky.js';
import { dot, gram, type Matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import { keepLargest, type Selection } from '../budget/select.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** C of DᵀD + ρI = CCᵀ. */
export function factor(D: Dictionary, rho: number): Matrix {
  const A = gram(D.atoms);
  for (let l = 0; l < D.L; l++) A.data[l * D.L + l] += rho;
  const C = cholesky(A);
  if (!C) throw new OptionError('rho', 'must keep DᵀD + ρI positive definite', rho, 'use a larger ρ, such as 0.1');
  return C;
}

/** W = DᵀY, for P patches. */
export function correlations(D: Dictionary, Y: Float64Array, P: number): Float64Array {
  const W = new Float64Array(D.L * P);
  for (let p = 0; p < P; p++) {
    for (let l = 0; l < D.L; l++) W[p * D.L + l] = dot(D.atoms.data, l * D.N, Y, p * D.N, D.N);
  }
  return W;
}

/** One iteration: reads Z, computes X, and writes H_S(X) to Z. */
export function* qpmStep(
  C: Matrix,
  W: Float64Array,
  X: Float64Array,
  Z: Float64Array,
  rho: number,
  S: number,
): Work<Selection> {
  const L = C.rows;
  for (let from = 0; from < X.length; from += L) {
    for (let i = from; i < from + L; i++) X[i] = W[i] + rho * Z[i];
    forwardSubstitute(C, X, from);
    backwardSubstitute(C, X, from);
    if ((from / L) % PATCHES_PER_YIELD === 0) yield from / X.length;
  }
  return keepLargest(X, S, Z);
}
