/** A pass by its definition: every pixel is the weighted mean of all filtered patches that cover it. */
import { describe, expect, it } from 'vitest';
import { lowRankGroup, rankThreshold, thresholdGroup, wienerGroup } from '../../../src/denoisers/groups/filters.js';
import type { Plane } from '../../../src/denoisers/groups/matching.js';
import { findGroup, places } from '../../../src/denoisers/groups/matching.js';
import type { Filter, Pass } from '../../../src/denoisers/groups/recipes.js';
import { follow } from '../../../src/denoisers/groups/reference.js';
import { dct } from '../../../src/denoisers/groups/transforms.js';
import { kaiser } from '../../../src/denoisers/groups/window.js';
import { randomSource } from '../../../src/index.js';
import { watched } from '../../sparse/solvers/definitions.js';
import { followed } from './followed.js';

const [width, height, side] = [9, 7, 4];
const planeOf = (seed: number): Plane => {
  const random = randomSource(seed);
  return { width, height, data: Float64Array.from({ length: width * height }, () => 3 * random.normal()) };
};
const pass = (filter: Filter, rest: Partial<Pass> = {}): Pass => ({
  ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', filter },
  ...{ patch: side, stride: 2, reach: 2, members: 9, window: 2 },
  ...rest,
});
const patchAt = ({ data }: Plane, at: number) =>
  Float64Array.from({ length: side * side }, (_, n) => data[at + Math.floor(n / side) * width + (n % side)]);

/** One plane of a pass: groups from `guide`, patches from `from`, the pilot's from `pilot`. */
function byDefinition({ filter, ...rest }: Pass, guide: Plane, from: Plane, pilot: Plane): number[] {
  const window = kaiser(side, rest.window);
  const shown = places(height, rest).flatMap((y) =>
    places(width, rest).flatMap((x) => {
      const members = findGroup(guide, rest, x, y);
      // 9 members: Haar takes 8.
      const taken = filter.kind === 'rank' ? members : members.slice(0, 8);
      const group = taken.map((at) => patchAt(from, at));
      const weight =
        filter.kind === 'rank'
          ? lowRankGroup(group, rankThreshold(filter.factor, filter.noise, side, 9))
          : filter.kind === 'threshold'
            ? thresholdGroup(group, dct(side), filter.tau)
            : wienerGroup(
                group,
                taken.map((at) => patchAt(pilot, at)),
                dct(side),
              );
      return group.map((patch, k) => ({ patch, at: taken[k], weight }));
    }),
  );
  return Array.from({ length: width * height }, (_, pixel) => {
    let [sum, total] = [0, 0];
    for (const { patch, at, weight } of shown) {
      const [dx, dy] = [(pixel % width) - (at % width), Math.floor(pixel / width) - Math.floor(at / width)];
      if (dx < 0 || dx >= side || dy < 0 || dy >= side) continue;
      const n = dy * side + dx;
      sum += weight * window[n] * patch[n];
      total += weight * window[n];
    }
    return sum / total;
  });
}

const expectPlane = (actual: Plane, expected: readonly number[]) => {
  expect([actual.width, actual.height]).toEqual([width, height]);
  actual.data.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 9);
  });
};

describe('a pass', () => {
  const [first, second] = [planeOf(1), planeOf(2)];

  it.each<Filter>([
    { kind: 'threshold', transform: 'dct', tau: 2.5 },
    { kind: 'wiener', transform: 'dct' },
    { kind: 'rank', factor: 1.2, noise: 2.5 },
  ])('finds groups on the first plane and filters all: $kind', (filter) => {
    const result = followed([pass(filter)], [first, second]);
    expectPlane(result[0], byDefinition(pass(filter), first, first, first));
    expectPlane(result[1], byDefinition(pass(filter), first, second, second));
  });

  it('takes groups and pilot from the guide, patches from elsewhere', () => {
    const recipe = [
      pass({ kind: 'threshold', transform: 'dct', tau: 4 }),
      pass({ kind: 'wiener', transform: 'dct' }, { guide: 'pilot', to: 'joint', stride: 3 }),
    ];
    const [pilot] = followed(recipe.slice(0, 1), [first]);
    expectPlane(followed(recipe, [first])[0], byDefinition(recipe[1], pilot, first, pilot));
  });

  it('reports progress after each reference: the fraction of rows before it', () => {
    const { fractions } = watched(follow([pass({ kind: 'wiener', transform: 'dct' })], [first]));
    // References at 0, 2, 4, 5 along the rows and at 0, 2, 3 down.
    expect(fractions).toEqual([0, 0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3]);
  });
});

describe('a recipe', () => {
  it('blends plane by plane, returns the slot of its last step, and reports each step as it begins', () => {
    const [a, b] = [planeOf(3), planeOf(4)];
    const identity = pass({ kind: 'threshold', transform: 'dct', tau: 0 });
    const toZero = { name: 'blend', share: 0.25, a: 'noisy', b: 'pilot', to: 'joint' } as const;
    const mean = pass({ kind: 'threshold', transform: 'dct', tau: 100 });
    const steps: number[] = [];
    const { result } = watched(follow([mean, toZero], [a, b], undefined, (step) => steps.push(step)));
    const pilot = followed([mean], [a, b]);
    [a, b].forEach((plane, c) => {
      expectPlane(
        result[c],
        [...plane.data].map((value, i) => 0.25 * value + 0.75 * pilot[c].data[i]),
      );
    });
    expect(steps).toEqual([0, 1]);
    expectPlane(followed([identity], [a])[0], [...a.data]);
  });
});
