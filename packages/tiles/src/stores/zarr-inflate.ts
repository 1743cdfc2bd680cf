import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';

type Unpack = (bytes: Uint8Array, length: number) => Promise<Uint8Array>;

/** Makes an unpacker with a limit, whose error says what is wrong with the data. */
function limited(method: typeof inflate): Unpack {
  const unpack = promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(method);
  return (bytes, length) =>
    unpack(bytes, { maxOutputLength: length }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ERR_BUFFER_TOO_LARGE') throw cause;
      throw new Error(`it unpacks to more than ${length} bytes`, { cause });
    });
}

/** Unpacks zlib data of at most `length` bytes. */
export const unpackZlib: Unpack = limited(inflate);

/** Unpacks gzip data of at most `length` bytes. */
export const unpackGzip: Unpack = limited(gunzip);
