import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, extract, patchGrid, randomSource } from '../../src/index.js';

const grids = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    patch: fc.integer({ min: 1, max: 12 }),
    stride: fc.integer({ min: 1, max: 12 }),
  })
  .filter(({ patch, stride }) => stride <= patch);

const noise = (length: number, seed: number) => {
  const random = randomSource(seed);
  return Float64Array.from({ length }, () => 255 * random.uniform());
};

describe('patches', () => {
  it('extract then aggregate is the identity, to the bit, for every size, stride and patch', () => {
    fc.assert(
      fc.property(grids, fc.integer(), ({ width, height, patch, stride }, seed) => {
        const grid = patchGrid(width, height, patch, stride);
        const plane = noise(width * height, seed);
        expect(aggregate(grid, extract(grid, plane))).toEqual(plane);
      }),
    );
  });

  it('is the identity for any positive weights too', () => {
    fc.assert(
      fc.property(grids, fc.integer(), ({ width, height, patch, stride }, seed) => {
        const grid = patchGrid(width, height, patch, stride);
        const plane = noise(width * height, seed);
        const weights = noise(grid.count, seed + 1).map((value) => value + 0.01);
        expect(aggregate(grid, extract(grid, plane), weights)).toEqual(plane);
      }),
    );
  });

  it('lays patches row by row, and the samples of a patch row by row', () => {
    const plane = Float64Array.from({ length: 4 * 4 }, (_, i) => i);
    const patches = extract(patchGrid(4, 4, 2), plane);
    expect([...patches]).toEqual([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
  });

  it('mirrors the plane beyond its right and bottom edge', () => {
    const patches = extract(patchGrid(3, 1, 2), Float64Array.from([1, 2, 3]));
    expect([...patches]).toEqual([1, 2, 1, 2, 3, 3, 3, 3]);
  });

  it('covers a plane smaller than a patch with one patch', () => {
    const grid = patchGrid(3, 2, 8);
    expect(grid.count).toBe(1);
    expect(extract(grid, new Float64Array(6))).toHaveLength(64);
  });

  it('averages overlapping patches by weight', () => {
    const grid = patchGrid(3, 1, 2, 1);
    const patches = Float64Array.from([1, 1, 1, 1, 4, 4, 4, 4]);
    expect([...aggregate(grid, patches)]).toEqual([1, 2.5, 4]);
    expect([...aggregate(grid, patches, [2, 1])]).toEqual([1, 2, 4]);
  });

  it('rejects a stride that would skip pixels, and weights that would lose one', () => {
    expect(() => patchGrid(10, 10, 4, 5)).toThrow('stride must be a whole number from 1 to 4, but got 5: use a stride');
    const grid = patchGrid(4, 4, 4);
    expect(() => aggregate(grid, new Float64Array(16), [0])).toThrow('weights[0] must be a finite number above 0');
    expect(() => aggregate(grid, new Float64Array(15))).toThrow('patches must have length 16, but got 15');
  });
});
