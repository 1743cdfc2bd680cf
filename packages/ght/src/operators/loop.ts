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
 * With ¼ it is σ_k, the noise that the prior is told to expect. With noise in the data the dual adds it back in every step,
 * which does harm. There is no objective that must fall, so the number of steps is fixed.
 */
import type { Samples } from '../image/image.js';
import { drive, stretches, type Watch, type Work, watchOver } from '../work.js';
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
  /** Computing time since the start, in milliseconds. */
  readonly ms: number;
}

/** Removes noise of deviation σ_k from planes of the size of the operator's picture. */
export type Prior = (planes: readonly Plane[], sigma: number, watch?: Watch) => Promise<readonly Samples[]>;

/** Called after each step. */
export type OnStep = (entry: RestorationEntry) => void;

/** The outcome of the loop: the restored planes, and what happened. */
export interface Restoration {
  readonly planes: Plane[];
  readonly history: readonly RestorationEntry[];
}

/** Runs the loop on the planes of the data Y, from a start of the size of the operator's picture. */
export async function restoration(
  operator: Operator,
  Y: readonly Plane[],
  start: readonly Plane[],
  prior: Prior,
  schedule: Schedule,
  watch: Watch & { readonly onStep?: OnStep } = {},
): Promise<Restoration> {
  const { sigma, steps } = schedule;
  const dual = sigma === 0;
  const history: RestorationEntry[] = [];
  let z: readonly Samples[] = start;
  const u = start.map(({ length }) => new Float64Array(dual ? length : 0));
  const begin = performance.now();
  for (let k = 1; k <= steps; k++) {
    const sigmaK = deviationAt(schedule, k);
    const rho = (LAMBDA * Math.max(sigma, LEAST_SIGMA) ** 2) / sigmaK ** 2;
    const within = watchOver(watch, (k - 1) / steps, k / steps) ?? {};
    // x + u, which is also what the dual is updated from.
    const seen: Plane[] = [];
    for (const [c, y] of Y.entries()) {
      const x = await drive(operator.data(y, difference(z[c], u[c]), rho), { signal: watch.signal });
      seen.push(sum(x, u[c]));
    }
    z = await prior(seen, sigmaK, within);
    const shrink = (deviationAt(schedule, k + 1) / sigmaK) ** 2;
    let squares = 0;
    for (const [c, plane] of seen.entries()) squares += await drive(update(plane, z[c], u[c], shrink), watch);
    const gap = Math.sqrt(squares / (z.length * z[0].length));
    const entry = { k, sigma: sigmaK, rho, gap, ms: performance.now() - begin };
    history.push(entry);
    watch.onStep?.(entry);
  }
  const planes: Plane[] = [];
  for (const [c, y] of Y.entries()) {
    const last = Float64Array.from(z[c]);
    planes.push(dual ? await drive(operator.data(y, last, LAST_RHO), { signal: watch.signal }) : last);
  }
  return { planes, history };
}

/** σ_k: geometric from the first to the last. */
function deviationAt({ first, last, steps }: Schedule, k: number): number {
  return steps === 1 ? last : first * (last / first) ** (Math.min(k - 1, steps - 1) / (steps - 1));
}

/** u ← (x + u − z) · shrink; returns ‖x − z‖². */
function* update(seen: Plane, z: Samples, u: Plane, shrink: number): Work<number> {
  const dual = u.length > 0;
  let squares = 0;
  for (const [from, to] of stretches(seen.length)) {
    for (let i = from; i < to; i++) {
      squares += (seen[i] - (dual ? u[i] : 0) - z[i]) ** 2;
      if (dual) u[i] = shrink * (seen[i] - z[i]);
    }
    yield to / seen.length;
  }
  return squares;
}

/** z − u, where an empty u is 0. */
function difference(z: Samples, u: Plane): Plane {
  const v = Float64Array.from(z);
  for (let i = 0; i < u.length; i++) v[i] -= u[i];
  return v;
}

function sum(x: Plane, u: Plane): Plane {
  for (let i = 0; i < u.length; i++) x[i] += u[i];
  return x;
}
