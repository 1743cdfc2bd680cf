import { type DenoiseOptions, InputError } from 'ght';
import { type DenoiseResult, type RunWatch, runHere, type Scratch } from 'ght/plans';
import { denoiseTask } from './denoise-task.js';
import { memoryScratch } from './memory.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** Options of `denoiseLarge`: those of `denoise`, and how the image is divided. */
export interface DenoiseLargeOptions extends Omit<DenoiseOptions, 'signal' | 'onProgress'> {
  /** The side of the tiles in pixels, rounded down to whole chunks of the sink, at least one. @default as large as 512 MiB allow */
  readonly tile?: number;
  /**
   * Where coarse noise is kept between passes, if the noise is coloured: a float32 sample for every four samples of the image.
   *
   * @default memory, which is enough for images that are a few times larger than a tile
   */
  readonly scratch?: Scratch;
}

/**
 * Denoises an image of any size, tile after tile, with the bits of `denoise` on the whole image. The image is never in memory as a
 * whole: the largest parts are one tile with its margin, and the sample from which noise and defects are estimated (at most 16
 * megapixels). The sink has the size and the channels of the source; it is finished, but not closed.
 *
 * @example
 * ```js
 * import { describe } from 'ght';
 * import { denoiseLarge, openSource, zarrSink } from 'ght-tiles';
 *
 * const source = await openSource('slide.tif');
 * const { picture } = source;
 * const sink = await zarrSink('clean.zarr', { run: 'slide.tif, denoised', picture });
 * const result = await denoiseLarge(source, sink);
 * await Promise.all([source.close(), sink.close()]);
 * console.log(describe(result)); // the noise that was found
 * ```
 */
export async function denoiseLarge(
  source: Source,
  sink: Sink,
  { tile, scratch = memoryScratch(), ...options }: DenoiseLargeOptions = {},
  watch: RunWatch = {},
): Promise<DenoiseResult> {
  const shape = ({ picture }: Source | Sink) => {
    const { width, height, channels, alpha } = picture;
    return `${width}×${height} pixels with ${channels} channels${alpha ? ' and opacity' : ''}`;
  };
  if (shape(sink) !== shape(source)) {
    throw new InputError('sink', `must have ${shape(source)}`, shape(sink), 'create it with the picture of the source');
  }
  const places = { source: async () => source, sink: async () => sink, scratch: async () => scratch };
  const request = { input: 'source', output: 'sink', options, tile };
  const { plan, open } = denoiseTask();
  return runHere(plan, await open(request, places, watch.signal), watch);
}
