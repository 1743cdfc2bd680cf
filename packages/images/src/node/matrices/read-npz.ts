/** Matrices in `.npz` archives: arrays of `numpy.savez`, and the sparse matrices of `scipy.sparse.save_npz`. */

import { type NpyArray, namesInZip, readNpy, unzip } from 'ght/npy';
import type { Refuse } from '../../refuse.js';
import { checkDense, type DenseMatrix, type Variable } from './matrix.js';

/** The arrays of a sparse matrix, and the name that it gets. */
const sparseArrays = ['format', 'shape', 'data'];
const SPARSE_NAME = 'sparse';
const EXTENSION = '.npy';

/** The variables of an archive; a sparse matrix is one of them, called `sparse`. */
export function variablesOfNpz(file: Uint8Array, parameter: string, refuse: Refuse): Variable[] {
  const names = namesInZip(file, parameter)
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => name.slice(0, -EXTENSION.length));
  const arraysOf = async (wanted: readonly string[]) => {
    const files = await unzip(
      file,
      parameter,
      wanted.map((name) => name + EXTENSION),
    );
    return (name: string) => files.get(name + EXTENSION) ?? new Uint8Array(0);
  };
  if (sparseArrays.every((name) => names.includes(name))) {
    const read = async () => sparseOf(await arraysOf(names), file.length, parameter, refuse);
    return [{ name: SPARSE_NAME, isMatrix: true, read }];
  }
  return names.map((name) => ({
    name,
    isMatrix: true,
    read: async () => denseOf(name, readNpy((await arraysOf([name]))(name), `${parameter}.${name}`), refuse),
  }));
}

/** A matrix stored row by row. */
export function denseOf(name: string, { shape, data: stored }: NpyArray, refuse: Refuse): DenseMatrix {
  const { rows, cols } = checkDense(name, shape, Number.POSITIVE_INFINITY, refuse);
  const data = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) data[j * rows + i] = stored[i * cols + j];
  return { rows, cols, data };
}

/** The sparse matrix in CSC, CSR or COO form. */
function sparseOf(arrays: (name: string) => Uint8Array, bytes: number, parameter: string, refuse: Refuse): DenseMatrix {
  const read = (name: string) => readNpy(arrays(name), `${parameter}.${name}`).data;
  // The format is one word, as ASCII or as UTF-32.
  const format = new TextDecoder('latin1').decode(arrays('format').subarray(-12)).replace(/[^a-z]/g, '');
  const { rows, cols } = checkDense(SPARSE_NAME, [...read('shape')], bytes, refuse);
  const values = read('data');
  const data = new Float64Array(rows * cols);
  const damaged = (what: string) =>
    refuse(`must hold an intact sparse matrix: ${what}`, 'write it again with scipy.sparse.save_npz');
  const put = (i: number, j: number, value: number) => {
    if (!(i >= 0 && i < rows && j >= 0 && j < cols)) throw damaged(`an entry is at (${i}, ${j}) of ${rows}×${cols}`);
    data[j * rows + i] += value;
  };
  if (format === 'coo') {
    const [row, col] = [read('row'), read('col')];
    if (row.length !== values.length || col.length !== values.length) throw damaged('its arrays differ in length');
    for (let n = 0; n < values.length; n++) put(row[n], col[n], values[n]);
    return { rows, cols, data };
  }
  if (format !== 'csc' && format !== 'csr') {
    throw refuse(
      `must hold a sparse matrix as csc, csr or coo, not ${format || 'another'}`,
      'call .tocsc() before saving',
    );
  }
  const [indptr, indices] = [read('indptr'), read('indices')];
  const [lines, most] = [format === 'csc' ? cols : rows, Math.min(indices.length, values.length)];
  if (indptr.length !== lines + 1 || indptr.some((start, k) => !(start >= (k ? indptr[k - 1] : 0) && start <= most))) {
    throw damaged('its columns or rows do not follow each other');
  }
  for (let k = 0; k < lines; k++) {
    for (let n = indptr[k]; n < indptr[k + 1]; n++) {
      if (format === 'csc') put(indices[n], k, values[n]);
      else put(k, indices[n], values[n]);
    }
  }
  return { rows, cols, data };
}
