/** Matrices in MAT-files of level 5 (`save -v6` and `-v7`, `scipy.io.savemat`), of either byte order, compressed or not. */

import { promisify } from 'node:util';
import { constants, inflate, inflateSync } from 'node:zlib';
import { InputError, ResourceError } from 'ght';
import type { NpyArray } from 'ght/npy';
import type { Refuse } from '../../refuse.js';
import { type Bytes, bytesOf, type Element, elementAt, elementType, numbersOf, textOf } from './mat-elements.js';
import { checkDense, type DenseMatrix, MOST_BYTES, type Variable } from './matrix.js';

const HEADER_BYTES = 128;
/** The packed bytes that show the name and the size of a compressed variable. */
const PEEK_BYTES = 1024;
/** Deflate never packs more than 1032 times. */
const MOST_PEEKED = PEEK_BYTES * 1032;
/** Up to this size a variable may be packed as tightly as it can be; beyond it, numbers never are. */
const MOST_FREE = 2 ** 27;
const STEEPEST_LARGE = 20;
const RESAVE = 'save it again, with save -v7 in MATLAB or scipy.io.savemat';
const SPARSE = 5;
/** MATLAB's names of its classes, by number. */
const classNames: Readonly<Record<number, string>> = {
  ...{ 1: 'cell', 2: 'struct', 3: 'object', 4: 'char', [SPARSE]: 'sparse', 6: 'double', 7: 'single', 8: 'int8' },
  ...{ 9: 'uint8', 10: 'int16', 11: 'uint16', 12: 'int32', 13: 'uint32', 14: 'int64', 15: 'uint64' },
  ...{ 16: 'function', 17: 'opaque' },
};
const [FIRST_NUMERIC, INT64, LAST_NUMERIC, OPAQUE] = [SPARSE, 14, 15, 17];
const [COMPLEX, LOGICAL] = [0x800, 0x200];

/** What the beginning of a matrix says of it. */
interface Heading {
  readonly name: string;
  readonly kind: number;
  readonly complex: boolean;
  readonly logical: boolean;
  readonly shape: readonly number[];
  /** Where its numbers begin. */
  readonly at: number;
}

/** A variable as it lies in its file. */
interface Located {
  readonly heading: Heading;
  /** Unpacks and finds its matrix. */
  locate(): Promise<{ readonly bytes: Bytes; readonly matrix: Element }>;
}

/** The variables of a MAT-file as matrices, of which none is unpacked before it is read. */
export function variablesOfMat(file: Uint8Array, refuse: Refuse): Variable[] {
  return locatedIn(file, refuse).map((each) => variableOf(each, refuse));
}

/** An array of a MAT-file, of any shape. */
export interface MatArray {
  readonly name: string;
  /** Whether it has real numbers of a type that images have. */
  readonly isImage: boolean;
  /** Reads it, rows first as in a `.npy`. */
  read(): Promise<NpyArray>;
}

/** The variables of a MAT-file as arrays. */
export function arraysOfMat(file: Uint8Array, refuse: Refuse): MatArray[] {
  return locatedIn(file, refuse).map((each) => arrayOf(each, refuse));
}

function locatedIn(file: Uint8Array, refuse: Refuse): Located[] {
  const damaged = (what: string) =>
    refuse(`must be an intact MAT-file: ${what}`, 'copy the whole file, or save it again');
  const little = byteOrder(file, refuse);
  const bytes = bytesOf(file, little, damaged);
  const variables: Located[] = [];
  for (let at = HEADER_BYTES; at < file.length; ) {
    const element = elementAt(bytes, at, file.length);
    const { type, from, to } = element;
    if (type !== elementType.matrix && type !== elementType.compressed) throw damaged(`byte ${at} begins no variable`);
    const packed = type === elementType.compressed;
    const start = packed ? bytesOf(peek(file.subarray(from, to), damaged), little, damaged) : bytes;
    const outer = packed ? matrixIn(start) : element;
    const heading = headingOf(start, outer.from, Math.min(outer.to, start.view.byteLength));
    if (heading.name !== '') variables.push({ heading, locate: packed ? unpacked : plain });
    at = packed ? to : element.next;

    async function plain() {
      return { bytes, matrix: element };
    }
    async function unpacked() {
      const inside = bytesOf(await unpack(file.subarray(from, to), 8 + outer.to - outer.from, refuse), little, damaged);
      return { bytes: inside, matrix: elementAt(inside, 0, inside.view.byteLength) };
    }
  }
  return variables;
}

/** Whether the numbers of the file are little-endian; refuses files of other levels by name. */
function byteOrder(file: Uint8Array, refuse: Refuse): boolean {
  const mark = new TextDecoder('latin1').decode(file.subarray(126, 128));
  const little = mark === 'IM';
  const level = file.length >= HEADER_BYTES && (little || mark === 'MI') ? file[little ? 125 : 124] : 0;
  const hdf5 = [0, 512].some((at) => file[at] === 0x89 && file[at + 1] === 0x48 && file[at + 2] === 0x44);
  if (level === 2 || hdf5) {
    throw refuse('must be a MAT-file of level 5, and this is one of v7.3 (HDF5)', 'save it with save -v7 in MATLAB');
  }
  // A file of level 4 begins with a small number, where one of level 5 has text.
  if (level !== 1) throw refuse('must be a MAT-file of level 5', RESAVE);
  return little;
}

/** The beginning of a compressed variable. */
function peek(packed: Uint8Array, damaged: Bytes['damaged']): Uint8Array {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_PEEKED };
  try {
    return inflateSync(packed.subarray(0, PEEK_BYTES), options);
  } catch (cause) {
    throw damaged(`a compressed variable cannot be unpacked (${String(cause)})`);
  }
}

/** Where the matrix that begins a compressed variable would lie: only its beginning is there. */
function matrixIn({ view, little, damaged }: Bytes): Element {
  if (view.byteLength < 8 || view.getUint32(0, little) !== elementType.matrix) throw damaged('a variable is no matrix');
  const to = 8 + view.getUint32(4, little);
  return { type: elementType.matrix, from: 8, to, next: to };
}

async function unpack(packed: Uint8Array, length: number, refuse: Refuse): Promise<Uint8Array> {
  if (length > Math.max(MOST_FREE, STEEPEST_LARGE * packed.length)) {
    const rule = `must unpack to at most ${MOST_FREE} bytes, or ${STEEPEST_LARGE} times its packed bytes, not ${length}`;
    throw refuse(rule, 'save it without compression, with save -v6', ResourceError);
  }
  const rule = 'must hold intact compressed variables';
  const remedy = 'copy the whole file, or save it again';
  const inflated = await promisify(inflate)(packed, { maxOutputLength: length }).catch((cause: unknown) => {
    throw refuse(`${rule} (${String(cause)})`, remedy, InputError, { cause });
  });
  if (inflated.length === length) return inflated;
  throw refuse(`${rule} (one has ${inflated.length} bytes in place of ${length})`, remedy);
}

function headingOf(bytes: Bytes, from: number, limit: number): Heading {
  const { view, little, damaged } = bytes;
  const flags = elementAt(bytes, from, limit);
  if (flags.type !== elementType.uint32 || flags.to - flags.from !== 8) throw damaged('a variable has no flags');
  const word = view.getUint32(flags.from, little);
  const about = { kind: word & 0xff, complex: (word & COMPLEX) !== 0, logical: (word & LOGICAL) !== 0 };
  if (about.kind === OPAQUE) {
    const name = elementAt(bytes, flags.next, limit);
    return { ...about, name: textOf(bytes, name), shape: [], at: name.next };
  }
  const dimensions = elementAt(bytes, flags.next, limit);
  const name = elementAt(bytes, dimensions.next, limit);
  const shape = [...numbersOf(bytes, dimensions)];
  if (!shape.every((length) => length >= 0)) throw damaged(`a shape is (${shape.join(', ')})`);
  return { ...about, name: textOf(bytes, name), shape, at: name.next };
}

/** A variable as a matrix. */
function variableOf({ heading, locate }: Located, refuse: Refuse): Variable {
  const { name, kind, complex, shape } = heading;
  const numeric = kind >= FIRST_NUMERIC && kind <= LAST_NUMERIC;
  const read = async () => {
    if (!numeric) {
      const rule = `must hold numbers in ${name}, which is of the class ${classNames[kind] ?? kind}`;
      throw refuse(rule, 'save a matrix: double(…) or full(…)');
    }
    if (complex) throw refuse(`must hold real numbers in ${name}`, 'save real(…) or imag(…)');
    const { bytes, matrix } = await locate();
    const dense = checkDense(name, shape, bytes.view.byteLength, refuse);
    const { at } = headingOf(bytes, matrix.from, matrix.to);
    const data =
      kind === SPARSE
        ? sparseOf(bytes, { ...heading, at }, matrix.to, dense)
        : numbersOf(bytes, elementAt(bytes, at, matrix.to));
    if (kind >= INT64 && data.some(Number.isNaN)) {
      throw refuse(`must hold 64-bit integers that float64 holds exactly in ${name}`, 'round them: double(…)');
    }
    if (data.length !== dense.rows * dense.cols) {
      throw bytes.damaged(`${name} has ${data.length} numbers for a shape of (${shape.join(', ')})`);
    }
    return { ...dense, data };
  };
  return { name, isMatrix: numeric && !complex && shape.length === 2, read };
}

/** The types of full arrays that images have, by their classes. */
const arrayTypes: Readonly<Record<number, NpyArray['type']>> = {
  ...{ 6: 'f8', 7: 'f4', 8: 'i1', 9: 'u1', 10: 'i2', 11: 'u2', 12: 'i4', 13: 'u4' },
};
const kinds = {
  ...{ f8: Float64Array, f4: Float32Array, i1: Int8Array, u1: Uint8Array },
  ...{ i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array },
} as const;

/** A variable as an array. MATLAB stores the first dimension fastest, and a `.npy` the last. */
function arrayOf({ heading, locate }: Located, refuse: Refuse): MatArray {
  const { name, kind, complex, logical, shape } = heading;
  const type = complex || logical ? undefined : arrayTypes[kind];
  const read = async () => {
    if (type === undefined) {
      const what = complex ? 'complex numbers' : logical ? 'logical values' : (classNames[kind] ?? `class ${kind}`);
      const rule = `must hold a full array of integers of 8 to 32 bits or of floats in ${name}, not ${what}`;
      throw refuse(rule, 'convert it, for example with single(full(…))');
    }
    const count = shape.reduce((product, length) => product * length, 1);
    if (!(count > 0 && 8 * count <= MOST_BYTES)) {
      const rule = `must have from 1 to ${MOST_BYTES / 8} samples in ${name}, not ${shape.join('×')}`;
      throw refuse(rule, 'divide it into smaller arrays', ResourceError);
    }
    const { bytes, matrix } = await locate();
    const stored = numbersOf(bytes, elementAt(bytes, headingOf(bytes, matrix.from, matrix.to).at, matrix.to));
    if (stored.length !== count) {
      throw bytes.damaged(`${name} has ${stored.length} numbers for a shape of (${shape.join(', ')})`);
    }
    const data = new kinds[type as keyof typeof kinds](count);
    const [rows, columns] = [shape[0], shape.slice(1).reduce((product, length) => product * length, 1)];
    const lines = shape[1];
    const depth = columns / lines;
    for (let y = 0, to = 0; y < rows; y++) {
      for (let x = 0; x < lines; x++) {
        for (let c = 0; c < depth; c++) data[to++] = stored[(c * lines + x) * rows + y];
      }
    }
    return { type, shape: [...shape], data } as NpyArray;
  };
  return { name, isImage: type !== undefined, read };
}

/** The columns of a sparse matrix: row numbers, where each column begins, and values. */
function sparseOf(
  bytes: Bytes,
  { at, logical }: Heading,
  limit: number,
  { rows, cols }: Omit<DenseMatrix, 'data'>,
): Float64Array {
  const places = elementAt(bytes, at, limit);
  const starts = elementAt(bytes, places.next, limit);
  const [ir, jc] = [numbersOf(bytes, places), numbersOf(bytes, starts)];
  const numbers = elementAt(bytes, starts.next, limit);
  // MATLAB calls logical values doubles here, and stores one byte of each.
  const narrow = logical && numbers.to - numbers.from === jc[cols];
  const values = numbersOf(bytes, narrow ? { ...numbers, type: elementType.uint8 } : numbers);
  const most = Math.min(ir.length, values.length);
  const rising = jc.length === cols + 1 && jc[0] === 0 && jc.every((start, j) => start <= (jc[j + 1] ?? most));
  if (!rising) throw bytes.damaged('the columns of a sparse matrix do not follow each other');
  const data = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++) {
    for (let i = jc[j]; i < jc[j + 1]; i++) {
      if (!(ir[i] >= 0 && ir[i] < rows))
        throw bytes.damaged(`a sparse matrix of ${rows} rows has an entry in row ${ir[i]}`);
      data[j * rows + ir[i]] += values[i];
    }
  }
  return data;
}
