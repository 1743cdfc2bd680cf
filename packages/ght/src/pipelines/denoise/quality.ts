/** The qualities of `denoise`: the recipes, the learned model, and the blend of both. */
import { blended } from '../../denoisers/blend.js';
import type { Denoiser } from '../../denoisers/denoiser.js';
import { overallDeviation, type PlanesNoise } from '../../denoisers/frame.js';
import { marginOf } from '../../denoisers/groups/extent.js';
import { effortOf, type RecipeName, recipeNames, recipeOf } from '../../denoisers/groups/recipes.js';
import { LEARNED_EFFORT, LEARNED_MARGIN } from '../../denoisers/learned/blocks.js';
import { requiredColourModel, shippedModel, type Weights } from '../../denoisers/learned/shipped.js';
import type { Engine, LoadedDenoiser, LoadOptions } from '../../engines/engine.js';
import { stabiliser } from '../../image/stabilise.js';
import type { NoiseModel } from '../../noise/model.js';

/** The qualities of `denoise`: those of the recipes; `learned`, a model trained on photographs; `finest`, its blend with a recipe. */
export const qualities = [...recipeNames, 'learned', 'finest'] as const;

/** The name of a quality of `denoise`. */
export type Quality = (typeof qualities)[number];

/**
 * The share of the learned model in `finest`. The optimum is flat (`docs/denoising.md`). The model treats coloured noise as white, with
 * the overall deviation of each plane. Only the recipe uses the spectrum, so the model has the smaller share.
 */
const LEARNED_SHARE = { white: 0.7, coloured: 0.3 } as const;

/**
 * The recipe of a quality; for those with the model, the one that is blended with it or takes its place. For coloured noise, a blend
 * with `best` is no better than one with `balanced`, which takes half the time.
 */
export const recipeIn = (quality: Quality, noise: 'white' | 'coloured' = 'white'): RecipeName => {
  if (quality === 'finest' && noise === 'coloured') return 'balanced';
  return quality === 'finest' || quality === 'learned' ? 'best' : quality;
};

/** Why another quality took the place of the requested one: the learned model is for white noise that is not too weak. */
export interface QualityFallback {
  /** The quality that was requested. */
  readonly requested: Quality;
  /** `noise-too-weak`: below 1/64 of the range of the samples. `noise-not-white`: coloured. `series`: it takes single images. */
  readonly reason: 'noise-too-weak' | 'noise-not-white' | 'series';
}

/** The quality that is used, and why it is not the requested one; the reason is absent if it is that one. */
export interface ChosenQuality {
  readonly quality: Quality;
  readonly qualityFallback?: QualityFallback;
}

/** The range of the samples, in deviations of the noise, up to which the model is at least as good as `best`. */
export const MOST_RANGE = 64;

/**
 * The quality that is used for an image with this noise and these samples, in the same units. The model was trained for white noise on
 * photographs with a range of up to 64 deviations. For weaker noise, `best` takes its place. For coloured noise the model alone is
 * often worse than `balanced`, but their blend is better: `finest` takes the place of `learned`.
 */
export function chooseQuality(
  requested: Quality,
  noise: NoiseModel,
  samples: { readonly least: number; readonly most: number },
  strength: number,
): ChosenQuality {
  const replaced = (quality: Quality, reason: QualityFallback['reason']): ChosenQuality =>
    quality === requested ? { quality } : { quality, qualityFallback: { requested, reason } };
  if (rangeInDeviations(noise, samples) > MOST_RANGE * strength) return replaced(recipeIn(requested), 'noise-too-weak');
  return replaced(requested === 'learned' && noise.kind === 'coloured' ? 'finest' : requested, 'noise-not-white');
}

/**
 * The range of the samples in deviations of the noise, in the plane that has most of it. The chromas of a photograph often have little
 * noise, which says nothing about its luma.
 */
function rangeInDeviations(
  noise: NoiseModel,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const even = (sigma: number) => (most - least) / sigma;
  if (noise.kind === 'white') return even(Math.max(...noise.sigma));
  if (noise.kind === 'coloured') return even(Math.max(...noise.deviations.map(overallDeviation)));
  const ranges = noise.planes.map((plane) => {
    if (plane.gain === 0) return even(plane.sigma);
    const { forward } = stabiliser(plane);
    return forward(most) - forward(least);
  });
  return Math.min(...ranges);
}

/** How far the denoiser of a quality reaches for white noise, and the bytes that it needs on an engine. */
export function qualityExtent(engine: Engine, quality: Quality): Pick<Denoiser, 'margin' | 'bytes'> {
  const recipe = recipeOf(recipeIn(quality));
  const [withModel, withRecipe] = [quality === 'learned' || quality === 'finest', quality !== 'learned'];
  return {
    margin: Math.max(withModel ? LEARNED_MARGIN : 0, withRecipe ? marginOf(recipe) : 0),
    bytes: (...size) =>
      (withModel
        ? Math.max(engine.learnedBytes(...size), size[2] === 3 ? engine.colourBytes(size[0], size[1]) : 0)
        : 0) + (withRecipe ? engine.recipeBytes(recipe, ...size) : 0),
  };
}

/** The time per pixel of a quality, in the unit of the recipes. */
export function qualityEffort(quality: Quality, noise: 'white' | 'coloured'): number {
  const recipe = recipeOf(recipeIn(quality, noise), noise).reduce((sum, step) => sum + effortOf(step), 0);
  if (quality === 'learned') return LEARNED_EFFORT;
  return quality === 'finest' ? LEARNED_EFFORT + recipe : recipe;
}

/** The noise of the chromas, in deviations of luma's, that the model for colour was trained with. */
const CHROMA_NOISE = { least: 0.3, most: 1.65 } as const;

/**
 * Whether the model for colour is for planes with this noise at this quality: for luma and two chromas, all with white noise, which is not
 * stronger than all the samples are apart. The model adds a little of such noise to a flat picture.
 */
export function isForColour(
  quality: Quality,
  noise: PlanesNoise,
  { least, most }: { readonly least: number; readonly most: number },
): boolean {
  if (!('sigma' in noise) || noise.sigma.length !== 3 || (quality !== 'learned' && quality !== 'finest')) return false;
  const [luma, ...chromas] = noise.sigma;
  if (luma > most - least) return false;
  return chromas.every((sigma) => sigma >= CHROMA_NOISE.least * luma && sigma <= CHROMA_NOISE.most * luma);
}

/** Loads the denoiser of a quality into an engine, for pictures of this many pixels; with `colour`, the model of luma and chromas has the weights. */
export async function qualityDenoiser(
  engine: Engine,
  quality: Quality,
  noise: 'white' | 'coloured',
  pixels: number,
  options: LoadOptions,
  { weights, colour }: { readonly weights?: Weights; readonly colour?: boolean } = {},
): Promise<LoadedDenoiser> {
  const recipe = () => engine.denoiser(recipeOf(recipeIn(quality, noise), noise), pixels, options);
  if (quality !== 'learned' && quality !== 'finest') return recipe();
  const learned = colour
    ? await engine.colour(await requiredColourModel(weights), pixels, options)
    : await engine.learned(await shippedModel(weights), pixels, options);
  if (quality === 'learned') return learned;
  return { info: learned.info, ...blended(LEARNED_SHARE[noise], learned, await recipe()) };
}
