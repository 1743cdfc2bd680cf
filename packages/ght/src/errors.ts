/** What an error is about: a parameter, the data, the memory or disk, or the host. */
export type ErrorKind = 'option' | 'input' | 'resource' | 'environment';

/**
 * The base class of all errors that the library throws on purpose. Aborts and bugs are not among them. The message is one line
 * that names the parameter, the rule, the value received and the remedy. The same four parts are also fields, so that a
 * program can write its own message. `cause` is the underlying error, if there was one.
 *
 * The class is lost when an error is posted to another thread: send `kind` along with the message.
 */
export abstract class GhtError extends Error {
  /** What the error is about, for a program that decides what to do next. */
  abstract readonly kind: ErrorKind;

  constructor(
    /** The parameter that is invalid, by the name the caller used: `budget.total`, `rho`, `image`. */
    readonly parameter: string,
    /** The rule it breaks: `must be a whole number from 0 to 6400`. */
    readonly rule: string,
    /** The value received, unchanged. */
    readonly value: unknown,
    /** How to fix it. */
    readonly remedy: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`${parameter} ${rule}, but got ${show(value)}: ${remedy}`, options);
  }
}

/**
 * Thrown when an option or argument breaks a rule: a value out of range, an unknown name, options that exclude each other, a
 * target that cannot be reached. The same call fails again: change the option that `parameter` names.
 */
export class OptionError extends GhtError {
  override readonly name = 'OptionError';
  override readonly kind = 'option';
}

/**
 * Thrown when data breaks a rule: an image with NaN in it, samples of the wrong length, codes of another dictionary, a file
 * that is damaged, of another format or missing. Repair or replace the data; of several inputs, the others can still be used.
 */
export class InputError extends GhtError {
  override readonly name = 'InputError';
  override readonly kind = 'input';
}

/**
 * Thrown when memory or disk space runs out, or when a problem is larger than an engine, a file format or this machine holds.
 * Use a smaller problem (a larger stride, tiles, fewer atoms), choose another engine, or free some space and try again.
 */
export class ResourceError extends GhtError {
  override readonly name = 'ResourceError';
  override readonly kind = 'resource';
}

/**
 * Thrown when the host cannot do what was asked: it has no WebAssembly SIMD, a package is not installed, a place cannot be
 * written to. Options and data are fine: choose another engine or place, or repair the installation.
 */
export class EnvironmentError extends GhtError {
  override readonly name = 'EnvironmentError';
  override readonly kind = 'environment';
}

/**
 * Thrown inside the library when the GPU cannot go on: no adapter, a device that is lost, memory of a GPU that runs out. Tasks
 * catch it and start again on the next engine.
 */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  /** `reason` is what happened. */
  constructor(readonly reason: string) {
    super(`the engine webgpu cannot go on: ${reason}`);
  }
}

/** The class of the errors of each kind. */
interface ErrorOfKind {
  readonly option: OptionError;
  readonly input: InputError;
  readonly resource: ResourceError;
  readonly environment: EnvironmentError;
}

/**
 * True for the errors that the library throws on purpose, and false for aborts and defects. With a kind, only for errors of that kind:
 * `isGhtError(error, 'option')` is true for an {@link OptionError}.
 */
export function isGhtError(error: unknown): error is GhtError;
export function isGhtError<K extends ErrorKind>(error: unknown, kind: K): error is ErrorOfKind[K];
export function isGhtError(error: unknown, kind?: ErrorKind): boolean {
  return error instanceof GhtError && (kind === undefined || error.kind === kind);
}

/** The most characters of a value that a message shows, so that it stays one line. */
const LONGEST = 200;

function show(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    const text = JSON.stringify(value);
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  } catch {
    // Neither big integers nor circles can be written so.
    return String(value);
  }
}

/** The value if it is a whole number from `least` to `most`; otherwise an OptionError. */
export function wholeNumber(parameter: string, value: unknown, least: number, most: number, remedy: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new OptionError(parameter, `must be a whole number ${range}`, value, remedy);
}

/** The value if it is finite and above zero; otherwise an OptionError, or an InputError where the value belongs to data. */
export function positive(
  parameter: string,
  value: unknown,
  remedy: string,
  Kind: typeof OptionError | typeof InputError = OptionError,
): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new Kind(parameter, 'must be a finite number above 0', value, remedy);
}

/** The value if it is finite and not below zero; otherwise an OptionError. */
export function notNegative(parameter: string, value: unknown, remedy: string): number {
  if (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new OptionError(parameter, 'must be a finite number of at least 0', value, remedy);
}

/** The value if it is one of the names; otherwise an OptionError that lists them. */
export function oneOf<T extends string>(parameter: string, value: unknown, names: readonly T[]): T {
  if (names.includes(value as T)) return value as T;
  throw new OptionError(parameter, `must be one of ${names.join(', ')}`, value, 'choose a name from that list');
}

/** The value if it is true or false; otherwise an OptionError: text such as `no` would count as true. */
export function boolean(parameter: string, value: unknown, remedy: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new OptionError(parameter, 'must be true or false', value, remedy);
}

/** Throws an OptionError if the value is given but is not a function. */
export function callable(parameter: string, value: unknown, remedy: string): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new OptionError(parameter, 'must be a function', value, remedy);
  }
}

/** The type of a value, for messages where the value itself would be too long: `Int32Array`, `String`, `Undefined`. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/**
 * Rejects invalid options: options that are not an object, unknown names (so that a misspelt option is not silently
 * ignored), a `signal` that is not an AbortSignal, and an `onProgress` that is not a function.
 */
export function knownOptions(options: object, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('options', 'must be an object', options, 'leave them out, or give { name: value }');
  }
  for (const name of Object.keys(options)) if (!names.includes(name)) throw unknownOption(name, names);
  const { signal, onProgress } = options as { signal?: Partial<AbortSignal> | null; onProgress?: unknown };
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new OptionError('signal', 'must be an AbortSignal', signal, 'give the signal of an AbortController');
  }
  callable('onProgress', onProgress, 'give a function that takes the progress');
}

/** Letters by which a name may differ from the option that was meant. */
const mostMisspelt = (name: string) => Math.min(2, Math.floor(name.length / 2));

function unknownOption(name: string, names: readonly string[]): OptionError {
  const distances = names.map((known) => misspelling(name.toLowerCase(), known.toLowerCase()));
  const least = Math.min(...distances);
  const remedy =
    least <= mostMisspelt(name)
      ? `did you mean ${names[distances.indexOf(least)]}?`
      : `the options are ${names.join(', ')}`;
  const error = new OptionError(name, 'unknown option', name, remedy);
  // In the usual order the four parts would name the option twice.
  error.message = `unknown option ${name}; ${remedy}`;
  return error;
}

/** The Levenshtein distance: how many letters must be inserted, removed or replaced to turn one name into the other. */
function misspelling(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j] + 1, row[j - 1] + 1));
    }
  }
  return row[b.length];
}
