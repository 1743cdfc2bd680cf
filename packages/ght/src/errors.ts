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

/** Refuses option names that nobody reads, so that a misspelt option is not silently ignored. */
export function knownOptions(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new ParameterError(name, `is not an option (there are ${names.join(', ')})`, name, 'check the spelling');
    }
  }
}
