/** Plans of `ght` on images in stores: what a request is, and how its images are opened. */

import { OptionError } from 'ght';
import type { Check } from 'ght/check';
import * as check from 'ght/check';
import type { Job, Plan, Scratch } from 'ght/plans';
import type { Picture } from './picture.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';
import type { CodesLayout, CodesStore } from './stores/codes-store.js';

/** A task on images in stores, as workers know it: names and data in, data out. */
export interface RemoteTask {
  /** The name of its plan. */
  readonly name: string;
  /** Whether the plan has passes of this kind. */
  has(pass: string): boolean;
  /** Does the work of a pass on a part. The request and the argument, which come from elsewhere, are checked first. */
  work(pass: string, request: unknown, job: Job<unknown>, places: Places): Promise<unknown>;
}

/** A plan whose images are named by a request, so that it can be executed on any machine that can open them. */
export interface TiledTask<Request, Context, Result> extends RemoteTask {
  /** The passes. */
  readonly plan: Plan<Context, Result>;
  /** Opens the images of a request. */
  open(request: Request, places: Places, signal?: AbortSignal): Promise<Context>;
}

/** Makes a task from its plan, the check of its requests, and a function that opens their images. */
export function tiledTask<Request, Context, Result>(
  plan: Plan<Context, Result>,
  checkRequest: Check<Request>,
  open: TiledTask<Request, Context, Result>['open'],
): TiledTask<Request, Context, Result> {
  return {
    ...{ name: plan.name, plan, open },
    has: (pass) => Object.hasOwn(plan.work, pass),
    async work(pass, request, job, places) {
      const checked = checkRequest(request, 'request');
      const work = plan.work[pass](job);
      return work(await open(checked, places, job.signal));
    },
  };
}

/** The images of a request. */
export interface ImageNames {
  /** The name of the image to read. */
  readonly input: string;
  /** The name of the image to write, which was created before. */
  readonly output: string;
}

/**
 * Opens images by their names in a request. A worker accepts only names that lie inside its roots. What was opened belongs to the
 * places: they may return the same source or sink again, and close it when the run is over.
 */
export interface Places {
  /** The image to read. */
  source(name: string): Promise<Source>;
  /** The image to write; created if a picture is given, otherwise one that was created before. */
  sink(name: string, picture?: Picture): Promise<Sink>;
  /** A store for intermediate results of a run, next to its output; what is lost there is computed again. */
  scratch(name: string): Promise<Scratch>;
  /** The codes next to the image to write; begun if a layout is given. Absent if codes are not kept. */
  codes?(name: string, layout?: CodesLayout): Promise<CodesStore>;
}

/** Checks the side of tiles. */
export function checkTile(tile: number | undefined): void {
  if (tile === undefined || (Number.isInteger(tile) && tile >= 1)) return;
  throw new OptionError('tile', 'must be a whole number of at least 1', tile, 'give a side in pixels, such as 2048');
}

/** Options that name a script or a file to this machine, which no message may do. */
const LOCAL = ['worker', 'weights'];

/** The check of options, whose values the library checks when it uses them. */
export function optionsOf<T extends object>(): Check<T | undefined> {
  return (value, name) => {
    if (value === undefined) return undefined;
    const options = check.options(value, name);
    for (const local of LOCAL) {
      if (options[local] !== undefined) throw check.refuse(`${name}.${local}`, 'must be left out', options[local]);
    }
    return options as T;
  };
}

/** The options of an image, with what its file says of its channels if the options do not. */
export function withChannels<T extends { readonly channels?: string }>({ metadata }: Picture, options: T): T {
  return metadata?.bands && (options.channels ?? 'auto') === 'auto' ? { ...options, channels: 'bands' } : options;
}

/** The checks of the fields that every request has. */
export const namesOf = { input: check.text(), output: check.text(), tile: check.optional(check.whole(1, 2 ** 31)) };

/** An image of a source, without opacity. */
export function imageOf(source: Source) {
  const { width, height, channels } = source.picture;
  const read = async (at: Parameters<Source['read']>[0], signal?: AbortSignal) =>
    (await source.read(at, signal)).slice(0, channels);
  return { width, height, read };
}
