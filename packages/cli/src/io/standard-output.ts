/**
 * Standard output, written whole or with an error. If it is a file, Node's stream drops what a single write does not take, as a disk that
 * fills up in the middle does not; so the rest is written again here, and the next write has the error.
 */
import { fstatSync, writeSync } from 'node:fs';
import { EnvironmentError, type GhtError, ResourceError } from 'ght';

/** The descriptor of standard output. */
const FD = 1;

/** Prints a line on standard output. Errors of pipes are reported by the stream. */
export function printLine(text: string): void {
  if (isFile()) writeWhole(Buffer.from(`${text}\n`));
  else process.stdout.write(`${text}\n`);
}

/** Writes bytes to standard output, and ends when all of them are written. A reader that stops early is not an error. */
export async function writeStandardOutput(bytes: Uint8Array): Promise<void> {
  if (isFile()) {
    writeWhole(bytes);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(bytes, (cause) => {
      if (!cause || (cause as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(unwritable(cause));
    });
  });
}

/** The error of standard output that could not be written to. */
export function unwritable(cause: NodeJS.ErrnoException): GhtError {
  const full = cause.code === 'ENOSPC' || cause.code === 'EDQUOT' || cause.code === 'EFBIG';
  const remedy = full ? 'free some space on the disk' : 'send it to a place that can be written to';
  const Kind = full ? ResourceError : EnvironmentError;
  return new Kind('standard output', 'must be writable', cause.code ?? cause.message, remedy, { cause });
}

/** Whether standard output is a file, to which writes are complete or fail; a pipe or terminal takes them bit by bit. */
function isFile(): boolean {
  try {
    return fstatSync(FD).isFile();
  } catch {
    // A closed descriptor: the stream has the error.
    return false;
  }
}

function writeWhole(bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(FD, bytes, at);
  } catch (error) {
    throw unwritable(error as NodeJS.ErrnoException);
  }
}
