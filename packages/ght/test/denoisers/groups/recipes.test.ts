/** The consistency of the recipes, and the effort that progress is based on. */
import { describe, expect, it } from 'vitest';
import type { Filter, Pass, RecipeName, Slot } from '../../../src/denoisers/groups/recipes.js';
import { effortOf, isPass, recipeNames, recipeOf } from '../../../src/denoisers/groups/recipes.js';

const pass = (filter: Filter): Pass => ({
  ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', filter },
  ...{ patch: 3, stride: 2, reach: 4, members: 5, window: 0 },
});

describe('the effort of a step', () => {
  // For one reference: 9² positions of 3² samples, then 4 · 5 · 3³ per transform; every second reference along both axes.
  it.each([
    [{ kind: 'threshold', transform: 'dct', tau: 1 } as const, (729 + 2 * 540) / 4],
    [{ kind: 'wiener', transform: 'dct' } as const, (729 + 3 * 540) / 4],
    [{ kind: 'rank', factor: 1, noise: 1 } as const, (729 + 540 + 4 * 729) / 4],
  ])('%j', (filter, expected) => {
    expect(effortOf(pass(filter))).toBe(expected);
  });

  it('of a blend is almost zero', () => {
    expect(effortOf({ name: 'blend', share: 0.5, a: 'noisy', b: 'pilot', to: 'pilot' })).toBe(0);
  });
});

describe.each(recipeNames)('the recipe %s', (quality) => {
  const recipe = recipeOf(quality);

  it('reads no slot before it was written', () => {
    const written = new Set<Slot>(['noisy']);
    for (const step of recipe) {
      for (const slot of isPass(step) ? [step.from, step.guide] : [step.a, step.b]) expect(written).toContain(slot);
      written.add(step.to);
    }
  });

  it('blends with shares between 0 and 1', () => {
    for (const step of recipe) {
      if (isPass(step)) continue;
      expect(step.share).toBeGreaterThan(0);
      expect(step.share).toBeLessThan(1);
    }
  });

  it('covers every pixel, and has groups that the search can fill and the transform accepts', () => {
    for (const step of recipe.filter(isPass)) {
      expect(step.stride).toBeLessThanOrEqual(step.patch);
      expect(step.members).toBeLessThanOrEqual((2 * step.reach + 1) ** 2);
      if (step.filter.kind !== 'rank') expect(Math.log2(step.members) % 1).toBe(0);
      expect(Math.log2(step.patch) % 1).toBe(0);
    }
  });
});

it('the recipes are those of docs/mathematics.md', () => {
  const passes = (quality: RecipeName) => recipeOf(quality).filter(isPass);
  const kinds = (quality: RecipeName) => passes(quality).map(({ filter, members }) => `${filter.kind} ${members}`);
  expect(kinds('fast')).toEqual(['threshold 1', 'wiener 1']);
  expect(kinds('balanced')).toEqual(['threshold 16', 'wiener 32']);
  expect(kinds('best')).toEqual([...kinds('balanced'), 'rank 64', 'rank 96']);
  for (const { filter, patch, members, reach, stride } of recipeNames.flatMap(passes)) {
    expect(patch).toBe(8);
    if (members === 1) expect(stride).toBe(1);
    // Within ±19 to ±29 pixels of a reference.
    if (members > 1) expect([19, 24, 29]).toContain(reach);
    else expect(reach).toBe(0);
    if (filter.kind === 'threshold') expect(filter.tau).toBe(2.6);
    if (filter.kind === 'rank') expect(filter.factor).toBe(1.03);
  }
  // Low rank first for the full noise; then for a quarter of it, with a fifth of the removed noise added back.
  const noises = passes('best').flatMap(({ filter }) => (filter.kind === 'rank' ? [filter.noise] : []));
  expect(noises).toEqual([1, 0.25]);
  const feedback = recipeOf('best').find(({ to }) => to === 'noisy');
  expect(feedback).toMatchObject({ share: 0.2, a: 'noisy', b: 'pilot' });
});
