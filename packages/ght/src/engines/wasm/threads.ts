/** What the engine needs of its platform: threads, and how many there are. Each platform has a file that provides it. */

/** A worker thread that answers one message after the other. */
export interface Thread {
  /** False once it has ended, by itself or by being terminated. */
  readonly alive: boolean;
  ask(message: unknown): Promise<unknown>;
  terminate(): void;
}
