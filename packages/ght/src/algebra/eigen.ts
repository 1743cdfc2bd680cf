import type { Matrix } from './matrix.js';
import { matrix } from './matrix.js';

/** The eigenvalues, largest first, of a symmetric matrix and its orthonormal eigenvectors, one a column. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

/** A = Q diag(λ) Qᵀ by cyclic Jacobi rotations: accurate to rounding, made for the small factors of a dictionary. */
export function symmetricEigen(A: Matrix): Eigen {
  const n = A.rows;
  const a = A.data.slice();
  const q = matrix(n, n, (i, j) => (i === j ? 1 : 0)).data;
  const size = a.reduce((sum, value) => sum + value * value, 0);
  let before = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let j = 0; j < n; j++) for (let i = j + 1; i < n; i++) off += a[j * n + i] ** 2;
    // Convergence is quadratic: what a sweep near the end no longer halves is rounding.
    if (off <= size * 1e-32 || (off <= size * 1e-26 && off > before / 2)) break;
    before = off;
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) rotate(a, q, n, i, j);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j * n + j] - a[i * n + i]);
  return {
    values: Float64Array.from(order, (i) => a[i * n + i]),
    vectors: matrix(n, n, (i, j) => q[order[j] * n + i]),
  };
}

/** One rotation in the (i, j) plane that brings a(i, j) to zero: A ← JᵀAJ, Q ← QJ. */
function rotate(a: Float64Array, q: Float64Array, n: number, i: number, j: number): void {
  const aij = a[j * n + i];
  if (aij === 0) return;
  const theta = (a[j * n + j] - a[i * n + i]) / (2 * aij);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  turn(a, i, j, n, n, c, s);
  turn(a, i * n, j * n, 1, n, c, s);
  turn(q, i * n, j * n, 1, n, c, s);
}

/** Turns the two vectors of n entries that start at x and y, entries `step` apart, by the angle (c, s). */
function turn(m: Float64Array, x: number, y: number, step: number, n: number, c: number, s: number): void {
  for (let k = 0; k < n * step; k += step) {
    const mx = m[x + k];
    const my = m[y + k];
    m[x + k] = c * mx - s * my;
    m[y + k] = s * mx + c * my;
  }
}
