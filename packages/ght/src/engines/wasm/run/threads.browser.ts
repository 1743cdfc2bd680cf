/** Threads in browsers: module workers, if the page is cross-origin isolated. */
import { answerTo, REMEDY, type Thread, threadOver } from './threads.js';

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

/**
 * Where the script of the threads lies: one file without imports, so that bundlers, which recognise this form, may ship it as it is. It is
 * built from `worker.ts`.
 */
const place = () => new URL('../../../browser/worker.js', import.meta.url);

/** A worker that runs a script. Browsers start only scripts of the page's own origin, but these may import any that its host allows. */
function workerFor(address: string | URL): Worker {
  const url = new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href);
  if (url.origin === globalThis.origin) return new Worker(url, { type: 'module' });
  const script = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  return new Worker(script, { type: 'module' });
}

/** Starts a thread that runs the script at an address. */
export function startThread(address: string | URL = place()): Thread {
  const worker = workerFor(address);
  /** A worker that fails reports it once, and sends nothing afterwards. */
  const end = (reason: string) => {
    worker.terminate();
    ended(reason);
  };
  const { thread, answered, ended } = threadOver({
    post: (message) => worker.postMessage(message),
    terminate: () => end('a worker thread was terminated'),
  });
  worker.onmessage = ({ data }) => answered(data);
  // The error event of a script that cannot be loaded has no message.
  worker.onerror = ({ message }) =>
    end(`a worker thread failed: ${message ?? `its script could not be loaded; ${REMEDY}`}`);
  worker.onmessageerror = () => end('a worker thread sent a message that cannot be read');
  return thread;
}

/** In a worker: answers every message with the result of `reply`. */
export function answer<T>(reply: (message: T) => Promise<unknown>): void {
  globalThis.onmessage = async ({ data }: MessageEvent<T>) => globalThis.postMessage(await answerTo(data, reply));
}
