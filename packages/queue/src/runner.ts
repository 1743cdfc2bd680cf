/** Runs plans on the queue. The process that does so is the coordinator of a run; the work of the tiles is done by workers. */
import { isGhtError, OptionError } from 'ght';
import type { RunWatch } from 'ght/plans';
import type { Places, TiledTask } from 'ght-tiles';
import { type ServerOptions, withServerErrors } from './connection.js';
import { openCoordinator } from './coordinator.js';
import { fingerprint as fingerprintHere } from './fingerprint.js';
import { runName, version } from './identity.js';
import { type PlacesOptions, type RootedPlaces, rootedPlaces } from './roots.js';
import type { RunRecord } from './wire.js';

/** Options of {@link queueRunner}. */
export interface QueueRunnerOptions extends ServerOptions, PlacesOptions {
  /** The names of the sources in a request; their versions are part of the identity of a run. @default its fields `input` and `mask` */
  readonly sources?: (request: object) => readonly string[];
  /** Bytes that the work of a tile needs; workers with less leave the tiles to others. @default not known */
  readonly memory?: number;
  /** How often a tile is tried before the run fails. @default 4 */
  readonly attempts?: number;
  /** Milliseconds until the second attempt at a tile; doubled for each further one. @default 500 */
  readonly backoff?: number;
  /** What says that two machines compute the same bits. @default computed by the function `fingerprint` */
  readonly fingerprint?: string;
  /** Called before the first pass with the name of the run, such as to create its output with `places.sink`. */
  readonly begin?: (run: string, places: Places) => Promise<void> | void;
}

/** Executes tasks on a queue. */
export interface QueueRunner {
  /** Executes a task, or continues it. */
  run<Request extends object, Context, Result>(
    task: TiledTask<Request, Context, Result>,
    request: Request,
    watch?: RunWatch,
  ): Promise<Result>;
}

/**
 * A runner on the queue at `url`, such as `redis://host:6379/` or `rediss://user@host/`. The same plan with the same request
 * continues a run that was interrupted, and shares one that is in progress. Aborting it cancels the run.
 */
export function queueRunner(url: string, options: QueueRunnerOptions): QueueRunner {
  const { attempts = 4, backoff = 500, sources = imageFields, begin } = options;
  const placesOf = rootedPlaces(options);
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new OptionError(
      'attempts',
      'must be a whole number of at least 1',
      attempts,
      'give how often a tile is tried',
    );
  }
  if (!(backoff >= 0)) throw new OptionError('backoff', 'must be at least 0', backoff, 'give milliseconds');

  async function run<Request extends object, Context, Result>(
    task: TiledTask<Request, Context, Result>,
    request: Request,
    watch: RunWatch = {},
  ): Promise<Result> {
    watch.signal?.throwIfAborted();
    const fingerprint = options.fingerprint ?? (await fingerprintHere());
    const versions = await versionsOf(sources(request), placesOf('none'));
    const identity = { plan: task.name, request, sources: versions, fingerprint };
    const record: RunRecord = { ...identity, version, memory: options.memory ?? 0 };
    const name = runName(identity);
    return withServerErrors(url, () => coordinate(name, record, task, request, watch));
  }

  async function coordinate<Request extends object, Context, Result>(
    name: string,
    record: RunRecord,
    task: TiledTask<Request, Context, Result>,
    request: Request,
    watch: RunWatch,
  ): Promise<Result> {
    const coordinator = await openCoordinator(url, options, name, record);
    const places = placesOf(name, { attempt: coordinator.attempt, claims: true });
    try {
      await begin?.(name, places);
      const context = await task.open(request, places, watch.signal);
      // Answers of a run whose output was removed would leave holes in the new one.
      if (places.isNew()) await coordinator.forgetAnswers();
      const result = await coordinator.execute(task.plan, context, watch, { attempts, backoff });
      await places.publish();
      await coordinator.finish();
      return result;
    } catch (error) {
      const cancelled = watch.signal?.aborted || (error as Error).name === 'AbortError';
      await coordinator.giveUp(cancelled ? 'cancelled' : 'failed');
      await places.restore(!cancelled && isGhtError(error));
      throw error;
    } finally {
      await Promise.all([coordinator.close(), places.close()]);
    }
  }
  return { run };
}

function imageFields(request: object): readonly string[] {
  const images: unknown[] = ['input' in request && request.input, 'mask' in request && request.mask];
  return images.filter((name) => typeof name === 'string');
}

/** The versions of sources, by name. */
async function versionsOf(names: readonly string[], places: RootedPlaces): Promise<Record<string, string>> {
  try {
    const sources = await Promise.all(names.map((name) => places.source(name)));
    return Object.fromEntries(names.map((name, i) => [name, sources[i].version]));
  } finally {
    await places.close();
  }
}
