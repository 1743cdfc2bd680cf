/** Representing images in stores, in parts. */

import type { RepresentOptions } from 'ght';
import * as check from 'ght/check';
import { type CodesBands, type RepresentContext, type RepresentResult, representPlan } from 'ght/plans';
import { fullScale } from 'ght-images';
import type { Picture } from './picture.js';
import {
  checkTile,
  type ImageNames,
  imageOf,
  namesOf,
  optionsOf,
  type Places,
  type TiledTask,
  tiledTask,
  withChannels,
} from './plan.js';

/** What is represented, and where the result goes. */
export interface RepresentRequest extends ImageNames {
  /** The options of `represent` but `signal` and `onProgress`. @default {} */
  readonly options?: Omit<RepresentOptions, 'signal' | 'onProgress'>;
  /** The side of a square of pixels that is worked on at once. @default 2048 */
  readonly tile?: number;
  /** The full scale, for the PSNR. @default that of the type of 8- and 16-bit samples, and the range of all others */
  readonly peak?: number;
}

/** The side of a square that is worked on at once, if none is given. */
const SIDE = 2048;

/** The task of representing an image. */
export function representTask(): TiledTask<RepresentRequest, RepresentContext, RepresentResult> {
  const request = check.record<RepresentRequest>({
    ...namesOf,
    options: optionsOf(),
    peak: check.optional(check.positive),
  });
  return tiledTask(
    representPlan,
    request,
    async ({ input, output, options = {}, tile, peak }, places): Promise<RepresentContext> => {
      checkTile(tile);
      const source = await places.source(input);
      const sink = await places.sink(output);
      const { picture } = source;
      const scratch = () => places.scratch(output);
      return {
        options: withChannels(picture, options),
        range: knownRange(picture, peak),
        peakOf: ({ least, greatest }) => peak ?? fullScale(picture, () => [least, greatest]),
        parts: { side: tile ?? SIDE, chunk: sink.chunk },
        scratch: {
          get: async (key) => (await scratch()).get(key),
          put: async (key, value) => (await scratch()).put(key, value),
          clear: async () => (await scratch()).clear(),
        },
        images: [
          {
            ...{ image: imageOf(source), planes: picture.channels },
            codes: places.codes && codesOutput(places.codes.bind(places), output),
            output: {
              finish: (stop) => sink.finish(stop),
              async write(at, planes, stop) {
                const alpha = picture.alpha ? (await source.read(at, stop)).slice(picture.channels) : [];
                await sink.write(at, [...planes, ...alpha]);
              },
            },
          },
        ],
      };
    },
  );
}

/** The full scale and the largest sample of 8- and 16-bit samples, which are known without reading the image. */
function knownRange({ sample, depth }: Picture, peak: number | undefined): Float64Array | undefined {
  const full = 2 ** depth - 1;
  return sample === 'uint' && depth <= 16 && (peak ?? full) >= full ? Float64Array.of(peak ?? full, full) : undefined;
}

/** Writes codes in bands of whole rows of patches. */
function codesOutput(open: NonNullable<Places['codes']>, output: string): RepresentContext['images'][number]['codes'] {
  const layoutOf = ({ grid, dictionary, planes, colour, peak, rows }: CodesBands) => ({
    image: { grid, dictionary, peak, ...(planes === 3 && !colour && { bands: true }) },
    planes,
    tile: { columns: grid.columns, rows },
  });
  return {
    async begin(bands) {
      await open(output, layoutOf(bands));
    },
    async write({ plane, row }, codes) {
      await (await open(output)).write({ plane, row, column: 0 }, codes);
    },
  };
}
