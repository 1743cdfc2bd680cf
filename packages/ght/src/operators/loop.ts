/**
 * Restoration: from data y = Ax + noise of deviation σ to the picture x, by one loop for every operator A. For falling
 * σ₁ > … > σ_K, geometrically:
 *
 *     x ← argmin_x ‖Ax − y‖² + ρ‖x − (z − u)‖²,    ρ = λσ²/σ_k²        data step of the operator
 *     z ← prior(x + u; σ_k)                                              all groups, one threshold in units of σ_k
 *     u ← (u + x − z) · (σ_{k+1}/σ_k)²                                   dual, only if σ = 0; otherwise u = 0
 *
 * This is half-quadratic splitting, or ADMM with the dual. The data step is QPM's X-step with A in the place of D, and the
 * prior, a pass over groups of similar patches, is H_S in the frame of the groups. ρ grows from step to step; a scaled dual
 * shrinks in the same proportion.
 *
 * λ = ¼: the noise that the data step lets through is at most σ·max|a|/(a² + ρ) = σ_k/(2√λ) over all singular values a of A.
 * With ¼ it is σ_k, the noise that the prior expects. With noise in the data the dual adds it back in every step,
 * which does harm. There is no objective that must fall, so the number of steps is fixed.
 *
 * The steps are here, for one plane. `pipelines/restore/plan.ts` takes one after the other.
 */
import type { Samples } from '../image/image.js';
import { stretches, type Work } from '../work.js';
import type { Operator, Plane } from './operator.js';

const LAMBDA = 1 / 4;
/** Data without noise are treated as if they had this deviation, a thousandth of the range: they are rounded, if nothing else. */
const LEAST_SIGMA = 0.255;
/** ρ of the last data step, for data without noise. */
const LAST_RHO = 0.01;

/** What is done in a restoration, on the scale where 255 is full scale. */
export interface Schedule {
  /** σ, the deviation of the noise of the data; 0 for none. */
  readonly sigma: number;
  /** σ₁, with which the first step begins. */
  readonly first: number;
  /** σ_K, with which the last step ends. */
  readonly last: number;
  /** K. */
  readonly steps: number;
}

/** One step of the loop; plain data. */
export interface LoopStep {
  /** The number of the step, from 1. */
  readonly k: number;
  /** σ_k. */
  readonly sigma: number;
  /** ρ of the data step. */
  readonly rho: number;
  /** (σ_{k+1}/σ_k)², by which the dual shrinks. */
  readonly shrink: number;
}

/** The state after step k. */
export interface RestorationEntry {
  /** The number of the step, from 1. */
  readonly k: number;
  /** σ_k, the deviation that the prior removed, in the units of the image. */
  readonly sigma: number;
  /** ρ of the data step. */
  readonly rho: number;
  /** How far data and prior disagree: the RMS difference of x and z, in the units of the image. */
  readonly gap: number;
  /** Time since the start of the first step, in milliseconds. */
  readonly ms: number;
}

/** The steps of a schedule, with σ_k falling geometrically from the first to the last. */
export function loopSteps({ sigma, first, last, steps }: Schedule): LoopStep[] {
  const deviationAt = (k: number) =>
    steps === 1 ? last : first * (last / first) ** (Math.min(k - 1, steps - 1) / (steps - 1));
  return Array.from({ length: steps }, (_, i) => {
    const k = i + 1;
    const sigmaK = deviationAt(k);
    const rho = (LAMBDA * Math.max(sigma, LEAST_SIGMA) ** 2) / sigmaK ** 2;
    return { k, sigma: sigmaK, rho, shrink: (deviationAt(k + 1) / sigmaK) ** 2 };
  });
}

/** x + u after the data step: what the prior denoises. An empty u is 0. */
export function* dataStep(operator: Operator, y: Plane, z: Samples, u: Plane, rho: number): Work<Plane> {
  const v = Float64Array.from(z);
  for (let i = 0; i < u.length; i++) v[i] -= u[i];
  const x = yield* operator.data(y, v, rho);
  for (let i = 0; i < u.length; i++) x[i] += u[i];
  return x;
}

/**
 * How far z leaves the range of the data on both sides, as a share of that range: the smaller of the RMS excess below the least sample and
 * above the largest. Sharp pictures exceed the range of blurred ones on one side or a little; ripples do on both.
 */
export function* excessOf(y: Plane, z: Samples): Work<number> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [from, to] of stretches(y.length)) {
    for (let i = from; i < to; i++) {
      least = Math.min(least, y[i]);
      most = Math.max(most, y[i]);
    }
    yield 0;
  }
  let [below, above] = [0, 0];
  for (const [from, to] of stretches(z.length)) {
    for (let i = from; i < to; i++) {
      if (z[i] < least) below += (least - z[i]) ** 2;
      else if (z[i] > most) above += (z[i] - most) ** 2;
    }
    yield to / z.length;
  }
  return most > least ? Math.sqrt(Math.min(below, above) / z.length) / (most - least) : 0;
}

/** u ← (x + u − z) · shrink, where `noisy` is x + u; returns ‖x − z‖². */
export function* dualStep(noisy: Plane, z: Samples, u: Plane, shrink: number): Work<number> {
  const dual = u.length > 0;
  let squares = 0;
  for (const [from, to] of stretches(noisy.length)) {
    for (let i = from; i < to; i++) {
      squares += (noisy[i] - (dual ? u[i] : 0) - z[i]) ** 2;
      if (dual) u[i] = shrink * (noisy[i] - z[i]);
    }
    yield to / noisy.length;
  }
  return squares;
}

/** The restored plane: z, after a last data step if the data have no noise. */
export function* lastStep(operator: Operator, y: Plane, z: Samples, sigma: number): Work<Plane> {
  const last = Float64Array.from(z);
  return sigma === 0 ? yield* operator.data(y, last, LAST_RHO) : last;
}
