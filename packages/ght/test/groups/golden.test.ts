/**
 * The denoisers against an independent implementation in NumPy and SciPy: test/golden/make_denoisers.py, where the layout of
 * the golden file is described. Its pictures make no choice that the rounding of float64 could decide.
 */
import { describe, expect, it } from 'vitest';
import type { Quality, Step } from '../../src/groups/recipes.js';
import { recipeOf } from '../../src/groups/recipes.js';
import { followed } from '../../src/groups/reference.js';
import { golden } from '../golden/golden.js';

interface GoldenCase {
  readonly name: string;
  readonly picture: string;
  /** The passes; where they are left out, the recipe of `quality`. */
  readonly steps?: readonly Step[];
  readonly quality?: Quality;
  readonly planes: readonly (readonly number[])[];
}

interface GoldenPicture {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly (readonly number[])[];
}

const { pictures, cases }: { pictures: Record<string, GoldenPicture>; cases: GoldenCase[] } = golden('denoisers.json');

/** The largest difference between samples, in deviations of the noise. */
const difference = (a: ArrayLike<number>, b: readonly number[]) =>
  b.reduce((most, value, i) => Math.max(most, Math.abs(value - a[i])), 0);

describe('the reference denoises as an independent implementation does', () => {
  it.each(cases.map((each) => [each.name, each.picture, each] as const))(
    '%s, %s picture',
    (_name, picture, expected) => {
      const { width, height, planes } = pictures[picture];
      const denoised = followed(
        expected.steps ?? recipeOf(expected.quality as Quality),
        planes.map((plane) => ({ width, height, data: Float64Array.from(plane) })),
      );
      expect(denoised).toHaveLength(expected.planes.length);
      for (const [c, { data }] of denoised.entries()) {
        expect(data).toHaveLength(width * height);
        // Samples are 13 at most, and the file has ten decimals.
        expect(difference(data, expected.planes[c]), `plane ${c}`).toBeLessThan(1e-9);
      }
    },
  );
});
