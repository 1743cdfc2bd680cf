/**
 * One pass on the queue. Its answers are in Redis under the name of the run, so that another request for the same pass, after a
 * crash or at the same time, finds what is done. Only tiles that have neither an answer nor a job are added.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue, QueueEvents } from 'bullmq';
import { EnvironmentError, OptionError } from 'ght';
import type { Redis } from 'ioredis';
import { jobName, keys, tileOf } from './keys.js';
import { beginRun, failedTile, failuresOf, stateOf, writePass } from './record.js';
import { dataIn, NAME, type QueuedPass, type RunRecord, type TileMessage } from './wire.js';

/** What all passes of a run share. */
export interface RunOnQueue {
  readonly redis: Redis;
  readonly queue: Queue<TileMessage>;
  readonly events: QueueEvents;
  readonly run: string;
  readonly attempt: string;
  readonly record: RunRecord;
  /** How often a tile is tried. */
  readonly attempts: number;
  /** Milliseconds until the second attempt; doubled for each further one. */
  readonly backoff: number;
}

/** Milliseconds between two checks of all tiles. Events say sooner what is done, but they can get lost. */
const POLL_MS = 2000;
/** A check of very many tiles takes at most this part of the time: one in twenty. */
const CHECK_SHARE = 20;
/** Milliseconds for which events are gathered, so that many answers are fetched at once. */
const GATHER_MS = 20;
/** Jobs or answers per command. */
const BATCH = 500;

/** Runs a pass; `onDone` is called with the number of tiles that are done. */
export async function runPass(
  on: RunOnQueue,
  pass: QueuedPass,
  signal: AbortSignal | undefined,
  onDone: (done: number) => void,
): Promise<unknown[]> {
  if (!NAME.test(pass.name)) {
    throw new OptionError(
      'pass',
      'must have a name of letters, digits, dots, - and _',
      pass.name,
      'rename it in the plan',
    );
  }
  const answers = new Answers(on, pass);
  const alarm = new Alarm();
  let nextCheck = 0;
  const tileDone = ({ jobId }: { jobId: string }) => {
    if (answers.expect(tileOf(jobId, on.run, on.attempt, pass.name))) alarm.ring();
  };
  const tileFailed = ({ jobId }: { jobId: string }) => {
    if (tileOf(jobId, on.run, on.attempt, pass.name) === undefined) return;
    nextCheck = 0;
    alarm.ring();
  };
  const stop = () => alarm.ring();
  on.events.on('completed', tileDone);
  on.events.on('failed', tileFailed);
  signal?.addEventListener('abort', stop);
  try {
    await writePass(on.redis, on.run, on.attempt, pass);
    await answers.forgetFailures();
    for (;;) {
      signal?.throwIfAborted();
      const now = Date.now();
      if (now >= nextCheck) {
        await answers.check();
        nextCheck = Date.now() + Math.max(POLL_MS, CHECK_SHARE * (Date.now() - now));
      } else {
        await answers.collect();
      }
      onDone(answers.done);
      const all = answers.all();
      if (all) return all;
      await alarm.wait(nextCheck - Date.now());
      if (!signal?.aborted) await sleep(GATHER_MS);
    }
  } finally {
    on.events.off('completed', tileDone);
    on.events.off('failed', tileFailed);
    signal?.removeEventListener('abort', stop);
  }
}

/** A pause that can be ended early, also before it begins. */
class Alarm {
  #rung = false;
  #end = () => {};

  ring(): void {
    this.#rung = true;
    this.#end();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.#rung && milliseconds > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#rung = false;
  }
}

function startedAgain(run: string): EnvironmentError {
  const rule = 'must not be started again from its beginning while it is in progress';
  return new EnvironmentError(
    `run ${run}`,
    rule,
    'another attempt',
    'wait for the other command, which has the result',
  );
}

/** The answers of a pass, as far as they are known. */
class Answers {
  readonly #on: RunOnQueue;
  readonly #pass: QueuedPass;
  readonly #found = new Map<number, unknown>();
  /** Tiles whose answers an event has announced. */
  readonly #announced = new Set<number>();

  constructor(on: RunOnQueue, pass: QueuedPass) {
    this.#on = on;
    this.#pass = pass;
  }

  get done(): number {
    return this.#found.size;
  }

  /** The answers in the order of the tiles, or undefined while one is missing. */
  all(): unknown[] | undefined {
    const { tiles } = this.#pass;
    if (this.#found.size < tiles) return undefined;
    return Array.from({ length: tiles }, (_, tile) => this.#found.get(tile));
  }

  /** Notes that a tile is done; false if it is none of those that are missing. */
  expect(tile: number | undefined): boolean {
    if (tile === undefined || !this.#isMissing(tile)) return false;
    this.#announced.add(tile);
    return true;
  }

  /** Fetches the answers that events have announced. */
  async collect(): Promise<void> {
    const tiles = [...this.#announced];
    this.#announced.clear();
    await this.#fetch(tiles);
  }

  /** Fetches all answers that are there, and adds the tiles that no worker has. */
  async check(): Promise<void> {
    const { redis, run, attempt, record } = this.#on;
    const { name } = this.#pass;
    const now = await stateOf(redis, run);
    const isOurs = now.attempt === null || now.attempt === attempt;
    if (isOurs && now.state === 'cancelled') throw new DOMException(`run ${run} was cancelled`, 'AbortError');
    this.#announced.clear();
    const answered = (await redis.hkeys(keys.answers(run, attempt, name))).map(Number);
    await this.#fetch(answered.filter((tile) => this.#isMissing(tile)));
    if (this.#found.size === this.#pass.tiles) return;
    // Another coordinator has ended the run, or the server has lost it.
    if (isOurs && now.state !== 'running') now.attempt = await beginRun(redis, run, record, attempt);
    if (now.attempt !== attempt) throw startedAgain(run);
    if (!(await redis.exists(keys.pass(run, attempt, name)))) await writePass(redis, run, attempt, this.#pass);
    const [failed] = await this.#failed();
    if (failed !== undefined) throw await this.#failure(failed);
    await this.#add(await this.#withoutJob());
  }

  /** Removes the failed jobs of an earlier attempt at this run, so that they are added again. */
  async forgetFailures(): Promise<void> {
    const { queue, run, attempt } = this.#on;
    for (const tile of await this.#failed()) await queue.remove(jobName(run, attempt, this.#pass.name, tile));
  }

  #isMissing(tile: number): boolean {
    return Number.isInteger(tile) && tile >= 0 && tile < this.#pass.tiles && !this.#found.has(tile);
  }

  async #fetch(tiles: readonly number[]): Promise<void> {
    const { run, attempt } = this.#on;
    const key = keys.answers(run, attempt, this.#pass.name);
    for (let i = 0; i < tiles.length; i += BATCH) {
      const batch = tiles.slice(i, i + BATCH);
      const answers = await this.#on.redis.hmgetBuffer(key, ...batch.map(String));
      for (const [j, answer] of answers.entries()) {
        if (answer) this.#found.set(batch[j], dataIn(answer, `answer of tile ${batch[j]} of pass ${this.#pass.name}`));
      }
    }
  }

  /** The missing tiles whose jobs have failed for good. */
  async #failed(): Promise<number[]> {
    const ids = await this.#on.queue.getRanges(['failed'], 0, -1);
    const tiles = ids.map((id) => tileOf(id, this.#on.run, this.#on.attempt, this.#pass.name));
    return tiles.filter((tile): tile is number => tile !== undefined && this.#isMissing(tile));
  }

  async #failure(tile: number): Promise<Error> {
    const { redis, queue, run, attempt } = this.#on;
    const { name } = this.#pass;
    const job = await queue.getJob(jobName(run, attempt, name, tile));
    const last = (await failuresOf(redis, run)).findLast((failure) => failure.pass === name && failure.tile === tile);
    return failedTile(name, tile, job?.failedReason ?? last?.reason ?? 'no reason', last?.kind);
  }

  /** The missing tiles that are neither waiting nor being worked on. */
  async #withoutJob(): Promise<number[]> {
    const { redis, queue, run, attempt } = this.#on;
    const all = Array.from({ length: this.#pass.tiles }, (_, tile) => tile);
    const missing = all.filter((tile) => this.#isMissing(tile));
    const absent: number[] = [];
    for (let i = 0; i < missing.length; i += BATCH) {
      const batch = missing.slice(i, i + BATCH);
      const pipeline = redis.pipeline();
      for (const tile of batch) pipeline.exists(queue.toKey(jobName(run, attempt, this.#pass.name, tile)));
      const replies = await pipeline.exec();
      for (const [j, tile] of batch.entries()) if (replies?.[j]?.[1] === 0) absent.push(tile);
    }
    return absent;
  }

  /** Adds jobs. One that another coordinator has added meanwhile is not added again. */
  async #add(tiles: readonly number[]): Promise<void> {
    const { queue, run, attempt, attempts, backoff } = this.#on;
    const { name, work } = this.#pass;
    for (let i = 0; i < tiles.length; i += BATCH) {
      await queue.addBulk(
        tiles.slice(i, i + BATCH).map((tile) => ({
          name: work,
          data: { run, attempt, pass: name, tile },
          opts: {
            jobId: jobName(run, attempt, name, tile),
            attempts,
            backoff: { type: 'exponential', delay: backoff },
            // The answer is kept elsewhere, and says more than a finished job would.
            removeOnComplete: true,
            removeOnFail: false,
            stackTraceLimit: 0,
          },
        })),
      );
    }
  }
}
