/** Runs the jobs of a problem: on the calling thread, or on a team of workers over shared memories. */

import { cores, startThread, type Thread } from '#threads';
import { drive, type Watch, type Work } from '../../../work.js';
import { abortActions } from './abort-actions.js';
import { turnOf } from './turns.js';

/** Runs jobs on all of its threads at once. */
export interface Team<J, O> {
  /** Runs a job and returns the outcome of each thread. `onPoll` is called regularly meanwhile; an error that it throws ends the job. */
  run(job: J, watch?: Watch, onPoll?: () => void): Promise<readonly O[]>;
  /** Releases the threads for the next problem. */
  dispose(): void;
}

/** A team of the calling thread alone, which does the whole job. */
export function alone<J, O>(share: (job: J) => Work<O>): Team<J, O> {
  return {
    run: async (job, watch, onPoll) => [await drive(share(job), onPoll ? { ...watch, onFraction: onPoll } : watch)],
    dispose: () => {},
  };
}

/** A thread, and the bytes of all memories that it has received. */
interface Member {
  readonly thread: Thread;
  held: number;
}

/**
 * Idle threads. Starting one takes tens of milliseconds, so one per core is kept. This is the only pool of the process: all runs
 * share it. It holds no data, and no result depends on it.
 */
const idle: Member[] = [];
/** The address of the script that further threads run, as the last call gave it; undefined for the file in the package. */
let script: string | URL | undefined;

/**
 * A thread releases a memory only when its garbage is collected, and it creates so little garbage that this hardly ever happens.
 * So a thread is terminated once it may hold this many bytes. A small memory counts as more than its size, because the host
 * reserves gibibytes of addresses for each.
 */
const MOST_HELD = 2 ** 28;
const LEAST_HELD = 2 ** 22;

/** Milliseconds between two checks of the progress of the threads. */
const POLL_MS = 50;

/** All threads, idle or not. */
const living = new Set<Member>();

function takeMember(): Member {
  for (let member = idle.pop(); member; member = idle.pop()) if (member.thread.alive) return member;
  const started = { thread: startThread(script), held: 0 };
  for (const member of living) if (!member.thread.alive) living.delete(member);
  living.add(started);
  return started;
}

/** The last call that starts threads. One waits for the other, so that they share the threads. */
let starting: Promise<unknown> = Promise.resolve();

/**
 * Sees to it that there are `count` threads, idle or not, and returns the reason if that fails: a bundler may have lost their script, or
 * the system may allow no more threads. Called before a problem is laid out for that number.
 */
export function startThreads(count: number, worker?: string | URL): Promise<string | undefined> {
  const started = starting.then(() => startMissing(count, worker));
  starting = started;
  return started;
}

async function startMissing(count: number, worker?: string | URL): Promise<string | undefined> {
  script = worker ?? script;
  const others = [...living].filter((member) => member.thread.alive && !idle.includes(member));
  const members: Member[] = [];
  const call = async () => {
    const member = takeMember();
    members.push(member);
    await member.thread.ask('up');
  };
  const answers = await Promise.allSettled(Array.from({ length: Math.max(0, count - others.length) }, call));
  idle.push(...members.filter(({ thread }) => thread.alive));
  return answers.find((answer) => answer.status === 'rejected')?.reason.message;
}

/** A memory that a team works in. */
export interface Place {
  readonly memory: WebAssembly.Memory;
  /** One scratch per thread; a word that is set to 1 to stop all threads; and whatever else the jobs need. */
  readonly layout: { readonly scratches: readonly number[]; readonly stop: number };
}

/** The assignment of a team: the kind of its jobs, the code and the memories. */
export interface Assignment {
  readonly kind: 'patches' | 'groups' | 'learned' | 'network';
  readonly module: WebAssembly.Module;
  readonly places: readonly Place[];
}

/** A team of workers, one for each scratch of a layout. It waits for its turn: for each job, or once if it does a single tile. */
export async function workers<J, O>(assignment: Assignment, signal?: AbortSignal): Promise<Team<J, O>> {
  const { places, kind } = assignment;
  const { length } = places[0].layout.scratches;
  const leave = kind === 'patches' ? undefined : await turnOf(length, signal);
  const members: Member[] = [];
  const stop = (value: number) => {
    for (const { memory, layout } of places) Atomics.store(new Int32Array(memory.buffer), layout.stop / 4, value);
  };
  let broken = false;
  const askOne = (thread: Thread, message: unknown) =>
    thread.ask(message).catch((error) => {
      broken = true;
      // The share of this thread is lost, so the job has failed: the others need not finish theirs.
      stop(1);
      throw error;
    });
  const ask = async (message: (thread: number) => unknown) => {
    // Wait for every thread, also when another has failed: no thread may still be writing afterwards.
    const answers = await Promise.allSettled(members.map(({ thread }, i) => askOne(thread, message(i))));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value);
  };
  const dispose = () => {
    for (const member of members.splice(0)) {
      for (const { memory } of places) member.held += Math.max(memory.buffer.byteLength, LEAST_HELD);
      if (broken || member.held > MOST_HELD || idle.length >= cores) member.thread.terminate();
      else idle.push(member);
    }
    leave?.();
  };
  try {
    for (let i = 0; i < length; i++) members.push(takeMember());
    await ask((thread) => ({ ...assignment, thread }));
  } catch (error) {
    dispose();
    throw error;
  }
  return {
    async run(job, watch, onPoll) {
      watch?.signal?.throwIfAborted();
      const end = leave ? undefined : await turnOf(length, watch?.signal);
      stop(watch?.signal?.aborted ? 1 : 0);
      const onAbort = () => stop(1);
      if (watch?.signal) abortActions(watch.signal).add(onAbort);
      let failure: { readonly reason: unknown } | undefined;
      const polling =
        onPoll &&
        setInterval(() => {
          try {
            onPoll();
          } catch (reason) {
            failure ??= { reason };
            stop(1);
          }
        }, POLL_MS);
      try {
        const outcomes = (await ask(() => ({ job }))) as O[];
        watch?.signal?.throwIfAborted();
        if (failure) throw failure.reason;
        return outcomes;
      } finally {
        end?.();
        clearInterval(polling);
        if (watch?.signal) abortActions(watch.signal).delete(onAbort);
      }
    },
    dispose,
  };
}
