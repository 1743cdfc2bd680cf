/**
 * A problem in the coordinates in which its iterations cost least. With the singular value decomposition
 * D = Q Σ Vᵀ (of both factors where D = A ⊗ B) and c = Qᵀy, t = Vᵀz, GHT-QPM is
 *
 *     r = c − Σt        the residual in these coordinates: ‖r‖ = ‖y − Dz‖ within the range of D
 *     M = g ∘ r         g = σ / (σ² + ρ)
 *     X = Z + V M
 *
 * so Q is used once, before the first iteration, and ρ appears in g alone. Rows of V and vectors of coordinates are
 * padded with zeros to whole vectors of four floats.
 */
import { symmetricEigen } from '../math/eigen.js';
import { gram, type Matrix, times, transpose, transposeTimes } from '../math/matrix.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';

/** A = Q diag(σ) Vᵀ without the singular values that are zero. */
export interface Decomposition {
  readonly Q: Matrix;
  readonly sigma: Float64Array;
  readonly V: Matrix;
}

/** What the kernels are specialised to. */
export interface Shape {
  /** Samples of a signal and atoms. */
  readonly N: number;
  readonly L: number;
  /** Floats of a row of all coefficients, and of a row of coordinates, whole vectors each. */
  readonly L4: number;
  readonly R4: number;
  /** Bytes of an atom's index in a code. */
  readonly indexBytes: 1 | 2;
  /** The one decomposition of a dense dictionary, or the two of a separable one. */
  readonly parts: readonly [Decomposition] | readonly [Decomposition, Decomposition];
}

/** n rounded up to a whole vector of four. */
export function padded(n: number): number {
  return 4 * Math.ceil(n / 4);
}

/** The shape of a dictionary. */
export function shapeOf(D: Dictionary): Shape {
  const parts = D.factors
    ? ([decompose(D.factors[0]), decompose(D.factors[1])] as const)
    : ([decompose(D.atoms)] as const);
  // In a separable shape coordinate (a, b) is at a·padded(rank of B) + b, so that each row is whole vectors.
  const R4 = parts.length === 2 ? parts[0].sigma.length * padded(parts[1].sigma.length) : padded(parts[0].sigma.length);
  return { N: D.N, L: D.L, L4: padded(D.L), R4, indexBytes: D.L <= 256 ? 1 : 2, parts };
}

function decompose(A: Matrix): Decomposition {
  // The smaller of AAᵀ and AᵀA has the same nonzero eigenvalues as the larger.
  const wide = A.rows <= A.cols;
  const { values, vectors } = symmetricEigen(wide ? gram(transpose(A)) : gram(A));
  const rank = values.findIndex((value) => value <= 1e-12 * values[0]);
  const r = rank < 0 ? values.length : rank;
  const sigma = values.slice(0, r).map(Math.sqrt);
  const near = { ...vectors, cols: r, data: vectors.data.slice(0, vectors.rows * r) };
  const far = wide ? transposeTimes(A, near) : times(A, near);
  for (let j = 0; j < r; j++) for (let i = 0; i < far.rows; i++) far.data[j * far.rows + i] /= sigma[j];
  return wide ? { Q: clean(near), sigma, V: clean(far) } : { Q: clean(far), sigma, V: clean(near) };
}

/** Rounding dust would meet other dust and become denormal, which is slow. */
function clean(A: Matrix): Matrix {
  return { ...A, data: A.data.map((value) => (Math.abs(value) < 1e-12 ? 0 : value)) };
}

/** A vector of coordinates as the kernels keep it, from a function of the parts' own coordinates. */
export function coordinates(shape: Shape, value: (a: number, b: number) => number): Float32Array {
  const out = new Float32Array(shape.R4);
  const [A, B] = shape.parts;
  if (!B) for (let a = 0; a < A.sigma.length; a++) out[a] = value(a, 0);
  else {
    const width = padded(B.sigma.length);
    for (let a = 0; a < A.sigma.length; a++) for (let b = 0; b < B.sigma.length; b++) out[a * width + b] = value(a, b);
  }
  return out;
}

/** σ of every coordinate. */
export function singularValues(shape: Shape): Float32Array {
  const [A, B] = shape.parts;
  return coordinates(shape, (a, b) => A.sigma[a] * (B ? B.sigma[b] : 1));
}

/** Q, one row of coordinates per sample. */
export function leftVectors(shape: Shape): Float32Array {
  return vectorRows(shape, 'Q', shape.N);
}

/** V, one row of coordinates per atom. */
export function rightVectors(shape: Shape): Float32Array {
  return vectorRows(shape, 'V', shape.L);
}

function vectorRows(shape: Shape, name: 'Q' | 'V', rows: number): Float32Array {
  const [A, B] = shape.parts.map((part) => part[name]);
  const table = new Float32Array(rows * shape.R4);
  for (let n = 0; n < rows; n++) {
    const [k, j] = B ? [Math.floor(n / B.rows), n % B.rows] : [n, 0];
    const row = coordinates(shape, (a, b) => A.data[a * A.rows + k] * (B ? B.data[b * B.rows + j] : 1));
    table.set(row, n * shape.R4);
  }
  return table;
}

/** A matrix row by row, each row padded to whole vectors. */
export function paddedRows(A: Matrix): Float32Array {
  const width = padded(A.cols);
  const out = new Float32Array(A.rows * width);
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < A.cols; j++) out[i * width + j] = A.data[j * A.rows + i];
  return out;
}

/**
 * The sums that a dense product holds in registers: a number of patches by a number of vectors. Of those tried, 1 to 12 patches by 1
 * to 5 vectors, this was the fastest: eight sums hide the latency of an addition, and more leave the compiler too few registers.
 */
export const TILE = { patches: 4, vectors: 2 };

/** Bytes of a row of a panel. */
export const PANEL_ROW = 16 * TILE.vectors;

/** Where vector v of the first row begins in a table of panels with this many rows, in bytes. */
export function panelVector(rows: number, v: number): number {
  return PANEL_ROW * rows * Math.floor(v / TILE.vectors) + 16 * (v % TILE.vectors);
}

/**
 * A matrix in panels as wide as a tile: the first columns row by row, then the next ones, and so on, padded with zeros. A
 * product goes through all rows for one tile after the other, so it reads memory in order.
 */
export function panels(A: Matrix): Float32Array {
  const out = new Float32Array(panelVector(A.rows, TILE.vectors * Math.ceil(A.cols / (4 * TILE.vectors))) / 4);
  for (let j = 0; j < A.cols; j++) {
    const first = panelVector(A.rows, Math.floor(j / 4)) / 4 + (j % 4);
    for (let i = 0; i < A.rows; i++) out[first + (PANEL_ROW / 4) * i] = A.data[j * A.rows + i];
  }
  return out;
}
