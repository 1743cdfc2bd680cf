import { InputError } from 'ght';
import { type RestoreResult, type RunWatch, runHere, type Scratch } from 'ght/plans';
import { memoryScratch } from './memory.js';
import { type RestoreTask, restoredPicture, restoreTask } from './restore-task.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** What `restoreLarge` restores, and how the image is divided. */
export type RestoreLargeOptions = RestoreTask<Source> & {
  /** The side of the tiles in pixels. @default what about 512 MiB allow */
  readonly tile?: number;
  /** Where planes are kept between passes, about 40 bytes for each sample of the result. @default memory */
  readonly scratch?: Scratch;
};

/**
 * Restores an image in tiles, with the bits of `inpaint`, `deblur` or `upscale` on the whole image. The prior, which takes most of the
 * time, works on one tile after the other. The data step works on one whole plane after the other, so there must be memory for a
 * few planes: {@link estimateMemory} with `tiled`. The sink has the size of the result; it is finished, but not closed.
 */
export async function restoreLarge(
  source: Source,
  sink: Sink,
  { tile, scratch = memoryScratch(), ...what }: RestoreLargeOptions,
  watch: RunWatch = {},
): Promise<RestoreResult> {
  const { width, height, channels, alpha } = restoredPicture(source.picture, what);
  const there = sink.picture;
  if (there.width !== width || there.height !== height || there.channels !== channels || there.alpha !== alpha) {
    const rule = `must have ${width}×${height} pixels with ${channels} channels${alpha ? ' and opacity' : ''}, as the result`;
    const value = `${there.width}×${there.height} pixels with ${there.channels} channels`;
    throw new InputError('sink', rule, value, 'create it with the picture of the result');
  }
  const mask = what.task === 'inpaint' ? what.mask : undefined;
  const places = {
    source: async (name: string) => (mask && name === 'mask' ? mask : source),
    sink: async () => sink,
    scratch: async () => scratch,
  };
  const names = { input: 'source', output: 'sink', tile };
  const request = what.task === 'inpaint' ? { ...what, mask: mask && 'mask' } : what;
  const { plan, open } = restoreTask();
  return runHere(plan, await open({ ...names, ...request }, places, watch.signal), watch);
}
