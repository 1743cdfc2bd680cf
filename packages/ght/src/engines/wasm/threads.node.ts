/** Threads in Node. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { parentPort, Worker } from 'node:worker_threads';
import type { Thread } from './threads.js';

export type { Thread } from './threads.js';

/** How many threads are worth having. */
export const cores = availableParallelism();
/** Why there can be no threads, or undefined where there can. */
export const withoutThreads: string | undefined = undefined;

/** Turns on relaxed SIMD where the host has it behind a flag, as Node 20 does. */
export function allowRelaxedSimd(): void {
  setFlagsFromString('--experimental-wasm-relaxed-simd');
}

/** Starts a thread; an idle one does not keep the process alive. */
export function startThread(): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url));
  let waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  const settle = (act: (to: NonNullable<typeof waiting>) => void) => {
    const to = waiting;
    waiting = undefined;
    worker.unref();
    if (to) act(to);
  };
  let alive = true;
  worker.on('message', ({ value, error }) => settle((to) => (error ? to.reject(new Error(error)) : to.resolve(value))));
  worker.on('error', (error) => {
    alive = false;
    settle((to) => to.reject(new Error(`a worker thread failed: ${error.message}`)));
  });
  worker.on('exit', (code) => {
    alive = false;
    settle((to) => to.reject(new Error(`a worker thread ended unexpectedly (exit code ${code})`)));
  });
  worker.unref();
  return {
    get alive() {
      return alive;
    },
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (!alive) throw new Error('a worker thread had ended');
        if (waiting) throw new Error('a thread was asked before it had answered');
        waiting = { resolve, reject };
        worker.ref();
        worker.postMessage(message);
      }),
    terminate: () => void worker.terminate(),
  };
}

/** In a worker: answers every message with what `reply` makes of it. */
export function answer<T>(reply: (message: T) => Promise<unknown>): void {
  parentPort?.on('message', async (message: T) => {
    try {
      parentPort?.postMessage({ value: await reply(message) });
    } catch (error) {
      parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
    }
  });
}
