/**
 * A mask: M is 1 where a pixel is known and 0 where it is missing, Ax = M∘x.
 *
 *     data(y, v, ρ) = (M∘y + ρv) / (M + ρ)                        pixel by pixel
 */
import { stretches, type Work } from '../work.js';
import type { Operator, Plane, Size } from './operator.js';

/** The operator that keeps the pixels that are not missing; `missing` is nonzero where a pixel is missing. */
export function maskOperator(size: Size, missing: Uint8Array): Operator {
  return {
    picture: size,
    observed: size,
    apply: (x) => kept(x, missing),
    adjoint: (r) => kept(r, missing),
    *data(y, v, rho) {
      const x = new Float64Array(v.length);
      for (const [from, to] of stretches(x.length)) {
        for (let i = from; i < to; i++) x[i] = missing[i] ? v[i] : (y[i] + rho * v[i]) / (1 + rho);
        yield to / x.length;
      }
      return x;
    },
  };
}

function* kept(x: Plane, missing: Uint8Array): Work<Plane> {
  const result = new Float64Array(x.length);
  for (const [from, to] of stretches(x.length)) {
    for (let i = from; i < to; i++) result[i] = missing[i] ? 0 : x[i];
    yield to / x.length;
  }
  return result;
}
