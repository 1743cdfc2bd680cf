/** Who does the jobs of a problem: the thread that asks, or a team of workers over one shared memory. */

import { startThread, type Thread } from '#threads';
import type { Watch } from '../../solvers/work.js';
import { drive } from '../../solvers/work.js';
import type { Job, Outcome } from './jobs.js';
import { share } from './jobs.js';
import type { ProblemMemory } from './memory.js';
import type { Kernels } from './module.js';

/** Does jobs, all threads at once, and gives the outcome of each. */
export interface Team {
  run(job: Job, watch?: Watch): Promise<readonly Outcome[]>;
  /** Lets the threads go; they wait for the next problem. */
  dispose(): void;
}

/** The asking thread alone. */
export function alone(memory: ProblemMemory, kernels: Kernels): Team {
  const place = { layout: memory.layout, memory: memory.memory, kernels, thread: 0 };
  return { run: async (job, watch) => [await drive(share(job, place), watch)], dispose: () => {} };
}

/** Threads that have no problem at the moment. Starting one takes tens of milliseconds, so they are kept. */
const idle: Thread[] = [];

function takeIdle(): Thread | undefined {
  for (let thread = idle.pop(); thread; thread = idle.pop()) if (thread.alive) return thread;
  return undefined;
}

/** A team of workers, as many as the memory has scratches for. */
export async function workers(memory: ProblemMemory, module: WebAssembly.Module): Promise<Team> {
  const { layout } = memory;
  const threads = layout.scratches.map(() => takeIdle() ?? startThread());
  let broken = false;
  const ask = (message: (thread: number) => unknown) => {
    // Every thread is waited for, also when another has failed: nobody may still be writing afterwards.
    return Promise.allSettled(threads.map((thread, i) => thread.ask(message(i)))).then((answers) => {
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (failed) {
        broken = true;
        throw failed.reason;
      }
      return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value);
    });
  };
  const dispose = () => {
    for (const thread of threads.splice(0)) {
      if (broken) thread.terminate();
      else idle.push(thread);
    }
  };
  try {
    await ask((thread) => ({ module, memory: memory.memory, layout, thread }));
  } catch (error) {
    dispose();
    throw error;
  }
  const stop = (value: number) => Atomics.store(memory.words(layout.stop, 1), 0, value);
  return {
    async run(job, watch) {
      watch?.signal?.throwIfAborted();
      stop(0);
      const onAbort = () => stop(1);
      watch?.signal?.addEventListener('abort', onAbort);
      try {
        const outcomes = (await ask(() => ({ job }))) as Outcome[];
        watch?.signal?.throwIfAborted();
        return outcomes;
      } finally {
        watch?.signal?.removeEventListener('abort', onAbort);
      }
    },
    dispose,
  };
}
