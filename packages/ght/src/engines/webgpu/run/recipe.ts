import type { RecipeRunner } from '../../../groups/denoiser.js';
import type { Step } from '../../../groups/recipes.js';
import type { Gpu } from '../gpu.js';

/** Approximate bytes that a recipe needs in the memory of the host. */
export function recipeBytes(_recipe: readonly Step[], width: number, height: number, channels: number): number {
  return 8 * width * height * channels;
}

/** Runs a recipe on a GPU. */
export async function recipeRunner(_gpu: Gpu, _recipe: readonly Step[]): Promise<RecipeRunner> {
  throw new Error('not written yet');
}
