/**
 * A parameter or an input that breaks a rule. The message is one line that names the parameter, the rule, the value
 * received and the remedy; the same four parts are there as fields, so that a shell can phrase its own.
 */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';

  constructor(
    /** What was wrong, by the name the caller used: `budget.total`, `rho`, `image`. */
    readonly parameter: string,
    /** The rule it breaks: `must be a whole number from 0 to 6400`. */
    readonly rule: string,
    /** What was received, as it was received. */
    readonly value: unknown,
    /** What to do about it. */
    readonly remedy: string,
  ) {
    super(`${parameter} ${rule}, but got ${show(value)}: ${remedy}`);
  }
}

/** True for the errors this library throws on bad parameters or input, and false for defects and aborts. */
export function isParameterError(error: unknown): error is ParameterError {
  return error instanceof ParameterError;
}

/** Letters of a value that a message shows: it is one line. */
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

/** The value if it is a whole number from `least` to `most`; otherwise a ParameterError. */
export function wholeNumber(parameter: string, value: unknown, least: number, most: number, remedy: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new ParameterError(parameter, `must be a whole number ${range}`, value, remedy);
}

/** The value if it is finite and above zero; otherwise a ParameterError. */
export function positive(parameter: string, value: unknown, remedy: string): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new ParameterError(parameter, 'must be a finite number above 0', value, remedy);
}

/** The value if it is finite and not below zero; otherwise a ParameterError. */
export function notNegative(parameter: string, value: unknown, remedy: string): number {
  if (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new ParameterError(parameter, 'must be a finite number of at least 0', value, remedy);
}

/** The value if it is one of the names; otherwise a ParameterError that lists them. */
export function oneOf<T extends string>(parameter: string, value: unknown, names: readonly T[]): T {
  if (names.includes(value as T)) return value as T;
  throw new ParameterError(parameter, `must be one of ${names.join(', ')}`, value, 'choose a name from that list');
}

/** The value if it is true or false; otherwise a ParameterError: text such as `no` would count as true. */
export function yesOrNo(parameter: string, value: unknown, remedy: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ParameterError(parameter, 'must be true or false', value, remedy);
}

/** Refuses what is given as a function and is none. */
export function callable(parameter: string, value: unknown, remedy: string): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new ParameterError(parameter, 'must be a function', value, remedy);
  }
}

/** What kind of thing a value is, where the value itself would say too much: `Int32Array`, `String`, `Undefined`. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/**
 * Refuses options that no task could take: something that is no object; names that nobody reads, so that a misspelt option
 * is not silently ignored; a signal that cannot stop anything, and a listener that cannot be told.
 */
export function knownOptions(options: object, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new ParameterError('options', 'must be an object', options, 'leave them out, or give { name: value }');
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new ParameterError(name, `is not an option (there are ${names.join(', ')})`, name, 'check the spelling');
    }
  }
  const { signal, onProgress } = options as { signal?: Partial<AbortSignal> | null; onProgress?: unknown };
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new ParameterError('signal', 'must be an AbortSignal', signal, 'give the signal of an AbortController');
  }
  callable('onProgress', onProgress, 'give a function that is told how far the work is');
}
