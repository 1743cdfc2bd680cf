import { InputError, type RepresentOptions } from 'ght';
import { type RepresentResult, type RunWatch, runHere, type Scratch } from 'ght/plans';
import { memoryScratch } from './memory.js';
import type { Places } from './plan.js';
import { representTask } from './represent-task.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** Options of `representLarge`: those of `represent`, and how the image is divided. */
export interface RepresentLargeOptions extends Omit<RepresentOptions, 'signal' | 'onProgress'> {
  /** The side of a square of pixels that is worked on at once. @default 2048 */
  readonly tile?: number;
  /** The full scale, for the PSNR. @default that of the type of 8- and 16-bit samples, and the range of all others */
  readonly peak?: number;
  /** Opens the store of the codes, with a layout the first time. @default the codes are not kept */
  readonly codes?: NonNullable<Places['codes']>;
  /** Where intermediate results and codes are kept between passes, about 60 bytes per patch. @default memory */
  readonly scratch?: Scratch;
}

/**
 * Represents an image of any size under one global budget, with the codes and the history of `represent` on the whole image. The
 * image is never in memory as a whole. By joint OMP its codes are not either; the other solvers need memory for all patches, about
 * 600 bytes each. The sink has the size and the channels of the source; it is finished, but not closed.
 */
export async function representLarge(
  source: Source,
  sink: Sink,
  { tile, peak, codes, scratch = memoryScratch(), ...options }: RepresentLargeOptions = {},
  watch: RunWatch = {},
): Promise<RepresentResult> {
  const { width, height, channels, alpha } = source.picture;
  const there = sink.picture;
  if (there.width !== width || there.height !== height || there.channels !== channels || there.alpha !== alpha) {
    const rule = 'must have the size and the channels of the source';
    const value = `${there.width}×${there.height} pixels with ${there.channels} channels`;
    throw new InputError('sink', rule, value, 'create it with the picture of the source');
  }
  const places = { source: async () => source, sink: async () => sink, scratch: async () => scratch, codes };
  const request = { input: 'source', output: 'sink', options, tile, peak };
  const { plan, open } = representTask();
  return runHere(plan, await open(request, places, watch.signal), watch);
}
