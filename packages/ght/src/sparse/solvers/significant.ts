/**
 * The number of coefficients that stand out from the noise: the threshold rule for a budget from σ.
 *
 * The first step of GHT-QPM and GHT-ADMM from Z = 0 is X = KY with K = Dᵀ(DDᵀ + ρI)⁻¹. White noise of deviation σ in Y
 * is noise of deviation σ‖k_l‖ in row l of X, k_l being that row of K. So
 *
 *     S = #{ (l, p) : X_lp² ≥ κ σ²‖k_l‖² ln(LP/S) }
 *
 * For an orthonormal D these are the coefficients |DᵀY| ≥ cσ, whatever ρ is, with c = √(κ ln(LP/S)): 3 to 4, and less
 * if many coefficients stand out. For joint OMP the gain of an atom, which is the square of a coefficient in the
 * orthonormal basis that a pursuit builds, replaces X² / ‖k_l‖².
 */

import { runsOf, type Signals } from '../../image/signals.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import { countWorth, emptyWorth, worthwhile } from '../budget/worth.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { resolvent } from '../dictionary/resolvent.js';

/** S by the threshold rule, at the price κσ². */
export function* significantAtoms(D: Dictionary, signals: Signals, rho: number, price: number): Work<number> {
  const { N, L } = D;
  const { P } = signals;
  const K = resolvent(D, rho);
  const x = new Float64Array(L);
  const norm = new Float64Array(L);
  const unit = new Float64Array(N);
  for (let n = 0; n < N; n++) {
    unit[n] = 1;
    K(unit, 0, x, 0);
    unit[n] = 0;
    for (let l = 0; l < L; l++) norm[l] += x[l] * x[l];
  }
  const worth = emptyWorth(L * P);
  for (const { from, Y } of runsOf(signals, PATCHES_PER_YIELD)) {
    yield from / P;
    for (let i = 0; i < Y.length; i += N) {
      K(Y, i, x, 0);
      for (let l = 0; l < L; l++) if (x[l] !== 0) countWorth(worth, (x[l] * x[l]) / (price * norm[l]));
    }
  }
  // As many atoms as a patch has samples represent it exactly; more are never needed.
  return Math.min(worthwhile(worth, L * P).S, Math.min(N, L) * P);
}
