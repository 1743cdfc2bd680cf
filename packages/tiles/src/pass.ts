/** What plans have in common. */
import { OptionError } from 'ght';
import type { PartedImage } from 'ght/parts';
import type { Data, Pass } from './plan.js';
import type { Source } from './source.js';

/** What crosses to another machine: the steps take and return plain data, which their types do not say. */
export const data = (value: unknown) => value as Data;

/** Data as what they were before they were sent. */
export const told = <T>(argument: Data | readonly Data[]) => argument as unknown as T;

/** A pass over tiles 0, 1, …, named after its work. */
export function pass(work: string, share: number, tiles: number, argument: unknown = null): Pass {
  return { name: work, work, argument: data(argument), tiles: Array.from({ length: tiles }, (_, tile) => tile), share };
}

/** A source as an image that is read in parts, without opacity. */
export function partedImage(source: Source, signal?: AbortSignal): PartedImage {
  const { width, height, channels } = source.picture;
  return { width, height, read: async (at) => (await source.read(at, signal)).slice(0, channels) };
}

/** Checks the side of tiles. */
export function checkTile(tile: number | undefined): void {
  if (tile === undefined || (Number.isInteger(tile) && tile >= 1)) return;
  throw new OptionError('tile', 'must be a whole number of at least 1', tile, 'give a side in pixels, such as 2048');
}
