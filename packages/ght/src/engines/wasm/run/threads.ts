/** What the engine needs from its platform: threads and their number. Each platform has a file that provides it. */

/** What helps if the script of the threads is not found. */
export const REMEDY = 'give the address of ght/worker as the option worker';

/** A worker thread that answers one message at a time. */
export interface Thread {
  /** False once it has ended by itself, or is to end. */
  readonly alive: boolean;
  ask(message: unknown): Promise<unknown>;
  terminate(): void;
}

/** The answer of a worker to a message. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

/** A thread over the worker of a platform. The platform reports the answers of the worker and its end. */
export function threadOver(worker: { post(message: unknown): void; terminate(): void }) {
  let waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  let alive = true;
  const respond = (act: (to: NonNullable<typeof waiting>) => void) => {
    const to = waiting;
    waiting = undefined;
    if (to) act(to);
  };
  const thread: Thread = {
    get alive() {
      return alive;
    },
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (!alive) throw new Error('a worker thread had ended');
        if (waiting) throw new Error('a thread got a message before it had answered the previous one');
        waiting = { resolve, reject };
        worker.post(message);
      }),
    terminate: () => {
      // It may take a while to end, and is not to be counted meanwhile.
      alive = false;
      worker.terminate();
    },
  };
  return {
    thread,
    answered: ({ value, error }: Answer) =>
      respond((to) => (error === undefined ? to.resolve(value) : to.reject(new Error(error)))),
    /** Marks the thread as ended, and rejects the message that it has not answered. */
    ended: (reason: string) => {
      alive = false;
      respond((to) => to.reject(new Error(reason)));
    },
  };
}

/** In a worker: the answer to a message, which is the result of `reply` or its error. */
export async function answerTo<T>(message: T, reply: (message: T) => Promise<unknown>): Promise<Answer> {
  try {
    return { value: await reply(message) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
