/**
 * Pursuit with a weight for every sample, 0 for one that is missing:
 *
 *     minimise Σ_p ‖w_p ∘ (D x_p − y_p)‖²
 *
 * With D_p = diag(w_p) D that is the pursuit of w_p ∘ y_p over D_p, a dictionary for each signal. Its atoms have different lengths, which
 * the rules of the pursuit divide by. D x_p also has values for the samples that are missing.
 */
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Pursue } from './pursuit.js';

/** The samples that are pursued: w ∘ y. A sample of weight 0 may be anything, such as NaN. */
export function weighted(Y: ArrayLike<number>, W: Float64Array): Float64Array {
  return W.map((w, i) => (w === 0 ? 0 : w * Y[i]));
}

/** A pursuer of signals of w ∘ Y at their places in Y; `pursuer` makes one for the dictionary of a signal. */
export function weightedPursuer(
  D: Dictionary,
  W: Float64Array,
  pursuer: (D: Pick<Dictionary, 'N' | 'L' | 'atoms'>) => Pursue,
): Pursue {
  const { N, L, atoms } = D;
  const data = new Float64Array(N * L);
  return (Y, from, atMost, rules) => {
    for (let l = 0; l < L; l++) for (let n = 0; n < N; n++) data[l * N + n] = W[from + n] * atoms.data[l * N + n];
    return pursuer({ N, L, atoms: { ...atoms, data } })(Y, from, atMost, rules);
  };
}
