/**
 * Data as bytes, and back: requests, arguments and answers travel so. JSON holds the structure, and typed arrays follow it as they
 * are in memory. Decoding makes plain values only, whatever the bytes are: never functions, classes or prototypes.
 *
 *     4 bytes: length of the JSON | JSON in UTF-8 | zeros up to a multiple of 8 | the arrays, each from a multiple of 8
 *
 * In the JSON, an array is `{"$": [type, offset, length]}`, a number that JSON does not have is `{"$": "NaN"}`, and an object with a
 * key `$` of its own is `{"$": {...}}`.
 */
import { InputError } from 'ght';
import type { Data } from 'ght-tiles';

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float32Array, Float64Array } as const;
type ArrayName = keyof typeof ARRAYS;
type AnyArray = Extract<Data, ArrayBufferView>;

/** Numbers that JSON would change. */
const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

const aligned = (offset: number) => Math.ceil(offset / 8) * 8;

/** The name of a typed array's type; a Buffer is a Uint8Array. */
function arrayName(array: AnyArray): ArrayName {
  const name = (Object.keys(ARRAYS) as ArrayName[]).find((type) => array instanceof ARRAYS[type]);
  if (!name) throw invalid('values of known types', Object.prototype.toString.call(array));
  return name;
}

/** The bytes of a value. */
export function encodeData(data: Data): Uint8Array {
  const arrays: AnyArray[] = [];
  let size = 0;
  const structure = (value: Data | undefined): unknown => {
    if (typeof value === 'number') {
      const special = Object.keys(NUMBERS).find((name) => Object.is(NUMBERS[name], value));
      return special === undefined ? value : { $: special };
    }
    if (ArrayBuffer.isView(value)) {
      const array = value as AnyArray;
      const at = size;
      arrays.push(array);
      size = aligned(size + array.byteLength);
      return { $: [arrayName(array), at, array.length] };
    }
    if (Array.isArray(value)) return value.map(structure);
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, member]) => member !== undefined);
      const object = Object.fromEntries(entries.map(([key, member]) => [key, structure(member)]));
      return Object.hasOwn(object, '$') ? { $: object } : object;
    }
    if (value === undefined || typeof value === 'function') throw invalid('data', typeof value);
    return value;
  };
  const json = new TextEncoder().encode(JSON.stringify(structure(data)));
  const start = aligned(4 + json.length);
  const bytes = new Uint8Array(start + size);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  let at = start;
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at = aligned(at + byteLength);
  }
  return bytes;
}

/** The value of bytes from {@link encodeData}. */
export function decodeData(bytes: Uint8Array): Data {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteLength < 4) throw invalid('at least 4 bytes', byteLength);
  const length = new DataView(buffer, byteOffset).getUint32(0, true);
  const start = aligned(4 + length);
  if (4 + length > byteLength) throw invalid(`at least ${4 + length} bytes`, byteLength);
  const value = (part: unknown): Data => {
    if (Array.isArray(part)) return part.map(value);
    if (typeof part !== 'object' || part === null) return part as Data;
    if (!Object.hasOwn(part, '$')) return plain(part);
    const { $: special } = part as { $: unknown };
    if (typeof special === 'string' && Object.hasOwn(NUMBERS, special)) return NUMBERS[special];
    if (Array.isArray(special)) return array(special);
    if (typeof special === 'object' && special !== null) return plain(special);
    throw invalid('known parts', special);
  };
  const plain = (part: object): Data => {
    // Entries are defined, not assigned: the key __proto__ is a key like any other.
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, value(member)]));
  };
  const array = ([type, offset, count]: readonly unknown[]): AnyArray => {
    const known = typeof type === 'string' && Object.hasOwn(ARRAYS, type);
    const counts = [offset, count].every((n) => Number.isSafeInteger(n) && (n as number) >= 0);
    if (!known || !counts) throw invalid('arrays of known types', [type, offset, count]);
    const Type = ARRAYS[type as ArrayName];
    const from = start + (offset as number);
    const to = from + (count as number) * Type.BYTES_PER_ELEMENT;
    if (to > byteLength) throw invalid(`at least ${to} bytes`, byteLength);
    // A copy begins at a multiple of its own, which the bytes of a message need not.
    return new Type(buffer.slice(byteOffset + from, byteOffset + to) as ArrayBuffer);
  };
  try {
    return value(JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('JSON', 'something else', error);
    throw error;
  }
}

function invalid(rule: string, value: unknown, cause?: unknown): InputError {
  return new InputError('message', `must hold ${rule}`, value, 'check that all processes have the same version', {
    cause,
  });
}
