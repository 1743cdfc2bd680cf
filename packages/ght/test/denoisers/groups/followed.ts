import type { TileNoise } from '../../../src/denoisers/denoiser.js';
import type { Step } from '../../../src/denoisers/groups/recipes.js';
import { follow, type Picture } from '../../../src/denoisers/groups/reference.js';
import { finish } from '../../../src/work.js';

/** The result of the reference for a whole recipe. */
export function followed(recipe: readonly Step[], noisy: Picture, noise?: TileNoise): Picture {
  return finish(follow(recipe, noisy, { noise }));
}
