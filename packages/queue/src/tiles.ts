/** The work on tiles that a worker takes from the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job as QueuedJob, UnrecoverableError, WaitingError } from 'bullmq';
import { EnvironmentError, isGhtError } from 'ght';
import { isMessageError, MessageError } from 'ght/check';
import type { Places, RemoteTask } from 'ght-tiles';
import type { Redis } from 'ioredis';
import { fenced, RunEnded } from './attempt.js';
import { messageOf, replyOf } from './connection-errors.js';
import { version } from './identity.js';
import { keys } from './keys.js';
import { printable } from './printable.js';
import { addFailure, goesOn, kindOf, readPass, readRun, reasonOf, storeAnswer } from './record.js';
import { activeEntries } from './register.js';
import type { PlacesAttempt, RootedPlaces } from './roots.js';
import { type PassRecord, type RunRecord, type TileMessage, tileMessage, workerEntry } from './wire.js';

/** Milliseconds of rest after a tile was left to others, and between two checks whether a run has ended. */
const REST_MS = 1000;
const CHECK_MS = 1000;

/** What the work on tiles needs to know about its worker. */
export interface TilesOptions {
  readonly tasks: readonly RemoteTask[];
  readonly memory?: number;
  readonly onTile?: (line: string) => void;
  readonly onWarning: (warning: string) => void;
  readonly name: string;
  readonly fingerprint: string;
  readonly placesOf: (run: string, attempt: PlacesAttempt) => RootedPlaces;
}

/** Run and pass of a tile, as they are kept for the next one. */
interface LastPass {
  readonly run: string;
  readonly attempt: string;
  readonly pass: string;
  readonly record: RunRecord;
  readonly read: PassRecord;
  readonly places: RootedPlaces;
}

/** The work on tiles of any run, one at a time. */
export class Tiles {
  /** The current tile. */
  current: string | null = null;
  readonly #redis: Redis;
  readonly #options: TilesOptions;
  /** Run and pass of the last tile: most tiles are of the same pass. */
  #last: LastPass | undefined;

  constructor(redis: Redis, options: TilesOptions) {
    this.#redis = redis;
    this.#options = options;
  }

  /**
   * Works on a tile and stores the answer. A job that ends without an answer does no harm: the coordinator, if there still is one,
   * adds it again. A job that cannot be understood fails for good.
   */
  async process(job: QueuedJob<unknown>, token: string | undefined): Promise<void> {
    const message = this.#messageOf(job);
    const { run, attempt, pass, tile } = message;
    const line = `${run} ${pass} ${tile}`;
    this.current = line;
    try {
      if (await this.#isOver(message)) return;
      const there = await this.#pass(message);
      if (there === undefined) return;
      await this.#afterOthers(job, message, token);
      const answer = await this.#answer(there, tile);
      const stored = await storeAnswer(this.#redis, message, answer);
      this.#options.onTile?.(`${line}: ${stored ? 'done' : 'dropped, because its run has ended'}`);
    } catch (error) {
      if (error instanceof WaitingError) throw error;
      // Whatever failed in an attempt that has ended failed because it has.
      if (error instanceof RunEnded || !(await this.#goesOn(run, attempt))) {
        this.#options.onTile?.(`${line}: stopped, because its run has ended`);
        return;
      }
      await this.#fail(job, message, token, understood(error));
    } finally {
      this.current = null;
    }
  }

  /** Closes what is open. */
  async release(): Promise<void> {
    await this.#last?.places.close().catch(() => {});
  }

  #messageOf(job: QueuedJob<unknown>): TileMessage {
    try {
      return tileMessage(job.data, 'job');
    } catch (error) {
      const reason = reasonOf(error);
      this.#options.onTile?.(`job ${printable(String(job.id), 60)}: ${reason}`);
      throw new UnrecoverableError(reason);
    }
  }

  /** Whether no coordinator waits for this tile any more, or it has been answered before. */
  async #isOver({ run, attempt, pass, tile }: TileMessage): Promise<boolean> {
    const [running, answered] = await Promise.all([
      goesOn(this.#redis, run, attempt),
      this.#redis.hexists(keys.answers(run, attempt, pass), String(tile)),
    ]);
    return !running || answered === 1;
  }

  /** Whether an attempt goes on; true if the server cannot say so. */
  #goesOn(run: string, attempt: string): Promise<boolean> {
    return goesOn(this.#redis, run, attempt).catch(() => true);
  }

  async #pass({ run, attempt, pass }: TileMessage): Promise<LastPass | undefined> {
    const last = this.#last;
    const sameAttempt = last?.run === run && last.attempt === attempt;
    if (sameAttempt && last.pass === pass) return last;
    const record = await readRun(this.#redis, run);
    const read = await readPass(this.#redis, run, attempt, pass);
    // Another run may need another version of the same file.
    if (!sameAttempt) await this.release();
    const places = sameAttempt ? last.places : this.#options.placesOf(run, { attempt, claims: false });
    this.#last = record && read && { run, attempt, pass, record, read, places };
    return this.#last;
  }

  /** The answer of a tile. It is given up within a second if the run ends, and then nothing is written any more. */
  async #answer({ run, attempt, record, read, places }: LastPass, tile: number): Promise<unknown> {
    const { work, argument } = read;
    const task = this.#taskOf(record, work);
    const controller = new AbortController();
    const { signal } = controller;
    const permit = async () => {
      if (!(await goesOn(this.#redis, run, attempt))) controller.abort(new RunEnded(`run ${run} has ended`));
      signal.throwIfAborted();
    };
    const checking = setInterval(() => void permit().catch(() => {}), CHECK_MS);
    try {
      const own = fenced(withVersions(places, record.sources), permit);
      return await task.work(work, record.request, { part: tile, argument, signal }, own);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearInterval(checking);
    }
  }

  /** The task of a run, if this worker may and can work on it. */
  #taskOf(record: RunRecord, work: string): RemoteTask {
    const { tasks, memory = Number.POSITIVE_INFINITY, fingerprint } = this.#options;
    if (record.fingerprint !== fingerprint || record.version !== version) {
      const rule = `must have fingerprint ${record.fingerprint} and version ${record.version}`;
      const value = `${fingerprint} and ${version}`;
      throw new EnvironmentError('worker', rule, value, 'install the same version everywhere');
    }
    const task = tasks.find(({ name }) => name === record.plan);
    if (!task?.has(work)) {
      const known = tasks.map(({ name }) => name).join(', ');
      const rule = `must be work of a task that the worker knows (${known})`;
      throw new EnvironmentError('job', rule, `${work} of ${record.plan}`, 'install the same version everywhere');
    }
    if (record.memory > memory) {
      const rule = `must be at least ${record.memory} bytes for this run`;
      throw new EnvironmentError('memory', rule, memory, 'give the worker more, or make the tiles of the run smaller');
    }
    return task;
  }

  /** Leaves a tile to others, or notes the failure: for good if another attempt would fail as well. */
  async #fail(
    job: QueuedJob<unknown>,
    message: TileMessage,
    token: string | undefined,
    error: unknown,
  ): Promise<never> {
    const { run, pass, tile } = message;
    const { name, onTile, onWarning } = this.#options;
    const reason = reasonOf(error);
    if (isGhtError(error, 'environment')) await this.#refuse(job, message, token, reason);
    onTile?.(`${run} ${pass} ${tile}: ${reason}`);
    try {
      const at = new Date().toISOString();
      await addFailure(this.#redis, run, { pass, tile, worker: name, reason, kind: kindOf(error), at });
      await job.updateData({ ...message, failedAt: [...(message.failedAt ?? []), name] });
    } catch (refused) {
      onWarning(`the failure of a tile could not be noted: ${messageOf(refused)}`);
    }
    const line = `${reason}, at worker ${name}`;
    const final = isGhtError(error, 'environment') || isMessageError(error) || isGhtError(error, 'option');
    throw final ? new UnrecoverableError(line) : new Error(line, { cause: error });
  }

  /** Gives way to living workers that have neither tried this tile nor refused it, if this one has. */
  async #afterOthers(job: QueuedJob<unknown>, message: TileMessage, token: string | undefined): Promise<void> {
    const { failedAt = [], refusedBy = [] } = message;
    const { name } = this.#options;
    if (!failedAt.includes(name) && !refusedBy.includes(name)) return;
    const rest = await this.#others([...failedAt, ...refusedBy]);
    if (rest.length > 0) await leaveToOthers(job, token);
  }

  /** Leaves a tile to others that this worker cannot work on. Returns if there are no others. */
  async #refuse(
    job: QueuedJob<unknown>,
    message: TileMessage,
    token: string | undefined,
    reason: string,
  ): Promise<void> {
    const { refusedBy = [], failedAt = [] } = message;
    const { name, onTile } = this.#options;
    const tried = [...refusedBy, name];
    if ((await this.#others([...tried, ...failedAt])).length === 0) return;
    await job.updateData({ ...message, refusedBy: tried });
    onTile?.(`${this.current}: left to others (${reason})`);
    await leaveToOthers(job, token);
  }

  /** The living workers of this fingerprint but those. */
  async #others(names: readonly string[]): Promise<string[]> {
    const workers = await activeEntries(this.#redis, keys.workers, workerEntry, this.#options.onWarning);
    return [...workers].flatMap(([name, { fingerprint }]) => {
      return fingerprint === this.#options.fingerprint && !names.includes(name) ? [name] : [];
    });
  }
}

/** An error of the server because a key has another type than ours: another program has written the message. */
function understood(error: unknown): unknown {
  if (replyOf(error) !== 'WRONGTYPE') return error;
  return new MessageError('job', 'must belong to a run', messageOf(error), 'remove the run with ght runs --clean', {
    cause: error,
  });
}

/** Puts a job back at once, and takes no other for a moment, so that others get it. BullMQ counts no attempt. */
async function leaveToOthers(job: QueuedJob<unknown>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  await sleep(REST_MS);
  throw new WaitingError();
}

/** Places that refuse a source with other content than the coordinator's: its tiles would belong to another image. */
function withVersions(places: Places, versions: Readonly<Record<string, string>>): Places {
  return {
    ...places,
    source: async (name) => {
      const source = await places.source(name);
      if (!Object.hasOwn(versions, name) || versions[name] === source.version) return source;
      const rule = `must be the version ${versions[name]} that the run began with`;
      throw new EnvironmentError(
        `source ${name}`,
        rule,
        source.version,
        'copy it with its time, or start the run again',
      );
    },
  };
}
