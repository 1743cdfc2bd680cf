/**
 * The directory of a TIFF or BigTIFF page, as all writers here make it. Fields and samples are little-endian, as every platform that
 * sharp supports is in practice.
 */
import { joined } from '../bytes.js';
import type { RasterSamples } from '../raster.js';

/**
 * A field of a directory. A rational takes two numbers; a `place` is 4 bytes in a TIFF and 8 bytes in a BigTIFF. With the number of a type
 * come its bytes, the lowest of a number first; a `directory` lies behind the one that has it.
 */
export type TiffField =
  | readonly [tag: number, type: keyof typeof fieldTypes, values: ArrayLike<number>]
  | readonly [tag: number, type: number, bytes: Uint8Array]
  | readonly [tag: number, type: 'directory', fields: readonly TiffField[]];

/** The types of fields: their numbers, bytes of a number, and numbers of a value. */
const fieldTypes = {
  byte: { code: 1, size: 1, numbers: 1 },
  ascii: { code: 2, size: 1, numbers: 1 },
  short: { code: 3, size: 2, numbers: 1 },
  long: { code: 4, size: 4, numbers: 1 },
  rational: { code: 5, size: 4, numbers: 2 },
  undefined: { code: 7, size: 1, numbers: 1 },
  place: { code: 4, size: 4, numbers: 1 },
} as const;
/** Bytes of a value, by the number of its type. */
export const typeSizes: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8 },
};
const bigPlace = { code: 16, size: 8, numbers: 1 } as const;

/** Horizontal differences, modulo the depth: each sample less its left neighbour in the same channel. */
export function takeDifferences(samples: RasterSamples, rowLength: number, channels: number): void {
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let at = row + rowLength - 1; at >= row + channels; at--) samples[at] -= samples[at - channels];
  }
}

/** The most bytes that the values of a field take. */
export function mostBytesOf([, type, values]: TiffField): number {
  return type === 'directory' ? values.reduce((sum, field) => sum + 24 + mostBytesOf(field), 24) : 8 * values.length;
}

/** A field with its values as bytes, the lowest of a number first. */
interface EncodedField {
  readonly tag: number;
  readonly code: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

function encodeField([tag, type, values]: TiffField, position: number, big: boolean): EncodedField {
  if (type === 'directory') {
    const { directory } = encodeDirectory(values, position, big);
    return { tag, code: big ? 18 : 4, count: 1, bytes: directory };
  }
  if (typeof type === 'number') return { tag, code: type, count: values.length / typeSizes[type], bytes: values };
  const { code, size, numbers } = big && type === 'place' ? bigPlace : fieldTypes[type];
  const bytes = new Uint8Array(values.length * size);
  for (let k = 0; k < values.length; k++) writeNumber(bytes, values[k], k * size, size);
  return { tag, code, count: values.length / numbers, bytes };
}

/**
 * One directory, to lie at `position`, followed by the values that do not fit in its entries; `next` is where it notes the place
 * of the one after it.
 */
export function encodeDirectory(
  fields: readonly TiffField[],
  position: number,
  big = false,
): { readonly directory: Uint8Array<ArrayBuffer>; readonly next: number } {
  const [countBytes, entryBytes, placeBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const size = countBytes + entryBytes * fields.length + placeBytes;
  const head = new Uint8Array(size);
  writeNumber(head, fields.length, 0, 2);
  const parts: Uint8Array[] = [head];
  let next = size;
  const sorted = [...fields].sort(([a], [b]) => a - b);
  sorted.forEach((field, i) => {
    const { tag, code, count, bytes } = encodeField(field, position + next, big);
    const entry = countBytes + entryBytes * i;
    writeNumber(head, tag, entry, 2);
    writeNumber(head, code, entry + 2, 2);
    writeNumber(head, count, entry + 4, placeBytes);
    const at = entry + 4 + placeBytes;
    if (field[1] !== 'directory' && bytes.length <= placeBytes) {
      head.set(bytes, at);
      return;
    }
    writeNumber(head, position + next, at, placeBytes);
    parts.push(bytes, new Uint8Array(bytes.length % 2));
    next += even(bytes.length);
  });
  return { directory: joined(parts), next: size - placeBytes };
}

const even = (bytes: number) => bytes + (bytes % 2);

/** Writes a whole number with its lowest byte first; no file is longer than 2^48 bytes. */
function writeNumber(bytes: Uint8Array, value: number, at: number, size: number): void {
  for (let k = 0, rest = value; k < Math.min(size, 6); k++, rest = Math.floor(rest / 256)) bytes[at + k] = rest % 256;
}
