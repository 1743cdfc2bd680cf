/**
 * A plan says how a task on an image of any size is done in passes over its tiles. It is data and functions; who runs it, this
 * process or workers on many machines, is up to a {@link Runner}.
 *
 * The work of a tile depends on the request, its argument and the image alone. So it may be done twice or by another worker, and
 * a run that was interrupted is continued by asking for the same work again: whatever was answered is not done again.
 */

import type { Picture } from './picture.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';
import type { CodesLayout, CodesStore } from './stores/codesStore.js';

/** Data that can be sent to another machine: JSON values and typed arrays, never functions. */
export type Data =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | readonly Data[]
  | { readonly [key: string]: Data | undefined };

/**
 * Opens images by their names in a request. A worker accepts only names that lie inside its roots. What was opened belongs to the
 * places: they may return the same source or sink again, and close it when the run is over.
 */
export interface Places {
  /** The image to read. */
  source(name: string): Promise<Source>;
  /** The image to write; created when a picture is given, otherwise one that was created before. */
  sink(name: string, picture?: Picture): Promise<Sink>;
  /** A store for intermediate results of a run, beside its output; what is lost there is computed again. */
  scratch(name: string): Promise<Scratch>;
  /** The codes beside the image to write; begun when a layout is given. Absent where codes are not kept. */
  codes?(name: string, layout?: CodesLayout): Promise<CodesStore>;
}

/** Intermediate results by name. */
export interface Scratch {
  /** What was put there, or undefined. */
  get(key: string): Promise<Data | undefined>;
  /** Stores a value in full or not at all. */
  put(key: string, value: Data): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** One pass: the same work on many tiles, in any order and anywhere. */
export interface Pass {
  /** The name, unique in the run, such as `estimate` or `tally-2`. */
  readonly name: string;
  /** The kind of work: a key of {@link Plan.work}. */
  readonly work: string;
  /** What all tiles are told. */
  readonly argument: Data;
  /** The numbers of the tiles; the answers come in this order. */
  readonly tiles: readonly number[];
  /** The approximate share of the whole run, for progress. */
  readonly share: number;
}

/** What the work of a tile is told. */
export interface Job {
  /** The number of the tile. */
  readonly tile: number;
  /** The argument of the pass. */
  readonly argument: Data;
  /** Stops the work. */
  readonly signal?: AbortSignal;
  /** Told the fraction of this tile's work that is done. */
  readonly onFraction?: (fraction: number) => void;
}

/** A task as passes over tiles. */
export interface Plan<Request extends Data, Result> {
  /** The name under which workers know the plan. */
  readonly name: string;
  /** Yields the passes one by one, is given the answers of each, and returns the result. Runs in one place. */
  passes(request: Request, places: Places): AsyncGenerator<Pass, Result, readonly Data[]>;
  /** The kinds of work, by name. */
  readonly work: Readonly<Record<string, (request: Request, job: Job, places: Places) => Promise<Data>>>;
}

/** Progress of a run. */
export interface RunProgress {
  /** From 0 to 1, never falling. */
  readonly fraction: number;
  /** The name of the pass. */
  readonly pass: string;
  /** Tiles of this pass that are done. */
  readonly done: number;
  /** Tiles of this pass. */
  readonly tiles: number;
}

/** How a run is watched. */
export interface RunWatch {
  /** Stops the run; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called now and then. */
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Whoever runs plans. */
export interface Runner {
  /** Runs a plan to its end, or continues it. */
  run<Request extends Data, Result>(plan: Plan<Request, Result>, request: Request, watch?: RunWatch): Promise<Result>;
}
