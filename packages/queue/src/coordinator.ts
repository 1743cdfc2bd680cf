/** The part of a run that is in one place: it asks for one pass after the other, and watches. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, QueueEvents } from 'bullmq';
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

/** Milliseconds between two looks at the workers, and between two reports of progress to the server. */
const WORKERS_MS = 5000;
const REPORT_MS = 1000;
/** Milliseconds after which a server that does not answer is left behind. */
const FAREWELL_MS = 5000;

/** Seconds for which answers are kept for other coordinators of the same run. */
const EXPIRY_SECONDS = 3600;

/** How often and how soon a tile is tried again. */
export interface Retries {
  readonly attempts: number;
  readonly backoff: number;
}

export class Coordinator {
  /** The attempt at the run. */
  readonly attempt: string;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #run: string;
  readonly #record: RunRecord;
  readonly #leave: () => Promise<void>;
  /** Called with an error of the server: a full one cannot take answers, so that the run would stand still without a word. */
  readonly #refused: (error: unknown) => void;
  readonly #looks: NodeJS.Timeout;

  private constructor(parts: {
    redis: Redis;
    queue: Queue;
    events: QueueEvents;
    run: string;
    attempt: string;
    record: RunRecord;
    leave: () => Promise<void>;
    onWarning: (warning: string) => void;
    address: string;
  }) {
    this.#redis = parts.redis;
    this.#queue = parts.queue;
    this.#events = parts.events;
    this.#run = parts.run;
    this.attempt = parts.attempt;
    this.#record = parts.record;
    this.#leave = parts.leave;
    const once = onceEach(parts.onWarning);
    this.#refused = (error) => once(`${messageOf(serverError(error, parts.address))}; waiting for it`);
    const look = workersWatch(parts.redis, parts.record, once);
    void look();
    this.#looks = setInterval(look, WORKERS_MS);
  }

  /** Enters a run, new or in progress. */
  static async open(url: string, options: ServerOptions, run: string, record: RunRecord): Promise<Coordinator> {
    const { onWarning = () => {} } = options;
    const redis = await connect(url, options);
    let left: (() => Promise<void>) | undefined;
    try {
      await checkServer(redis, url, onWarning);
      const { leave } = await enter(redis, keys.coordinators(run), uniqueName(), () => ({}), onWarning);
      left = leave;
      const attempt = await beginRun(redis, run, record, newAttempt());
      const queue = openQueue(record.fingerprint, url, options);
      const events = openEvents(record.fingerprint, url, options);
      await events.waitUntilReady();
      return new Coordinator({
        redis,
        queue,
        events,
        run,
        attempt,
        record,
        leave,
        onWarning,
        address: shownAddress(url),
      });
    } catch (error) {
      await within(FAREWELL_MS, left?.() ?? Promise.resolve());
      redis.disconnect();
      throw error;
    }
  }

  /** Executes a plan, whose passes are worked on by others. */
  async execute<Context, Result>(
    plan: Plan<Context, Result>,
    context: Context,
    { signal, onProgress }: RunWatch,
    retries: Retries,
  ): Promise<Result> {
    const server = { redis: this.#redis, queue: this.#queue, events: this.#events };
    const on = { ...server, run: this.#run, attempt: this.attempt, record: this.#record };
    let before = 0;
    let reported = 0;
    const report = risingProgress((progress) => {
      onProgress?.(progress);
      if (Date.now() < reported + REPORT_MS) return;
      reported = Date.now();
      void this.#redis.hset(keys.run(this.#run), 'fraction', progress.fraction).catch(this.#refused);
    });
    const perform: Perform<Context> = async (pass, argument, { parts, share, name = pass.name }) => {
      checkParts(parts);
      const onDone = (done: number) =>
        report({ fraction: before + (share * done) / Math.max(parts, 1), pass: name, done, parts });
      const queued = { name, work: pass.name, argument, tiles: parts };
      const answers = await runPass({ ...on, ...retries }, queued, signal, onDone);
      signal?.throwIfAborted();
      before += share;
      return answers.map((answer, tile) => pass.answer(answer, `answer of tile ${tile} of pass ${name}`));
    };
    const result = await plan.run(context, perform);
    report({ fraction: 1, pass: 'done', done: 0, parts: 0 });
    return result;
  }

  /**
   * Notes that the run is done. The last of its coordinators removes the answers; they expire by themselves if another one only
   * seems to be there, because it was killed a moment ago.
   */
  async finish(): Promise<void> {
    await markAttempt(this.#redis, this.#run, this.attempt, 'done');
    await this.#leave();
    const others = await activeEntries(this.#redis, keys.coordinators(this.#run), coordinatorEntry);
    await removeAnswers(this.#redis, this.#run, this.attempt, others.size > 0 ? EXPIRY_SECONDS : 0);
  }

  /** Makes a run begin from its first pass. */
  async forgetAnswers(): Promise<void> {
    await removeAnswers(this.#redis, this.#run, this.attempt);
  }

  /** Notes that the run has ended early. Tiles that wait are given up, answers are kept. */
  async giveUp(state: 'cancelled' | 'failed'): Promise<void> {
    const work = async () => {
      await markAttempt(this.#redis, this.#run, this.attempt, state);
      await removeJobs(this.#queue, jobPrefix(this.#run, this.attempt));
      await this.#leave();
    };
    await within(FAREWELL_MS, work());
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await within(FAREWELL_MS, Promise.all([this.#events.close(), this.#queue.close()]));
    await Promise.all([this.#events.disconnect(), this.#queue.disconnect()]).catch(() => {});
    this.#redis.disconnect();
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
      const why = `its fingerprint is ${entry.fingerprint} (version ${entry.version}), that of the run is ${fingerprint} (version ${version})`;
      once(`worker ${name} is refused, because its results would have other bits: ${why}`);
    }
    if (others.length === workers.size) once(`no worker with fingerprint ${fingerprint} is there: start one; waiting`);
  };
}
