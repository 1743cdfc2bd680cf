import type { GhtError, InputError, ResourceError } from 'ght';

/** Makes the error for the file being read, from the rule it breaks and the remedy; an InputError by default. */
export type Refuse = (
  rule: string,
  remedy: string,
  Kind?: typeof InputError | typeof ResourceError,
  options?: { readonly cause: unknown },
) => GhtError;
