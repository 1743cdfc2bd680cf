/**
 * A dense real matrix, column by column: entry (i, j) is `data[j * rows + i]`. A column is contiguous, so each patch, each
 * atom and each code is one run of memory.
 */
export interface Matrix {
  /** Number of rows. */
  readonly rows: number;
  /** Number of columns. */
  readonly cols: number;
  /** The entries, column by column. */
  readonly data: Float64Array;
}

/** A zero matrix, or one made by calling `entry(i, j)`. */
export function matrix(rows: number, cols: number, entry?: (i: number, j: number) => number): Matrix {
  const data = new Float64Array(rows * cols);
  if (entry) for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) data[j * rows + i] = entry(i, j);
  return { rows, cols, data };
}

/** AᵀB. */
function transposeTimes(A: Matrix, B: Matrix): Matrix {
  return matrix(A.cols, B.cols, (i, j) => dot(A.data, i * A.rows, B.data, j * B.rows, A.rows));
}

/** AᵀA, the Gram matrix of the columns of A. */
export function gram(A: Matrix): Matrix {
  const G = matrix(A.cols, A.cols);
  for (let j = 0; j < A.cols; j++) {
    for (let i = 0; i <= j; i++) {
      const product = dot(A.data, i * A.rows, A.data, j * A.rows, A.rows);
      G.data[j * A.cols + i] = product;
      G.data[i * A.cols + j] = product;
    }
  }
  return G;
}

/** Aᵀ. */
export function transpose(A: Matrix): Matrix {
  return matrix(A.cols, A.rows, (i, j) => A.data[i * A.rows + j]);
}

/** AB. */
export function times(A: Matrix, B: Matrix): Matrix {
  return transposeTimes(transpose(A), B);
}

/** The Kronecker product A ⊗ B: block (i, j) is A(i, j)·B. */
export function kron(A: Matrix, B: Matrix): Matrix {
  return matrix(
    A.rows * B.rows,
    A.cols * B.cols,
    (i, j) =>
      A.data[Math.floor(j / B.cols) * A.rows + Math.floor(i / B.rows)] * B.data[(j % B.cols) * B.rows + (i % B.rows)],
  );
}

/** Σ a[i]·b[i] over n entries from the two offsets. */
export function dot(a: Float64Array, aFrom: number, b: Float64Array, bFrom: number, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[aFrom + i] * b[bFrom + i];
  return sum;
}

/** y ← y + scale·x over n entries from the two offsets. */
export function addScaled(
  y: Float64Array,
  yFrom: number,
  scale: number,
  x: Float64Array,
  xFrom: number,
  n: number,
): void {
  for (let i = 0; i < n; i++) y[yFrom + i] += scale * x[xFrom + i];
}
