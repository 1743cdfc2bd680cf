/** A recipe as a denoiser: the properties that follow from the recipe, and an engine's way to run it. */

import type { Samples } from '../../image/image.js';
import type { Denoiser, Tile, TileProgress } from '../denoiser.js';
import { alignmentOf, leastSide, marginOf } from './extent.js';
import { effortOf, type Slot, type Step } from './recipes.js';

/** Called now and then with the number of the current step and the fraction of it that is done. */
export type OnStep = (step: number, fraction: number) => void;

/** How an engine runs a recipe. */
export interface RecipeRunner {
  /** Approximate bytes for a tile of this size. */
  bytes(width: number, height: number, channels: number): number;
  /** The planes of the last step's picture. */
  follow(tile: Tile, signal?: AbortSignal, onStep?: OnStep): Promise<readonly Samples[]>;
}

/** The denoiser of a recipe on an engine. */
export function recipeDenoiser(recipe: readonly Step[], { bytes, follow }: RecipeRunner): Denoiser {
  return {
    margin: marginOf(recipe),
    alignment: alignmentOf(recipe),
    least: leastSide(recipe),
    effort: recipe.map(effortOf).reduce((sum, effort) => sum + effort, 0),
    passes: recipe.map(({ name }) => name),
    bytes,
    run: (tile, { signal, onProgress } = {}) => follow(tile, signal, onProgress && stepProgress(recipe, onProgress)),
  };
}

/** Converts the fraction of a step into the fraction of the whole recipe. */
function stepProgress(recipe: readonly Step[], onProgress: (progress: TileProgress) => void): OnStep {
  const efforts = recipe.map(effortOf);
  const whole = efforts.reduce((sum, effort) => sum + effort, 0);
  let furthest = 0;
  return (step, fraction) => {
    const before = efforts.slice(0, step).reduce((sum, effort) => sum + effort, 0);
    furthest = Math.max(furthest, Math.min(1, (before + fraction * efforts[step]) / whole));
    onProgress({ fraction: furthest, pass: recipe[step].name });
  };
}

/** The pictures that a recipe needs at the same time. */
export function slotsOf(recipe: readonly Step[]): ReadonlySet<Slot> {
  return new Set<Slot>(['noisy', ...recipe.map(({ to }) => to)]);
}
