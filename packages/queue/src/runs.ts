/** All runs of a server: what they are, how far they are, and how to end them. */
import type { Queue } from 'bullmq';
import { OptionError } from 'ght';
import type { Redis } from 'ioredis';
import { connect, type ServerOptions, withServerErrors } from './connection.js';
import { messageOf } from './connection-errors.js';
import { keys } from './keys.js';
import { printable } from './printable.js';
import { openQueue, removeJobs } from './queue.js';
import { failuresOf, mark, namesOfRuns, removeAnswers, stateOf } from './record.js';
import { activeEntries } from './register.js';
import { coordinatorEntry, type Failure, NAME, type RunMark, runMark, type WorkerEntry, workerEntry } from './wire.js';

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

/** All runs that the server knows, in the order of their start. What is no run is left out, and `onWarning` is called with it. */
export async function runs(url: string, options: ServerOptions = {}): Promise<RunReport[]> {
  const { onWarning = () => {} } = options;
  return withServer(url, options, async (redis) => {
    const names = await namesOfRuns(redis, onWarning);
    const entries = await activeEntries(redis, keys.workers, workerEntry);
    const reports = await Promise.all(
      names.map((run) => {
        return reportOf(redis, run, entries).catch((error: unknown) => {
          onWarning(`run ${run} is left out, because its record cannot be read: ${messageOf(error)}`);
          return undefined;
        });
      }),
    );
    return reports.filter((report) => report !== undefined).sort((a, b) => (a.started < b.started ? -1 : 1));
  });
}

/** All living workers, by name. */
export async function workers(url: string, options: ServerOptions = {}): Promise<WorkerReport[]> {
  return withServer(url, options, async (redis) => {
    const entries = await activeEntries(redis, keys.workers, workerEntry, options.onWarning);
    return [...entries].map(([name, entry]) => ({ name, ...entry }));
  });
}

/** Ends a run: no more tiles are started, running ones are stopped, and its coordinator reports it. Answers stay. */
export async function cancel(url: string, run: string, options: ServerOptions = {}): Promise<void> {
  await withServer(url, options, async (redis) => {
    if (!NAME.test(run) || (await stateOf(redis, run)).state === null) {
      const known = (await namesOfRuns(redis)).sort().join(', ') || 'none';
      throw new OptionError('run', `must be one that the server knows (${known})`, run, 'choose one of them');
    }
    await mark(redis, run, 'cancelled');
    const queue = await queueOf(redis, run, url, options);
    await removeJobs(queue, `${run}-`);
    await queue.close();
  });
}

/** Removes everything about all runs without a living coordinator, also the answers of interrupted ones. Returns their names. */
export async function clean(url: string, options: ServerOptions = {}): Promise<string[]> {
  return withServer(url, options, async (redis) => {
    const removed: string[] = [];
    const junk = (await redis.smembers(keys.runs)).filter((name) => !NAME.test(name));
    if (junk.length > 0) await redis.srem(keys.runs, junk);
    for (const run of await namesOfRuns(redis)) {
      if ((await activeEntries(redis, keys.coordinators(run), coordinatorEntry)).size > 0) continue;
      try {
        await forget(redis, run, url, options);
        removed.push(run);
      } catch (error) {
        options.onWarning?.(`run ${run} cannot be removed: ${messageOf(error)}`);
      }
    }
    return removed.sort();
  });
}

async function forget(redis: Redis, run: string, url: string, options: ServerOptions): Promise<void> {
  // A record of another type than a hash is only removed.
  if ((await redis.type(keys.run(run))) === 'hash') {
    const queue = await queueOf(redis, run, url, options);
    try {
      await removeAnswers(redis, run, (await stateOf(redis, run)).attempt ?? 'none');
      // From now on workers store no answer of it.
      await redis.unlink(keys.run(run));
      await removeJobs(queue, `${run}-`);
      await queue.trimEvents(0);
    } finally {
      await queue.close();
    }
  }
  await redis.multi().unlink(keys.run(run)).srem(keys.runs, run).exec();
}

async function queueOf(redis: Redis, run: string, url: string, options: ServerOptions): Promise<Queue> {
  return openQueue((await redis.hget(keys.run(run), 'fingerprint')) ?? 'none', url, options);
}

async function withServer<T>(url: string, options: ServerOptions, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = await connect(url, options);
  try {
    return await withServerErrors(url, () => use(redis));
  } finally {
    redis.disconnect();
  }
}

async function reportOf(redis: Redis, run: string, entries: ReadonlyMap<string, WorkerEntry>): Promise<RunReport> {
  // The request, which may be large, is left out.
  const names = ['plan', 'started', 'version', 'fingerprint', 'pass', 'fraction', 'state', 'attempt'] as const;
  const values = (await redis.hmget(keys.run(run), ...names)).map((value) => printable(value ?? '', 100));
  const [plan, started, version, fingerprint, pass, fraction, marked, attempt] = values;
  const state = runMark(marked, 'state');
  const tiles = count(await redis.hget(keys.pass(run, attempt, pass), 'tiles'));
  const done = await redis.hlen(keys.answers(run, attempt, pass));
  const alive = (await activeEntries(redis, keys.coordinators(run), coordinatorEntry)).size > 0;
  const fit = [...entries].filter(([, entry]) => entry.fingerprint === fingerprint);
  const refused = [...entries].filter(([, entry]) => entry.fingerprint !== fingerprint);
  return {
    ...{ run, plan, started, version, fingerprint, pass, done, tiles },
    state: shownState(state, alive),
    fraction: state === 'done' ? 1 : Math.min(1, Math.max(0, Number(fraction) || 0)),
    workers: fit.map(([name]) => name),
    refused: refused.map(([name]) => name),
    failures: await failuresOf(redis, run),
  };
}

/** A number of tiles. */
function count(text: string | null): number {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
}

/** A run that is marked as running but has no coordinator was interrupted; one that has failed may have been started again. */
function shownState(marked: RunMark, alive: boolean): RunReport['state'] {
  if (marked === 'done' || marked === 'cancelled') return marked;
  if (alive) return 'running';
  return marked === 'running' ? 'interrupted' : marked;
}
