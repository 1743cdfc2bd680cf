import { OptionError } from 'ght';
import { type Refuse, refusing } from 'ght-images/node';

/** How an image is opened. */
export interface SourceOptions {
  /** Whether `http://` and `https://` addresses are read. @default false */
  readonly http?: boolean;
  /** What errors call the image. @default 'file' */
  readonly parameter?: string;
  /**
   * Bytes of samples up to which a file that is not tiled is read into memory. Larger files are copied into a temporary tiled file.
   * @default 2^28
   */
  readonly memory?: number;
  /** The folder of that temporary file. @default the system's folder for temporary files */
  readonly folder?: string;
  /** The longest time in milliseconds that a server may take to answer, or to go on with an answer. @default 30000 */
  readonly timeout?: number;
  /** Stops opening, and the making of the tiled copy. */
  readonly signal?: AbortSignal;
}

/** Whether a name is an address on the web. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Refuses an address where none is allowed. */
export function checkAddress(name: string, { http = false, parameter = 'file' }: SourceOptions): void {
  if (!isAddress(name) || http) return;
  throw new OptionError(parameter, 'must be a local file', name, 'allow http sources, or fetch it first');
}

/** Makes the errors about an image. */
export function refusingFor(name: string, { parameter = 'file' }: SourceOptions): Refuse {
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
