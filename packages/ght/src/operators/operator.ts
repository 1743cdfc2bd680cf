/**
 * An operator A: how a picture x becomes the data y = Ax + noise. It is linear, and acts on each plane by itself. The data
 * step of restoration (`loop.ts`) is
 *
 *     data(y, v, ρ) = argmin_x ‖Ax − y‖² + ρ‖x − v‖²
 *                   = v + Aᵀ(AAᵀ + ρI)⁻¹(y − Av)                   push-through identity
 *
 * It is QPM's X-step, Z + K(Y − DZ), with A in the place of D. Masks, blurs and reductions have a cheap closed form of it.
 * For any other operator the inverse is applied by conjugate gradients.
 */
import type { Work } from '../work.js';

/** The size of a picture, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A plane of samples in float64, row by row. */
export type Plane = Float64Array;

/** An operator. */
export interface Operator {
  /** The size of x, the picture that is looked for. */
  readonly picture: Size;
  /** The size of y, the data. */
  readonly observed: Size;
  /** Ax. */
  apply(x: Plane): Work<Plane>;
  /** Aᵀr. */
  adjoint(r: Plane): Work<Plane>;
  /** argmin_x ‖Ax − y‖² + ρ‖x − v‖². */
  data(y: Plane, v: Plane, rho: number): Work<Plane>;
}

/** The most steps of conjugate gradients. */
const MOST_STEPS = 50;
/** The residual, relative to that of v, at which conjugate gradients stop. */
const SETTLED = 1e-6;

/** The data step of any operator: (AAᵀ + ρI)w = y − Av by conjugate gradients, then x = v + Aᵀw. */
export function* conjugateGradientData(
  { apply, adjoint }: Pick<Operator, 'apply' | 'adjoint'>,
  y: Plane,
  v: Plane,
  rho: number,
): Work<Plane> {
  const r = difference(y, yield* apply(v));
  const w = new Float64Array(r.length);
  const p = r.slice();
  let rr = dot(r, r);
  const settled = SETTLED ** 2 * rr;
  for (let k = 0; k < MOST_STEPS && rr > settled; k++) {
    const q = yield* apply(yield* adjoint(p));
    add(q, rho, p);
    const alpha = rr / dot(p, q);
    add(w, alpha, p);
    add(r, -alpha, q);
    const before = rr;
    rr = dot(r, r);
    const beta = rr / before;
    for (let i = 0; i < p.length; i++) p[i] = r[i] + beta * p[i];
    yield k / MOST_STEPS;
  }
  const x = yield* adjoint(w);
  add(x, 1, v);
  return x;
}

/** Σ a∘b. */
export function dot(a: Plane, b: Plane): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** y ← y + scale·x. */
export function add(y: Plane, scale: number, x: Plane): void {
  for (let i = 0; i < y.length; i++) y[i] += scale * x[i];
}

function difference(a: Plane, b: Plane): Plane {
  return a.map((value, i) => value - b[i]);
}
