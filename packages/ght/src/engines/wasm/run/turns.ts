/**
 * Whose turn it is to use the threads. All runs of a process share the cores, so at most that many threads work at once, and what waits
 * gets its turn in the order in which it came.
 */
import { cores } from '#threads';
import { abortActions } from './abort-actions.js';

interface Waiting {
  readonly threads: number;
  begin(): void;
}

let working = 0;
const waiting: Waiting[] = [];

/**
 * Waits until this many threads may work, or all if there are fewer cores; returns what ends the turn. An abort ends the wait: the promise
 * then rejects with the reason of the signal. A run that has a turn must not wait for another.
 */
export async function turnOf(count: number, signal?: AbortSignal): Promise<() => void> {
  signal?.throwIfAborted();
  const threads = Math.min(count, cores);
  await new Promise<void>((resolve, reject) => {
    const actions = signal && abortActions(signal);
    const quit = () => {
      waiting.splice(waiting.indexOf(own), 1);
      actions?.delete(quit);
      reject(signal?.reason);
      next();
    };
    const own: Waiting = {
      threads,
      begin() {
        actions?.delete(quit);
        resolve();
      },
    };
    actions?.add(quit);
    waiting.push(own);
    next();
  });
  return () => {
    working -= threads;
    next();
  };
}

/** Begins the turns of those that come first and for whom there are threads. */
function next(): void {
  for (let [first] = waiting; first && working + first.threads <= cores; [first] = waiting) {
    waiting.shift();
    working += first.threads;
    first.begin();
  }
}
