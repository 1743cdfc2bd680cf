import { describe, expect, it } from 'vitest';
import { supportFit } from '../../../src/sparse/solvers/least-squares.js';
import { atomsOf, dictionaryOf, expectClose, leastSquares, problem, signal } from './definitions.js';

const [N, L] = [5, 8];
const { D, Y } = problem(N, L, 3, 1);

describe('least squares on a support', () => {
  it('finds the solution of the normal equations and its error, for any patch and order of atoms', () => {
    const fit = supportFit(D);
    for (const support of [[6], [1, 4], [7, 0, 3], [2, 5, 1, 6]]) {
      for (let p = 0; p < 3; p++) {
        const x = new Float64Array(support.length).fill(0.3);
        const error = fit(Y, p * N, support, x);
        const expected = leastSquares(
          support.map((l) => atomsOf(D)[l]),
          signal(Y, N, p),
        );
        expectClose(x, expected.x, 12);
        expect(error).toBeCloseTo(expected.error, 12);
      }
    }
  });

  it('is not biased by the ridge on nearly equal atoms', () => {
    // y = d₁ + 2 d₂ where d₁ and d₂ are 0.001 apart.
    const near = dictionaryOf([
      [1, 0],
      [1, 0.001],
    ]);
    const x = new Float64Array(2);
    expect(supportFit(near)(Float64Array.of(3, 0.002), 0, [0, 1], x)).toBeLessThan(1e-20);
    expectClose(x, [1, 2], 9);
  });

  it('is not biased by the ridge on tiny atoms', () => {
    const tiny = dictionaryOf([
      [1e-4, 0],
      [0, 2e-4],
    ]);
    const x = new Float64Array(2);
    supportFit(tiny)(Float64Array.of(3e-4, 8e-4), 0, [0, 1], x);
    expectClose(x, [3, 4], 10);
  });

  it('shares equally between equal atoms, and fits them exactly', () => {
    const twice = dictionaryOf([
      [2, 0],
      [2, 0],
      [0, 1],
    ]);
    const x = new Float64Array(3);
    expect(supportFit(twice)(Float64Array.of(8, 5), 0, [0, 1, 2], x)).toBeLessThan(1e-12);
    expectClose(x, [2, 2, 5], 6);
  });

  it('on zero atoms, or on none, leaves the signal unchanged', () => {
    const zero = dictionaryOf([
      [0, 0],
      [1, 1],
    ]);
    const x = Float64Array.of(7);
    expect(supportFit(zero)(Float64Array.of(3, 4), 0, [0], x)).toBe(25);
    expect(x[0]).toBe(7);
    expect(supportFit(zero)(Float64Array.of(3, 4), 0, [], new Float64Array(0))).toBe(25);
  });
});
