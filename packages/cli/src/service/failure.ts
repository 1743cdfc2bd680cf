/** Errors as they are sent to clients. */
import { isGhtError, OptionError, ResourceError } from 'ght';

/** An error, as plain data for another thread. */
export interface JobFailure {
  readonly status: number;
  readonly kind: string;
  readonly message: string;
}

const statusOf = { option: 400, input: 422, resource: 413, environment: 501 } as const;

/** What is sent of an error. */
export function failureOf(error: unknown): JobFailure {
  if (isGhtError(error)) return { status: statusOf[error.kind], kind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError && /array length|allocation failed/i.test(message)) {
    const remedy = 'send a smaller image';
    return failureOf(new ResourceError('IMAGE', 'must fit in memory', message, remedy, { cause: error }));
  }
  return { status: 500, kind: 'internal', message: `internal error: ${message}` };
}

/** An error of the options of a request, which the server finds before any job. */
export function badRequest(parameter: string, rule: string, value: unknown, remedy: string): JobFailure {
  return failureOf(new OptionError(parameter, rule, value, remedy));
}
