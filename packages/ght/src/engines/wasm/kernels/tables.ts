import { gram, matrix, transpose } from '../../../math/matrix.js';
import type { Decomposition, Shape } from '../../shape.js';
import { padded, paddedRows, panels, rightVectors, singularValues, TILE } from '../../shape.js';

/**
 * Of an atom's squared length, the share that must be new for it to join. In float32 every join can lose as many digits as
 * this has zeros; below 1e-3, pursuits of 30 atoms and more went astray in trials.
 */
export const DEPENDENT = 3e-3;

/** Where the constants of a problem lie in memory, in bytes. */
export type Tables = Readonly<ReturnType<typeof tablesOf>['tables']>;

/** The constants of a shape and where each goes, from address `start` on. */
export function tablesOf(shape: Shape, start: number) {
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
    /** σ and g of every coordinate, and σ times what the dual variable is rescaled by when ρ changes. */
    sigma: place(singularValues(shape)),
    g: place(new Float32Array(shape.R4)),
    dualSigma: place(new Float32Array(shape.R4)),
    /** V, a row of coordinates per atom. */
    V: place(rightVectors(shape)),
    /** Of a separable shape: V of A row by row, V of B, and its transpose. Of a dense one: the transpose of V, in panels. */
    VA: place(B ? paddedRows(A.V) : new Float32Array(0)),
    VB: place(B ? paddedRows(B.V) : new Float32Array(0)),
    VT: place(B ? paddedRows(transpose(B.V)) : panels(transpose(A.V))),
    /** Q of both parts, row by row, or Q in panels: the rotation c = Qᵀy. */
    QA: place(B ? paddedRows(A.Q) : panels(A.Q)),
    QB: place(B ? paddedRows(B.Q) : new Float32Array(0)),
    ...placeGram(shape, place),
    /** Of a separable shape, two half-words per atom: in bytes, where its row of V_A begins, and its row of ZᵀV_A. */
    rowsOfAtom: place(rowsOfAtom(shape)),
    ...placePacking(place),
  };
  // `end` is the first byte after them.
  return { tables: { ...tables, end: at }, contents };
}

function rowsOfAtom(shape: Shape): Float32Array {
  const [A, B] = shape.parts;
  if (!B) return new Float32Array(0);
  const width = 4 * padded(A.sigma.length);
  const pairs = new Uint16Array(2 * shape.L);
  for (let l = 0; l < shape.L; l++) {
    pairs[2 * l] = Math.floor(l / B.V.rows) * width;
    pairs[2 * l + 1] = (l % B.V.rows) * width;
  }
  return new Float32Array(pairs.buffer);
}

function placePacking(place: (values: Float32Array) => number) {
  const bytes = new Uint8Array(16 * 16);
  const lanes = new Uint8Array(16 * 4);
  for (let set = 0; set < 16; set++) {
    const members = [0, 1, 2, 3].filter((lane) => set & (1 << lane));
    members.forEach((lane, i) => {
      lanes[4 * set + i] = lane;
      for (let byte = 0; byte < 4; byte++) bytes[16 * set + 4 * i + byte] = 4 * lane + byte;
    });
  }
  // For each of the 16 sets of four lanes: the bytes that bring its lanes to the front, and their numbers, a byte each.
  return { packBytes: place(new Float32Array(bytes.buffer)), packLanes: place(new Float32Array(lanes.buffer)) };
}

function placeGram(shape: Shape, place: (values: Float32Array) => number) {
  const [A, B] = shape.parts;
  const gramOf = (part: Decomposition) => {
    const scaled = matrix(part.sigma.length, part.V.rows, (i, l) => part.sigma[i] * part.V.data[i * part.V.rows + l]);
    return gram(scaled);
  };
  const [GA, GB] = [gramOf(A), B ? gramOf(B) : undefined];
  const entry = (i: number, j: number) => {
    if (!GB) return GA.data[j * GA.rows + i];
    const m = GB.rows;
    return GA.data[Math.floor(j / m) * GA.rows + Math.floor(i / m)] * GB.data[(j % m) * m + (i % m)];
  };
  const { L, L4 } = shape;
  const table = new Float32Array(L * L4);
  const norms = new Float32Array(L4);
  let longest = 0;
  for (let j = 0; j < L; j++) longest = Math.max(longest, entry(j, j));
  // Rounding dust between orthogonal atoms would only make denormals.
  const dust = 1e-12 * Math.min(1, longest);
  for (let j = 0; j < L; j++) {
    for (let i = 0; i < L; i++) {
      const value = entry(i, j);
      table[j * L4 + i] = Math.abs(value) < dust ? 0 : value;
    }
    norms[j] = table[j * L4 + j];
  }
  return {
    /** DᵀD, one row per atom; the squared length of each atom, and its inverse (0 for an atom that is zero). */
    gram: place(table),
    norms: place(norms),
    inverseNorms: place(norms.map((norm) => (norm > 0 ? 1 / norm : 0))),
    /** Of the squared length of each atom, what must be new in it for it to join. */
    leastNew: place(norms.map((norm) => norm * Math.fround(DEPENDENT))),
  };
}

/** Where a thread keeps what it needs for one patch, in bytes from the start of its scratch. */
export type Scratch = Readonly<ReturnType<typeof scratchOf>>;

/** A group of patches in the scratch; each has a slot. */
export interface Group {
  readonly patches: number;
  /** Where the first slot begins, in bytes from the start of the scratch, and how long each is. */
  readonly at: number;
  readonly bytes: number;
  /** In bytes from the start of a slot: M; Z, where X = Z + VM is then made; the squared error, float32. */
  readonly M: number;
  readonly X: number;
  readonly error: number;
}

/** The scratch of a shape. */
export function scratchOf(shape: Shape) {
  const [A, B] = shape.parts;
  let at = 0;
  const take = (bytes: number) => {
    const address = at;
    at += 64 * Math.ceil(bytes / 64);
    return address;
  };
  const longest = (part: Decomposition) => Math.max(part.V.rows, part.Q.rows);
  const half = B ? Math.max(longest(A) * padded(longest(B)), longest(B) * padded(longest(A))) : 0;
  const { L, L4, R4 } = shape;
  const most = Math.min(shape.N, L);
  return {
    /** M, or any vector of coordinates. */
    M: take(4 * Math.max(shape.R4, padded(shape.N)) + 64),
    /** The half-way product of a separable shape. */
    T: take(4 * half + 64),
    /** X, or any row of all coefficients. */
    X: take(4 * shape.L4 + 64),
    /** The sum of squared residuals, float64. */
    error: take(8),
    /** The rows of all atoms that a pursuit keeps in addition to X: the weight, score and ν of each atom. */
    weight: take(4 * L4),
    score: take(4 * L4),
    nu: take(4 * L4),
    /** The rows p of a pursuit, and β, index and coefficient of each atom that has joined. */
    rows: take(4 * L4 * (most + 1)),
    beta: take(4 * L4),
    support: take(4 * L4),
    x: take(4 * L4),
    /** What each atom that joined a path has gained, and ‖y‖² of its patch, float32. */
    gains: take(4 * padded(most)),
    energy: take(4),
    /** The squared error of the code that was written last, float32. */
    left: take(4),
    /** The gains of the best path so far, and the atoms that are excluded in turn. */
    bestGains: take(4 * padded(most)),
    excluded: take(4 * padded(most)),
    /** The rows of a local search, and the support that it tries next. */
    neighbours: take(4 * (L4 + padded(most)) * most),
    trial: take(4 * (most + 1)),
    /** Two words that a kernel leaves in addition to its result: see paths.ts. */
    tally: take(8),
    /** Other rows of all atoms, and other vectors of coordinates, for the patch-wise iterative solvers. */
    atomRows: Array.from({ length: 7 }, () => take(4 * L4)),
    coordinateRows: Array.from({ length: 7 }, () => take(4 * R4)),
    /** Of a dense shape: the patches that are worked on together. */
    group: B ? undefined : groupOf(shape, take),
    /** Sparse codes: values, then indices. */
    codes: Array.from({ length: 3 }, () => ({ values: take(4 * L4), indices: take(2 * L4) })),
    get bytes() {
      return at;
    },
  };
}

function groupOf({ L4, R4 }: Shape, take: (bytes: number) => number): Group {
  const X = 4 * R4;
  const error = X + 4 * L4;
  const bytes = 64 * Math.ceil((error + 4) / 64);
  return { patches: TILE.patches, at: take(TILE.patches * bytes), bytes, M: 0, X, error };
}
