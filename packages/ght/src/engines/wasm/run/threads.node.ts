/** Threads in Node. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { parentPort, Worker } from 'node:worker_threads';
import { answerTo, REMEDY, type Thread, threadOver } from './threads.js';

export type { Thread } from './threads.js';

/** The number of threads that can run at once. */
export const cores = availableParallelism();
/** Why threads cannot be used; undefined if they can. */
export const withoutThreads: string | undefined = undefined;

/**
 * Turns on relaxed SIMD if the host has it behind a flag, as Node 20 does. A flag of V8 is global to the process, but this one only
 * allows more instructions and does not change existing code.
 */
export function allowRelaxedSimd(): void {
  setFlagsFromString('--experimental-wasm-relaxed-simd');
}

/** A worker that runs the script at an address, which is a path or a URL. */
function workerFor(address?: string | URL): Worker {
  if (address) return new Worker(/^(file|data):/.test(String(address)) ? new URL(address) : resolve(String(address)));
  try {
    // Bundlers recognise this form.
    return new Worker(new URL('./worker.js', import.meta.url));
  } catch (error) {
    // The code may have no address in a bundle.
    throw new Error(`${(error as Error).message}; ${REMEDY}`);
  }
}

/** The message of an error, with the remedy if the script was not found. */
function explained({ message, code }: NodeJS.ErrnoException): string {
  return /MODULE_NOT_FOUND/.test(String(code)) ? `${message}; ${REMEDY}` : message;
}

/** Starts a thread. An idle thread does not keep the process alive. */
export function startThread(address?: string | URL): Thread {
  const worker = workerFor(address);
  const { thread, answered, ended } = threadOver({
    post: (message) => {
      worker.ref();
      worker.postMessage(message);
    },
    terminate: () => void worker.terminate(),
  });
  worker.on('message', (message) => {
    worker.unref();
    answered(message);
  });
  worker.on('error', (error) => ended(`a worker thread failed: ${explained(error)}`));
  worker.on('exit', (code) => ended(`a worker thread ended unexpectedly (exit code ${code})`));
  worker.unref();
  return thread;
}

/** In a worker: answers every message with the result of `reply`. */
export function answer<T>(reply: (message: T) => Promise<unknown>): void {
  parentPort?.on('message', async (message: T) => parentPort?.postMessage(await answerTo(message, reply)));
}
