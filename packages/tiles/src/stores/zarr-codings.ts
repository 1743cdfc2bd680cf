/**
 * How the chunks of a Zarr are coded. What is read is listed here; everything else is refused by its name. Each step knows exactly how
 * many bytes it must give, so that a damaged chunk is an error, and a chunk that unpacks to more is not unpacked.
 */
import type { Refuse } from 'ght-images';
import { unpackZstd } from 'ght-images/node';
import { unpackBlosc } from './zarr-blosc.js';
import { checked } from './zarr-checksums.js';
import { unpackGzip, unpackZlib } from './zarr-inflate.js';
import { unpackLz4 } from './zarr-lz.js';
import { unshuffle } from './zarr-shuffle.js';

/** A codec as a document names it. */
export interface NamedCodec {
  readonly name: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** The type of the numbers in a chunk. */
export interface ElementType {
  /** Its name in Zarr format 3. */
  readonly name: string;
  /** Bytes per number. */
  readonly bytes: number;
}

/** One step of coding, which is undone. */
interface Step {
  /** Whether the coded length cannot be known from the length before. */
  readonly compresses: boolean;
  /** Bytes that the step adds, if it does not compress. */
  readonly adds: number;
  /** Undoes the step: exactly `length` bytes. */
  undo(bytes: Uint8Array, length: number): Uint8Array | Promise<Uint8Array>;
}

/** How a chunk is coded. */
export interface Coding {
  /** The axes in the order of storage; the last one is that of neighbouring samples. */
  readonly order: readonly number[];
  readonly littleEndian: boolean;
  /** How often differences of neighbours were taken. */
  readonly differences: number;
  /** What was done to the bytes, in this order. */
  readonly steps: readonly Step[];
}

const READ =
  'blosc, zstd, gzip, zlib, lz4, shuffle, delta, bitround, transpose, crc32c, crc32, adler32 and sharding_indexed';

const compressors: Readonly<Record<string, Step['undo']>> = {
  blosc: unpackBlosc,
  zstd: unpackZstd,
  gzip: unpackGzip,
  zlib: unpackZlib,
  // numcodecs writes the length before the block.
  lz4: (bytes, length) => {
    const announced = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    if (announced !== length) throw new Error(`its LZ4 header announces ${announced} bytes, not ${length}`);
    return unpackLz4(bytes.subarray(4), length);
  },
};

/** A codec of a step on bytes; undefined for one of another kind. */
function byteStep({ name, configuration }: NamedCodec, refuse: Refuse): Step | undefined {
  const undo = Object.hasOwn(compressors, name) ? compressors[name] : undefined;
  if (name === 'blosc' && configuration.cname === 'snappy') throw unread('blosc with snappy', refuse);
  if (undo) return { compresses: true, adds: 0, undo };
  if (name === 'crc32c' || name === 'crc32' || name === 'adler32') {
    const where = configuration.location ?? (name === 'crc32c' ? 'end' : 'start');
    if (where !== 'start' && where !== 'end') throw unread(`${name} at "${where}"`, refuse);
    return { compresses: false, adds: 4, undo: (bytes) => checked(bytes, name, where) };
  }
  if (name !== 'shuffle') return undefined;
  const size = configuration.elementsize ?? 4;
  if (!Number.isInteger(size) || (size as number) < 1) throw unread(`shuffle of ${size} bytes`, refuse);
  return { compresses: false, adds: 0, undo: (bytes) => unshuffle(bytes, size as number) };
}

/**
 * The coding of codecs as format 3 lists them: first those of arrays, then `bytes`, then those of bytes.
 *
 * @param littleEndian for format 2, whose type says it and whose list does not have `bytes`
 */
export function codingOf(
  codecs: readonly NamedCodec[],
  type: ElementType,
  rank: number,
  refuse: Refuse,
  littleEndian?: boolean,
): Coding {
  const steps: Step[] = [];
  let order: readonly number[] = Array.from({ length: rank }, (_, axis) => axis);
  let little = littleEndian;
  let differences = 0;
  let inBytes = false;
  for (const codec of codecs) {
    const name = codec.name.replace(/^numcodecs\./, '');
    const step = byteStep({ ...codec, name }, refuse);
    if (step) {
      // In format 3, steps on bytes come after `bytes`.
      if (little === undefined) throw unread(`${codec.name} before bytes`, refuse);
      inBytes = true;
      steps.push(step);
    } else if (name === 'bytes' && little === undefined) {
      little = endianOf(codec, type, refuse);
      inBytes = true;
    } else if (inBytes) {
      const known = ['bytes', 'transpose', 'delta', 'bitround'].includes(name);
      throw unread(known ? `${codec.name} after ${codecs[codecs.indexOf(codec) - 1].name}` : codec.name, refuse);
    } else if (name === 'transpose' && differences === 0) {
      order = transposed(order, codec.configuration.order, refuse);
    } else if (name === 'delta') {
      checkDelta(codec, type, little, refuse);
      differences++;
    } else if (name !== 'bitround') {
      // Rounded bits stay as they are.
      throw unread(codec.name, refuse);
    }
  }
  if (little === undefined) throw refuse('must have the codec bytes, which says the order of bytes', 'save it again');
  if (steps.filter(({ compresses }) => compresses).length > 1)
    throw unread('two compressions after each other', refuse);
  return { order, littleEndian: little, differences, steps };
}

/** The error of a coding that is not read. */
export function unread(name: string, refuse: Refuse) {
  return refuse(`must be coded by ${READ}, not ${name}`, 'save it again with zstd');
}

function endianOf({ configuration: { endian } }: NamedCodec, { bytes }: ElementType, refuse: Refuse): boolean {
  if (endian === 'little' || (endian === undefined && bytes === 1)) return true;
  if (endian === 'big') return false;
  throw refuse(`must say the order of bytes, not ${JSON.stringify(endian)}`, 'write endian: "little" or "big"');
}

function transposed(before: readonly number[], given: unknown, refuse: Refuse): readonly number[] {
  const rank = before.length;
  const axes = before.map((_, axis) => axis);
  const order: unknown = given === 'C' ? axes : given === 'F' ? axes.reverse() : given;
  const valid = Array.isArray(order) && order.length === rank && before.every((_, axis) => order.includes(axis));
  if (!valid) throw refuse(`must be transposed by an order of its ${rank} axes`, 'save it again');
  return order.map((axis: number) => before[axis]);
}

/** Differences are read of the array's own type: others would have to be converted. */
function checkDelta(
  { configuration }: NamedCodec,
  type: ElementType,
  little: boolean | undefined,
  refuse: Refuse,
): void {
  const { dtype, astype = dtype } = configuration;
  const own = (name: unknown) => {
    if (name === type.name) return true;
    const { type: other, littleEndian } = (typeof name === 'string' && numpyType(name)) || {};
    return other === type.name && (type.bytes === 1 || little === undefined || littleEndian === little);
  };
  if (!own(dtype) || !own(astype)) throw unread(`delta of ${String(dtype)} as ${String(astype)}`, refuse);
}

/** A type as NumPy and format 2 write it. */
export function numpyType(dtype: string): { readonly type: string; readonly littleEndian: boolean } | undefined {
  const [, endian, kind, size] = /^([<>|])([uif])([1248])$/.exec(dtype) ?? [];
  if (endian === undefined || (endian === '|') !== (size === '1')) return undefined;
  const name = { u: 'uint', i: 'int', f: 'float' }[kind as 'u' | 'i' | 'f'];
  return { type: `${name}${8 * Number(size)}`, littleEndian: endian !== '>' };
}

/** The length of a chunk of `length` bytes when it is coded; undefined if it is compressed. */
export function codedLength({ steps }: Coding, length: number): number | undefined {
  if (steps.some(({ compresses }) => compresses)) return undefined;
  return steps.reduce((sum, { adds }) => sum + adds, length);
}

/** The most bytes that a chunk of `length` bytes may take: compression makes noise a little longer. */
export function mostCoded(coding: Coding, length: number): number {
  return codedLength(coding, length) ?? length + Math.ceil(length / 8) + 2 ** 16;
}

/** The bytes of a chunk, exactly `length` of them in the order of the file, which are never those of another buffer. */
export async function uncoded(coded: Uint8Array, { steps }: Coding, length: number): Promise<Uint8Array> {
  const lengths = [length];
  for (const { adds } of steps) lengths.push(lengths[lengths.length - 1] + adds);
  let bytes = coded;
  for (const [i, step] of [...steps.entries()].reverse()) {
    bytes = await step.undo(bytes, lengths[i]);
    if (step.compresses) checkLength(bytes, lengths[i]);
  }
  checkLength(bytes, length);
  return bytes;
}

function checkLength({ length }: Uint8Array, expected: number): void {
  if (length !== expected) throw new Error(`it has ${length} bytes, not ${expected}`);
}
