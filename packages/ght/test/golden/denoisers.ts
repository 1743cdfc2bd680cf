import type { Quality, Step } from '../../src/groups/recipes.js';
import { recipeOf } from '../../src/groups/recipes.js';
import { golden } from './golden.js';

/** A picture, and what an independent implementation makes of it; make_denoisers.py describes the layout. */
export interface DenoiserCase {
  readonly recipe: readonly Step[];
  readonly width: number;
  readonly height: number;
  readonly noisy: readonly Float64Array[];
  readonly denoised: readonly Float64Array[];
}

interface GoldenPicture {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly (readonly number[])[];
}

interface GoldenCase {
  readonly name: string;
  readonly picture: string;
  /** The passes; where they are left out, the recipe of `quality`. */
  readonly steps?: readonly Step[];
  readonly quality?: Quality;
  readonly planes: readonly (readonly number[])[];
}

const { pictures, cases }: { pictures: Record<string, GoldenPicture>; cases: GoldenCase[] } = golden('denoisers.json');

/** All cases, by what they are called. */
export const denoiserCases: [name: string, denoiserCase: DenoiserCase][] = cases.map((each) => {
  const { width, height, planes } = pictures[each.picture];
  const samples = (all: readonly (readonly number[])[]) => all.map((plane) => Float64Array.from(plane));
  const recipe = each.steps ?? recipeOf(each.quality as Quality);
  return [
    `${each.name}, ${each.picture} picture`,
    { recipe, width, height, noisy: samples(planes), denoised: samples(each.planes) },
  ];
});

/** The largest difference between samples, in deviations of the noise. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < b.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}
