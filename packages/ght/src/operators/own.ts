/** An operator of the caller's own: plain functions, checked before they are used. */
import { InputError } from '../errors.js';
import { randomSource } from '../math/random.js';
import { stretches, type Work } from '../work.js';
import { conjugateGradientData, dot, type Operator, type Plane, type Size } from './operator.js';

/** A linear operator A for `restore`: how a plane of the picture that is looked for becomes a plane of the data. */
export interface LinearOperator {
  /** The width of the picture that is looked for, in pixels. */
  readonly width: number;
  /** Its height, in pixels. */
  readonly height: number;
  /** Ax: a plane of the data, as large as the image that is restored, from a plane of the picture, row by row. */
  apply(x: Float64Array): Float64Array;
  /** Aᵀr: a plane of the picture from a plane of the data, such that Σ (Ax)∘r = Σ x∘(Aᵀr). */
  adjoint(r: Float64Array): Float64Array;
  /** argmin ‖Ax − y‖² + ρ‖x − v‖² over x, where it has a cheap form. @default conjugate gradients with `apply` and `adjoint` */
  data?(y: Float64Array, v: Float64Array, rho: number): Float64Array;
}

/** The largest difference of Σ (Ax)∘r and Σ x∘(Aᵀr), relative to ‖Ax‖‖r‖ and ‖x‖‖Aᵀr‖. */
const TOLERANCE = 1e-6;

/** The operator of a caller, for data of this size. */
export function ownOperator(own: LinearOperator, observed: Size): Operator {
  const { width, height } = own ?? {};
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) {
    const remedy = 'give the size of the picture that is looked for';
    throw new InputError('operator', 'must have a width and a height of at least 1', `${width}×${height}`, remedy);
  }
  const [pixels, samples] = [width * height, observed.width * observed.height];
  function* sized(name: string, result: Plane, length: number): Work<Plane> {
    if (!(result instanceof Float64Array) || result.length !== length) {
      const rule = `must return a Float64Array of ${length} samples`;
      throw new InputError(`operator.${name}`, rule, result?.length, 'return one plane, row by row');
    }
    // It may return what it was given, which is still needed.
    const copy = new Float64Array(length);
    for (const [from, to] of stretches(length)) {
      copy.set(result.subarray(from, to), from);
      yield to / length;
    }
    return copy;
  }
  const linear = {
    apply: (x: Plane) => sized('apply', own.apply(x), samples),
    adjoint: (r: Plane) => sized('adjoint', own.adjoint(r), pixels),
  };
  return {
    picture: { width, height },
    observed,
    ...linear,
    data: own.data
      ? (y, v, rho) => sized('data', own.data?.(y, v, rho) as Plane, pixels)
      : (y, v, rho) => conjugateGradientData(linear, y, v, rho),
  };
}

/** Refuses an operator whose `adjoint` is not the adjoint of its `apply`, or that returns something other than numbers. */
export function* checkAdjoint({ picture, observed, apply, adjoint }: Operator): Work<void> {
  const random = randomSource(1);
  const x = Float64Array.from({ length: picture.width * picture.height }, () => random.normal());
  const r = Float64Array.from({ length: observed.width * observed.height }, () => random.normal());
  const [Ax, Ar] = [yield* apply(x), yield* adjoint(r)];
  const [left, right] = [dot(Ax, r), dot(x, Ar)];
  const size = Math.sqrt(dot(Ax, Ax) * dot(r, r)) + Math.sqrt(dot(x, x) * dot(Ar, Ar));
  if (Math.abs(left - right) <= TOLERANCE * size) return;
  const rule = 'must be the adjoint of operator.apply: Σ (Ax)∘r must equal Σ x∘(Aᵀr)';
  throw new InputError('operator.adjoint', rule, `${left} and ${right}`, 'return what the transposed matrix gives');
}
