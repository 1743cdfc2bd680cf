/** What the engine needs of its platform: threads, and how many there are. Each platform has a file that provides it. */

/** A worker thread that answers one message after the other. */
export interface Thread {
  ask(message: unknown): Promise<unknown>;
  terminate(): void;
}
