/** What the formats of matrices share: `.npy`, `.npz` and `.mat`. */

import { ResourceError } from 'ght';
import type { Refuse } from '../../refuse.js';

/** A matrix, column after column. */
export interface DenseMatrix {
  /** The number of rows. */
  readonly rows: number;
  /** The number of columns. */
  readonly cols: number;
  /** Its numbers, column after column. */
  readonly data: Float64Array;
}

/** A variable of a file, not yet read. */
export interface Variable {
  readonly name: string;
  /** Whether it is a real matrix of two dimensions. */
  readonly isMatrix: boolean;
  /** Reads it. */
  read(): Promise<DenseMatrix>;
}

/** The most bytes of a matrix: about the longest typed array of every host. */
export const MOST_BYTES = 2 ** 31;
/** Up to this size a sparse matrix may have as few entries as it likes. */
const MOST_FREE = 2 ** 27;
/** How many times the bytes of its file a larger matrix may have. */
const SPARSEST = 250;

/** The rows and columns of a variable, which must be a matrix that fits in memory. */
export function checkDense(
  name: string,
  shape: readonly number[],
  fileBytes: number,
  refuse: Refuse,
): { readonly rows: number; readonly cols: number } {
  const shown = `(${shape.join(', ')})`;
  const [rows, cols] = shape;
  if (shape.length !== 2 || !(rows > 0 && cols > 0)) {
    const rule = `must be a 2-D array with at least one entry, and ${name} has the shape ${shown}`;
    throw refuse(rule, 'save a matrix, one signal or atom per column');
  }
  if (8 * rows * cols > Math.min(MOST_BYTES, Math.max(MOST_FREE, SPARSEST * fileBytes))) {
    const rule = `must hold a matrix that fits in memory, and ${name} has the shape ${shown}`;
    throw refuse(rule, 'divide it into smaller matrices', ResourceError);
  }
  return { rows, cols };
}
