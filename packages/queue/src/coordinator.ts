/** The coordinator of a run: it requests one pass after the other, and watches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { checkParts, type Perform, type Plan, type RunWatch, risingProgress } from 'ght/plans';
import type { Redis } from 'ioredis';
import { newAttempt } from './attempt.js';
import { checkServer, connect, onceEach, type ServerOptions, shownAddress } from './connection.js';
import { messageOf, serverError } from './connection-errors.js';
import { jobPrefix, keys } from './keys.js';
import { runPass } from './pass.js';
import { openEvents, openQueue, removeJobs } from './queue.js';
import { beginRun, markAttempt, removeAnswers } from './record.js';
import { activeEntries, enter, uniqueName } from './register.js';
import { coordinatorEntry, type RunRecord, workerEntry } from './wire.js';

/** Milliseconds between two checks of the workers, and between two reports of progress to the server. */
const WORKERS_MS = 5000;
const REPORT_MS = 1000;
/** Milliseconds after which a server that does not answer is left behind. */
const CLOSING_MS = 5000;

/** Seconds for which answers are kept for other coordinators of the same run. */
const EXPIRY_SECONDS = 3600;

/** How often and how soon a tile is tried again. */
export interface Retries {
  readonly attempts: number;
  readonly backoff: number;
}

/** A coordinator at work. */
export interface Coordinator {
  /** The attempt at the run. */
  readonly attempt: string;
  /** Executes a plan, whose passes are worked on by others. */
  execute<Context, Result>(
    plan: Plan<Context, Result>,
    context: Context,
    watch: RunWatch,
    retries: Retries,
  ): Promise<Result>;
  /** Makes the run begin from its first pass. */
  forgetAnswers(): Promise<void>;
  /**
   * Notes that the run is done. The last of its coordinators removes the answers; they expire by themselves if another one only
   * seems to be there, because it was killed a moment ago.
   */
  finish(): Promise<void>;
  /** Notes that the run has ended early. Tiles that wait are given up, answers are kept. */
  giveUp(state: 'cancelled' | 'failed'): Promise<void>;
  close(): Promise<void>;
}

/** Enters a run, new or in progress. */
export async function openCoordinator(
  url: string,
  options: ServerOptions,
  run: string,
  record: RunRecord,
): Promise<Coordinator> {
  const { onWarning = () => {} } = options;
  const redis = await connect(url, options);
  let leave = async () => {};
  try {
    await checkServer(redis, url, onWarning);
    ({ leave } = await enter(redis, keys.coordinators(run), uniqueName(), () => ({}), onWarning));
    const attempt = await beginRun(redis, run, record, newAttempt());
    const queue = openQueue(record.fingerprint, url, options);
    const events = openEvents(record.fingerprint, url, options);
    await events.waitUntilReady();
    const once = onceEach(onWarning);
    // A full server cannot take answers, so that the run would stop silently.
    const refused = (error: unknown) => once(`${messageOf(serverError(error, shownAddress(url)))}; waiting for it`);
    const checkWorkers = workersWatch(redis, record, once);
    void checkWorkers();
    const checking = setInterval(checkWorkers, WORKERS_MS);

    return {
      attempt,
      async execute(plan, context, { signal, onProgress }, retries) {
        const on = { redis, queue, events, run, attempt, record, ...retries };
        let before = 0;
        let reported = 0;
        const report = risingProgress((progress) => {
          onProgress?.(progress);
          if (Date.now() < reported + REPORT_MS) return;
          reported = Date.now();
          void redis.hset(keys.run(run), 'fraction', progress.fraction).catch(refused);
        });
        const perform: Perform<typeof context> = async (pass, argument, { parts, share, name = pass.name }) => {
          checkParts(parts);
          const onDone = (done: number) =>
            report({ fraction: before + (share * done) / Math.max(parts, 1), pass: name, done, parts });
          const queued = { name, work: pass.name, argument, tiles: parts };
          const answers = await runPass(on, queued, signal, onDone);
          signal?.throwIfAborted();
          before += share;
          return answers.map((answer, tile) => pass.answer(answer, `answer of tile ${tile} of pass ${name}`));
        };
        const result = await plan.run(context, perform);
        report({ fraction: 1, pass: 'done', done: 0, parts: 0 });
        return result;
      },
      forgetAnswers: () => removeAnswers(redis, run, attempt),
      async finish() {
        await markAttempt(redis, run, attempt, 'done');
        await leave();
        const others = await activeEntries(redis, keys.coordinators(run), coordinatorEntry);
        await removeAnswers(redis, run, attempt, others.size > 0 ? EXPIRY_SECONDS : 0);
      },
      async giveUp(state) {
        const work = async () => {
          await markAttempt(redis, run, attempt, state);
          await removeJobs(queue, jobPrefix(run, attempt));
          await leave();
        };
        await within(CLOSING_MS, work());
      },
      async close() {
        clearInterval(checking);
        await within(CLOSING_MS, Promise.all([events.close(), queue.close()]));
        await Promise.all([events.disconnect(), queue.disconnect()]).catch(() => {});
        redis.disconnect();
      },
    };
  } catch (error) {
    await within(CLOSING_MS, leave());
    redis.disconnect();
    throw error;
  }
}

/** Waits for work that a server which is gone would never end. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const pause = sleep(milliseconds, undefined, { signal: enough.signal });
  // What went wrong before is the error to report.
  await Promise.race([work.catch(() => {}), pause]).finally(() => enough.abort());
  await pause.catch(() => {});
}

/** Reports, each once, which workers compute other bits, and that there is none for this run. */
function workersWatch(redis: Redis, { fingerprint, version }: RunRecord, once: (warning: string) => void) {
  return async () => {
    const workers = await activeEntries(redis, keys.workers, workerEntry, once).catch((error: unknown) => {
      once(`the workers cannot be listed: ${messageOf(error)}`);
      return undefined;
    });
    if (!workers) return;
    const others = [...workers].filter(([, entry]) => entry.fingerprint !== fingerprint);
    for (const [name, entry] of others) {
      const reason = `its fingerprint is ${entry.fingerprint} (version ${entry.version}), that of the run is ${fingerprint} (version ${version})`;
      once(`worker ${name} is refused, because its results would have other bits: ${reason}`);
    }
    if (others.length === workers.size) once(`no worker with fingerprint ${fingerprint} is there: start one; waiting`);
  };
}
