/**
 * The elements of MAT-files of level 5, which MATLAB writes with `save -v6` and `save -v7`, and SciPy with `savemat`: a tag with a type
 * and a length in bytes, then the data, padded to a multiple of 8 bytes. Data of at most 4 bytes may be inside the tag. Numbers are in
 * the byte order that the header of the file states. Any element may be a whole matrix, which has elements of its own.
 */

/** The types of elements. */
export const elementType = { int8: 1, uint8: 2, int32: 5, uint32: 6, double: 9, matrix: 14, compressed: 15 } as const;

/** The data of an element: where they are, and where the next element begins. */
export interface Element {
  readonly type: number;
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/** Makes the error about a damaged file. */
export type Damaged = (what: string) => Error;

/** Bytes in the byte order of their file. */
export interface Bytes {
  readonly view: DataView;
  readonly little: boolean;
  readonly damaged: Damaged;
}

/** The bytes of a typed array or buffer. */
export function bytesOf(data: Uint8Array, little: boolean, damaged: Damaged): Bytes {
  return { view: new DataView(data.buffer, data.byteOffset, data.byteLength), little, damaged };
}

/** The element at a byte, whose data end before `limit`. */
export function elementAt({ view, little, damaged }: Bytes, at: number, limit: number): Element {
  if (at + 8 > limit) throw damaged(`an element is cut short at byte ${at}`);
  const first = view.getUint32(at, little);
  const [small, size] = [first >>> 16, view.getUint32(at + 4, little)];
  if (small > 4) throw damaged(`no element is at byte ${at}`);
  const element = small
    ? { type: first & 0xffff, from: at + 4, to: at + 4 + small, next: at + 8 }
    : { type: first, from: at + 8, to: at + 8 + size, next: at + 8 + 8 * Math.ceil(size / 8) };
  if (element.to > limit) throw damaged(`an element ends at byte ${element.to} of ${limit}`);
  return element;
}

type Get = (view: DataView, at: number, little: boolean) => number;

/** How numbers of each type are read, and their bytes. 64-bit integers are read only where float64 holds them exactly. */
const numberTypes: Readonly<Record<number, readonly [bytes: number, get: Get]>> = {
  1: [1, (view, at) => view.getInt8(at)],
  2: [1, (view, at) => view.getUint8(at)],
  3: [2, (view, at, little) => view.getInt16(at, little)],
  4: [2, (view, at, little) => view.getUint16(at, little)],
  5: [4, (view, at, little) => view.getInt32(at, little)],
  6: [4, (view, at, little) => view.getUint32(at, little)],
  7: [4, (view, at, little) => view.getFloat32(at, little)],
  9: [8, (view, at, little) => view.getFloat64(at, little)],
  12: [8, (view, at, little) => exact(view.getBigInt64(at, little))],
  13: [8, (view, at, little) => exact(view.getBigUint64(at, little))],
};

/** NaN in place of a number that float64 does not hold exactly. */
function exact(value: bigint): number {
  return BigInt(Number(value)) === value ? Number(value) : Number.NaN;
}

/** The numbers of an element. A matrix of doubles may be stored as smaller integers. */
export function numbersOf({ view, little, damaged }: Bytes, { type, from, to }: Element): Float64Array {
  const [bytes, get] = numberTypes[type] ?? [];
  if (!bytes || !get) throw damaged(`numbers cannot have the type ${type}`);
  if ((to - from) % bytes !== 0) throw damaged(`${to - from} bytes are no numbers of ${bytes} bytes`);
  const numbers = new Float64Array((to - from) / bytes);
  for (let i = 0; i < numbers.length; i++) numbers[i] = get(view, from + i * bytes, little);
  return numbers;
}

/** The text of an element. */
export function textOf({ view }: Bytes, { from, to }: Element): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + from, to - from);
  return new TextDecoder('latin1').decode(bytes).replace(/\0+$/, '');
}
