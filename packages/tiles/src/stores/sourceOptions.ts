import { InputError, OptionError } from 'ght';
import { type Refuse, refusing } from 'ght-images/node';

/** How an image is opened. */
export interface SourceOptions {
  /** Whether `http://` and `https://` addresses are read. @default false */
  readonly http?: boolean;
  /** What errors call the image. @default 'IMAGE' */
  readonly parameter?: string;
  /**
   * Bytes of samples up to which a file that is not tiled is read into memory. Larger files are copied into a temporary tiled file.
   * @default 2^28
   */
  readonly memory?: number;
  /** The folder of that temporary file. @default the system's folder for temporary files */
  readonly folder?: string;
  /** Stops opening, and the making of the tiled copy. */
  readonly signal?: AbortSignal;
}

/** Whether a name is an address on the web. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Refuses an address where none is allowed. */
export function checkAddress(name: string, { http = false, parameter = 'IMAGE' }: SourceOptions): void {
  if (!isAddress(name) || http) return;
  throw new OptionError(parameter, 'must be a local file', name, 'allow http sources, or fetch it first');
}

/** Makes the errors about an image. */
export function refusingFor(name: string, { parameter = 'IMAGE' }: SourceOptions): Refuse {
  return refusing(name, parameter);
}

/** Work on an image that may be aborted: its reason goes on as it is, whatever a decoder made of it. */
export async function abortable<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } finally {
    signal?.throwIfAborted();
  }
}

/** What a response says of an address; an InputError where there is nothing to read. */
export async function request(
  name: string,
  headers: Record<string, string>,
  options: SourceOptions,
): Promise<Response> {
  const { signal, parameter = 'IMAGE' } = options;
  const response = await fetch(name, { headers, signal }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new InputError(parameter, `must be reachable (${reason})`, name, 'check the address', { cause });
  });
  if (response.ok) return response;
  throw new InputError(parameter, `must be reachable (HTTP ${response.status})`, name, 'check the address');
}
