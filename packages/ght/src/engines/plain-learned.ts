import type { Tile } from '../denoisers/denoiser.js';
import { blocksOf, gatherBlock, HALO, learnedDenoiser, MOST_SIDE, surrounded } from '../denoisers/learned/blocks.js';
import { type LearnedModel, STRIDE } from '../denoisers/learned/model.js';
import { SHIPPED_ATOMS } from '../denoisers/learned/shipped.js';
import { unrolled } from '../denoisers/learned/unrolled.js';
import type { Rectangle } from '../image/rectangle.js';
import { drive, part, type Work } from '../work.js';
import type { ConcreteEngine, Engine } from './engine.js';

/** How the engines in plain TypeScript run the learned denoiser: as written, in float64, on the calling thread. */
export function plainLearned(name: ConcreteEngine): Pick<Engine, 'learnedBytes' | 'learned'> {
  // A plane and its result; the codes of one block, and its picture three times.
  const learnedBytes: Engine['learnedBytes'] = (width, height, channels) =>
    8 * width * height * (channels + 1) + 8 * MOST_SIDE ** 2 * (SHIPPED_ATOMS / STRIDE ** 2 + 3);
  return {
    learnedBytes,
    learned: async (model) => ({
      info: { name, threads: 1 },
      ...learnedDenoiser({
        bytes: learnedBytes,
        async run(tile, signal, onFraction) {
          const planes: Float64Array[] = [];
          for (let c = 0; c < tile.channels; c++) {
            const plane = new Float64Array(tile.width * tile.height);
            await drive(tile.read(c, plane), { signal });
            const report = onFraction && ((fraction: number) => onFraction((c + fraction) / tile.channels));
            planes.push(await drive(denoisePlane(model, plane, tile), { signal, onFraction: report }));
          }
          return planes;
        },
      }),
    }),
  };
}

function* denoisePlane(model: LearnedModel, plane: Float64Array, tile: Tile): Work<Float64Array> {
  const result = new Float64Array(plane.length);
  const blocks = blocksOf(tile);
  for (const [i, block] of blocks.entries()) {
    const size = surrounded(block);
    const data = new Float64Array(size.width * size.height);
    gatherBlock(block, tile, (x, y, from) => {
      data[y * size.width + x] = plane[from];
    });
    const denoised = yield* part(unrolled(model, { ...size, data }), i / blocks.length, (i + 1) / blocks.length);
    putBlock(denoised, size.width, block, result, tile.width);
  }
  return result;
}

/** Copies a block without its surroundings to its place in a plane. */
function putBlock(
  denoised: Float64Array,
  row: number,
  { left, top, width, height }: Rectangle,
  plane: Float64Array,
  stride: number,
) {
  for (let y = 0; y < height; y++) {
    const from = (y + HALO) * row + HALO;
    plane.set(denoised.subarray(from, from + width), (top + y) * stride + left);
  }
}
