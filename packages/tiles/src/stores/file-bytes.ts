import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { InputError } from 'ght';
import type { ByteSource, Refuse } from 'ght-images';

/** Bytes that are read by their place and do not change: those of a file or at an address. */
export interface LastingBytes extends ByteSource {
  /** Differs from the version of any other content. */
  readonly version: string;
  /** Exactly `length` bytes from `offset` on; an InputError if there are fewer, or if the source has changed since it was opened. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Ends all reads. */
  close(): Promise<void>;
}

/** What shows that a file is still the same. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Opens a file, but nothing that is not an ordinary file: opening a FIFO or reading a device may wait forever. */
export async function openFileBytes(path: string, refuse: Refuse): Promise<LastingBytes> {
  const { file, identity } = await openOrdinary(path, refuse);
  const size = Number(identity.size);
  return {
    size,
    version: `${identity.size}-${identity.mtimeNs}`,
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      checkRange(offset, length, size, refuse);
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      signal?.throwIfAborted();
      // After reading, so that what was read is known to be older than any change. It also notices files that became shorter.
      if (!(await unchanged(path, file, identity))) throw changed(refuse);
      return bytes;
    },
    close: () => file.close(),
  };
}

/** Opens an ordinary file. */
async function openOrdinary(path: string, refuse: Refuse): Promise<{ file: FileHandle; identity: FileIdentity }> {
  const before = await stat(path).catch((cause: unknown) => {
    throw refuse('must be an existing file', 'check the path', InputError, { cause });
  });
  if (!before.isFile()) throw notOrdinary(refuse);
  // Another program may put a FIFO there right now. On Windows there is neither the FIFO nor the flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    const rule = `must be a readable file (${(cause as Error).message})`;
    throw refuse(rule, 'check its permissions', InputError, { cause });
  });
  const identity = await file.stat({ bigint: true });
  if (identity.isFile()) return { file, identity };
  await file.close();
  throw notOrdinary(refuse);
}

function notOrdinary(refuse: Refuse) {
  return refuse('must be an ordinary file, not a folder, a pipe or a device', 'give a file');
}

/** Whether a file is neither written to nor replaced. If it is only removed, the open file still has its bytes. */
async function unchanged(path: string, file: FileHandle, identity: FileIdentity): Promise<boolean> {
  const now = await file.stat({ bigint: true });
  if (now.size !== identity.size || now.mtimeNs !== identity.mtimeNs) return false;
  const there = await stat(path, { bigint: true }).catch(() => undefined);
  return !there || (there.ino === identity.ino && there.dev === identity.dev);
}

/** The error of a source that changed. */
export function changed(refuse: Refuse) {
  return refuse('must not change while it is read', 'start again when nothing writes to it any more');
}

/** Refuses a range that does not lie inside the source, before anything of its length is allocated. */
export function checkRange(offset: number, length: number, size: number, refuse: Refuse): void {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
  if (whole && offset + length <= size) return;
  const rule = `must hold ${length} bytes from byte ${offset} on, but has only ${size} bytes`;
  throw refuse(rule, 'fetch or save it again: it is cut or damaged');
}
