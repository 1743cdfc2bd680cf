import { InputError } from '../../errors.js';
import { chooseLargest, type Selection } from '../budget/select.js';

/**
 * The sparse result Z (L×P), column by column. Patch p uses the atoms `indices[indptr[p]] … indices[indptr[p + 1] − 1]`,
 * in rising order; their coefficients are at the same positions of `values`. The names are SciPy's for a CSC matrix.
 */
export interface Codes {
  /** Rows: the number of atoms of the dictionary. */
  readonly L: number;
  /** Columns: the number of patches. */
  readonly P: number;
  /** P + 1 positions: where the entries of each patch begin, and where those of the last patch end. */
  readonly indptr: Int32Array;
  /** The atom of each entry. */
  readonly indices: Int32Array;
  /** The coefficient of each entry. */
  readonly values: Float64Array;
}

/** The number of nonzero coefficients in total. */
export function nonzeros(codes: Codes): number {
  return codes.indptr[codes.P];
}

/** The number of atoms in each patch: the paper's heatmap, one number per patch. */
export function atomsPerPatch(codes: Codes): Int32Array {
  const counts = new Int32Array(codes.P);
  for (let p = 0; p < counts.length; p++) counts[p] = codes.indptr[p + 1] - codes.indptr[p];
  return counts;
}

/** Sparse codes from a dense L×P matrix: all its nonzeros, or those that a selection keeps. */
export function codesFromDense(X: Float64Array, L: number, P: number, selection?: Selection): Codes {
  if (X.length !== L * P) {
    const rule = `must have L × P = ${L * P} entries`;
    throw new InputError('X', rule, X.length, 'give every column in full, column after column');
  }
  const { threshold, tieEnd, kept } = selection ?? chooseLargest(X, X.length);
  const indptr = new Int32Array(P + 1);
  const indices = new Int32Array(kept);
  const values = new Float64Array(kept);
  let count = 0;
  for (let p = 0, i = 0; p < P; p++) {
    for (let l = 0; l < L; l++, i++) {
      const magnitude = Math.abs(X[i]);
      if (magnitude < threshold || magnitude === 0 || (magnitude === threshold && i >= tieEnd)) continue;
      indices[count] = l;
      values[count++] = X[i];
    }
    indptr[p + 1] = count;
  }
  return { L, P, indptr, indices, values };
}

/** The dense L×P matrix of sparse codes, column by column. */
export function denseFromCodes(codes: Codes): Float64Array {
  const Z = new Float64Array(codes.L * codes.P);
  for (let p = 0; p < codes.P; p++) {
    for (let n = codes.indptr[p]; n < codes.indptr[p + 1]; n++) Z[p * codes.L + codes.indices[n]] = codes.values[n];
  }
  return Z;
}

/** Codes of P patches without any atoms. */
export function emptyCodes(L: number, P: number): Codes {
  return { L, P, indptr: new Int32Array(P + 1), indices: new Int32Array(0), values: new Float64Array(0) };
}

/** The codes of `P` patches from number `first` on. Entries are not copied. */
export function someCodes(codes: Codes, first: number, P: number): Codes {
  if (first === 0 && P === codes.P) return codes;
  const [from, to] = [codes.indptr[first], codes.indptr[first + P]];
  return {
    ...{ L: codes.L, P },
    indptr: codes.indptr.slice(first, first + P + 1).map((position) => position - from),
    indices: codes.indices.subarray(from, to),
    values: codes.values.subarray(from, to),
  };
}

/** The codes of patches one after the other. */
export function joinCodes(parts: readonly Codes[]): Codes {
  if (parts.length === 1) return parts[0];
  const P = parts.reduce((sum, part) => sum + part.P, 0);
  const total = parts.reduce((sum, part) => sum + nonzeros(part), 0);
  const indptr = new Int32Array(P + 1);
  const [indices, values] = [new Int32Array(total), new Float64Array(total)];
  let [at, n] = [0, 0];
  for (const part of parts) {
    const count = nonzeros(part);
    indices.set(part.indices.subarray(0, count), n);
    values.set(part.values.subarray(0, count), n);
    for (let p = 1; p <= part.P; p++) indptr[at + p] = n + part.indptr[p];
    at += part.P;
    n += count;
  }
  return { L: parts[0].L, P, indptr, indices, values };
}
