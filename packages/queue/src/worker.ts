/** A worker takes tiles from the queue, one at a time, until it is closed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job as QueuedJob, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { EnvironmentError, isEnvironmentError, OptionError } from 'ght';
import type { Data, Places, Plan } from 'ght-tiles';
import type { Redis } from 'ioredis';
import { checkServer, connect, redisOptions, type ServerOptions, tellOnce } from './connection.js';
import { fingerprint as fingerprintHere } from './fingerprint.js';
import { version } from './identity.js';
import { keys, PREFIX, queueName } from './keys.js';
import type { TileMessage } from './queue.js';
import type { RunRecord, ToldPass } from './record.js';
import { addFailure, kindOf, readPass, readRun, reasonOf, runsOfOthers, stateOf, storeAnswer } from './record.js';
import { enter, living, processName, type WorkerEntry } from './register.js';
import { type PlacesOptions, type RootedPlaces, rootedPlaces } from './roots.js';

/** Options of {@link queueWorker}. */
export interface QueueWorkerOptions extends ServerOptions, PlacesOptions {
  /** The plans that the worker knows. A job only names one of them: code never comes from the queue. */
  readonly plans: readonly Plan<never, unknown>[];
  /** Bytes that the work of a tile may take; tiles that need more are left to others. @default no limit */
  readonly memory?: number;
  /** The name in reports; no two workers may have the same. @default the host and the process number */
  readonly name?: string;
  /** What says that two machines compute the same bits. @default computed by the function `fingerprint` */
  readonly fingerprint?: string;
  /** Milliseconds after which the tile of a worker that is silent, since it was killed, goes to another one. @default 10000 */
  readonly patience?: number;
  /** Told each tile that is done, left to others or failed, in one line. */
  readonly onTile?: (line: string) => void;
}

/** A worker at work. */
export interface QueueWorker {
  /** Its name in reports. */
  readonly name: string;
  /** The fingerprint of its arithmetic. */
  readonly fingerprint: string;
  /** Finishes the tile at hand, and ends. The usual answer to SIGTERM. */
  close(): Promise<void>;
}

/** Milliseconds of rest after a tile was left to others, and between two looks whether a run was cancelled. */
const REST = 1000;
const LOOK = 1000;

/** Starts a worker. It finds the server, or an EnvironmentError says why not. */
export async function queueWorker(url: string, options: QueueWorkerOptions): Promise<QueueWorker> {
  const { plans, memory, patience = 10_000, name = processName(), onWarning } = options;
  if (!/^[\w.-]+$/.test(name)) {
    throw new OptionError('name', 'must consist of letters, digits, dots, - and _', name, 'give another name');
  }
  const placesOf = rootedPlaces(options);
  const redis = await connect(url, options);
  const fingerprint = options.fingerprint ?? (await fingerprintHere());
  await checkServer(redis, url, onWarning);
  const tiles = new Tiles(redis, { ...options, name, fingerprint, placesOf });
  const entry = (): WorkerEntry => {
    const names = { plans: plans.map((plan) => plan.name), roots: Object.keys(options.roots) };
    return { fingerprint, version, ...names, memory: memory ?? null, tile: tiles.current };
  };
  const registered = await enter(redis, keys.workers, name, entry);
  const worker = new Worker<TileMessage>(queueName(fingerprint), (job, token) => tiles.process(job, token), {
    connection: redisOptions(url, options),
    prefix: PREFIX,
    name,
    skipVersionCheck: true,
    lockDuration: patience,
    stalledInterval: Math.ceil(patience * 0.3),
    // Crashes of workers, such as in a power failure, are no fault of the tile.
    maxStalledCount: 5,
    runRetryDelay: 1000,
  });
  tellOnce(worker, url, onWarning);
  // Without tiles, no file is kept open.
  worker.on('drained', () => void tiles.release());
  const others = setInterval(() => void tellOfOthers().catch(() => {}), 10 * LOOK);
  const told = new Set<string>();
  const tellOfOthers = async () => {
    for (const { run, needed } of await runsOfOthers(redis, fingerprint)) {
      if (told.has(run)) continue;
      told.add(run);
      onWarning?.(
        `run ${run} is left to other workers: it needs fingerprint ${needed}, but ${name} has ${fingerprint}`,
      );
    }
  };
  await worker.waitUntilReady();
  await tellOfOthers();
  let closing: Promise<void> | undefined;
  const close = async () => {
    clearInterval(others);
    await worker.close();
    await tiles.release();
    await registered.leave();
    redis.disconnect();
  };
  return {
    name,
    fingerprint,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

interface TilesOptions extends Pick<QueueWorkerOptions, 'plans' | 'memory' | 'onTile'> {
  readonly name: string;
  readonly fingerprint: string;
  readonly placesOf: (run: string) => RootedPlaces;
}

/** Run and pass of a tile, as they are kept for the next one. */
interface LastPass {
  readonly run: string;
  readonly pass: string;
  readonly record: RunRecord;
  readonly told: ToldPass;
  readonly places: RootedPlaces;
}

/** The work on tiles of any run, one at a time. */
class Tiles {
  /** The tile at hand. */
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
   * adds it again.
   */
  async process(job: QueuedJob<TileMessage>, token: string | undefined): Promise<void> {
    const { run, pass, tile } = job.data;
    const { name, onTile } = this.#options;
    this.current = `${run} ${pass} ${tile}`;
    try {
      if (await this.#isOver(run, pass, tile)) return;
      const there = await this.#told(run, pass);
      if (there === undefined) return;
      await this.#afterOthers(job, token);
      const answered = await this.#answer(there, tile);
      if (answered === undefined) return;
      await storeAnswer(this.#redis, run, pass, tile, answered.answer);
      onTile?.(`${run} ${pass} ${tile}: done`);
    } catch (error) {
      if (error instanceof WaitingError) throw error;
      const reason = reasonOf(error);
      if (isEnvironmentError(error)) await this.#refuse(job, token, reason);
      onTile?.(`${run} ${pass} ${tile}: ${reason}`);
      const at = new Date().toISOString();
      await addFailure(this.#redis, run, { pass, tile, worker: name, reason, kind: kindOf(error), at });
      await job.updateData({ ...job.data, failedAt: [...(job.data.failedAt ?? []), name] });
      const told = `${reason}, at worker ${name}`;
      throw isEnvironmentError(error) ? new UnrecoverableError(told) : new Error(told, { cause: error });
    } finally {
      this.current = null;
    }
  }

  /** Whether nobody waits for this tile any more, or it has been answered before. */
  async #isOver(run: string, pass: string, tile: number): Promise<boolean> {
    const [state, answered] = await Promise.all([
      stateOf(this.#redis, run),
      this.#redis.hexists(keys.answers(run, pass), String(tile)),
    ]);
    return state === null || state === 'cancelled' || answered === 1;
  }

  /** Closes what is open. */
  async release(): Promise<void> {
    await this.#last?.places.close().catch(() => {});
  }

  async #told(run: string, pass: string): Promise<LastPass | undefined> {
    if (this.#last?.run === run && this.#last.pass === pass) return this.#last;
    const record = await readRun(this.#redis, run);
    const told = await readPass(this.#redis, run, pass);
    // Another run may need another version of the same file.
    if (this.#last?.run !== run) await this.release();
    const places = this.#last?.run === run ? this.#last.places : this.#options.placesOf(run);
    this.#last = record && told && { run, pass, record, told, places };
    return this.#last;
  }

  /** The answer, or undefined if the run was cancelled meanwhile. */
  async #answer({ run, record, told, places }: LastPass, tile: number): Promise<{ answer: Data } | undefined> {
    const { work, argument } = told;
    const { plans, memory = Number.POSITIVE_INFINITY, fingerprint } = this.#options;
    if (record.fingerprint !== fingerprint || record.version !== version) {
      const rule = `must have fingerprint ${record.fingerprint} and version ${record.version}`;
      throw new EnvironmentError(
        'worker',
        rule,
        `${fingerprint} and ${version}`,
        'install the same version everywhere',
      );
    }
    const plan = plans.find(({ name }) => name === record.plan) as Plan<Data, unknown> | undefined;
    if (!plan || !Object.hasOwn(plan.work, work)) {
      const known = plans.map(({ name }) => name).join(', ');
      const rule = `must be work of a plan that the worker knows (${known})`;
      throw new EnvironmentError('job', rule, `${work} of ${record.plan}`, 'install the same version everywhere');
    }
    if (record.memory > memory) {
      const rule = `must be at least ${record.memory} bytes for this run`;
      throw new EnvironmentError('memory', rule, memory, 'give the worker more, or make the tiles of the run smaller');
    }
    const controller = new AbortController();
    const look = setInterval(async () => {
      const state = await stateOf(this.#redis, run).catch(() => 'running');
      if (state === null || state === 'cancelled') controller.abort();
    }, LOOK);
    try {
      const own = withVersions(places, record.sources);
      return { answer: await plan.work[work](record.request, { tile, argument, signal: controller.signal }, own) };
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      clearInterval(look);
    }
  }

  /** Gives way to living workers that have neither tried this tile nor refused it, if this one has. */
  async #afterOthers(job: QueuedJob<TileMessage>, token: string | undefined): Promise<void> {
    const { failedAt = [], refusedBy = [] } = job.data;
    const { name } = this.#options;
    if (!failedAt.includes(name) && !refusedBy.includes(name)) return;
    const rest = await this.#others([...failedAt, ...refusedBy]);
    if (rest.length > 0) await leaveToOthers(job, token);
  }

  /** Leaves a tile to others that this worker cannot work on. Returns if there are no others. */
  async #refuse(job: QueuedJob<TileMessage>, token: string | undefined, reason: string): Promise<void> {
    const { refusedBy = [], failedAt = [] } = job.data;
    const { name, onTile } = this.#options;
    const tried = [...refusedBy, name];
    if ((await this.#others([...tried, ...failedAt])).length === 0) return;
    await job.updateData({ ...job.data, refusedBy: tried });
    onTile?.(`${this.current}: left to others (${reason})`);
    await leaveToOthers(job, token);
  }

  /** The living workers of this fingerprint but those. */
  async #others(names: readonly string[]): Promise<string[]> {
    const workers = await living<WorkerEntry>(this.#redis, keys.workers);
    return [...workers].flatMap(([name, { fingerprint }]) => {
      return fingerprint === this.#options.fingerprint && !names.includes(name) ? [name] : [];
    });
  }
}

/** Puts a job back at once, and takes no other for a moment, so that others get it. BullMQ counts no attempt. */
async function leaveToOthers(job: QueuedJob<TileMessage>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  await sleep(REST);
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
