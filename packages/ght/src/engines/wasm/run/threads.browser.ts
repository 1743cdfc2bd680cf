/** Threads in browsers: module workers, if the page is cross-origin isolated. */
import { answerTo, type Thread, threadOver } from './threads.js';

export type { Thread } from './threads.js';

/** The number of threads that can run at once. */
export const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
/** Why threads cannot be used; undefined if they can. */
export const withoutThreads: string | undefined =
  typeof SharedArrayBuffer === 'undefined' || typeof Worker === 'undefined' || globalThis.crossOriginIsolated === false
    ? 'the page is not cross-origin isolated (COOP and COEP headers), so threads cannot share memory'
    : undefined;

/** Does nothing: browsers have no flag for relaxed SIMD. */
export function allowRelaxedSimd(): void {}

/** Starts a thread. */
export function startThread(): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  /** A worker that fails reports it once, and sends nothing afterwards. */
  const end = (why: string) => {
    worker.terminate();
    ended(why);
  };
  const { thread, answered, ended } = threadOver({
    post: (message) => worker.postMessage(message),
    terminate: () => end('a worker thread was terminated'),
  });
  worker.onmessage = ({ data }) => answered(data);
  // The error event of a script that cannot be loaded has no message.
  worker.onerror = ({ message }) => end(`a worker thread failed: ${message ?? 'its script could not be loaded'}`);
  worker.onmessageerror = () => end('a worker thread sent a message that cannot be read');
  return thread;
}

/** In a worker: answers every message with the result of `reply`. */
export function answer<T>(reply: (message: T) => Promise<unknown>): void {
  globalThis.onmessage = async ({ data }: MessageEvent<T>) => globalThis.postMessage(await answerTo(data, reply));
}
