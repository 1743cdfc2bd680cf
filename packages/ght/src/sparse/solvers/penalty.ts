/**
 * ρ in the course of a run. A constant ρ, as in the paper, is a compromise: a small one explores supports and does not settle,
 * a large one settles on the first support. A rising one explores first and settles later:
 *
 *     ρᵏ = from^(1 − t) · to^t,   t = (k − 1) / (n − 1)      k = 1 … n,   then ρᵏ = to
 */

import { HORIZON } from './growth.js';

/** A ρ that rises by the same factor from iteration to iteration. */
export interface RisingPenalty {
  /** ρ of the first iteration, above 0. */
  readonly from: number;
  /** ρ of the last, or of iteration 300 where there are more; not below `from`. */
  readonly to: number;
}

/** The number of iterations in which ρ rises: 0 for a constant one. */
export function risingIterations({ from, to }: RisingPenalty, maxIterations: number): number {
  return from === to ? 0 : Math.min(maxIterations, HORIZON);
}

/** ρ of iteration k, from 1. */
export function penaltyAt(rho: RisingPenalty, k: number, maxIterations: number): number {
  const n = risingIterations(rho, maxIterations);
  if (k >= n) return rho.to;
  if (k === 1) return rho.from;
  const t = (k - 1) / (n - 1);
  // Hosts differ in the last digits of a power, and the bits of a result should not.
  return Number((rho.from ** (1 - t) * rho.to ** t).toPrecision(9));
}
