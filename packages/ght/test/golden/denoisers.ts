import type { TileNoise } from '../../src/denoisers/denoiser.js';
import type { RecipeName, Step } from '../../src/denoisers/groups/recipes.js';
import { recipeOf } from '../../src/denoisers/groups/recipes.js';
import { golden } from './golden.js';

/** A picture and the result of an independent implementation; make_denoisers.py describes the layout. */
export interface DenoiserCase {
  readonly recipe: readonly Step[];
  readonly width: number;
  readonly height: number;
  readonly noisy: readonly Float64Array[];
  readonly denoised: readonly Float64Array[];
  /** The noise, if it is not white. */
  readonly noise?: TileNoise;
}

interface GoldenPicture {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly (readonly number[])[];
}

interface GoldenCase {
  readonly name: string;
  readonly picture: string;
  /** The passes; if they are left out, the recipe of `quality`. */
  readonly steps?: readonly Step[];
  readonly quality?: RecipeName;
  /** Whether it has the noise of the file instead of white noise. */
  readonly coloured?: boolean;
  readonly planes: readonly (readonly number[])[];
}

interface GoldenFile {
  readonly pictures: Record<string, GoldenPicture>;
  readonly noise: { readonly brightness: readonly number[]; readonly deviations: readonly (readonly number[][])[] };
  readonly cases: readonly GoldenCase[];
}

const { pictures, noise, cases }: GoldenFile = golden('denoisers.json');
const coloured: TileNoise = {
  brightness: noise.brightness,
  deviations: noise.deviations.map((rows) => rows.map((row) => Float64Array.from(row))),
};

/** All cases, by name. */
export const denoiserCases: [name: string, denoiserCase: DenoiserCase][] = cases.map((each) => {
  const { width, height, planes } = pictures[each.picture];
  const samples = (all: readonly (readonly number[])[]) => all.map((plane) => Float64Array.from(plane));
  const recipe = each.steps ?? recipeOf(each.quality as RecipeName);
  return [
    `${each.name}, ${each.picture} picture`,
    {
      ...{ recipe, width, height, noisy: samples(planes), denoised: samples(each.planes) },
      noise: each.coloured ? coloured : undefined,
    },
  ];
});

/** The largest difference between samples, in deviations of the noise. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < b.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}
