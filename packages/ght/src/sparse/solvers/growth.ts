/**
 * The budget in the course of a run. With all of S from the start, as in the paper, H_S keeps hundreds of small coefficients at
 * once, before anything is explained: on a coherent dictionary several atoms then share one feature, and the dual variable holds
 * on to them. A growing budget keeps the largest first, and chooses the next by what those leave:
 *
 *     Sᵏ = ⌈S (g + (1 − g) (k − 1) / n)⌉      k = 1 … n,   then Sᵏ = S
 *
 * where g is the share of S with which the run begins, and n the number of iterations in which the budget grows. That is what a pursuit does, but for all patches at
 * once, and with the right to take a choice back. The iterations after n settle on the last support.
 */

/** The share of the iterations in which the budget grows. */
const GROWING = 0.85;

/** The most iterations in which the budget grows and ρ rises: more explore no further. */
export const HORIZON = 300;

/** n: the number of iterations before the whole budget; 0 for a constant one. */
export function growingIterations(growth: number | false, maxIterations: number): number {
  return growth === false ? 0 : Math.max(0, Math.round(GROWING * Math.min(maxIterations, HORIZON)) - 1);
}

/** The budget of iteration k, from 1. */
export function budgetAt(S: number, growth: number | false, k: number, maxIterations: number): number {
  const n = growingIterations(growth, maxIterations);
  if (growth === false || k > n) return S;
  return Math.ceil(S * (growth + (1 - growth) * ((k - 1) / n)));
}
