/** Denoising the pages of stacks in parts: of pages too large for memory, a tile of each page of a window is in memory. */
import { OptionError, type Samples, type SeriesOptions } from 'ght';
import {
  DenoiserCache,
  denoisePages,
  denoisePlan,
  type PageResult,
  partReader,
  type Rectangle,
  resolveSeriesOptions,
  runHere,
  type SeriesOutput,
  type SeriesPage,
} from 'ght/plans';
import { coarseStore } from './denoise-task.js';
import { memoryScratch } from './memory.js';
import { checkTile, withChannels } from './plan.js';
import type { PageParts } from './stacks/stack-parts.js';
import type { StackSource } from './stacks/stack-source.js';

/** Options of `denoiseStackParts`: those of `denoiseSeries`, and how pages are divided. */
export interface DenoiseStackOptions extends Omit<SeriesOptions, 'skip'> {
  /** The side of the tiles in pixels, rounded down to whole chunks of the result, at least one. @default what about 512 MiB allow */
  readonly tile?: number;
}

/** A page of a stack, whose opacity is read apart. */
interface StackPage extends SeriesPage {
  /** The planes of a rectangle, and its opacity if it has one. */
  all(at: Rectangle, signal?: AbortSignal): Promise<readonly Samples[]>;
}

/**
 * Denoises some pages of a stack as a series, part by part, with the bits of whole pages: in memory are a tile of the pages of a window, and
 * samples of 8 pages, from which the noise is estimated. Yields what became of each page after all its parts were written. The stack must be
 * opened for parts, or its pages are read whole again and again.
 */
export async function* denoiseStackParts(
  source: StackSource,
  numbers: readonly number[],
  parts: PageParts,
  { tile, ...options }: DenoiseStackOptions = {},
): AsyncGenerator<PageResult, void> {
  checkTile(tile);
  const { picture } = source;
  const { signal } = options;
  const settings = resolveSeriesOptions(picture.channels, withChannels(picture, options));
  const { missing } = settings.page;
  if (missing !== undefined) {
    throw new OptionError('missing', 'must be left out for a stack in tiles', missing, 'denoise it in whole pages');
  }
  const tiles = { chunk: parts.chunk, side: tile };
  const output: SeriesOutput<StackPage> = {
    tiles,
    has: (page, at) => parts.has(numbers[page], at),
    async write(page, image, at, planes) {
      const given = planes && !picture.alpha ? [] : await image.all(at, signal);
      await parts.write(numbers[page], at, planes ? [...planes, ...given.slice(picture.channels)] : given);
    },
    alone(page, image, own) {
      const opaque = { ...image, alpha: picture.alpha, read: image.all };
      const context = {
        ...{ image: opaque, reader: partReader(opaque), settings: own, tiles },
        peakOf: () => image.peak,
        denoisers: new DenoiserCache(),
        coarse: coarseStore(async () => scratch),
        output: {
          has: (at: Rectangle) => parts.has(numbers[page], at),
          write: async (at: Rectangle, planes: readonly Samples[] | undefined) =>
            parts.write(numbers[page], at, planes ?? (await image.all(at, signal))),
          finish: async () => {},
        },
      };
      const { onProgress } = own.planes;
      const scratch = memoryScratch();
      const report = ({ fraction, pass }: { fraction: number; pass: string }) => onProgress?.({ fraction, pass });
      return runHere(denoisePlan, context, { signal, onProgress: report });
    },
  };
  yield* denoisePages(pagesOf(source, numbers), numbers.length, undefined, settings, output);
}

async function* pagesOf(source: StackSource, numbers: readonly number[]): AsyncGenerator<StackPage, void> {
  const { width, height, channels } = source.picture;
  for (const number of numbers) {
    const { peak } = (await source.read(number, undefined, { left: 0, top: 0, width: 1, height: 1 })).image;
    const all: StackPage['all'] = async (at, signal) => {
      const { planes, alpha } = (await source.read(number, signal, at)).image;
      return alpha ? [...planes, alpha] : planes;
    };
    yield { width, height, peak, all, read: async (at, signal) => (await all(at, signal)).slice(0, channels) };
  }
}
