/**
 * Recognises a Kronecker product. With A of n₁×l₁ and B of n₂×l₂, the entries of D = A ⊗ B are
 *
 *     D(i₁n₂ + i₂, k₁l₂ + k₂) = A(i₁, k₁) · B(i₂, k₂)
 *
 * so the matrix R, whose row is numbered by (i₁, k₁) and whose column by (i₂, k₂), is vec(A) vec(B)ᵀ: D is a Kronecker
 * product of these sizes if and only if R has rank one (Van Loan and Pitsianis, 1993). A matrix of rank one follows from one
 * row and one column of it, if they cross in an entry that is not zero:
 *
 *     R = R(·, j) R(i, ·) / R(i, j)
 *
 * The largest entry is taken, so that a division by it does not enlarge rounding errors.
 */
import { type Matrix, matrix } from '../../math/matrix.js';

/** Rounding to float32 changes an entry by 2⁻²⁴ of it; four of them meet in a comparison, and this is twice that. */
const ROUNDING = 2 ** -21;

/** The numbers of rows and columns of both factors. */
interface Sizes {
  readonly n1: number;
  readonly n2: number;
  readonly l1: number;
  readonly l2: number;
}

/**
 * The factors A and B of D = A ⊗ B, to the rounding of float32 relative to the largest entry of each column; undefined if
 * there are none that would at least halve the multiplications of a product with D.
 */
export function kroneckerFactors(D: Matrix): readonly [A: Matrix, B: Matrix] | undefined {
  const pivot = D.data.reduce((most, value, i) => (Math.abs(value) > Math.abs(D.data[most]) ? i : most), 0);
  if (D.data[pivot] === 0) return undefined;
  for (const sizes of possibleSizes(D)) {
    const factors = cross(D, sizes, pivot % D.rows, Math.floor(pivot / D.rows));
    if (isProduct(D, ...factors)) return factors;
  }
  return undefined;
}

/** The sizes of factors that are worth using, those with the fewest multiplications first. */
function possibleSizes({ rows, cols }: Matrix): Sizes[] {
  const all = divisors(rows).flatMap((n1) =>
    divisors(cols).map((l1) => ({ n1, n2: rows / n1, l1, l2: cols / l1 }) satisfies Sizes),
  );
  // For one signal: A M, then (A M) Bᵀ.
  const multiplications = ({ n1, n2, l1, l2 }: Sizes) => l1 * n1 * n2 + l1 * n2 * l2;
  return all
    .filter((sizes) => multiplications(sizes) <= (rows * cols) / 2)
    .sort((a, b) => multiplications(a) - multiplications(b));
}

/** The divisors of n other than 1 and n: a factor with one row or one column saves nothing. */
function divisors(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i).filter((each) => each > 1 && n % each === 0);
}

/** The factors by the row and the column of R that cross in entry (i, k) of D. */
function cross(D: Matrix, { n1, n2, l1, l2 }: Sizes, i: number, k: number): readonly [A: Matrix, B: Matrix] {
  const entry = (row: number, col: number) => D.data[col * D.rows + row];
  const A = matrix(n1, l1, (i1, k1) => entry(i1 * n2 + (i % n2), k1 * l2 + (k % l2)));
  const B = matrix(n2, l2, (i2, k2) => entry(i - (i % n2) + i2, k - (k % l2) + k2) / entry(i, k));
  return [A, B];
}

/** Whether D = A ⊗ B up to rounding. Most matrices are refused after a few entries. */
function isProduct(D: Matrix, A: Matrix, B: Matrix): boolean {
  for (let k = 0; k < D.cols; k++) {
    const column = D.data.subarray(k * D.rows, (k + 1) * D.rows);
    const tolerance = ROUNDING * column.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const [a, b] = [Math.floor(k / B.cols) * A.rows, (k % B.cols) * B.rows];
    for (let i = 0; i < D.rows; i++) {
      const product = A.data[a + Math.floor(i / B.rows)] * B.data[b + (i % B.rows)];
      if (Math.abs(column[i] - product) > tolerance) return false;
    }
  }
  return true;
}
