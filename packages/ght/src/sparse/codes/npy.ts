import { InputError } from '../../errors.js';

/** The number types of a .npy file, by NumPy's letters: kind (float, signed, unsigned, boolean) and bytes per item. */
export type NpyType = 'f4' | 'f8' | 'i1' | 'i2' | 'i4' | 'i8' | 'u1' | 'u2' | 'u4' | 'u8' | 'b1';

/**
 * The typed array that holds the numbers: the one of the same width, Float64Array for i8 and u8, Uint8Array (0 or 1) for b1. For
 * u1, `writeNpy` also takes the Uint8ClampedArray of a canvas.
 */
export type NpyData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array;

/** An array as a .npy file holds it. The last index runs fastest (C order), whatever the order in the file. */
export interface NpyArray {
  /** The type of a sample, as NumPy writes it. */
  readonly type: NpyType;
  /** The length of each dimension; empty for a single number. */
  readonly shape: readonly number[];
  /** The samples, the last dimension fastest. */
  readonly data: NpyData;
}

type View<T> = { new (buffer: ArrayBuffer): T; readonly BYTES_PER_ELEMENT: number };

const narrow: Record<Exclude<NpyType, 'i8' | 'u8'>, View<NpyData>> = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  b1: Uint8Array,
};
const wide = { i8: BigInt64Array, u8: BigUint64Array };

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** NumPy rejects longer headers too (`max_header_size`). */
const LONGEST_HEADER = 10_000;
const MOST_DIMENSIONS = 64;
const hostIsLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const RESAVE = 'write the file again with numpy.save';

/**
 * The array in a .npy file: format versions 1.0 to 3.0, either byte order, either index order. 64-bit integers are
 * read only where float64 holds them exactly; float16 is read as float32. `name` is what errors call the array.
 */
export function readNpy(bytes: Uint8Array, name = 'array'): NpyArray {
  const header = readHeader(bytes, name);
  if (/^[<>]f2$/.test(header.descr)) {
    const halves = new Uint16Array(rawItems(bytes, header, 2, name).buffer);
    return { type: 'f4', shape: header.shape, data: inCOrder(Float32Array.from(halves, floatOfHalf), header) };
  }
  const type = numberType(header.descr, name);
  const raw = rawItems(bytes, header, Number(type[1]), name);
  if (type === 'i8' || type === 'u8') {
    const data = Float64Array.from(new wide[type](raw.buffer), (item) => exactNumber(item, name));
    return { type, shape: header.shape, data: inCOrder(data, header) };
  }
  if (type === 'b1') for (let i = 0; i < raw.length; i++) raw[i] = raw[i] === 0 ? 0 : 1;
  return { type, shape: header.shape, data: inCOrder(new narrow[type](raw.buffer), header) };
}

/** The bytes of a .npy file, as `numpy.save` writes them: version 1.0, little-endian, C order. */
export function writeNpy(array: NpyArray): Uint8Array<ArrayBuffer> {
  const { type, shape, data } = array;
  if (!isNumberType(type)) {
    const types = [...Object.keys(narrow), ...Object.keys(wide)].join(', ');
    throw new InputError('array.type', `must be one of ${types}`, type, 'choose a type from that list');
  }
  if (shape.length > MOST_DIMENSIONS || !shape.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    const rule = `must be at most ${MOST_DIMENSIONS} whole numbers of at least 0`;
    throw new InputError('array.shape', rule, shape, 'give the length of each dimension');
  }
  const holder = type === 'i8' || type === 'u8' ? Float64Array : narrow[type];
  if (!(data instanceof holder || (type === 'u1' && data instanceof Uint8ClampedArray))) {
    const rule = `must be a ${holder.name} for the type ${type}`;
    throw new InputError('array.data', rule, Object.prototype.toString.call(data), 'convert it, or change the type');
  }
  if (data.length !== shape.reduce((n, length) => n * length, 1)) {
    const rule = `must hold as many numbers as the shape (${shape.join(', ')}) says`;
    throw new InputError('array.data', rule, data.length, 'give the whole array, or correct the shape');
  }
  if (type === 'b1') for (const item of data) if (item > 1) throw notOfType('b1', '0 or 1', item);
  const items = type === 'i8' || type === 'u8' ? wideIntegers(data, type) : data;
  const raw = new Uint8Array(items.byteLength);
  raw.set(new Uint8Array(items.buffer, items.byteOffset, items.byteLength));
  if (!hostIsLittle) swapBytes(raw, Number(type[1]));
  return frame(`${type[1] === '1' ? '|' : '<'}${type}`, shape, raw);
}

/**
 * The string in a .npy file of one string, such as the `format` of a sparse matrix.
 * @internal
 */
export function readNpyText(bytes: Uint8Array, name: string): string {
  const header = readHeader(bytes, name);
  const width = /^(?:\|S|[<>]U)(\d{1,4})$/.exec(header.descr)?.[1];
  if (width === undefined || header.shape.length > 0) {
    throw new InputError(name, 'must be a single string', `${header.descr} (${header.shape.join(', ')})`, RESAVE);
  }
  const unit = header.descr[1] === 'U' ? 4 : 1;
  const raw = rawItems(bytes, header, unit, name, Number(width));
  const points = unit === 4 ? new Uint32Array(raw.buffer) : raw;
  // NumPy pads strings with NUL at the end. Invalid code points are clamped, since they are in no format name.
  return Array.from(points, (point) => String.fromCodePoint(Math.min(point, 0x10ffff)))
    .join('')
    .replace(/\0+$/, '');
}

/**
 * The bytes of a .npy file of one ASCII string, as NumPy writes a 0-d `bytes` array.
 * @internal
 */
export function writeNpyText(text: string): Uint8Array<ArrayBuffer> {
  return frame(`|S${text.length}`, [], new TextEncoder().encode(text));
}

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Where the items begin. */
  readonly offset: number;
}

function readHeader(bytes: Uint8Array, name: string): Header {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) {
    const start = Array.from(bytes.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    throw new InputError(name, 'must be a .npy file, which begins with 93 4e 55 4d 50 59', start, RESAVE);
  }
  const major = bytes[6];
  const lengthBytes = major === 1 ? 2 : 4;
  if (bytes.length < 8 + lengthBytes) {
    throw new InputError(name, 'must be a whole .npy file', `${bytes.length} bytes`, 'copy the whole file');
  }
  if (!(major >= 1 && major <= 3 && bytes[7] === 0)) {
    const rule = 'must have .npy format version 1.0, 2.0 or 3.0';
    throw new InputError(name, rule, `${major}.${bytes[7]}`, RESAVE);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = lengthBytes === 2 ? view.getUint16(8, true) : view.getUint32(8, true);
  const offset = 8 + lengthBytes + length;
  if (length > LONGEST_HEADER) {
    throw new InputError(name, `must have a header of at most ${LONGEST_HEADER} bytes`, length, RESAVE);
  }
  if (offset > bytes.length) {
    const rule = `must be a whole .npy file (its header ends at byte ${offset})`;
    throw new InputError(name, rule, `${bytes.length} bytes`, 'copy the whole file');
  }
  return { ...parseHeader(new TextDecoder().decode(bytes.subarray(8 + lengthBytes, offset)).trim(), name), offset };
}

/** The header is a Python dict literal. It must have exactly the three keys of the format, in any order. */
function parseHeader(text: string, name: string): Omit<Header, 'offset'> {
  if (/(['"])descr\1\s*:\s*\[/.test(text)) {
    throw new InputError(name, 'must hold plain numbers', 'a structured type', "save one field: array['field']");
  }
  const field = /\s*(['"])(descr|fortran_order|shape)\1\s*:\s*('[^']*'|"[^"]*"|True|False|\([^()]*\))\s*(?:,|(?=\}))/y;
  const fields = new Map<string, string>();
  let end = 1;
  for (let repeats = 0; repeats < 3; repeats++) {
    field.lastIndex = end;
    const found = field.exec(text);
    if (!found) break;
    fields.set(found[2], found[3]);
    end = field.lastIndex;
  }
  const descr = /^['"](.*)['"]$/.exec(fields.get('descr') ?? '')?.[1];
  const order = /^(True|False)$/.exec(fields.get('fortran_order') ?? '')?.[1];
  // A Python tuple: (), (3,) or (3, 4); Python 2 wrote (3L, 4L).
  const tuple = /^\(((?:\s*\d+L?\s*,)+(?:\s*\d+L?)?|)\s*\)$/.exec(fields.get('shape') ?? '')?.[1];
  const closed = text[0] === '{' && text.slice(end).trim() === '}';
  if (descr === undefined || order === undefined || tuple === undefined || !closed) {
    const rule = "must have a header with 'descr', 'fortran_order' and 'shape' as NumPy writes them";
    throw new InputError(name, rule, text.slice(0, 120).replace(/[^ -~]/g, '?'), RESAVE);
  }
  const shape = (tuple.match(/\d+/g) ?? []).map(Number);
  if (shape.length > MOST_DIMENSIONS || !shape.every(Number.isSafeInteger)) {
    const rule = `must have a shape of at most ${MOST_DIMENSIONS} lengths below 2^53`;
    throw new InputError(name, rule, fields.get('shape')?.slice(0, 120), RESAVE);
  }
  return { descr, fortran: order === 'True', shape };
}

function isNumberType(type: string): type is NpyType {
  return Object.hasOwn(narrow, type) || Object.hasOwn(wide, type);
}

function numberType(descr: string, name: string): NpyType {
  const [, order, type] = /^([<>|])([fiub]\d)$/.exec(descr) ?? [];
  if (isNumberType(type) && (order !== '|' || type[1] === '1')) return type;
  const remedies: Record<string, string> = {
    O: "Python objects are never read: save numbers, array.astype('float64')",
    c: 'save the parts apart: array.real and array.imag',
    S: "save numbers: array.astype('float64')",
    U: "save numbers: array.astype('float64')",
  };
  const rule = 'must hold float16, float32, float64, integers of 1 to 8 bytes or booleans';
  throw new InputError(name, rule, descr.slice(0, 40), remedies[descr[1]] ?? "convert it: array.astype('float64')");
}

/** A copy of the items, `width` units of `unit` bytes each, with the units in the byte order of this machine. */
function rawItems(bytes: Uint8Array, header: Header, unit: number, name: string, width = 1): Uint8Array<ArrayBuffer> {
  const { shape, offset } = header;
  const length = shape.includes(0) ? 0 : shape.reduce((product, n) => product * n, unit * width);
  const shown = `(${shape.join(', ')})`;
  if (length > Number.MAX_SAFE_INTEGER) {
    throw new InputError(name, 'must have a shape of fewer than 2^53 bytes in all', shown, RESAVE);
  }
  if (bytes.length - offset < length) {
    const rule = `must hold the ${length} bytes its shape ${shown} needs`;
    throw new InputError(name, rule, `${bytes.length - offset} bytes`, 'the file is cut short: copy the whole file');
  }
  if (bytes.length - offset > length) {
    const rule = `must end after the ${length} bytes its shape ${shown} needs`;
    throw new InputError(name, rule, `${bytes.length - offset} bytes`, 'save one array per file');
  }
  // Not bytes.slice(): on Node's Buffer that is a view, which may be misaligned.
  const raw = new Uint8Array(length);
  raw.set(bytes.subarray(offset, offset + length));
  if ((header.descr[0] === '>') === hostIsLittle) swapBytes(raw, unit);
  return raw;
}

/** The value of IEEE half precision: a sign, five bits of exponent and ten of fraction. */
export function floatOfHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 0x3ff];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

function swapBytes(raw: Uint8Array, unit: number): void {
  for (let i = 0; i < raw.length; i += unit) {
    for (let a = i, b = i + unit - 1; a < b; a++, b--) [raw[a], raw[b]] = [raw[b], raw[a]];
  }
}

function exactNumber(item: bigint, name: string): number {
  const value = Number(item);
  if (BigInt(value) === item) return value;
  const rule = 'must hold 64-bit integers only where float64 holds them exactly';
  throw new InputError(name, rule, item, "round them on purpose: array.astype('float64')");
}

function inCOrder<T extends NpyData>(data: T, { fortran, shape }: Header): T {
  if (!fortran || shape.length < 2) return data;
  const out = data.slice() as T;
  const index = new Array<number>(shape.length).fill(0);
  const strides = shape.map((_, k) => shape.slice(0, k).reduce((product, n) => product * n, 1));
  for (let c = 0, f = 0; c < data.length; c++) {
    out[c] = data[f];
    // Count up with the last index fastest; f is where the same item lies when the first index is fastest.
    for (let k = shape.length - 1; k >= 0; k--) {
      f += strides[k];
      if (++index[k] < shape[k]) break;
      f -= strides[k] * shape[k];
      index[k] = 0;
    }
  }
  return out;
}

function wideIntegers(data: NpyData, type: 'i8' | 'u8'): BigInt64Array | BigUint64Array {
  const least = type === 'i8' ? -(2 ** 63) : 0;
  const beyond = type === 'i8' ? 2 ** 63 : 2 ** 64;
  const bits = (item: number) => {
    if (Number.isInteger(item) && item >= least && item < beyond) return BigInt(item);
    throw notOfType(type, `whole numbers from ${least} and below ${beyond}`, item);
  };
  return type === 'i8' ? BigInt64Array.from(data, bits) : BigUint64Array.from(data, bits);
}

function notOfType(type: NpyType, range: string, item: number): InputError {
  return new InputError('array.data', `must hold ${range} for the type ${type}`, item, "use the type 'f8' instead");
}

function frame(descr: string, shape: readonly number[], raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
  // NumPy leaves room for the first length to grow to 21 digits, then pads so that the items begin at a multiple of 64.
  const growth = shape.length > 0 ? ' '.repeat(21 - String(shape[0]).length) : '';
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }${growth}`;
  const padded = `${dict}${' '.repeat(64 - ((11 + dict.length) % 64))}\n`;
  const bytes = new Uint8Array(10 + padded.length + raw.length);
  bytes.set([...MAGIC, 1, 0, padded.length & 0xff, padded.length >> 8]);
  bytes.set(new TextEncoder().encode(padded), 10);
  bytes.set(raw, 10 + padded.length);
  return bytes;
}
