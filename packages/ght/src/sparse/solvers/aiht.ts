/**
 * Accelerated iterative hard thresholding (Blumensath 2012), patch by patch: normalised IHT
 *
 *     g = Dᵀ(y − Dx),   μ = ‖g_Γ‖² / ‖D_Γ g_Γ‖²  on the support Γ of x,   x̃ = H_s(x + μg)
 *
 * where, if x̃ has a different support, μ is lowered until μ ≤ (1 − c)‖x̃ − x‖² / ‖D(x̃ − x)‖² (Blumensath and Davies 2010),
 * followed by double over-relaxation along the last two moves, each with the exact line search for ‖y − D·‖²:
 *
 *     z₁ = x̃ + a₁(x̃ − xᵏ⁻¹),   z₂ = z₁ + a₂(z₁ − xᵏ⁻²),   x = H_s(z₂) if its error is lower than that of x̃
 */
import { addScaled, dot } from '../../math/matrix.js';
import { keepLargest, type Selection } from '../budget/select.js';
import { type Dictionary, synthesize } from '../dictionary/dictionary.js';
import type { PatchSolver } from './patchwise.js';
import type { PatchStop } from './stopping.js';

/** c of the step-size rule; μ is divided by 2(1 − c) while it violates the rule. */
const MARGIN = 0.01;

/** A code and its image under D. */
interface Iterate {
  readonly x: Float64Array;
  readonly Dx: Float64Array;
}

/** AIHT with s atoms per patch. */
export function aiht(D: Dictionary, s: number, stop: PatchStop): PatchSolver {
  const { N, L } = D;
  const iterate = (): Iterate => ({ x: new Float64Array(L), Dx: new Float64Array(N) });
  const image = (it: Iterate) => synthesize(D, it.x, 0, it.Dx, 0);
  const y = new Float64Array(N);
  const g = new Float64Array(L);
  const onSupport = iterate();
  const difference = iterate();
  const relaxed = iterate();
  const error = (it: Iterate) => {
    let sum = 0;
    for (let n = 0; n < N; n++) sum += (y[n] - it.Dx[n]) ** 2;
    return sum;
  };

  /** x̃ = H_s(x + μg) with the step size for which normalised IHT is proved stable. */
  const gradientStep = (x: Iterate, next: Iterate): Selection | undefined => {
    for (let l = 0; l < L; l++) {
      g[l] = 0;
      for (let n = 0; n < N; n++) g[l] += D.atoms.data[l * N + n] * (y[n] - x.Dx[n]);
    }
    const started = x.x.some((value) => value !== 0);
    if (started) for (let l = 0; l < L; l++) onSupport.x[l] = x.x[l] !== 0 ? g[l] : 0;
    else keepLargest(g, s, onSupport.x);
    image(onSupport);
    const bent = dot(onSupport.Dx, 0, onSupport.Dx, 0, N);
    if (bent === 0) return undefined;
    let mu = dot(onSupport.x, 0, onSupport.x, 0, L) / bent;
    for (;;) {
      for (let l = 0; l < L; l++) next.x[l] = x.x[l] + mu * g[l];
      const selection = keepLargest(next.x, s, next.x);
      image(next);
      const sameSupport = next.x.every((value, l) => (value !== 0) === (onSupport.x[l] !== 0));
      if (sameSupport) return selection;
      subtract(next, x, difference);
      const moved = dot(difference.Dx, 0, difference.Dx, 0, N);
      const bound = ((1 - MARGIN) * dot(difference.x, 0, difference.x, 0, L)) / moved;
      if (!(mu > bound)) return selection;
      mu /= 2 * (1 - MARGIN);
    }
  };

  /** z ← z + a(z − from) with the a that minimises ‖y − Dz‖². */
  const relax = (z: Iterate, from: Iterate) => {
    subtract(z, from, difference);
    const length = dot(difference.Dx, 0, difference.Dx, 0, N);
    if (length === 0) return;
    const a = (dot(difference.Dx, 0, y, 0, N) - dot(difference.Dx, 0, z.Dx, 0, N)) / length;
    addScaled(z.x, 0, a, difference.x, 0, L);
    addScaled(z.Dx, 0, a, difference.Dx, 0, N);
  };

  return (Y, from, best) => {
    y.set(Y.subarray(from, from + N));
    // The current iterate, the previous one, and the next.
    let [x, last, next] = [iterate(), iterate(), iterate()];
    const errors: number[] = [];
    const kept: number[] = [];
    let before = error(x);
    while (errors.length < stop.maxIterations && before > 0 && s > 0) {
      const step = gradientStep(x, next);
      if (!step) break;
      let now = error(next);
      let count = step.kept;
      relaxed.x.set(next.x);
      relaxed.Dx.set(next.Dx);
      relax(relaxed, x);
      relax(relaxed, last);
      const selection = keepLargest(relaxed.x, s, relaxed.x);
      image(relaxed);
      if (error(relaxed) < now) {
        next.x.set(relaxed.x);
        next.Dx.set(relaxed.Dx);
        now = error(next);
        count = selection.kept;
      }
      if (now >= before) break;
      [x, last, next] = [next, x, last];
      errors.push(now);
      kept.push(count);
      const fall = Math.sqrt(before) - Math.sqrt(now);
      before = now;
      if (fall < stop.tolerance) break;
    }
    best.set(x.x);
    return { errors, kept };
  };
}

function subtract(a: Iterate, b: Iterate, out: Iterate): void {
  for (let l = 0; l < out.x.length; l++) out.x[l] = a.x[l] - b.x[l];
  for (let n = 0; n < out.Dx.length; n++) out.Dx[n] = a.Dx[n] - b.Dx[n];
}
