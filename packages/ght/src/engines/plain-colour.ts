import { blocksOf, COLOUR_EFFORT, learnedDenoiser, MOST_SIDE } from '../denoisers/learned/blocks.js';
import { PICTURE_CHANNELS, PLANES, SQUARE } from '../denoisers/learned/colour-model.js';
import { network } from '../denoisers/learned/network.js';
import { denseGrid, deviationsOf, readPicture, sitesOf, writePicture } from '../denoisers/learned/picture.js';
import { drive, watchOver } from '../work.js';
import type { ConcreteEngine, Engine } from './engine.js';

/** Values per site of the finest scale of the shipped model, in all its places. */
export const SHIPPED_VALUES = 2 * (64 + 96 / 4 + 128 / 16);

/** How the engines in plain TypeScript run the model for colour pictures: as written, in float64, on the calling thread. */
export function plainColour(name: ConcreteEngine): Pick<Engine, 'colourBytes' | 'colour'> {
  const colourBytes: Engine['colourBytes'] = (width, height) =>
    16 * PLANES * width * height + 8 * (MOST_SIDE / SQUARE) ** 2 * (SHIPPED_VALUES + PICTURE_CHANNELS);
  return {
    colourBytes,
    colour: async (model) => ({
      info: { name, threads: 1 },
      ...learnedDenoiser(
        {
          bytes: colourBytes,
          async run(tile, signal, onFraction) {
            const planes = Array.from({ length: tile.channels }, () => new Float64Array(tile.width * tile.height));
            for (const [c, plane] of planes.entries()) await drive(tile.read(c, plane), { signal });
            const results = planes.map(({ length }) => new Float64Array(length));
            const deviations = deviationsOf(tile.scales);
            const blocks = blocksOf(tile);
            for (const [i, block] of blocks.entries()) {
              const sites = sitesOf(block, model);
              const [grid, picture] = [
                denseGrid(sites.columns),
                new Float64Array(PICTURE_CHANNELS * sites.columns * sites.rows),
              ];
              readPicture(block, planes, tile, deviations, model, picture, grid);
              const watch = watchOver({ signal, onFraction }, i / blocks.length, (i + 1) / blocks.length);
              await drive(network(model, sites, picture), watch);
              writePicture(picture, grid, deviations, block, results, tile.width);
            }
            return results;
          },
        },
        COLOUR_EFFORT,
      ),
    }),
  };
}
