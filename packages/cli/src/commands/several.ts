/** Commands that take several files. */
import { type ErrorKind, isGhtError } from 'ght';
import type { Context } from '../context.js';
import { IncompleteInstallation } from '../io/index.js';
import { say } from '../output/line.js';

/** A file that failed, and why. */
export interface Failure {
  readonly input: string;
  readonly kind: ErrorKind;
  readonly error: string;
}

/** Processes one file after another. A file that fails does not stop the others; it is reported at the end. */
export async function eachFile<File extends { readonly input: string }, Done>(
  files: readonly File[],
  context: Context,
  work: (file: File, index: number) => Promise<Done>,
): Promise<{ readonly done: readonly Done[]; readonly failed: readonly Failure[] }> {
  const done: Done[] = [];
  const failed: Failure[] = [];
  for (const [i, file] of files.entries()) {
    context.signal.throwIfAborted();
    try {
      done.push(await work(file, i));
    } catch (error) {
      if (!isGhtError(error) || isForAll(error, context)) throw error;
      failed.push({ input: file.input, kind: error.kind, error: context.explain(error) });
    }
  }
  if (failed.length > 0) process.exitCode = 1;
  return { done, failed };
}

/** Whether an error would occur for every file: an incomplete installation or an invalid flag. */
function isForAll(error: unknown, { explain }: Context): boolean {
  return error instanceof IncompleteInstallation || (isGhtError(error, 'option') && explain(error).startsWith('--'));
}

/** Prints the files that failed, one per line. */
export function sayFailed(failed: readonly Failure[]): void {
  for (const { input, error } of failed) say(`${input}: ${error}`);
}
