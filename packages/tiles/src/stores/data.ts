/**
 * Data as bytes: what a scratch folder and a queue store. A value is a tag of one byte and its content, little-endian:
 *
 *     null, false, true     the tag alone
 *     number                8 bytes, so that −0, NaN and infinities come back as they were
 *     string                length in bytes (4 bytes), UTF-8
 *     typed array           number of elements (4 bytes), elements
 *     list                  number of values (4 bytes), values
 *     object                number of fields (4 bytes), fields: a string without its tag, a value
 *
 * Decoding never runs what it reads: lengths are checked against what is there, nesting is limited, and the one key that would change
 * the prototype of an object is refused.
 */
import { InputError, isGhtError } from 'ght';
import type { Data } from 'ght/check';

const arrays = [Uint8Array, Uint16Array, Uint32Array, Int32Array, Float32Array, Float64Array] as const;
type TypedArray = InstanceType<(typeof arrays)[number]>;

const tags = { null: 0, false: 1, true: 2, number: 3, string: 4, list: 5, object: 6, array: 16 } as const;
const DEEPEST = 64;
const remedy = 'compute it again';

/** The bytes of a value. */
export function encodeData(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  write(value, parts, 0);
  return Buffer.concat(parts);
}

function write(value: unknown, parts: Uint8Array[], depth: number): void {
  if (depth > DEEPEST) throw refuse(`must be nested at most ${DEEPEST} deep`, 'more');
  if (value === null) parts.push(Uint8Array.of(tags.null));
  else if (typeof value === 'boolean') parts.push(Uint8Array.of(value ? tags.true : tags.false));
  else if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes[0] = tags.number;
    bytes.writeDoubleLE(value, 1);
    parts.push(bytes);
  } else if (typeof value === 'string') {
    const text = Buffer.from(value);
    parts.push(headOf(tags.string, text.length), text);
  } else if (isTypedArray(value)) {
    const type = arrays.findIndex((Elements) => value instanceof Elements);
    parts.push(headOf(tags.array + type, value.length));
    parts.push(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (Array.isArray(value)) {
    parts.push(headOf(tags.list, value.length));
    for (const item of value) write(item, parts, depth + 1);
  } else if (typeof value === 'object') {
    const present = Object.entries(value).filter(([, content]) => content !== undefined);
    parts.push(headOf(tags.object, present.length));
    for (const [key, content] of present) {
      const name = Buffer.from(checkKey(key));
      const length = Buffer.alloc(4);
      length.writeUInt32LE(name.length);
      parts.push(length, name);
      write(content, parts, depth + 1);
    }
  } else throw refuse('must consist of JSON values and typed arrays', typeof value);
}

function headOf(tag: number, length: number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = tag;
  head.writeUInt32LE(length, 1);
  return head;
}

function isTypedArray(value: unknown): value is TypedArray {
  return arrays.some((Elements) => value instanceof Elements);
}

function checkKey(key: string): string {
  if (key === '__proto__') throw refuse('must not have this key', key);
  return key;
}

function refuse(rule: string, value: unknown): InputError {
  return new InputError('data', rule, value, remedy);
}

/** The value of such bytes. Anything else is refused with an InputError, whatever the bytes are. */
export function decodeData(bytes: Uint8Array): Data {
  const reader = new Reader(bytes);
  try {
    const value = reader.value(0);
    if (reader.left > 0) throw refuse('must end after its value', `${reader.left} more bytes`);
    return value;
  } catch (cause) {
    if (isGhtError(cause)) throw cause;
    throw new InputError('data', 'must be readable', String(cause), remedy, { cause });
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The place of the next bytes, which are then taken. */
  #take(length: number): number {
    if (length > this.left) throw refuse('must be complete', `${length - this.left} bytes too few`);
    this.#at += length;
    return this.#at - length;
  }

  #text(): string {
    const length = this.#bytes.readUInt32LE(this.#take(4));
    const start = this.#take(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** A number of things of which each takes at least this many bytes. */
  #count(least: number): number {
    const count = this.#bytes.readUInt32LE(this.#take(4));
    if (count * least > this.left) throw refuse('must be complete', `${count * least - this.left} bytes too few`);
    return count;
  }

  value(depth: number): Data {
    if (depth > DEEPEST) throw refuse(`must be nested at most ${DEEPEST} deep`, 'more');
    const tag = this.#bytes[this.#take(1)];
    switch (tag) {
      case tags.null:
        return null;
      case tags.false:
        return false;
      case tags.true:
        return true;
      case tags.number:
        return this.#bytes.readDoubleLE(this.#take(8));
      case tags.string:
        return this.#text();
      case tags.list: {
        const list: Data[] = [];
        for (let left = this.#count(1); left > 0; left--) list.push(this.value(depth + 1));
        return list;
      }
      case tags.object: {
        const object: Record<string, Data> = {};
        for (let left = this.#count(5); left > 0; left--) object[checkKey(this.#text())] = this.value(depth + 1);
        return object;
      }
    }
    const Elements = arrays[tag - tags.array];
    if (Elements === undefined) throw refuse('must consist of known tags', tag);
    const count = this.#count(Elements.BYTES_PER_ELEMENT);
    const start = this.#take(count * Elements.BYTES_PER_ELEMENT);
    const elements = new Elements(count);
    new Uint8Array(elements.buffer).set(this.#bytes.subarray(start, this.#at));
    return elements;
  }
}
