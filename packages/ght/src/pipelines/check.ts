/**
 * Checks of data that come from elsewhere: messages of a queue, requests, arguments, answers. A check returns its value with its
 * type, or throws a {@link MessageError} that names the field. It is made where the data arrive, before any work, because nonsense in
 * a message, such as tiles of 0×0 pixels, would otherwise end a process instead of a job.
 *
 * Objects may have further fields: a check says what is needed, and passes on the value as it is.
 */
import { InputError } from '../errors.js';

/** Data that no process of this version would have sent. Sending them again, or to another worker, does not help. */
export class MessageError extends InputError {}

/** True for a {@link MessageError}. */
export function isMessageError(error: unknown): error is MessageError {
  return error instanceof MessageError;
}

/** Data that can be sent to another machine: JSON values and typed arrays, never functions. */
export type Data =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | readonly Data[]
  | { readonly [key: string]: Data | undefined };

/** Returns the value with its type, or throws a {@link MessageError} about `name`. */
export type Check<T> = (value: unknown, name: string) => T;

/** The type of the values that a check accepts. */
export type Checked<C> = C extends Check<infer T> ? T : never;

/** The most characters of a text, such as a name or a sentence. */
const LONGEST_TEXT = 4096;
/** The most characters of a value that an error shows. */
const LONGEST_SHOWN = 60;
/** The most values, and the deepest nesting, of data without a schema of their own. */
const MOST_VALUES = 100_000;
const DEEPEST = 32;

/** The error about a field. */
export function refuse(name: string, rule: string, value: unknown): MessageError {
  return new MessageError(name, rule, shown(value), 'use the same version of ght everywhere, and start the run again');
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (ArrayBuffer.isView(value)) return Object.prototype.toString.call(value).slice(8, -1);
  return typeof value === 'object' && value !== null ? 'an object' : value;
}

/** The value if a check accepts it, otherwise undefined: for data that can be computed again. */
export function accepted<T>(check: Check<T>, value: unknown): T | undefined {
  try {
    return check(value, 'data');
  } catch (error) {
    if (isMessageError(error)) return undefined;
    throw error;
  }
}

/** Any number, also infinite. */
export const number: Check<number> = (value, name) => {
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw refuse(name, 'must be a number', value);
};

/** A finite number. */
export const finite: Check<number> = (value, name) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refuse(name, 'must be a finite number', value);
};

/** A finite number above 0. */
export const positive: Check<number> = (value, name) => {
  if (finite(value, name) > 0) return value as number;
  throw refuse(name, 'must be above 0', value);
};

/** A whole number. */
export function whole(least = 0, most = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value, name) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw refuse(name, `must be a whole number from ${least} to ${most}`, value);
  };
}

/** No value: the argument or the answer of a pass that has none. */
export const nothing: Check<null> = (value, name) => {
  if (value === null) return null;
  throw refuse(name, 'must be null', value);
};

/** True or false. */
export const flag: Check<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value;
  throw refuse(name, 'must be true or false', value);
};

/** A text of limited length, which matches a pattern if one is given. */
export function text(pattern?: RegExp, longest = LONGEST_TEXT): Check<string> {
  return (value, name) => {
    if (typeof value !== 'string') throw refuse(name, 'must be a text', value);
    if (value.length > longest) throw refuse(name, `must have at most ${longest} characters`, value);
    if (pattern && !pattern.test(value)) throw refuse(name, `must match ${pattern.source}`, value);
    return value;
  };
}

/** One of some values. */
export function oneOf<T extends string | number>(...values: readonly T[]): Check<T> {
  return (value, name) => {
    if (values.includes(value as T)) return value as T;
    throw refuse(name, `must be one of ${values.join(', ')}`, value);
  };
}

/** A value, or null. */
export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, name) => (value === null ? null : check(value, name));
}

/** A value that may be absent. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, name) => (value === undefined ? undefined : check(value, name));
}

/** A list, of `length` values if that is given. */
export function listOf<T>(check: Check<T>, length?: number): Check<T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw refuse(name, 'must be a list', value);
    if (length !== undefined && value.length !== length) throw refuse(name, `must be a list of ${length}`, value);
    for (const [i, member] of value.entries()) check(member, `${name}[${i}]`);
    return value;
  };
}

interface ArrayKind<T> {
  readonly name: string;
  new (length: number): T;
}

/** A typed array, of `length` elements if that is given. */
export function arrayOf<T extends { readonly length: number }>(Kind: ArrayKind<T>, length?: number): Check<T> {
  return (value, name) => {
    if (!(value instanceof Kind)) throw refuse(name, `must be a ${Kind.name}`, value);
    if (length !== undefined && value.length !== length)
      throw refuse(name, `must have ${length} elements`, value.length);
    return value;
  };
}

/** Float64Array of numbers that are not NaN. */
export function numbers(length?: number): Check<Float64Array> {
  const check = arrayOf<Float64Array>(Float64Array, length);
  return (value, name) => {
    const array = check(value, name);
    if (array.some(Number.isNaN)) throw refuse(name, 'must be numbers', Number.NaN);
    return array;
  };
}

/** An object with these fields. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Check<T[K]> }): Check<T> {
  const checks = Object.entries(fields) as [string, Check<unknown>][];
  return (value, name) => {
    if (!isPlain(value)) throw refuse(name, 'must be an object', value);
    for (const [key, check] of checks) check(Object.hasOwn(value, key) ? value[key] : undefined, `${name}.${key}`);
    return value as T;
  };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Options by name, whose values the library checks: JSON values and typed arrays of limited number, with texts of limited length. */
export const options: Check<{ readonly [name: string]: Data | undefined }> = (value, name) => {
  if (!isPlain(value)) throw refuse(name, 'must be an object', value);
  let left = MOST_VALUES;
  const short = text();
  const walk = (at: unknown, path: string, depth: number): void => {
    if (--left < 0) throw refuse(name, `must have at most ${MOST_VALUES} values`, 'more');
    if (depth > DEEPEST) throw refuse(name, `must be nested at most ${DEEPEST} deep`, 'more');
    if (typeof at === 'string') short(at, path);
    if (Array.isArray(at)) for (const member of at) walk(member, path, depth + 1);
    else if (isPlain(at))
      for (const [key, member] of Object.entries(at)) walk(member, `${path}.${short(key, path)}`, depth + 1);
  };
  walk(value, name, 0);
  return value as { readonly [name: string]: Data | undefined };
};

/** The member with this number. */
export function memberOf<T>(list: readonly T[], index: number, name: string): T {
  return list[whole(0, list.length - 1)(index, name)];
}
