/** Who does the jobs of a problem: the thread that asks, or a team of workers over one shared memory. */

import { cores, startThread, type Thread } from '#threads';
import type { Watch, Work } from '../../../work.js';
import { drive } from '../../../work.js';
import type { Job, Outcome } from './patch-jobs.js';

/** Does jobs, all threads at once, and gives the outcome of each. */
export interface Team<J = Job, O = Outcome> {
  /** `look` is called now and then meanwhile; what it throws ends the job. */
  run(job: J, watch?: Watch, look?: () => void): Promise<readonly O[]>;
  /** Lets the threads go; they wait for the next problem. */
  dispose(): void;
}

/** The asking thread alone, which does all of a job. */
export function alone<J, O>(share: (job: J) => Work<O>): Team<J, O> {
  return {
    run: async (job, watch, look) => [await drive(share(job), look ? { ...watch, onFraction: look } : watch)],
    dispose: () => {},
  };
}

/** A thread, and the bytes of all memories it has been shown. */
interface Member {
  readonly thread: Thread;
  held: number;
}

/**
 * Threads that have no problem at the moment. Starting one takes tens of milliseconds, so as many as there are cores are kept.
 * The one pool of the process: runs follow each other and share it; it holds no data, and no answer depends on it.
 */
const idle: Member[] = [];

/**
 * A thread lets go of a memory only when its garbage is collected, and it makes so little that this hardly ever happens. So it
 * is let go itself once it may hold this many bytes. A small memory counts as more than it has: the host reserves gibibytes of
 * addresses for each.
 */
const MOST_HELD = 2 ** 28;
const LEAST_HELD = 2 ** 22;

/** Milliseconds between two looks at how far the threads are. */
const LOOK = 50;

/** What is to happen when a signal is aborted. One listener serves all runs that share it: hosts warn of many. */
const acts = new WeakMap<AbortSignal, Set<() => void>>();

function actsOn(signal: AbortSignal): Set<() => void> {
  const known = acts.get(signal);
  if (known) return known;
  const made = new Set<() => void>();
  acts.set(signal, made);
  // Made in a function that sees no act: a listener lives as long as its signal, and with it all that its function has seen.
  signal.addEventListener('abort', () => made.forEach((act) => void act()), { once: true });
  return made;
}

function takeMember(): Member {
  for (let member = idle.pop(); member; member = idle.pop()) if (member.thread.alive) return member;
  return { thread: startThread(), held: 0 };
}

/**
 * Starts so many threads if they are not there, and says why if they do not come up: a bundler may have lost their script,
 * the system may give no more of them. Asked before a problem is laid out for that many.
 */
export async function startThreads(count: number): Promise<string | undefined> {
  const members: Member[] = [];
  const call = async () => {
    const member = takeMember();
    members.push(member);
    await member.thread.ask('up');
  };
  const answers = await Promise.allSettled(Array.from({ length: count }, call));
  idle.push(...members.filter(({ thread }) => thread.alive));
  return answers.find((answer) => answer.status === 'rejected')?.reason.message;
}

/** What a team is assigned: which jobs it will be asked to do, the code and the memory. */
export interface Assignment {
  readonly kind: 'patches' | 'groups';
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** As many threads as scratches; a word that is 1 when all are to stop; whatever else the jobs need. */
  readonly layout: { readonly scratches: readonly number[]; readonly stop: number };
}

/** A team of workers, as many as the layout has scratches for. */
export async function workers<J, O>(assignment: Assignment): Promise<Team<J, O>> {
  const { memory, layout } = assignment;
  const members = layout.scratches.map(takeMember);
  const stop = (value: number) => Atomics.store(new Int32Array(memory.buffer), layout.stop / 4, value);
  let broken = false;
  const askOne = (thread: Thread, message: unknown) =>
    thread.ask(message).catch((error) => {
      broken = true;
      // The share of this thread is lost, and with it the job: the others need not finish theirs.
      stop(1);
      throw error;
    });
  const ask = async (message: (thread: number) => unknown) => {
    // Every thread is waited for, also when another has failed: nobody may still be writing afterwards.
    const answers = await Promise.allSettled(members.map(({ thread }, i) => askOne(thread, message(i))));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value);
  };
  const dispose = () => {
    for (const member of members.splice(0)) {
      member.held += Math.max(memory.buffer.byteLength, LEAST_HELD);
      if (broken || member.held > MOST_HELD || idle.length >= cores) member.thread.terminate();
      else idle.push(member);
    }
  };
  try {
    await ask((thread) => ({ ...assignment, thread }));
  } catch (error) {
    dispose();
    throw error;
  }
  return {
    async run(job, watch, look) {
      watch?.signal?.throwIfAborted();
      stop(0);
      const onAbort = () => stop(1);
      if (watch?.signal) actsOn(watch.signal).add(onAbort);
      let failure: { readonly reason: unknown } | undefined;
      const looking =
        look &&
        setInterval(() => {
          try {
            look();
          } catch (reason) {
            failure ??= { reason };
            stop(1);
          }
        }, LOOK);
      try {
        const outcomes = (await ask(() => ({ job }))) as O[];
        watch?.signal?.throwIfAborted();
        if (failure) throw failure.reason;
        return outcomes;
      } finally {
        clearInterval(looking);
        if (watch?.signal) actsOn(watch.signal).delete(onAbort);
      }
    },
    dispose,
  };
}
