/** All runs of a server: what they are, how far they are, and how to end them. */
import type { Queue } from 'bullmq';
import { OptionError } from 'ght';
import type { Redis } from 'ioredis';
import { connect, type ServerOptions } from './connection.js';
import { keys } from './keys.js';
import { openQueue, removeJobs } from './queue.js';
import { type Failure, failuresOf, mark, type RunMark, removeAnswers, stateOf } from './record.js';
import { living, type WorkerEntry } from './register.js';

/** A run as {@link runs} reports it. */
export interface RunReport {
  /** Its name, 16 hexadecimal digits. */
  readonly run: string;
  /** The name of its plan. */
  readonly plan: string;
  /** `interrupted`: its coordinator was killed; the same command again continues it. */
  readonly state: RunMark | 'interrupted';
  /** When it was first started, as a date in ISO 8601. */
  readonly started: string;
  /** The version it was started with. */
  readonly version: string;
  /** The fingerprint that its workers need. */
  readonly fingerprint: string;
  /** From 0 to 1. */
  readonly fraction: number;
  /** The pass at hand; empty before the first one. */
  readonly pass: string;
  /** Tiles of this pass that are done. */
  readonly done: number;
  /** Tiles of this pass. */
  readonly tiles: number;
  /** Workers that may work on it. */
  readonly workers: readonly string[];
  /** Workers that may not, because they compute other bits. */
  readonly refused: readonly string[];
  /** The latest failed attempts, oldest first. */
  readonly failures: readonly Failure[];
}

/** A worker as {@link workers} reports it. */
export interface WorkerReport extends WorkerEntry {
  /** Its name. */
  readonly name: string;
}

/** All runs that the server knows, in the order of their start. */
export async function runs(url: string, options: ServerOptions = {}): Promise<RunReport[]> {
  return withServer(url, options, async (redis) => {
    const names = await redis.smembers(keys.runs);
    const entries = await living<WorkerEntry>(redis, keys.workers);
    const reports = await Promise.all(names.map((run) => reportOf(redis, run, entries)));
    return reports.sort((a, b) => (a.started < b.started ? -1 : 1));
  });
}

/** All living workers, by name. */
export async function workers(url: string, options: ServerOptions = {}): Promise<WorkerReport[]> {
  return withServer(url, options, async (redis) => {
    return [...(await living<WorkerEntry>(redis, keys.workers))].map(([name, entry]) => ({ name, ...entry }));
  });
}

/** Ends a run: no more tiles are started, running ones are stopped, and its coordinator reports it. Answers stay. */
export async function cancel(url: string, run: string, options: ServerOptions = {}): Promise<void> {
  await withServer(url, options, async (redis) => {
    if ((await stateOf(redis, run)) === null) {
      const known = (await redis.smembers(keys.runs)).sort().join(', ') || 'none';
      throw new OptionError('run', `must be one that the server knows (${known})`, run, 'choose one of them');
    }
    await mark(redis, run, 'cancelled');
    const queue = await queueOf(redis, run, url, options);
    await removeJobs(queue, run);
    await queue.close();
  });
}

/** Removes everything about all runs without a living coordinator, also the answers of interrupted ones. Returns their names. */
export async function clean(url: string, options: ServerOptions = {}): Promise<string[]> {
  return withServer(url, options, async (redis) => {
    const removed: string[] = [];
    for (const run of await redis.smembers(keys.runs)) {
      if ((await living(redis, keys.coordinators(run))).size > 0) continue;
      const queue = await queueOf(redis, run, url, options);
      await removeAnswers(redis, run);
      // From now on workers store no answer of it.
      await redis.multi().unlink(keys.run(run)).srem(keys.runs, run).exec();
      await removeJobs(queue, run);
      await queue.trimEvents(0);
      await queue.close();
      removed.push(run);
    }
    return removed.sort();
  });
}

async function queueOf(redis: Redis, run: string, url: string, options: ServerOptions): Promise<Queue> {
  return openQueue((await redis.hget(keys.run(run), 'fingerprint')) ?? 'none', url, options);
}

async function withServer<T>(url: string, options: ServerOptions, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = await connect(url, options);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

async function reportOf(redis: Redis, run: string, entries: ReadonlyMap<string, WorkerEntry>): Promise<RunReport> {
  // The request, which may be large, is left out.
  const names = ['plan', 'state', 'started', 'version', 'fingerprint', 'fraction', 'pass'] as const;
  const values = (await redis.hmget(keys.run(run), ...names)).map((value) => value ?? '');
  const [plan, state, started, version, fingerprint, fraction, pass] = values;
  const tiles = Number((await redis.hget(keys.pass(run, pass), 'tiles')) ?? 0);
  const done = await redis.hlen(keys.answers(run, pass));
  const alive = (await living(redis, keys.coordinators(run))).size > 0;
  const fit = [...entries].filter(([, entry]) => entry.fingerprint === fingerprint);
  const refused = [...entries].filter(([, entry]) => entry.fingerprint !== fingerprint);
  return {
    ...{ run, plan, started, version, fingerprint, pass, done, tiles },
    state: shownState(state as RunMark, alive),
    fraction: state === 'done' ? 1 : Number(fraction),
    workers: fit.map(([name]) => name),
    refused: refused.map(([name]) => name),
    failures: await failuresOf(redis, run),
  };
}

/** A run that is marked as running but has no coordinator was interrupted; one that has failed may have been started again. */
function shownState(marked: RunMark, alive: boolean): RunReport['state'] {
  if (marked === 'done' || marked === 'cancelled') return marked;
  if (alive) return 'running';
  return marked === 'running' ? 'interrupted' : marked;
}
