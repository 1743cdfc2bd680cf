/** The qualities of `denoise`: the recipes, the learned model, and the blend of both. */
import { blended } from '../denoisers/blend.js';
import type { Denoiser } from '../denoisers/denoiser.js';
import { LEARNED_EFFORT, LEARNED_MARGIN } from '../denoisers/learned/blocks.js';
import { shippedModel } from '../denoisers/learned/shipped.js';
import type { Engine, LoadedDenoiser, LoadOptions } from '../engines/engine.js';
import { marginOf } from '../groups/extent.js';
import { effortOf, type Quality, qualities, recipeOf } from '../groups/recipes.js';
import type { ColouredNoise, NoiseModel } from '../noise/model.js';
import { stabiliser } from '../signal/stabilise.js';

/** The qualities of `denoise`: those of the recipes; `learned`, a model trained on photographs; `finest`, its blend with `best`. */
export const denoiseQualities = [...qualities, 'learned', 'finest'] as const;

/** The name of a quality of `denoise`. */
export type DenoiseQuality = (typeof denoiseQualities)[number];

/** The share of the learned model in `finest`. The optimum is flat (`docs/denoising.md`). */
const LEARNED_SHARE = 0.7;

/** The recipe of a quality; for those with the model, the one that is blended with it or takes its place. */
const recipeIn = (quality: DenoiseQuality): Quality =>
  quality === 'finest' || quality === 'learned' ? 'best' : quality;

/** The range of the samples, in deviations of the noise, up to which the model is at least as good as `best`. */
const MOST_RANGE = 64;

/**
 * The quality that is used for an image with this noise and these samples, in the same units. The model was trained for white noise on
 * photographs with a range of up to 64 deviations. For coloured noise and for weaker noise, `best` takes its place.
 */
export function usedQuality(
  quality: DenoiseQuality,
  noise: NoiseModel,
  samples: { readonly least: number; readonly most: number },
  strength: number,
): DenoiseQuality {
  const isKnown = noise.kind !== 'coloured' && rangeInDeviations(noise, samples) <= MOST_RANGE * strength;
  return isKnown ? quality : recipeIn(quality);
}

function rangeInDeviations(
  noise: Exclude<NoiseModel, ColouredNoise>,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  // Planes without noise are not denoised.
  const even = (sigma: number) => (sigma > 0 ? (most - least) / sigma : 0);
  if (noise.kind === 'white') return Math.max(...noise.sigma.map(even));
  const ranges = noise.planes.map((plane) => {
    if (plane.gain === 0) return even(plane.sigma);
    const { forward } = stabiliser(plane);
    return forward(most) - forward(least);
  });
  return Math.max(...ranges);
}

/** Says in a sentence that another quality was used than the given one, and why; empty if it was the same. */
export function qualityWords(given: DenoiseQuality, used: DenoiseQuality, noise: NoiseModel): string {
  if (given === used) return '';
  const limit =
    noise.kind === 'coloured' ? 'white noise' : `noise of at least 1/${MOST_RANGE} of the range of the samples`;
  return `quality: ${used} in place of ${given}, which is for ${limit}`;
}

/** How far the denoiser of a quality reaches for white noise, and the bytes that it needs on an engine. */
export function qualityExtent(engine: Engine, quality: DenoiseQuality): Pick<Denoiser, 'margin' | 'bytes'> {
  const recipe = recipeOf(recipeIn(quality));
  const [withModel, withRecipe] = [quality === 'learned' || quality === 'finest', quality !== 'learned'];
  return {
    margin: Math.max(withModel ? LEARNED_MARGIN : 0, withRecipe ? marginOf(recipe) : 0),
    bytes: (...size) =>
      (withModel ? engine.learnedBytes(...size) : 0) + (withRecipe ? engine.recipeBytes(recipe, ...size) : 0),
  };
}

/** The time per pixel of a quality, in the unit of the recipes. */
export function qualityEffort(quality: DenoiseQuality, noise: 'white' | 'coloured'): number {
  const recipe = recipeOf(recipeIn(quality), noise).reduce((sum, step) => sum + effortOf(step), 0);
  if (noise === 'coloured' || (quality !== 'learned' && quality !== 'finest')) return recipe;
  return quality === 'learned' ? LEARNED_EFFORT : LEARNED_EFFORT + recipe;
}

/** Loads the denoiser of a quality into an engine, for pictures of this many pixels. */
export async function qualityDenoiser(
  engine: Engine,
  quality: DenoiseQuality,
  noise: 'white' | 'coloured',
  pixels: number,
  options: LoadOptions,
): Promise<LoadedDenoiser> {
  const recipe = () => engine.denoiser(recipeOf(recipeIn(quality), noise), pixels, options);
  if (noise === 'coloured' || (quality !== 'learned' && quality !== 'finest')) return recipe();
  const learned = await engine.learned(await shippedModel(), pixels, options);
  return quality === 'learned' ? learned : { info: learned.info, ...blended(LEARNED_SHARE, learned, await recipe()) };
}
