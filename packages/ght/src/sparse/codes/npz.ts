/**
 * Codes as a file: the .npz archive that `scipy.sparse.save_npz` writes for a CSC matrix of shape L×P. SciPy's
 * `scipy.sparse.load_npz` reads files saved here, and files saved by SciPy can be loaded here.
 */
import { InputError } from '../../errors.js';
import { checkColumns, checkRising } from './check.js';
import { type CodedImage, codedImageArrays, codedImageEntries, codedImageIn } from './coded-image.js';
import type { Codes } from './codes.js';
import { type NpyData, readNpy, readNpyText, writeNpy, writeNpyText } from './npy.js';
import { namesInZip, unzip, zip } from './zip.js';

const SAVE_NPZ = 'write it with scipy.sparse.save_npz from a CSC matrix';
const remedies = {
  pointers: SAVE_NPZ,
  lengths: 'call .prune() before saving, or save the matrix again',
  order: 'call .sum_duplicates() before saving: it sorts the atoms and leaves each once',
};
const given = { codes: 'codes', values: 'values', ...remedies };
const read = { ...given, values: 'data' };

/**
 * The codes as a compressed .npz file: SciPy's entries in SciPy's order, int32 indices and float64 values.
 *
 * @param image what the codes need to become an image again, so that `decodeImage` can rebuild it. @default codes alone
 */
export async function saveCodes(codes: Codes, image?: CodedImage): Promise<Uint8Array<ArrayBuffer>> {
  const { L, P, indptr, indices, values } = codes;
  checkColumns({ L, P, indptr, indices, values }, given);
  checkRising(codes, given);
  return zip([
    { name: 'indices.npy', bytes: writeNpy({ type: 'i4', shape: [indices.length], data: indices }) },
    { name: 'indptr.npy', bytes: writeNpy({ type: 'i4', shape: [indptr.length], data: indptr }) },
    { name: 'format.npy', bytes: writeNpyText('csc') },
    { name: 'shape.npy', bytes: writeNpy({ type: 'i8', shape: [2], data: Float64Array.of(L, P) }) },
    { name: 'data.npy', bytes: writeNpy({ type: 'f8', shape: [values.length], data: values }) },
    ...(image ? codedImageEntries(codes, image) : []),
  ]);
}

/**
 * Loads codes from a .npz file of a CSC matrix, compressed or not, float32 or float64, with 32-bit or 64-bit indices. Arrays
 * that do not belong to the matrix are ignored. Atoms out of order are sorted within their patch. Duplicate atoms in a
 * patch are rejected, since SciPy would add them and a budget would count both. Stored zeros are kept.
 */
export async function loadCodes(bytes: Uint8Array): Promise<Codes> {
  return codesIn(await unzip(bytes, 'codes', files(codeArrays)), bytes);
}

/** The codes of an image and all that it needs to be rebuilt. */
export async function loadCodedImage(bytes: Uint8Array): Promise<CodedImage & { readonly codes: Codes }> {
  const unpacked = await unzip(bytes, 'codes', files([...codeArrays, ...codedImageArrays]));
  const codes = codesIn(unpacked, bytes);
  return { ...codedImageIn(unpacked, codes, bytes.length), codes };
}

/** The arrays of a sparse matrix. */
const codeArrays = ['indices', 'indptr', 'format', 'shape', 'data'];
const files = (arrays: readonly string[]) => arrays.map((array) => `${array}.npy`);

function codesIn(files: Map<string, Uint8Array>, archive: Uint8Array): Codes {
  const entry = (array: string): Uint8Array => {
    const bytes = files.get(`${array}.npy`);
    if (bytes) return bytes;
    const names = printable(namesInZip(archive, 'codes').join(', '));
    throw new InputError('codes', `must hold the array ${array}`, names, SAVE_NPZ);
  };
  const vector = (array: string, types: readonly string[], remedy: string) =>
    vectorIn(entry(array), array, types, remedy);
  const format = readNpyText(entry('format'), 'codes.format');
  if (format !== 'csc') {
    const shown = printable(format);
    throw new InputError('codes.format', "must be 'csc', one column per patch", shown, 'call .tocsc() before saving');
  }
  const shape = vector('shape', ['i8', 'i4'], SAVE_NPZ);
  if (shape.length !== 2) {
    throw new InputError('codes.shape', 'must be two numbers, atoms and patches', shape.length, SAVE_NPZ);
  }
  const integers = "convert it: .astype('int32')";
  const columns = {
    L: shape[0],
    P: shape[1],
    indptr: vector('indptr', ['i4', 'i8'], integers),
    indices: vector('indices', ['i4', 'i8'], integers),
    values: vector('data', ['f8', 'f4'], "convert the matrix: .astype('float64')"),
  };
  checkColumns(columns, read);
  const codes = {
    L: columns.L,
    P: columns.P,
    indptr: Int32Array.from(columns.indptr),
    indices: Int32Array.from(columns.indices),
    values: Float64Array.from(columns.values),
  };
  sortColumns(codes);
  checkRising(codes, read);
  return codes;
}

/** Text from a file, made safe for a one-line message. */
function printable(text: string): string {
  return text.slice(0, 120).replace(/[^ -~]/g, '?');
}

function vectorIn(bytes: Uint8Array, array: string, types: readonly string[], remedy: string): NpyData {
  const { type, shape, data } = readNpy(bytes, `codes.${array}`);
  if (!types.includes(type)) {
    throw new InputError(`codes.${array}`, `must have the type ${types.join(' or ')}`, type, remedy);
  }
  if (shape.length === 1) return data;
  throw new InputError(`codes.${array}`, 'must have one dimension', `(${shape.join(', ')})`, SAVE_NPZ);
}

function sortColumns({ P, indptr, indices, values }: Codes): void {
  for (let p = 0; p < P; p++) {
    const [from, to] = [indptr[p], indptr[p + 1]];
    const atoms = indices.slice(from, to);
    if (atoms.every((atom, n) => n === 0 || atom >= atoms[n - 1])) continue;
    const coefficients = values.slice(from, to);
    const order = Uint32Array.from(atoms.keys()).sort((a, b) => atoms[a] - atoms[b]);
    order.forEach((old, n) => {
      indices[from + n] = atoms[old];
      values[from + n] = coefficients[old];
    });
  }
}
