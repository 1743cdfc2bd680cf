import { asPlain } from '../bytes.js';

/** The bytes of a file, wherever it is: in memory, on disk or on a server. */
export interface ByteSource {
  /** The length of the file. */
  readonly size: number;
  /** Reads exactly `length` bytes, or throws. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A file that is in memory. Reading copies nothing. */
export function bytesInMemory(content: Uint8Array): ByteSource {
  const bytes = asPlain(content);
  return {
    size: bytes.length,
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length)) throw new Error('the file ends too early');
      return bytes.subarray(offset, offset + length);
    },
  };
}
