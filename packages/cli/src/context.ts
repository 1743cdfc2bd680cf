import type { GhtError } from 'ght';

/** What a command gets from the process: how to print, how to word errors, and the signal that stops it. */
export interface Context {
  /** Prints a line for people or the one JSON object. */
  readonly print: (text: string) => void;
  /** Prints a line for people on standard error, where results go to standard output; nothing with `--quiet`. */
  readonly note: (text: string) => void;
  /** The message of an error for the command line: it names flags, not options of the library. */
  readonly explain: (error: GhtError) => string;
  /** Runs another command, for servers; its errors name flags. */
  readonly run: (args: readonly string[], context: Omit<Context, 'explain' | 'run'>) => Promise<void>;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
  /** What a stopped run has written so far, for its last line. */
  readonly stopped: { note: string };
}
