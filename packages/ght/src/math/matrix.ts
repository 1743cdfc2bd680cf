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

/**
 * AᵀB, or of AᵀA the entries from the diagonal down. Four columns of A at a time: their sums do not wait for each other. Each sum is
 * taken in the order of the rows, as in `dot`.
 */
export function transposeTimes(A: Matrix, B: Matrix): Matrix {
  const n = A.rows;
  const [a, b] = [A.data, B.data];
  const out = matrix(A.cols, B.cols);
  for (let j = 0; j < B.cols; j++) {
    let i = A === B ? j : 0;
    for (; i + 4 <= A.cols; i += 4) {
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (let k = 0, p = i * n, q = j * n; k < n; k++, p++, q++) {
        const value = b[q];
        s0 += a[p] * value;
        s1 += a[p + n] * value;
        s2 += a[p + 2 * n] * value;
        s3 += a[p + 3 * n] * value;
      }
      const at = j * A.cols + i;
      out.data[at] = s0;
      out.data[at + 1] = s1;
      out.data[at + 2] = s2;
      out.data[at + 3] = s3;
    }
    for (; i < A.cols; i++) out.data[j * A.cols + i] = dot(a, i * n, b, j * n, n);
  }
  return out;
}

/** AᵀA, the Gram matrix of the columns of A. */
export function gram(A: Matrix): Matrix {
  const G = transposeTimes(A, A);
  for (let j = 1; j < A.cols; j++) for (let i = 0; i < j; i++) G.data[j * A.cols + i] = G.data[i * A.cols + j];
  return G;
}

/** Aᵀ. */
export function transpose({ rows, cols, data }: Matrix): Matrix {
  const T = matrix(cols, rows);
  for (let j = 0; j < rows; j++) for (let i = 0; i < cols; i++) T.data[j * cols + i] = data[i * rows + j];
  return T;
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
