/** A worker takes tiles from the queue, one at a time, until it is closed. */
import { Worker } from 'bullmq';
import { OptionError } from 'ght';
import type { RemoteTask } from 'ght-tiles';
import {
  checkServer,
  connect,
  onceEach,
  redisOptions,
  type ServerOptions,
  tellOnce,
  withServerErrors,
} from './connection.js';
import { messageOf } from './connection-errors.js';
import { fingerprint as fingerprintHere } from './fingerprint.js';
import { version } from './identity.js';
import { keys, PREFIX, queueName } from './keys.js';
import { runsOfOthers } from './record.js';
import { enter, uniqueName } from './register.js';
import { type PlacesOptions, rootedPlaces } from './roots.js';
import { Tiles } from './tiles.js';
import { NAME, type WorkerEntry } from './wire.js';

/** Options of {@link queueWorker}. */
export interface QueueWorkerOptions extends ServerOptions, PlacesOptions {
  /** The tasks that the worker knows. A job only names one of them: code never comes from the queue. */
  readonly tasks: readonly RemoteTask[];
  /** Bytes that the work of a tile may take; tiles that need more are left to others. @default no limit */
  readonly memory?: number;
  /** The name in reports; no two workers may have the same. @default the host, the process number and a random number */
  readonly name?: string;
  /** What says that two machines compute the same bits. @default computed by the function `fingerprint` */
  readonly fingerprint?: string;
  /** Milliseconds after which the tile of a worker that is silent, since it was killed, goes to another one. @default 10000 */
  readonly patience?: number;
  /** Called for each tile that is done, left to others or failed, with one line. */
  readonly onTile?: (line: string) => void;
}

/** A worker at work. */
export interface QueueWorker {
  /** Its name in reports. */
  readonly name: string;
  /** The fingerprint of its arithmetic. */
  readonly fingerprint: string;
  /** Finishes the current tile, and ends. The usual response to SIGTERM. */
  close(): Promise<void>;
}

/** Milliseconds between two checks for runs that this worker must leave to others. */
const OTHERS_MS = 10_000;

/** Starts a worker. It finds the server, or an EnvironmentError says why not. */
export async function queueWorker(url: string, options: QueueWorkerOptions): Promise<QueueWorker> {
  return withServerErrors(url, () => startWorker(url, options));
}

async function startWorker(url: string, options: QueueWorkerOptions): Promise<QueueWorker> {
  const { tasks, memory, patience = 10_000, name = uniqueName() } = options;
  const onWarning = onceEach(options.onWarning);
  if (!NAME.test(name)) {
    throw new OptionError('name', 'must consist of letters, digits, dots, - and _', name, 'give another name');
  }
  const placesOf = rootedPlaces(options);
  const redis = await connect(url, options);
  try {
    const fingerprint = options.fingerprint ?? (await fingerprintHere());
    await checkServer(redis, url, onWarning);
    const tiles = new Tiles(redis, { ...options, name, fingerprint, placesOf, onWarning });
    const entry = (): WorkerEntry => {
      const names = { plans: tasks.map((task) => task.name), roots: Object.keys(options.roots) };
      return { fingerprint, version, ...names, memory: memory ?? null, tile: tiles.current };
    };
    const registered = await enter(redis, keys.workers, name, entry, onWarning);
    const worker = new Worker<unknown>(queueName(fingerprint), (job, token) => tiles.process(job, token), {
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
    const nameOthers = async () => {
      for (const { run, needed } of await runsOfOthers(redis, fingerprint)) {
        const reason = `it needs fingerprint ${needed}, but ${name} has ${fingerprint}`;
        onWarning(`run ${run} is left to other workers: ${reason}`);
      }
    };
    const check = () => nameOthers().catch((error: unknown) => onWarning(`runs cannot be listed: ${messageOf(error)}`));
    const others = setInterval(check, OTHERS_MS);
    await worker.waitUntilReady();
    await check();
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
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}
