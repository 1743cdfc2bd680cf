/** What is done to a group: nothing where nothing is asked for, and what the equations say elsewhere. */
import { describe, expect, it } from 'vitest';
import { lowRankGroup, rankThreshold, thresholdGroup, wienerGroup } from '../../src/groups/filters.js';
import { recipeOf } from '../../src/groups/recipes.js';
import { followed } from '../../src/groups/reference.js';
import { bior, dct } from '../../src/groups/transforms.js';
import { randomSource } from '../../src/index.js';

const random = randomSource(3);
const noise = (members: number, N = 64) =>
  Array.from({ length: members }, () => Float64Array.from({ length: N }, () => random.normal()));
const copy = (group: readonly Float64Array[]) => group.map((patch) => patch.slice());
const farthest = (a: readonly Float64Array[], b: readonly Float64Array[]) =>
  Math.max(...a.map((patch, k) => Math.max(...patch.map((value, i) => Math.abs(value - b[k][i])))));

describe('thresholding', () => {
  it.each([
    ['DCT', dct(8)],
    ['bior1.5', bior(8)],
  ])('with %s and τ = 0 changes nothing; weight 1 / all', (_, transform) => {
    const group = noise(8);
    const before = copy(group);
    expect(thresholdGroup(group, transform, 0)).toBeCloseTo(1 / 512, 12);
    expect(farthest(group, before)).toBeLessThan(1e-10);
  });

  it('leaves the mean of the group alone where nothing else is large enough', () => {
    const group = noise(4);
    const mean = group.flatMap((patch) => [...patch]).reduce((sum, value) => sum + value, 0) / 256;
    expect(thresholdGroup(group, dct(8), 100)).toBe(1);
    for (const patch of group) for (const value of patch) expect(value).toBeCloseTo(mean, 12);
  });

  it('takes out 2.7σ of noise nearly all', () => {
    const group = noise(16);
    const weight = thresholdGroup(group, dct(8), 2.7);
    // A Gaussian is beyond 2.7 with probability 0.0069: 7 of 1024.
    expect(1 / weight).toBeLessThan(20);
  });
});

describe('Wiener', () => {
  it('passes what the pilot is sure of and stops what it does not have', () => {
    const group = noise(2);
    const before = copy(group);
    const sure = group.map((patch) => patch.map(() => 1e6 * random.normal()));
    expect(wienerGroup(group, sure, dct(8))).toBeCloseTo(1 / 128, 6);
    expect(farthest(group, before)).toBeLessThan(1e-4);
    const empty = group.map((patch) => new Float64Array(patch.length));
    expect(wienerGroup(group, empty, dct(8))).toBe(1);
    expect(Math.max(...group[0]) - Math.min(...group[0])).toBeLessThan(1e-12);
  });
});

describe('low rank', () => {
  it('with τ = 0 changes nothing, whether there are more patches or more samples', () => {
    for (const members of [5, 64, 90]) {
      const group = noise(members);
      const before = copy(group);
      lowRankGroup(group, 0);
      expect(farthest(group, before)).toBeLessThan(1e-9);
    }
  });

  it('of noise alone leaves the mean patch', () => {
    const group = noise(64);
    const mean = Float64Array.from({ length: 64 }, (_, i) => group.reduce((sum, patch) => sum + patch[i], 0) / 64);
    expect(lowRankGroup(group, rankThreshold(1.03, 1, 8, 64))).toBe(1);
    for (const patch of group) expect(farthest([patch], [mean])).toBeLessThan(1e-12);
  });

  it('finds the two patterns under the noise', () => {
    const patterns = noise(2);
    const clean = Array.from({ length: 64 }, (_, k) =>
      patterns[0].map((value, i) => 8 * Math.cos(k) * value + 5 * Math.sin(3 * k) * patterns[1][i]),
    );
    const group = clean.map((patch) => patch.map((value) => value + random.normal()));
    expect(lowRankGroup(group, rankThreshold(1.03, 1, 8, 64))).toBeCloseTo(1 / Math.sqrt(3), 12);
    const error = group.map((patch, k) => patch.reduce((sum, value, i) => sum + (value - clean[k][i]) ** 2, 0));
    // Of 64 directions three are left, the mean's and two: about a twentieth of the noise.
    expect(error.reduce((sum, value) => sum + value, 0) / 4096).toBeLessThan(0.1);
  });
});

describe('the recipes', () => {
  it.each(['fast', 'balanced', 'best'] as const)('%s: a constant picture stays as it is', (quality) => {
    const flat = { width: 9, height: 8, data: new Float64Array(72).fill(4) };
    for (const value of followed(recipeOf(quality), [flat])[0].data) expect(value).toBeCloseTo(4, 10);
  });
});
