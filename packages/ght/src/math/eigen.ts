import { addScaled, dot, type Matrix, matrix } from './matrix.js';

/** The eigenvalues of a symmetric matrix, largest first, and its orthonormal eigenvectors, one per column. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

/**
 * A = Q diag(λ) Qᵀ. Householder reflections reduce A to tridiagonal form, A = QTQᵀ. Then QL steps with implicit shifts
 * make the off-diagonal of T vanish; each rotation is applied to Q as well. Accurate to rounding in ‖A‖.
 */
export function symmetricEigen(A: Matrix): Eigen {
  const n = A.rows;
  const { diagonal, off, q } = tridiagonal(A);
  for (let l = 0; l < n; l++) {
    for (let step = 0; step < 60; step++) {
      const m = decoupledFrom(l, diagonal, off);
      if (m === l) break;
      implicitStep(l, m, diagonal, off, q);
    }
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => diagonal[j] - diagonal[i] || i - j);
  return {
    values: Float64Array.from(order, (i) => diagonal[i]),
    vectors: matrix(n, n, (i, j) => q[order[j] * n + i]),
  };
}

/** A symmetric matrix as QTQᵀ with T tridiagonal: `off[i]` couples rows i and i + 1. */
interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
  /** Q, column by column. */
  readonly q: Float64Array;
}

/** Householder: reflection k, I − 2vvᵀ, clears column k below the entry next to the diagonal. */
function tridiagonal(A: Matrix): Tridiagonal {
  const n = A.rows;
  const a = A.data.slice();
  const off = new Float64Array(n);
  // Column k of `mirrors` is the unit vector v of reflection k, zero where it does not reach.
  const mirrors = new Float64Array(n * n);
  const w = new Float64Array(n);
  for (let k = 0; k < n - 1; k++) {
    const v = mirrors.subarray(k * n, (k + 1) * n);
    v.set(a.subarray(k * n + k + 1, (k + 1) * n), k + 1);
    const length = Math.sqrt(dot(v, 0, v, 0, n));
    // The sign opposite to the entry's avoids cancellation.
    off[k] = v[k + 1] > 0 ? -length : length;
    v[k + 1] -= off[k];
    const size = Math.sqrt(dot(v, 0, v, 0, n));
    if (size === 0) continue;
    for (let i = k + 1; i < n; i++) v[i] /= size;
    // A ← (I − 2vvᵀ) A (I − 2vvᵀ) = A − 2vwᵀ − 2wvᵀ, with w = Av − (vᵀAv)v.
    for (let i = k + 1; i < n; i++) w[i] = dot(a, i * n + k + 1, v, k + 1, n - k - 1);
    const through = dot(v, k + 1, w, k + 1, n - k - 1);
    addScaled(w, k + 1, -through, v, k + 1, n - k - 1);
    for (let j = k + 1; j < n; j++) {
      addScaled(a, j * n + k + 1, -2 * w[j], v, k + 1, n - k - 1);
      addScaled(a, j * n + k + 1, -2 * v[j], w, k + 1, n - k - 1);
    }
  }
  const q = matrix(n, n, (i, j) => (i === j ? 1 : 0)).data;
  for (let k = n - 2; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) {
      const along = dot(mirrors, k * n + k + 1, q, j * n + k + 1, n - k - 1);
      addScaled(q, j * n + k + 1, -2 * along, mirrors, k * n + k + 1, n - k - 1);
    }
  }
  return { diagonal: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), off, q };
}

/** The first row from l on whose off-diagonal entry is zero to working precision. */
function decoupledFrom(l: number, diagonal: Float64Array, off: Float64Array): number {
  for (let m = l; m < diagonal.length - 1; m++) {
    if (Math.abs(off[m]) <= Number.EPSILON * (Math.abs(diagonal[m]) + Math.abs(diagonal[m + 1]))) return m;
  }
  return diagonal.length - 1;
}

/** One QL step on rows l to m, shifted by the eigenvalue of the leading 2×2 block that is nearer to its corner. */
function implicitStep(l: number, m: number, diagonal: Float64Array, off: Float64Array, q: Float64Array): void {
  const n = diagonal.length;
  const half = (diagonal[l + 1] - diagonal[l]) / (2 * off[l]);
  const root = Math.hypot(half, 1);
  let g = diagonal[m] - diagonal[l] + off[l] / (half + (half < 0 ? -root : root));
  let [s, c, shift] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const f = s * off[i];
    const b = c * off[i];
    const r = Math.hypot(f, g);
    off[i + 1] = r;
    if (r === 0) {
      // The block splits here; the next step handles the rest of it.
      diagonal[i + 1] -= shift;
      off[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = diagonal[i + 1] - shift;
    const t = (diagonal[i] - g) * s + 2 * c * b;
    shift = s * t;
    diagonal[i + 1] = g + shift;
    g = c * t - b;
    turn(q, i * n, (i + 1) * n, n, c, s);
  }
  diagonal[l] -= shift;
  off[l] = g;
  off[m] = 0;
}

/** Rotates the two columns of n entries that start at x and y by the angle (c, s). */
function turn(q: Float64Array, x: number, y: number, n: number, c: number, s: number): void {
  for (let k = 0; k < n; k++) {
    const qx = q[x + k];
    const qy = q[y + k];
    q[x + k] = c * qx - s * qy;
    q[y + k] = s * qx + c * qy;
  }
}
