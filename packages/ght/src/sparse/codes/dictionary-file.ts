/**
 * A dictionary as a file. `.npz` holds the matrix `D` (N×L, one atom per column), the factors `A` and `B` of a separable
 * dictionary, how often each atom was used, and facts about it as JSON; `numpy.load` reads all of it. `.npy` holds the
 * matrix alone.
 */

import { InputError } from '../../errors.js';
import { type Matrix, matrix } from '../../math/matrix.js';
import { type Dictionary, denseDictionary, separableDictionary } from '../dictionary/dictionary.js';
import { readNpy, readNpyText, writeNpy, writeNpyText } from './npy.js';
import { checkProduct } from './unpacked.js';
import { namesInZip, unzip, zip } from './zip.js';

/** A dictionary with what a file says about it. */
export interface StoredDictionary {
  /** The dictionary. */
  readonly dictionary: Dictionary;
  /** How many patches used each atom when it was learned, if that is known. */
  readonly uses?: Int32Array;
  /** Facts about the dictionary, such as the budget it was learned for: `{ perPatch: 5 }`. */
  readonly about?: Readonly<Record<string, string | number>>;
}

const ZIP_MAGIC = [0x50, 0x4b];

/** The dictionary as a `.npz` file. */
export async function saveDictionary({
  dictionary,
  uses,
  about = {},
}: StoredDictionary): Promise<Uint8Array<ArrayBuffer>> {
  const [A, B] = dictionary.factors ?? [];
  // A string in a .npy file is ASCII.
  const json = JSON.stringify({ ...about, name: dictionary.name }).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return zip([
    { name: 'D.npy', bytes: matrixFile(dictionary.atoms) },
    ...(A && B
      ? [
          { name: 'A.npy', bytes: matrixFile(A) },
          { name: 'B.npy', bytes: matrixFile(B) },
        ]
      : []),
    ...(uses ? [{ name: 'uses.npy', bytes: writeNpy({ type: 'i4', shape: [uses.length], data: uses }) }] : []),
    { name: 'about.npy', bytes: writeNpyText(json) },
  ]);
}

/**
 * Loads a dictionary from a `.npz` file of {@link saveDictionary}, or from a `.npy` file of a matrix N×L. `name` is what errors
 * call it.
 */
export async function loadDictionary(bytes: Uint8Array, name = 'dictionary'): Promise<StoredDictionary> {
  if (!ZIP_MAGIC.every((byte, i) => bytes[i] === byte)) {
    const D = readMatrix(bytes, name);
    return { dictionary: denseDictionary(D.rows, D.cols, D.data) };
  }
  const arrays = ['D', 'A', 'B', 'about', 'uses'];
  const files = await unzip(
    bytes,
    name,
    arrays.map((array) => `${array}.npy`),
  );
  const part = (array: string) => {
    const file = files.get(`${array}.npy`);
    return file && readMatrix(file, `${name}.${array}`);
  };
  const [D, A, B] = ['D', 'A', 'B'].map(part);
  if (A && B) checkProduct(name, A, B, bytes.length);
  const loaded = A && B ? separableDictionary(A, B) : D && denseDictionary(D.rows, D.cols, D.data);
  if (!loaded) {
    const names = namesInZip(bytes, name)
      .join(', ')
      .slice(0, 120)
      .replace(/[^ -~]/g, '?');
    throw new InputError(name, 'must hold the array D', names, 'save it with numpy.savez(file, D=D)');
  }
  const about = factsIn(files.get('about.npy'), `${name}.about`);
  const uses = files.get('uses.npy');
  const { data } = uses ? readNpy(uses, `${name}.uses`) : { data: undefined };
  return {
    dictionary: { ...loaded, name: typeof about.name === 'string' ? about.name : loaded.name },
    ...(data?.length === loaded.L ? { uses: Int32Array.from(data) } : {}),
    about,
  };
}

/** NumPy stores a matrix row by row. */
function matrixFile({ rows, cols, data }: Matrix): Uint8Array {
  const byRows = Float64Array.from(data, (_, i) => data[(i % cols) * rows + Math.floor(i / cols)]);
  return writeNpy({ type: 'f8', shape: [rows, cols], data: byRows });
}

function readMatrix(bytes: Uint8Array, name: string): Matrix {
  const { shape, data } = readNpy(bytes, name);
  const [rows, cols] = shape;
  if (shape.length !== 2 || rows === 0 || cols === 0) {
    const remedy = 'save a matrix with one atom per column';
    throw new InputError(name, 'must be a 2-D array with at least one entry', `shape (${shape.join(', ')})`, remedy);
  }
  return matrix(rows, cols, (i, j) => data[i * cols + j]);
}

function factsIn(bytes: Uint8Array | undefined, name: string): Record<string, string | number> {
  if (!bytes) return {};
  const text = readNpyText(bytes, name);
  try {
    const facts = Object.entries(JSON.parse(text) as object);
    return Object.fromEntries(facts.filter(([, fact]) => ['string', 'number'].includes(typeof fact)));
  } catch (cause) {
    const shown = text.slice(0, 120).replace(/[^ -~]/g, '?');
    throw new InputError(name, 'must be a JSON object', shown, 'leave it out of the file', { cause });
  }
}
