import { transpose } from '../../algebra/matrix.js';
import type { Shape } from './shape.js';
import { padded, paddedRows, rightVectors, singularValues } from './shape.js';

/** Bins of the histogram that finds the threshold: one octave above the lowest candidate, and all that is larger. */
export const BINS = 2048;
/** Of the bits of a float, those that tell its place within a bin. */
export const BIN_SHIFT = 12;

/** Where the constants of a problem lie in memory, in bytes. */
export interface Tables {
  /** σ and g of every coordinate. */
  readonly sigma: number;
  readonly g: number;
  /** V, a row of coordinates an atom. */
  readonly V: number;
  /** Of a separable shape: V of A row by row, V of B, and its transpose. Of a dense one: the transpose of V. */
  readonly VA: number;
  readonly VB: number;
  readonly VT: number;
  /** Q of both parts, row by row: the turn c = Qᵀy. */
  readonly QA: number;
  readonly QB: number;
  /** The first byte after them. */
  readonly end: number;
}

/** The constants of a shape and where each goes, from address `start` on. */
export function tablesOf(shape: Shape, start: number): { tables: Tables; contents: [number, Float32Array][] } {
  const [A, B] = shape.parts;
  const contents: [number, Float32Array][] = [];
  let at = start;
  const place = (values: Float32Array) => {
    const address = at;
    contents.push([address, values]);
    // Every table begins on a cache line; a vector read past its last row must stay inside.
    at += 64 * Math.ceil((4 * values.length + 16) / 64);
    return address;
  };
  const tables = {
    sigma: place(singularValues(shape)),
    g: place(new Float32Array(shape.R4)),
    V: place(rightVectors(shape)),
    VA: place(B ? paddedRows(A.V) : new Float32Array(0)),
    VB: place(B ? paddedRows(B.V) : new Float32Array(0)),
    VT: place(paddedRows(transpose(B ? B.V : A.V))),
    QA: place(paddedRows(A.Q)),
    QB: place(B ? paddedRows(B.Q) : new Float32Array(0)),
  };
  return { tables: { ...tables, end: at }, contents };
}

/** Where a thread keeps what it needs for one patch, in bytes from the start of its scratch. */
export interface Scratch {
  /** M, or any vector of coordinates. */
  readonly M: number;
  /** The half-way product of a separable shape. */
  readonly T: number;
  /** X, or any row of all coefficients. */
  readonly X: number;
  /** The sum of squared residuals, float64. */
  readonly error: number;
  readonly histogram: number;
  readonly bytes: number;
}

/** The scratch of a shape. */
export function scratchOf(shape: Shape): Scratch {
  const [A, B] = shape.parts;
  let at = 0;
  const take = (bytes: number) => {
    const address = at;
    at += 64 * Math.ceil(bytes / 64);
    return address;
  };
  const half = B ? Math.max(A.V.rows, A.Q.rows) * padded(Math.max(B.sigma.length, B.Q.rows)) : 0;
  return {
    M: take(4 * Math.max(shape.R4, padded(shape.N)) + 64),
    T: take(4 * half + 64),
    X: take(4 * shape.L4 + 64),
    error: take(8),
    histogram: take(4 * BINS),
    bytes: at,
  };
}
