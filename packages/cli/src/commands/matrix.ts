/** Matrices in .npy files: signals and dictionaries. */
import { extname } from 'node:path';
import { type Dictionary, denseDictionary, InputError, OptionError } from 'ght';
import { loadDictionary } from 'ght/npy';
import { readArray, readBytes } from '../io/index.js';
import { measure } from '../output/table.js';

/** A matrix, column after column. */
interface Columns {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array;
}

/** Reads the matrix in a .npy file, which is stored row by row. */
export async function readColumns(path: string, flag: string, most?: number): Promise<Columns> {
  const { shape, data: stored } = await readArray(path, flag, most);
  if (shape.length !== 2 || shape.some((size) => size === 0)) {
    const remedy = 'save a matrix with np.save, one signal or atom per column';
    throw new InputError(flag, 'must be a 2-D array with at least one entry', `shape (${shape.join(', ')})`, remedy);
  }
  const [rows, cols] = shape;
  const data = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) data[j * rows + i] = stored[i * cols + j];
  return { rows, cols, data };
}

/** The most bytes of the file of a dictionary: 1024 rows by 65536 atoms. */
export const MOST_DICTIONARY = 2 ** 29;

/** The largest deviation of the length of an atom from 1: float32 rounds by less. */
const TOLERANCE = 1e-4;

/** The dictionary in a .npz file of `ght learn`, factors and all, or in a .npy file. */
export async function readMatrix(path: string, flag: string): Promise<Columns & { readonly dictionary: Dictionary }> {
  if (extname(path).toLowerCase() !== '.npz') {
    const columns = await readColumns(path, flag, MOST_DICTIONARY);
    return { ...columns, dictionary: denseDictionary(columns.rows, columns.cols, columns.data) };
  }
  const { dictionary } = await loadDictionary(await readBytes(path, flag, { most: MOST_DICTIONARY }));
  return { rows: dictionary.N, cols: dictionary.L, data: dictionary.atoms.data, dictionary };
}

/**
 * Reads a dictionary of patches from a .npy or .npz file, and derives the side of the patches, which is the square root of the number of
 * rows. Atoms must have length 1: the S largest coefficients are kept, and those of a longer atom would be smaller. Atoms are not
 * scaled here, so that the codes belong to the matrix in the file.
 */
export async function readDictionary(
  path: string,
  patch: number | undefined,
): Promise<{ readonly dictionary: Dictionary; readonly patch: number }> {
  const flag = '--dictionary';
  const { rows, cols, data, dictionary } = await readMatrix(path, flag);
  const side = Math.sqrt(rows);
  if (!Number.isInteger(side)) {
    const rule = 'must have as many rows as a square patch has pixels, such as 64';
    throw new InputError(flag, rule, `${rows}×${cols}`, 'give one atom per column, its pixels row by row');
  }
  if (patch !== undefined && patch !== side) {
    const rule = `must be ${side}, as the dictionary has ${rows} rows`;
    throw new OptionError('--patch', rule, patch, 'leave it out, or give another dictionary');
  }
  const lengths = Float64Array.from({ length: cols }, (_, l) => Math.hypot(...data.subarray(l * rows, (l + 1) * rows)));
  if (lengths.some((length) => !(Math.abs(length - 1) <= TOLERANCE))) {
    const [least, most] = [Math.min(...lengths), Math.max(...lengths)].map(measure);
    const remedy = 'divide each column by its length: D / np.linalg.norm(D, axis=0)';
    throw new InputError(flag, 'must have atoms of length 1', `lengths from ${least} to ${most}`, remedy);
  }
  return { dictionary, patch: side };
}
