/** Denoising images in stores, in tiles. */

import type { DenoiseOptions, Samples } from 'ght';
import * as check from 'ght/check';
import {
  type CoarseStore,
  type DenoiseContext,
  type DenoiseResult,
  DenoiserCache,
  denoisePlan,
  gridLength,
  type LoadedDenoiser,
  loadDenoiser,
  partReader,
  partSide,
  partSize,
  placementOf,
  type Rectangle,
  resolveDenoiseOptions,
  type Scratch,
  type Size,
} from 'ght/plans';
import { fullScale } from 'ght-images';
import type { AllHoles } from './missing.js';
import type { Picture } from './picture.js';
import { PIECE, readPieces, writePieces } from './pieces.js';
import { checkTile, type ImageNames, namesOf, optionsOf, type TiledTask, tiledTask, withChannels } from './plan.js';
import type { Sink } from './sink.js';
import type { Source } from './source.js';

/** What is denoised, and where the result goes. */
export interface DenoiseRequest extends ImageNames {
  /** The options of `denoise` but `signal` and `onProgress`. @default {} */
  readonly options?: Omit<DenoiseOptions, 'signal' | 'onProgress'>;
  /** The side of the tiles in pixels, rounded down to whole chunks of the output, at least one. @default what about 512 MiB allow */
  readonly tile?: number;
  /** The most pixels that the noise is estimated from. @default 2^24 */
  readonly sampled?: number;
}

/** What is kept of a run from part to part: the memory of the denoiser, and the missing samples. */
interface Kept {
  readonly run: string;
  readonly denoisers: DenoiserCache;
  holes?: Promise<AllHoles>;
}

/** The chunks of a Zarr that is created. */
const CHUNK = { width: 512, height: 512 } as const;

/** The task of denoising. One task keeps the memory of one denoiser from tile to tile. */
export function denoiseTask(): TiledTask<DenoiseRequest, DenoiseContext, DenoiseResult> {
  let kept: Kept = { run: '', denoisers: new DenoiserCache() };
  const request = check.record<DenoiseRequest>({
    ...namesOf,
    options: optionsOf(),
    sampled: check.optional(check.whole(1, 2 ** 28)),
  });
  return tiledTask(
    denoisePlan,
    request,
    async ({ input, output, options = {}, tile, sampled }, places, signal): Promise<DenoiseContext> => {
      checkTile(tile);
      const source = await places.source(input);
      const run = JSON.stringify([input, output, options, source.version]);
      if (kept.run !== run) kept = { run, denoisers: new DenoiserCache() };
      const { denoisers } = kept;
      const sink = await places.sink(output);
      const { picture } = source;
      const settings = resolveDenoiseOptions(picture.channels, { ...withChannels(picture, options), signal });
      const { width, height, alpha, sample } = picture;
      const whole = { width, height, alpha, read: source.read.bind(source) };
      // Only floats can be NaN.
      const missing = sample === 'float' ? settings.missing : undefined;
      // Loaded when it is needed: in a page, most images have no missing samples.
      const withHoles = missing && (await import('./missing.js'));
      const image = withHoles ? withHoles.withoutHoles(whole, holesOf(source, kept, withHoles.findHoles)) : whole;
      const scratch = () => places.scratch(output);
      return {
        ...{ image, reader: partReader(image), denoisers },
        settings: sampled === undefined ? settings : { ...settings, sampled },
        peakOf: ({ least, most }) => fullScale(picture, () => [least, most]),
        tiles: { chunk: sink.chunk, side: tile },
        coarse: coarseStore(scratch),
        output: withHoles ? withHoles.outputWithHoles(missing, source, sink, scratch) : outputOf(source, sink),
      };
    },
  );
}

/** The missing samples, found when they are first needed. What was stopped is done again the next time. */
function holesOf(source: Source, kept: Kept, findHoles: (source: Source, signal?: AbortSignal) => Promise<AllHoles>) {
  return (signal?: AbortSignal) => {
    kept.holes ??= findHoles(source, signal);
    kept.holes.catch(() => {
      kept.holes = undefined;
    });
    return kept.holes;
  };
}

/** Where denoised tiles go. */
function outputOf(source: Source, sink: Sink): DenoiseContext['output'] {
  return {
    has: (at) => sink.has(at),
    finish: (signal) => sink.finish(signal),
    async write(at, planes, signal) {
      await sink.write(at, planes ?? (await source.read(at, signal)));
    },
  };
}

/** Keeps the coarse scale in pieces of 512×512 samples. A piece that is not there is computed again. */
export function coarseStore(open: () => Promise<Scratch>): CoarseStore {
  const pieceOf = ({ width, height }: Size) => ({ width: Math.min(PIECE, width), height: Math.min(PIECE, height) });
  const nameOf = (c: number) => `coarse-${c}`;
  return {
    async write(inner, planes, step) {
      const scratch = await open();
      for (const [c, plane] of planes.entries()) await writePieces(scratch, nameOf(c), inner, plane, pieceOf(step));
    },
    async read(window, count, half, step, compute) {
      const scratch = await open();
      const columns = Math.ceil(half.width / step.width);
      const lost = ({ left, top }: Rectangle) =>
        compute(Math.floor(top / step.height) * columns + Math.floor(left / step.width));
      const planes: Samples[] = [];
      for (let c = 0; c < count; c++) {
        planes.push(await readPieces(scratch, nameOf(c), window, half, pieceOf(step), lost));
      }
      return planes;
    },
    clear: async () => (await open()).clear(),
  };
}

/** How an image would be divided. */
export interface TileSize {
  /** Pixels per row of a tile, without its margin. */
  readonly width: number;
  /** Rows of a tile, without its margin. */
  readonly height: number;
  /** The number of tiles. */
  readonly tiles: number;
  /** Approximate bytes that one tile needs, with its margin. */
  readonly memoryBytes: number;
}

/**
 * The tiles in which `denoiseLarge` would denoise an image.
 *
 * @param chunk the chunks of the sink @default 512×512
 */
export async function denoiseTileSize(
  picture: Picture,
  options: DenoiseOptions = {},
  chunk: Size = CHUNK,
): Promise<TileSize> {
  const { width, height, channels } = picture;
  const denoiser = await loadDenoiser(picture, 'white', resolveDenoiseOptions(channels, options).planes);
  const step = partSize(partSide(denoiser, picture, channels), chunk);
  return {
    ...{ width: Math.min(width, step.width), height: Math.min(height, step.height) },
    ...{ tiles: gridLength(picture, step), memoryBytes: largestTile(denoiser, picture, step) },
  };
}

/** The bytes of the tile that needs most. Sides of tiles with their margins have few lengths, however many tiles there are. */
function largestTile(denoiser: LoadedDenoiser, picture: Picture, step: Size): number {
  const [widths, heights] = [new Set<number>(), new Set<number>()];
  const outer = (left: number, top: number) => {
    const inner = {
      ...{ left, top },
      ...{ width: Math.min(step.width, picture.width - left), height: Math.min(step.height, picture.height - top) },
    };
    return placementOf(denoiser, inner, picture).outer;
  };
  for (let left = 0; left < picture.width; left += step.width) widths.add(outer(left, 0).width);
  for (let top = 0; top < picture.height; top += step.height) heights.add(outer(0, top).height);
  let most = 0;
  for (const width of widths) {
    for (const height of heights) most = Math.max(most, denoiser.bytes(width, height, picture.channels));
  }
  return most;
}
