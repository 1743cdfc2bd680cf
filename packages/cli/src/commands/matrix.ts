/** Signals and dictionaries in files of matrices: .npy, .npz and .mat. */
import { extname } from 'node:path';
import { type Dictionary, denseDictionary, InputError, OptionError } from 'ght';
import { loadDictionary, namesInZip, type StoredDictionary } from 'ght/npy';
import { matrixPath, readBytes, readMatrix } from '../io/index.js';
import { measure } from '../output/table.js';

/** The kinds of files that hold matrices, for the help. */
export const MATRIX_FILES = '.npy, .npz or .mat; file.mat:NAME names a variable';

/** The most bytes of the file of a dictionary: 1024 rows by 65536 atoms. */
const MOST_DICTIONARY = 2 ** 29;

/** The largest deviation of the length of an atom from 1: float32 rounds by less. */
const TOLERANCE = 1e-4;

/** The dictionary in a .npz file of `ght learn`, factors and all, or a matrix in a .npy, .npz or .mat file. */
export async function readStored(text: string, flag: string): Promise<StoredDictionary> {
  const { path, variable } = matrixPath(text);
  if (extname(path).toLowerCase() === '.npz' && variable === undefined) {
    const bytes = await readBytes(path, flag, { most: MOST_DICTIONARY });
    if (namesInZip(bytes, flag).includes('D.npy')) return loadDictionary(bytes, flag);
  }
  const { rows, cols, data } = await readMatrix(text, flag, 'D', MOST_DICTIONARY);
  return { dictionary: denseDictionary(rows, cols, data) };
}

/**
 * Reads a dictionary of patches from a file, and derives the side of the patches, which is the square root of the number of
 * rows. Atoms must have length 1: the S largest coefficients are kept, and those of a longer atom would be smaller. Atoms are not
 * scaled here, so that the codes belong to the matrix in the file.
 */
export async function readDictionary(
  path: string,
  patch: number | undefined,
): Promise<{ readonly dictionary: Dictionary; readonly patch: number }> {
  const flag = '--dictionary';
  const { dictionary } = await readStored(path, flag);
  const { N: rows, L: cols } = dictionary;
  const { data } = dictionary.atoms;
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
