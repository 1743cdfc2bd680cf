/** The part of a run that is in one place: it asks for one pass after the other, and watches. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, QueueEvents } from 'bullmq';
import type { Data, Places, Plan, RunWatch } from 'ght-tiles';
import type { Redis } from 'ioredis';
import { checkServer, connect, type ServerOptions } from './connection.js';
import { keys } from './keys.js';
import { runPass } from './pass.js';
import { openEvents, openQueue, removeJobs } from './queue.js';
import { mark, type RunRecord, removeAnswers, writeRun } from './record.js';
import { enter, living, processName, type WorkerEntry } from './register.js';

/** Milliseconds between two looks at the workers, and between two reports of progress to the server. */
const WORKERS = 5000;
const REPORT = 1000;
/** Milliseconds after which a server that does not answer is left behind. */
const FAREWELL = 5000;

/** Seconds for which answers are kept for other coordinators of the same run. */
const EXPIRY = 3600;

/** How often and how soon a tile is tried again. */
export interface Retries {
  readonly attempts: number;
  readonly backoff: number;
}

export class Coordinator {
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #run: string;
  readonly #record: RunRecord;
  readonly #leave: () => Promise<void>;
  readonly #looks: NodeJS.Timeout;

  private constructor(parts: {
    redis: Redis;
    queue: Queue;
    events: QueueEvents;
    run: string;
    record: RunRecord;
    leave: () => Promise<void>;
    onWarning: (warning: string) => void;
  }) {
    this.#redis = parts.redis;
    this.#queue = parts.queue;
    this.#events = parts.events;
    this.#run = parts.run;
    this.#record = parts.record;
    this.#leave = parts.leave;
    const look = workersWatch(parts.redis, parts.record, parts.onWarning);
    void look();
    this.#looks = setInterval(look, WORKERS);
  }

  /** Enters a run, new or in progress. */
  static async open(url: string, options: ServerOptions, run: string, record: RunRecord): Promise<Coordinator> {
    const { onWarning = () => {} } = options;
    const redis = await connect(url, options);
    try {
      await checkServer(redis, url, onWarning);
      const name = `${processName()}-${randomUUID().slice(0, 8)}`;
      const { leave } = await enter(redis, keys.coordinators(run), name, () => ({}));
      await writeRun(redis, run, record);
      const queue = openQueue(record.fingerprint, url, options);
      const events = openEvents(record.fingerprint, url, options);
      await events.waitUntilReady();
      return new Coordinator({ redis, queue, events, run, record, leave, onWarning });
    } catch (error) {
      redis.disconnect();
      throw error;
    }
  }

  /** Runs all passes of a plan. */
  async passes<Request extends Data, Result>(
    plan: Plan<Request, Result>,
    request: Request,
    places: Places,
    { signal, onProgress }: RunWatch,
    retries: Retries,
  ): Promise<Result> {
    const on = { redis: this.#redis, queue: this.#queue, events: this.#events, run: this.#run, record: this.#record };
    const passes = plan.passes(request, places);
    let before = 0;
    let fraction = 0;
    let reported = 0;
    try {
      let step = await passes.next();
      while (!step.done) {
        const { name: pass, share, tiles } = step.value;
        const tell = (done: number) => {
          fraction = Math.min(1, Math.max(fraction, before + share * (done / Math.max(tiles.length, 1))));
          onProgress?.({ fraction, pass, done, tiles: tiles.length });
          if (Date.now() < reported + REPORT) return;
          reported = Date.now();
          void this.#redis.hset(keys.run(this.#run), 'fraction', fraction).catch(() => {});
        };
        const answers = await runPass({ ...on, ...retries }, step.value, signal, tell);
        before += share;
        step = await passes.next(answers);
        signal?.throwIfAborted();
      }
      onProgress?.({ fraction: 1, pass: 'done', done: 0, tiles: 0 });
      return step.value;
    } finally {
      // After an error or an abort, the plan may release what it holds.
      await passes.return(undefined as never);
    }
  }

  /**
   * Notes that the run is done. The last of its coordinators removes the answers; they expire by themselves if another one only
   * seems to be there, because it was killed a moment ago.
   */
  async finish(): Promise<void> {
    await mark(this.#redis, this.#run, 'done');
    await this.#leave();
    const others = await living(this.#redis, keys.coordinators(this.#run));
    await removeAnswers(this.#redis, this.#run, others.size > 0 ? EXPIRY : 0);
  }

  /** Notes that the run has ended early. Tiles that wait are given up, answers are kept. */
  async giveUp(state: 'cancelled' | 'failed'): Promise<void> {
    const work = async () => {
      await mark(this.#redis, this.#run, state);
      await removeJobs(this.#queue, this.#run);
      await this.#leave();
    };
    await within(FAREWELL, work());
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await within(FAREWELL, Promise.all([this.#events.close(), this.#queue.close()]));
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

/** Tells, each once, which workers compute other bits, and that there is none for this run. */
function workersWatch(redis: Redis, { fingerprint, version }: RunRecord, onWarning: (warning: string) => void) {
  const told = new Set<string>();
  const once = (warning: string) => {
    if (!told.has(warning)) onWarning(warning);
    told.add(warning);
  };
  return async () => {
    const workers = await living<WorkerEntry>(redis, keys.workers).catch(() => undefined);
    if (!workers) return;
    const others = [...workers].filter(([, entry]) => entry.fingerprint !== fingerprint);
    for (const [name, entry] of others) {
      const why = `its fingerprint is ${entry.fingerprint} (version ${entry.version}), that of the run is ${fingerprint} (version ${version})`;
      once(`worker ${name} is refused, because its results would have other bits: ${why}`);
    }
    if (others.length === workers.size) once(`no worker with fingerprint ${fingerprint} is there: start one; waiting`);
  };
}
