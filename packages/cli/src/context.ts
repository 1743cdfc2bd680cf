import type { GhtError } from 'ght';

/** What a command gets from the process: where to print and what stops it. */
export interface Context {
  /** Prints a line for people or the one JSON object. */
  readonly print: (text: string) => void;
  /** An error in the words of the command line: with the flags that the user gave, not the options of the library. */
  readonly explain: (error: GhtError) => string;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
  /** What a run that is stopped leaves behind, for its last line. */
  readonly stopped: { note: string };
}
