/** Threads in browsers: module workers, where the page is cross-origin isolated. */
import type { Thread } from './threads.js';

export type { Thread } from './threads.js';

/** How many threads are worth having. */
export const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
/** Why there can be no threads, or undefined where there can. */
export const withoutThreads: string | undefined =
  typeof SharedArrayBuffer === 'undefined' || typeof Worker === 'undefined' || globalThis.crossOriginIsolated === false
    ? 'the page is not cross-origin isolated (COOP and COEP headers), so threads cannot share memory'
    : undefined;

/** Browsers that have relaxed SIMD have it on. */
export function allowRelaxedSimd(): void {}

/** Starts a thread. */
export function startThread(): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  let waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  const settle = (act: (to: NonNullable<typeof waiting>) => void) => {
    const to = waiting;
    waiting = undefined;
    if (to) act(to);
  };
  let alive = true;
  /** A worker that fails says so once and nothing afterwards; nobody may wait for it again. */
  const end = (why: string) => {
    alive = false;
    worker.terminate();
    settle((to) => to.reject(new Error(why)));
  };
  worker.onmessage = ({ data: { value, error } }) =>
    settle((to) => (error ? to.reject(new Error(error)) : to.resolve(value)));
  // What happens to a script that cannot be loaded has no message.
  worker.onerror = ({ message }) => end(`a worker thread failed: ${message ?? 'its script could not be loaded'}`);
  worker.onmessageerror = () => end('a worker thread sent what cannot be read');
  return {
    get alive() {
      return alive;
    },
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (!alive) throw new Error('a worker thread had ended');
        if (waiting) throw new Error('a thread was asked before it had answered');
        waiting = { resolve, reject };
        worker.postMessage(message);
      }),
    terminate: () => end('a worker thread was terminated'),
  };
}

/** In a worker: answers every message with what `reply` makes of it. */
export function answer<T>(reply: (message: T) => Promise<unknown>): void {
  globalThis.onmessage = async ({ data }: MessageEvent<T>) => {
    try {
      globalThis.postMessage({ value: await reply(data) });
    } catch (error) {
      globalThis.postMessage({ error: error instanceof Error ? error.message : String(error) });
    }
  };
}
