import { InputError, kindOf } from '../../errors.js';
import { symmetricEigen } from '../../math/eigen.js';
import { dot, gram, kron, type Matrix, matrix, transpose } from '../../math/matrix.js';

/**
 * A dictionary D of L atoms for signals of N samples. `atoms` is D itself, an N×L matrix with one atom per column. A
 * separable dictionary also has `factors`: D = A ⊗ B, where A acts on the rows of a patch and B on its columns.
 */
export interface Dictionary {
  /** A readable name: `overcomplete DCT 64×100`. */
  readonly name: string;
  /** Samples per signal. */
  readonly N: number;
  /** Number of atoms. */
  readonly L: number;
  /** The N×L matrix, one atom per column. */
  readonly atoms: Matrix;
  /** The two matrices whose Kronecker product is D, if it is separable. */
  readonly factors?: readonly [A: Matrix, B: Matrix];
}

/** Outside these limits DᵀD would overflow or underflow. */
const [LEAST_SCALE, GREATEST_SCALE] = [1e-100, 1e100];

/** Rejects values that are not a dictionary. Dictionaries made here are always valid. */
export function checkDictionary(D: Dictionary): void {
  const { N, L, atoms } = typeof D === 'object' && D !== null ? D : ({} as Partial<Dictionary>);
  const data = atoms?.data;
  if (N !== undefined && L !== undefined && kindOf(data) === 'Float64Array' && data?.length === N * L) return;
  const remedy = 'make one, for example with overcompleteDct or denseDictionary';
  throw new InputError('dictionary', 'must be a dictionary of N × L entries', kindOf(D), remedy);
}

/** Any N×L matrix as a dictionary, its entries column by column: atom after atom. Nothing is normalised. */
export function denseDictionary(N: number, L: number, entries: ArrayLike<number>, name = 'given'): Dictionary {
  if (!(Number.isInteger(N) && Number.isInteger(L) && N > 0 && L > 0)) {
    throw new InputError('dictionary', 'must have at least one row and one atom', `${N}×${L}`, 'give an N×L matrix');
  }
  if (entries.length !== N * L) {
    const rule = `must have N × L = ${N * L} entries`;
    throw new InputError('dictionary', rule, entries.length, 'give every atom in full, atom after atom');
  }
  const data = Float64Array.from(entries);
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) {
    const where = `dictionary entry (row ${bad % N}, atom ${Math.floor(bad / N)})`;
    throw new InputError(where, 'must be a finite number', data[bad], 'replace NaN and infinities first');
  }
  const most = data.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  if (most === 0) {
    throw new InputError('dictionary', 'must have an atom that is not zero', 'all zeros', 'give other atoms');
  }
  if (most < LEAST_SCALE || most > GREATEST_SCALE) {
    const rule = `must have a largest entry from ${LEAST_SCALE} to ${GREATEST_SCALE}, whose square is still a number`;
    throw new InputError('dictionary', rule, most, 'scale all atoms by one number');
  }
  return { name: `${name} ${N}×${L}`, N, L, atoms: { rows: N, cols: L, data } };
}

/** The separable dictionary A ⊗ B. */
export function separableDictionary(A: Matrix, B: Matrix, name = 'separable'): Dictionary {
  const atoms = kron(A, B);
  const { N, L, name: full } = denseDictionary(atoms.rows, atoms.cols, atoms.data, name);
  return { name: full, N, L, atoms, factors: [A, B] };
}

/** The matrix with its columns, the atoms, scaled to norm 1. */
export function unitAtoms(D: Matrix): Matrix {
  const { rows, cols } = D;
  const norms = Array.from({ length: cols }, (_, l) => Math.sqrt(dot(D.data, l * rows, D.data, l * rows, rows)));
  const empty = norms.indexOf(0);
  if (empty >= 0) throw new InputError(`atom ${empty}`, 'must not be zero', 0, 'remove it or give it another value');
  return matrix(rows, cols, (n, l) => D.data[l * rows + n] / norms[l]);
}

/** Whether atom l of a matrix has the same value everywhere. */
export function isConstantAtom({ rows, data }: Matrix, l: number): boolean {
  const atom = data.subarray(l * rows, (l + 1) * rows);
  return atom.every((value) => Math.abs(value - atom[0]) <= 1e-12);
}

/** DᵀD: the inner products of all pairs of atoms. */
export function gramMatrix(D: Dictionary): Matrix {
  return gram(D.atoms);
}

/** ‖D‖₂², the largest eigenvalue of DᵀD: the unit of ρ. */
export function spectralNormSquared(D: Dictionary): number {
  if (D.factors) return largestEigenvalue(D.factors[0]) * largestEigenvalue(D.factors[1]);
  return largestEigenvalue(D.atoms);
}

function largestEigenvalue(A: Matrix): number {
  const small = A.rows <= A.cols ? gram(transpose(A)) : gram(A);
  return small.rows <= 100 ? symmetricEigen(small).values[0] : powerIteration(small);
}

/** The largest eigenvalue of a symmetric positive semidefinite matrix, by power iteration, for large matrices. */
function powerIteration(A: Matrix): number {
  const n = A.rows;
  // Started from the column of largest norm, which is never orthogonal to the top eigenvector by symmetry of the data.
  let x = new Float64Array(n);
  let most = -1;
  for (let j = 0; j < n; j++) {
    const energy = dot(A.data, j * n, A.data, j * n, n);
    if (energy > most) {
      most = energy;
      x = A.data.slice(j * n, (j + 1) * n);
    }
  }
  let value = 0;
  for (let k = 0; k < 1000; k++) {
    const norm = Math.sqrt(dot(x, 0, x, 0, n));
    for (let i = 0; i < n; i++) x[i] /= norm;
    const y = new Float64Array(n);
    for (let j = 0; j < n; j++) y[j] = dot(A.data, j * n, x, 0, n);
    const next = dot(x, 0, y, 0, n);
    x = y;
    if (Math.abs(next - value) <= 1e-13 * next) return next;
    value = next;
  }
  return value;
}

/** The mutual coherence: the largest |cosine| between two different atoms, 0 for an orthogonal dictionary. */
export function coherence(D: Dictionary): number {
  const G = gramMatrix(D).data;
  let largest = 0;
  for (let j = 0; j < D.L; j++) {
    for (let i = 0; i < j; i++) {
      const scale = Math.sqrt(G[i * D.L + i] * G[j * D.L + j]);
      if (scale > 0) largest = Math.max(largest, Math.abs(G[j * D.L + i]) / scale);
    }
  }
  return largest;
}

/** out ← D z for the code of one patch; zeros in `z` cost nothing. */
export function synthesize(D: Dictionary, z: Float64Array, zFrom: number, out: Float64Array, outFrom: number): void {
  const { N, L, atoms } = D;
  out.fill(0, outFrom, outFrom + N);
  for (let l = 0; l < L; l++) {
    const value = z[zFrom + l];
    if (value === 0) continue;
    for (let n = 0; n < N; n++) out[outFrom + n] += value * atoms.data[l * N + n];
  }
}
