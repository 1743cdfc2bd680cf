import { describe, expect, it } from 'vitest';
import { denseFromCodes } from '../../../src/sparse/codes/codes.js';
import type { Descent } from '../../../src/sparse/solvers/patchwise.js';
import { sweep } from '../../../src/sparse/solvers/patchwise.js';
import { finish } from '../../../src/work.js';
import { watched } from './definitions.js';

describe('a sweep over patches', () => {
  /** Patches of two samples over three atoms, with given codes and courses. */
  const run = (patches: { y: number[]; code: number[]; descent: Descent }[]) =>
    sweep(Float64Array.from(patches.flatMap(({ y }) => y)), 2, 3, (Y, from, x) => {
      const { y, code, descent } = patches[from / 2];
      expect([...x]).toEqual([0, 0, 0]);
      expect([...Y.subarray(from, from + 2)]).toEqual(y);
      x.set(code);
      return descent;
    });

  it('collects the codes, and sums errors and atoms after each iteration', () => {
    const { codes, errors, kept } = finish(
      run([
        { y: [9, 1], code: [0, 5, 0], descent: { errors: [7], kept: [1] } },
        { y: [8, 2], code: [4, 0, 6], descent: { errors: [20, 10, 3], kept: [1, 2, 2] } },
        { y: [7, 3], code: [0, 0, 2], descent: { errors: [6, 2], kept: [3, 1] } },
        // Nothing was tried: the error is that of the patch, 3² + 4², and there are no atoms.
        { y: [3, 4], code: [0, 0, 0], descent: { errors: [], kept: [] } },
      ]),
    );
    expect([...denseFromCodes(codes)]).toEqual([0, 5, 0, 4, 0, 6, 0, 0, 2, 0, 0, 0]);
    expect([...codes.indptr]).toEqual([0, 1, 3, 4, 4]);
    expect([codes.L, codes.P]).toEqual([3, 4]);
    // A patch that has ended keeps its final error: 7 in all three, and 2 in the third.
    expect(errors).toEqual([7 + 20 + 6 + 25, 7 + 10 + 2 + 25, 7 + 3 + 2 + 25]);
    expect(kept).toEqual([1 + 1 + 3, 1 + 2 + 1, 1 + 2 + 1]);
  });

  it('counts patches that ended before the first long one with their final values', () => {
    const { errors, kept } = finish(
      run([
        { y: [1, 2], code: [0, 0, 0], descent: { errors: [], kept: [] } },
        { y: [1, 1], code: [1, 1, 0], descent: { errors: [4, 1], kept: [1, 2] } },
      ]),
    );
    expect(errors).toEqual([5 + 4, 5 + 1]);
    expect(kept).toEqual([1, 2]);
  });

  it('reports progress every 64 patches', () => {
    const still = Array.from({ length: 130 }, () => ({
      y: [1, 1],
      code: [0, 0, 0],
      descent: { errors: [], kept: [] },
    }));
    expect(watched(run(still)).fractions).toEqual([0, 64 / 130, 128 / 130]);
  });
});
