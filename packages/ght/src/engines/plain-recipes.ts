import { recipeDenoiser, slotsOf } from '../denoisers/groups/denoiser.js';
import type { Plane } from '../denoisers/groups/matching.js';
import { follow } from '../denoisers/groups/reference.js';
import { drive } from '../work.js';
import type { ConcreteEngine, Engine } from './engine.js';

/** How the engines in plain TypeScript run recipes: as written, in float64, on the calling thread. */
export function plainRecipes(name: ConcreteEngine): Pick<Engine, 'recipeBytes' | 'denoiser'> {
  // The pictures, and the sums, weights and result of the current pass.
  const recipeBytes: Engine['recipeBytes'] = (recipe, width, height, channels) =>
    8 * width * height * channels * (slotsOf(recipe).size + 3);
  return {
    recipeBytes,
    denoiser: async (recipe) => ({
      info: { name, threads: 1 },
      ...recipeDenoiser(recipe, {
        bytes: (width, height, channels) => recipeBytes(recipe, width, height, channels),
        async follow(tile, signal, onStep) {
          const { width, height } = tile;
          const picture: Plane[] = [];
          for (let c = 0; c < tile.channels; c++) {
            const data = new Float64Array(width * height);
            await drive(tile.read(c, data), { signal });
            picture.push({ width, height, data });
          }
          let step = 0;
          const work = follow(recipe, picture, tile, (begun) => {
            step = begun;
            onStep?.(step, 0);
          });
          const denoised = await drive(work, { signal, onFraction: (fraction) => onStep?.(step, fraction) });
          return denoised.map(({ data }) => data);
        },
      }),
    }),
  };
}
