import { type Matrix, matrix } from './matrix.js';

/**
 * The Cholesky factor C of a symmetric positive definite A = CCᵀ (lower triangle; only A's lower triangle is read).
 * A pivot that is not positive is reported as `undefined`: A is not positive definite to working precision.
 */
export function cholesky(A: Matrix): Matrix | undefined {
  const n = A.rows;
  const C = matrix(n, n);
  const c = C.data;
  for (let j = 0; j < n; j++) {
    let pivot = A.data[j * n + j];
    for (let k = 0; k < j; k++) pivot -= c[k * n + j] ** 2;
    if (!(pivot > 0)) return undefined;
    const root = Math.sqrt(pivot);
    c[j * n + j] = root;
    for (let i = j + 1; i < n; i++) {
      let sum = A.data[j * n + i];
      for (let k = 0; k < j; k++) sum -= c[k * n + i] * c[k * n + j];
      c[j * n + i] = sum / root;
    }
  }
  return C;
}

/** Solves C J = b by forward substitution, in place: `x[from…]` holds b before and J after. */
export function forwardSubstitute(C: Matrix, x: Float64Array, from = 0): void {
  const n = C.rows;
  const c = C.data;
  for (let j = 0; j < n; j++) {
    const value = x[from + j] / c[j * n + j];
    x[from + j] = value;
    for (let i = j + 1; i < n; i++) x[from + i] -= value * c[j * n + i];
  }
}

/** Solves Cᵀ x = J by backward substitution, in place: `x[from…]` holds J before and x after. */
export function backwardSubstitute(C: Matrix, x: Float64Array, from = 0): void {
  const n = C.rows;
  const c = C.data;
  for (let j = n - 1; j >= 0; j--) {
    let sum = x[from + j];
    for (let i = j + 1; i < n; i++) sum -= c[j * n + i] * x[from + i];
    x[from + j] = sum / c[j * n + j];
  }
}
