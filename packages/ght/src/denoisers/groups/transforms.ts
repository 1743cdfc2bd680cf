/**
 * The transform of a group: two-dimensional over each patch (DCT, or the biorthogonal spline wavelet bior1.5), then Haar
 * along the group. What the patches have in common ends up in few large coefficients.
 */
import { dctEntry } from '../../math/dct.js';
import { type Matrix, matrix, times, transpose } from '../../math/matrix.js';

/** The transform of a signal of n samples, and its inverse. Every row of the analysis has norm 1, so noise keeps its deviation. */
export interface Transform {
  readonly analysis: Matrix;
  readonly synthesis: Matrix;
}

/** The names of the transforms of a patch. */
export type TransformName = 'dct' | 'bior';

/** The transform of that name for patches of this side. */
export function transformOf(name: TransformName, patch: number): Transform {
  return name === 'dct' ? dct(patch) : bior(patch);
}

/** The identity, for patches that are already transformed. */
export function identity(n: number): Transform {
  const same = matrix(n, n, (k, i) => Number(k === i));
  return { analysis: same, synthesis: same };
}

/** The orthonormal DCT-II. */
export function dct(n: number): Transform {
  const analysis = matrix(n, n, (k, i) => dctEntry(n, k, i));
  return { analysis, synthesis: transpose(analysis) };
}

/** The low-pass filter of bior1.5 (Cohen, Daubechies, Feauveau): over the samples 2k − 4 … 2k + 5 for coefficient k. */
const [OUTER, INNER] = [3 / 128 / Math.SQRT2, 22 / 128 / Math.SQRT2];
const LOW_PASS = [OUTER, -OUTER, -INNER, INNER, Math.SQRT1_2, Math.SQRT1_2, INNER, -INNER, -OUTER, OUTER];

/** bior1.5 down to the last coefficient, on a signal continued periodically; n must be a power of two. */
export function bior(n: number): Transform {
  const analysis = matrix(n, n);
  for (let i = 0; i < n; i++) {
    const column = analysis.data.subarray(i * n, (i + 1) * n);
    column[i] = 1;
    for (let length = n; length > 1; length /= 2) {
      const before = column.slice(0, length);
      for (let k = 0; k < length / 2; k++) {
        column[k] = LOW_PASS.reduce((sum, c, t) => sum + c * before[(2 * k - 4 + t + 4 * length) % length], 0);
        column[length / 2 + k] = (before[2 * k] - before[2 * k + 1]) * Math.SQRT1_2;
      }
    }
  }
  for (let k = 0; k < n; k++) {
    let norm = 0;
    for (let i = 0; i < n; i++) norm += analysis.data[i * n + k] ** 2;
    for (let i = 0; i < n; i++) analysis.data[i * n + k] /= Math.sqrt(norm);
  }
  return { analysis, synthesis: inverse(analysis) };
}

/** A⁻¹ by Gauss–Jordan with pivoting: for the few rows of a transform. */
function inverse(A: Matrix): Matrix {
  const n = A.rows;
  const rows = Array.from({ length: n }, (_, i) =>
    Array.from({ length: 2 * n }, (_, j) => (j < n ? A.data[j * n + i] : Number(j - n === i))),
  );
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    rows[c] = rows[c].map((value) => value / rows[c][c]);
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r][c];
      rows[r] = rows[r].map((value, j) => value - factor * rows[c][j]);
    }
  }
  return matrix(n, n, (i, j) => rows[i][n + j]);
}

/** A X Aᵀ for a patch, in place; a patch is row by row, which is Xᵀ to a matrix, and (A X Aᵀ)ᵀ = A Xᵀ Aᵀ. */
export function apply2d(A: Matrix, patch: Float64Array): void {
  const X = { rows: A.rows, cols: A.rows, data: patch };
  patch.set(times(times(A, X), transpose(A)).data);
}

/** Haar along a group of 2^j patches, orthonormal, in place: sums to the front, differences behind them. */
export function haar(group: readonly Float64Array[]): void {
  for (let length = group.length; length > 1; length /= 2) {
    const before = group.slice(0, length).map((patch) => patch.slice());
    for (let k = 0; k < length / 2; k++) {
      for (let i = 0; i < group[k].length; i++) {
        group[k][i] = (before[2 * k][i] + before[2 * k + 1][i]) * Math.SQRT1_2;
        group[length / 2 + k][i] = (before[2 * k][i] - before[2 * k + 1][i]) * Math.SQRT1_2;
      }
    }
  }
}

/** The inverse of {@link haar}. */
export function inverseHaar(group: readonly Float64Array[]): void {
  for (let length = 2; length <= group.length; length *= 2) {
    const before = group.slice(0, length).map((patch) => patch.slice());
    for (let k = 0; k < length / 2; k++) {
      for (let i = 0; i < group[k].length; i++) {
        group[2 * k][i] = (before[k][i] + before[length / 2 + k][i]) * Math.SQRT1_2;
        group[2 * k + 1][i] = (before[k][i] - before[length / 2 + k][i]) * Math.SQRT1_2;
      }
    }
  }
}
