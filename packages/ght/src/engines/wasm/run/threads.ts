/** What the engine needs of its platform: threads, and how many there are. Each platform has a file that provides it. */

/** A worker thread that answers one message after the other. */
export interface Thread {
  /** False once it has ended, by itself or by being terminated. */
  readonly alive: boolean;
  ask(message: unknown): Promise<unknown>;
  terminate(): void;
}

/** What a worker says to a message. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

/** A thread over whatever the platform calls a worker, which tells it what the worker answers and when it has ended. */
export function threadOver(worker: { post(message: unknown): void; terminate(): void }) {
  let waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  let alive = true;
  const settle = (act: (to: NonNullable<typeof waiting>) => void) => {
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
        if (waiting) throw new Error('a thread was asked before it had answered');
        waiting = { resolve, reject };
        worker.post(message);
      }),
    terminate: () => worker.terminate(),
  };
  return {
    thread,
    answered: ({ value, error }: Answer) =>
      settle((to) => (error === undefined ? to.resolve(value) : to.reject(new Error(error)))),
    /** Nobody may wait for it again. */
    ended: (why: string) => {
      alive = false;
      settle((to) => to.reject(new Error(why)));
    },
  };
}

/** In a worker: what is said to a message, when `reply` makes the answer. */
export async function answerTo<T>(message: T, reply: (message: T) => Promise<unknown>): Promise<Answer> {
  try {
    return { value: await reply(message) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
