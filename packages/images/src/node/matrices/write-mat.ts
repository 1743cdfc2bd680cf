/** MAT-files of level 5 with one matrix, dense or sparse, little-endian and not compressed, which MATLAB and SciPy read. */

import { type Codes, InputError } from 'ght';
import { elementType } from './mat-elements.js';
import type { DenseMatrix } from './matrix.js';

const [SPARSE, DOUBLE] = [5, 6];
const LITTLE_ENDIAN_5 = [0, 1, 0x49, 0x4d];
/** An element counts its bytes in 32 bits. */
const MOST_BYTES = 2 ** 32 - 1;

/** The bytes of a MAT-file that holds a matrix, or codes as a sparse matrix L×P, under this name. */
export function encodeMat(name: string, matrix: DenseMatrix | Codes): Uint8Array {
  const sparse = 'indptr' in matrix;
  const [rows, cols] = sparse ? [matrix.L, matrix.P] : [matrix.rows, matrix.cols];
  const flags = Uint32Array.of(sparse ? SPARSE : DOUBLE, sparse ? Math.max(1, matrix.values.length) : 0);
  const content = [
    element(elementType.uint32, flags),
    element(elementType.int32, Int32Array.of(rows, cols)),
    element(elementType.int8, new TextEncoder().encode(name)),
    ...(sparse
      ? [
          element(elementType.int32, matrix.indices),
          element(elementType.int32, matrix.indptr),
          element(elementType.double, matrix.values),
        ]
      : [element(elementType.double, matrix.data)]),
  ];
  const length = content.reduce((sum, part) => sum + part.length, 0);
  if (length > MOST_BYTES) {
    throw new InputError('matrix', 'must have less than 4 GiB in a MAT-file', `${rows}×${cols}`, 'write .npy');
  }
  const text = 'MATLAB 5.0 MAT-file, written by GHT'.padEnd(124);
  const header = Uint8Array.of(...new TextEncoder().encode(text), ...LITTLE_ENDIAN_5);
  return Buffer.concat([header, tag(elementType.matrix, length), ...content]);
}

function tag(type: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(type, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

/** An element with its padding; all hosts of Node are little-endian. */
function element(type: number, { buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBufferLike>): Buffer {
  const padding = Buffer.alloc((8 - (byteLength % 8)) % 8);
  return Buffer.concat([tag(type, byteLength), Buffer.from(buffer, byteOffset, byteLength), padding]);
}
