/**
 * A reduction: Ax = V x Hᵀ, where V reduces the columns of a picture and H its rows (`resampling.ts`). With the
 * eigenvectors of VVᵀ = PΛPᵀ and HHᵀ = QMQᵀ, computed once, the data step is exact:
 *
 *     data(y, v, ρ) = v + Vᵀ P[(Pᵀ(y − Av)Q) / (λμᵀ + ρ)]Qᵀ H
 *
 * Their cost grows with the third power of the sides of y. For large pictures conjugate gradients are faster, since V and H
 * are banded.
 */
import { type Eigen, symmetricEigen } from '../math/eigen.js';
import { type Matrix, matrix } from '../math/matrix.js';
import { stretches, type Work } from '../work.js';
import { conjugateGradientData, type Operator, type Plane, type Size } from './operator.js';
import { type AssumedReduction, cubicResampling, type Resampling, reduction } from './resampling.js';

/** The longest side of y for which eigenvectors are computed. */
const MOST_EXACT = 160;

/** The operator that makes a small picture of a large one. */
export function reductionOperator(picture: Size, observed: Size, blur: AssumedReduction): Operator {
  const V = reduction(picture.height, observed.height, blur);
  const H = reduction(picture.width, observed.width, blur);
  const linear = {
    apply: (x: Plane) => resampled(x, V, H),
    adjoint: (r: Plane) => spread(r, V, H),
  };
  if (Math.max(observed.width, observed.height) > MOST_EXACT) {
    return { picture, observed, ...linear, data: (y, v, rho) => conjugateGradientData(linear, y, v, rho) };
  }
  const [rows, columns] = [symmetricEigen(gramOf(V)), symmetricEigen(gramOf(H))];
  return {
    picture,
    observed,
    ...linear,
    *data(y, v, rho) {
      const Av = yield* linear.apply(v);
      const r = inBasis(
        y.map((value, i) => value - Av[i]),
        rows,
        columns,
      );
      for (let i = 0; i < r.length; i++) {
        const [row, column] = [Math.floor(i / observed.width), i % observed.width];
        // Rounding can leave an eigenvalue slightly below 0.
        r[i] /= Math.max(0, rows.values[row] * columns.values[column]) + rho;
      }
      const x = yield* linear.adjoint(outOfBasis(r, rows, columns));
      for (const [from, to] of stretches(x.length)) {
        for (let i = from; i < to; i++) x[i] += v[i];
        yield to / x.length;
      }
      return x;
    },
  };
}

/** How often what is missing in the reduced picture is added to the start. */
const BACK_PROJECTIONS = 10;

/**
 * The start of upscaling: y enlarged by cubic interpolation, then corrected until its reduction is nearly y
 * (back-projection).
 */
export function* enlarged({ picture, observed, apply }: Operator, y: Plane): Work<Plane> {
  const [rows, columns] = [
    cubicResampling(observed.height, picture.height),
    cubicResampling(observed.width, picture.width),
  ];
  const x = yield* resampled(y, rows, columns);
  for (let k = 0; k < BACK_PROJECTIONS; k++) {
    const Ax = yield* apply(x);
    const missing = yield* resampled(
      y.map((value, i) => value - Ax[i]),
      rows,
      columns,
    );
    for (let i = 0; i < x.length; i++) x[i] += missing[i];
  }
  return x;
}

/** A plane resampled along both sides: V x Hᵀ. */
export function* resampled(x: Plane, V: Resampling, H: Resampling): Work<Plane> {
  const narrow = new Float64Array(V.from * H.to);
  for (let row = 0; row < V.from; row++) {
    for (let i = 0; i < H.to; i++) {
      let sum = 0;
      for (let t = i * H.taps; t < (i + 1) * H.taps; t++) sum += H.weights[t] * x[row * H.from + H.columns[t]];
      narrow[row * H.to + i] = sum;
    }
    yield (0.5 * row) / V.from;
  }
  const y = new Float64Array(V.to * H.to);
  for (let i = 0; i < V.to; i++) {
    for (let t = i * V.taps; t < (i + 1) * V.taps; t++) {
      const [weight, row] = [V.weights[t], V.columns[t] * H.to];
      for (let column = 0; column < H.to; column++) y[i * H.to + column] += weight * narrow[row + column];
    }
    yield 0.5 + (0.5 * i) / V.to;
  }
  return y;
}

/** The adjoint of {@link resampled}: Vᵀ r H. */
function* spread(r: Plane, V: Resampling, H: Resampling): Work<Plane> {
  const narrow = new Float64Array(V.from * H.to);
  for (let i = 0; i < V.to; i++) {
    for (let t = i * V.taps; t < (i + 1) * V.taps; t++) {
      const [weight, row] = [V.weights[t], V.columns[t] * H.to];
      for (let column = 0; column < H.to; column++) narrow[row + column] += weight * r[i * H.to + column];
    }
    yield (0.5 * i) / V.to;
  }
  const x = new Float64Array(V.from * H.from);
  for (let row = 0; row < V.from; row++) {
    for (let i = 0; i < H.to; i++) {
      const value = narrow[row * H.to + i];
      for (let t = i * H.taps; t < (i + 1) * H.taps; t++) x[row * H.from + H.columns[t]] += H.weights[t] * value;
    }
    yield 0.5 + (0.5 * row) / V.from;
  }
  return x;
}

/** RRᵀ of a resampling R. */
function gramOf({ to, from, taps, columns, weights }: Resampling): Matrix {
  const dense = matrix(from, to);
  for (let i = 0; i < to; i++) {
    for (let t = i * taps; t < (i + 1) * taps; t++) dense.data[i * from + columns[t]] += weights[t];
  }
  return matrix(to, to, (i, j) => {
    let sum = 0;
    for (let k = 0; k < from; k++) sum += dense.data[i * from + k] * dense.data[j * from + k];
    return sum;
  });
}

/** Pᵀ r Q, for a plane whose columns have the basis P and whose rows have the basis Q. */
function inBasis(r: Plane, { vectors: P }: Eigen, { vectors: Q }: Eigen): Plane {
  return along(along(r, Q, P.rows, false), P, Q.rows, false);
}

/** P c Qᵀ. */
function outOfBasis(c: Plane, { vectors: P }: Eigen, { vectors: Q }: Eigen): Plane {
  return along(along(c, Q, P.rows, true), P, Q.rows, true);
}

/** The n rows of r times B, or times Bᵀ; the result is transposed, so that a second call does the columns. */
function along(r: Plane, B: Matrix, n: number, transposed: boolean): Plane {
  const size = B.rows;
  const result = new Float64Array(r.length);
  for (let row = 0; row < n; row++) {
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let i = 0; i < size; i++)
        sum += r[row * size + i] * (transposed ? B.data[i * size + j] : B.data[j * size + i]);
      result[j * n + row] = sum;
    }
  }
  return result;
}
