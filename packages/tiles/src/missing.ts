/**
 * Missing samples (NaN) of an image in tiles, with the bits of the whole image. Which known sample takes the place of a missing one, and the
 * surface that fills holes in the result, depend on whole planes, so these are in memory one after the other while that is found out.
 */
import type { DenoiseOptions, Samples } from 'ght';
import {
  cut,
  type DenoiseContext,
  drive,
  gridOf,
  mirrored,
  missingIn,
  type Rectangle,
  restored,
  type Scratch,
  type Size,
} from 'ght/plans';
import { scratchPlanes } from './pieces.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** The missing samples of a plane, row by row, and what takes their place. */
interface Holes {
  /** Where those of each row begin, and where the last ones end. */
  readonly starts: Float64Array;
  /** The column of each. */
  readonly columns: Uint32Array;
  /** The value for each. */
  readonly values: Samples;
}

/** The holes of each channel; undefined for those without any. */
export type AllHoles = readonly (Holes | undefined)[];

/** Rows that are read at a time, at least. */
const ROWS = 256;

/** Finds the missing samples of an image, and what takes their place. */
export async function findHoles(source: Source, signal?: AbortSignal): Promise<AllHoles> {
  const { picture } = source;
  const alpha = await opacityOf(source, signal);
  const holes: (Holes | undefined)[] = [];
  for (let channel = 0; channel < picture.channels; channel++) {
    const plane = await planeOf(source, channel, signal);
    const missing = await drive(missingIn(plane, alpha), { signal });
    holes.push(missing && holesOf(missing, await drive(mirrored(plane, picture, missing), { signal }), picture));
  }
  return holes;
}

function opacityOf(source: Source, signal?: AbortSignal): Promise<Samples> | undefined {
  const { alpha, channels } = source.picture;
  return alpha ? planeOf(source, channels, signal) : undefined;
}

/** A channel, or the opacity, as a whole. */
async function planeOf({ picture, chunk, read }: Source, channel: number, signal?: AbortSignal): Promise<Samples> {
  const { width, height, depth } = picture;
  const plane = depth === 64 ? new Float64Array(width * height) : new Float32Array(width * height);
  const rows = chunk.height * Math.ceil(ROWS / chunk.height);
  for (const band of gridOf(picture, { width, height: rows })) {
    const samples = await read(band, signal);
    plane.set(samples[channel], band.top * width);
  }
  return plane;
}

function holesOf(missing: Uint8Array, filled: Samples, { width, height }: Size): Holes {
  const count = missing.reduce((sum, each) => sum + each, 0);
  const starts = new Float64Array(height + 1);
  const columns = new Uint32Array(count);
  const values = filled.slice(0, count);
  let at = 0;
  for (let i = 0; i < missing.length; i++) {
    if (i % width === 0) starts[i / width] = at;
    if (!missing[i]) continue;
    columns[at] = i % width;
    values[at++] = filled[i];
  }
  starts[height] = at;
  return { starts, columns, values };
}

/** An image with known samples in place of those that are missing. */
export function withoutHoles(
  image: DenoiseContext['image'],
  holesIn: (signal?: AbortSignal) => Promise<AllHoles>,
): DenoiseContext['image'] {
  return {
    ...image,
    async read(at, signal) {
      const holes = await holesIn(signal);
      const planes = await image.read(at, signal);
      return planes.map((plane, c) => {
        const own = holes[c];
        return own ? filledIn(plane, at, own) : plane;
      });
    },
  };
}

function filledIn(plane: Samples, { left, top, width, height }: Rectangle, holes: Holes): Samples {
  const filled = plane.slice();
  for (let y = 0; y < height; y++) {
    for (let n = holes.starts[top + y]; n < holes.starts[top + y + 1]; n++) {
      const x = holes.columns[n] - left;
      if (x >= 0 && x < width) filled[y * width + x] = holes.values[n];
    }
  }
  return filled;
}

/** Where denoised tiles go, whose missing samples become what is wanted. */
export function outputWithHoles(
  wanted: NonNullable<DenoiseOptions['missing']>,
  source: Source,
  sink: Sink,
  scratch: () => Promise<Scratch>,
): DenoiseContext['output'] {
  const { picture } = source;
  const { channels } = picture;
  if (wanted === 'keep') {
    return {
      has: (at) => sink.has(at),
      finish: (signal) => sink.finish(signal),
      async write(at, planes, signal) {
        const given = await source.read(at, signal);
        await sink.write(at, planes ? asGivenWhere(Number.isNaN, planes, given, channels) : given);
      },
    };
  }
  const store = scratchPlanes(scratch, sink.chunk);
  const nameOf = (c: number) => `denoised-${c}`;
  return {
    // The surface comes last, and with it all that is written; until then it is in the scratch, which the plan clears.
    has: async () => false,
    async write(at, planes, signal) {
      const samples = planes ?? (await source.read(at, signal));
      for (let c = 0; c < channels; c++) await store.write(nameOf(c), at, samples[c]);
    },
    async finish(signal) {
      const filled: Samples[] = [];
      const alpha = await opacityOf(source, signal);
      for (let c = 0; c < channels; c++) {
        const plane = await store.take(nameOf(c), picture);
        const missing = await drive(missingIn(await planeOf(source, c, signal), alpha), { signal });
        filled.push(missing ? await drive(restored(plane, picture, missing, 'fill'), { signal }) : plane);
      }
      const all = { left: 0, top: 0, width: picture.width, height: picture.height };
      for (const band of gridOf(picture, { width: picture.width, height: sink.chunk.height })) {
        signal?.throwIfAborted();
        const planes = filled.map((plane) => cut(plane, all, band));
        const given = picture.alpha ? await source.read(band, signal) : planes;
        await sink.write(
          band,
          asGivenWhere(() => false, planes, given, channels),
        );
      }
      await sink.finish(signal);
    },
  };
}

/** Planes with the given samples of some kind, and with those of transparent pixels; the given opacity is the last one. */
function asGivenWhere(
  isKept: (sample: number) => boolean,
  planes: readonly Samples[],
  given: readonly Samples[],
  channels: number,
): Samples[] {
  const alpha: Samples | undefined = given[channels];
  const results = planes.slice(0, channels).map((plane, c) => {
    const result = plane.slice();
    for (let i = 0; i < result.length; i++) if (alpha?.[i] === 0 || isKept(given[c][i])) result[i] = given[c][i];
    return result;
  });
  return alpha ? [...results, alpha] : results;
}
