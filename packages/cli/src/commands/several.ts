/** Commands that take several files. */
import { type ErrorKind, isGhtError, isOptionError } from 'ght';
import type { Context } from '../context.js';
import { IncompleteInstallation } from '../io/index.js';
import { say } from '../output/line.js';

/** A file that could not be done, and why. */
export interface Failure {
  readonly input: string;
  readonly kind: ErrorKind;
  readonly error: string;
}

/** One file after the other; one that fails does not stop the others, but is kept to be named at the end. */
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

/** What the installation lacks, and what is wrong with a flag, is so for every file. */
function isForAll(error: unknown, { explain }: Context): boolean {
  return error instanceof IncompleteInstallation || (isOptionError(error) && explain(error).startsWith('--'));
}

/** Names the files that failed, a line each. */
export function sayFailed(failed: readonly Failure[]): void {
  for (const { input, error } of failed) say(`${input}: ${error}`);
}
