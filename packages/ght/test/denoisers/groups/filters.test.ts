/** The filters of a group follow their equations, and change nothing at a threshold of 0. */
import { describe, expect, it } from 'vitest';
import { lowRankGroup, rankThreshold, thresholdGroup, wienerGroup } from '../../../src/denoisers/groups/filters.js';
import { recipeOf } from '../../../src/denoisers/groups/recipes.js';
import type { Transform } from '../../../src/denoisers/groups/transforms.js';
import { bior, dct } from '../../../src/denoisers/groups/transforms.js';
import { randomSource } from '../../../src/index.js';
import { matrix } from '../../../src/math/matrix.js';
import { followed } from './followed.js';

const random = randomSource(3);
const noise = (members: number, N = 64) =>
  Array.from({ length: members }, () => Float64Array.from({ length: N }, () => random.normal()));
const copy = (group: readonly Float64Array[]) => group.map((patch) => patch.slice());
const farthest = (a: readonly Float64Array[], b: readonly Float64Array[]) =>
  Math.max(...a.map((patch, k) => Math.max(...patch.map((value, i) => Math.abs(value - b[k][i])))));

/** The identity, so that samples are coefficients. */
const none: Transform = {
  analysis: matrix(2, 2, (i, j) => Number(i === j)),
  synthesis: matrix(2, 2, (i, j) => Number(i === j)),
};
const groupOf = (...patches: number[][]) => patches.map((patch) => Float64Array.from(patch));
const expectGroup = (actual: readonly Float64Array[], expected: number[][]) => {
  expect(farthest(actual, groupOf(...expected))).toBeLessThan(1e-12);
};

describe('by hand', () => {
  it('thresholding keeps coefficients of at least τ, and the first one', () => {
    const one = groupOf([1, 3, -3, 2.9]);
    expect(thresholdGroup(one, none, 3)).toBeCloseTo(1 / 3, 14);
    expectGroup(one, [[1, 3, -3, 0]]);
    // Haar: (a + b)/√2 and (a − b)/√2. Sums 2, 0, 10, 0 and differences 0, 4, 0, 2, over √2; 3 < 4/√2 < 10/√2.
    const two = groupOf([1, 2, 5, 1], [1, -2, 5, -1]);
    expect(thresholdGroup(two, none, 2.5)).toBeCloseTo(1 / 3, 14);
    expectGroup(two, [
      [1, 2, 5, 0],
      [1, -2, 5, 0],
    ]);
    // The first coefficient of the differences is treated like any other.
    const apart = groupOf([1, 0, 0, 0], [-1, 0, 0, 0]);
    expect(thresholdGroup(apart, none, 2)).toBe(1);
    expectGroup(apart, [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });

  it('Wiener shrinks by p² / (p² + 1), except for the first coefficient', () => {
    const one = groupOf([6, 10, 10, 10]);
    expect(wienerGroup(one, groupOf([0.5, 2, 0, -1]), none)).toBeCloseTo(1 / (1 + 0.64 + 0 + 0.25), 14);
    expectGroup(one, [[6, 8, 0, 5]]);
    // A pilot with zero sum and difference 4/√2 in its first samples: g = 8/9 there.
    const two = groupOf([9, 0, 0, 0], [-9, 0, 0, 0]);
    expect(wienerGroup(two, groupOf([2, 0, 0, 0], [-2, 0, 0, 0]), none)).toBeCloseTo(1 / (1 + 64 / 81), 14);
    expectGroup(two, [
      [8, 0, 0, 0],
      [-8, 0, 0, 0],
    ]);
  });

  it('low rank keeps the singular values of at least τ about the mean', () => {
    // About the mean (1, 5): (±2, 0) and (0, ±1), so singular values √8 and √2.
    const wide = () => groupOf([3, 5], [-1, 5], [1, 6], [1, 4]);
    const some = wide();
    expect(lowRankGroup(some, 2)).toBeCloseTo(1 / Math.sqrt(2), 14);
    expectGroup(some, [
      [3, 5],
      [-1, 5],
      [1, 5],
      [1, 5],
    ]);
    const all = wide();
    expect(lowRankGroup(all, 1.4)).toBeCloseTo(1 / Math.sqrt(3), 14);
    expectGroup(
      all,
      wide().map((patch) => [...patch]),
    );
    // Singular values 4 and √2: the first just reaches τ.
    expect(lowRankGroup(groupOf([3, 5], [-1, 5], [3, 5], [-1, 5], [1, 6], [1, 4]), 4)).toBeCloseTo(
      1 / Math.sqrt(2),
      14,
    );
    // More samples than patches: about (1, 2, 3) there is ±(1, 2, 2), with the singular value √2 · 3.
    const tall = () => groupOf([2, 4, 5], [0, 0, 1]);
    const kept = tall();
    expect(lowRankGroup(kept, 4.2)).toBeCloseTo(1 / Math.sqrt(2), 14);
    expectGroup(kept, [
      [2, 4, 5],
      [0, 0, 1],
    ]);
    const mean = tall();
    expect(lowRankGroup(mean, 4.3)).toBe(1);
    expectGroup(mean, [
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('equal patches have rank 0 about their mean for any τ, and a single patch is unchanged', () => {
    const alone = groupOf([3, 1]);
    expect(lowRankGroup(alone, 0)).toBe(1);
    expectGroup(alone, [[3, 1]]);
    expect(lowRankGroup(groupOf([1, 2], [1, 2], [1, 2]), 0)).toBe(1);
  });

  it('the bound for singular values is factor · noise · (√N + √m)', () => {
    expect(rankThreshold(1.5, 2, 8, 9)).toBe(1.5 * 2 * (8 + 3));
  });
});

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

  it('leaves the mean of the group if nothing else is large enough', () => {
    const group = noise(4);
    const mean = group.flatMap((patch) => [...patch]).reduce((sum, value) => sum + value, 0) / 256;
    expect(thresholdGroup(group, dct(8), 100)).toBe(1);
    for (const patch of group) for (const value of patch) expect(value).toBeCloseTo(mean, 12);
  });

  it('removes nearly all noise at 2.7σ', () => {
    const group = noise(16);
    const weight = thresholdGroup(group, dct(8), 2.7);
    // A Gaussian is beyond 2.7 with probability 0.0069: 7 of 1024.
    expect(1 / weight).toBeLessThan(20);
  });
});

describe('Wiener', () => {
  it('passes coefficients that are large in the pilot and stops those that are absent', () => {
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
    // Three of 64 directions are left, the mean and two more: about a twentieth of the noise.
    expect(error.reduce((sum, value) => sum + value, 0) / 4096).toBeLessThan(0.1);
  });
});

describe('the recipes', () => {
  it.each(['fast', 'balanced', 'best'] as const)('%s: a constant picture is unchanged', (quality) => {
    const flat = { width: 9, height: 8, data: new Float64Array(72).fill(4) };
    for (const value of followed(recipeOf(quality), [flat])[0].data) expect(value).toBeCloseTo(4, 10);
  });
});
