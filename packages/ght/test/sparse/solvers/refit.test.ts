import { describe, expect, it } from 'vitest';
import { codesFromDense, denseFromCodes } from '../../../src/sparse/codes/codes.js';
import { refit } from '../../../src/sparse/solvers/refit.js';
import { finish } from '../../../src/work.js';
import { atomsOf, dictionaryOf, expectClose, leastSquares, problem, signal, watched } from './definitions.js';

describe('refit', () => {
  it('computes the least-squares fit on the support of each patch, and the total error', () => {
    const [N, L, P] = [4, 6, 5];
    const { D, Y } = problem(N, L, P, 1);
    const dense = new Float64Array(L * P);
    const supports = [[0, 3], [5], [1, 2, 4], [], [3]];
    supports.forEach((support, p) => {
      for (const l of support) dense[p * L + l] = 0.1;
    });
    const codes = codesFromDense(dense, L, P);
    const { codes: refitted, error } = finish(refit(D, Y, codes));
    const fits = supports.map((support, p) =>
      leastSquares(
        support.map((l) => atomsOf(D)[l]),
        signal(Y, N, p),
      ),
    );
    expect([...refitted.indices]).toEqual([...codes.indices]);
    expectClose(
      refitted.values,
      fits.flatMap(({ x }) => x),
    );
    expect(error).toBeCloseTo(
      fits.reduce((sum, fit) => sum + fit.error, 0),
      9,
    );
    expect(new Set(codes.values)).toEqual(new Set([0.1]));
  });

  it('leaves a patch unchanged if its error would not fall, or if it would lose an atom', () => {
    const D = dictionaryOf([
      [1, 0],
      [0, 1],
    ]);
    // Already exact; and a fit of [2, 0] on both atoms, whose second coefficient would be rounded to zero.
    const Y = Float64Array.of(1, 2, 2, 0);
    const before = [1, 2, 1.5, Number.MIN_VALUE];
    const codes = codesFromDense(Float64Array.from(before), 2, 2);
    const { codes: refitted, error } = finish(refit(D, Y, codes));
    expect([...denseFromCodes(refitted)]).toEqual(before);
    expect(error).toBe(0.25);
  });

  it('reports progress every 64 patches', () => {
    const { D, Y } = problem(2, 3, 130, 3);
    const codes = codesFromDense(new Float64Array(390).fill(1), 3, 130);
    expect(watched(refit(D, Y, codes)).fractions).toEqual([0, 64 / 130, 128 / 130]);
  });
});
