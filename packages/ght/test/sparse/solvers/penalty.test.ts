import { expect, it } from 'vitest';
import { penaltyAt, risingIterations } from '../../../src/sparse/solvers/penalty.js';

it('a rising ρ begins and ends as given, and grows by the same factor from iteration to iteration', () => {
  const rho = { from: 0.002, to: 0.2 };
  const values = Array.from({ length: 12 }, (_, i) => penaltyAt(rho, i + 1, 12));
  expect([values[0], values[11]]).toEqual([0.002, 0.2]);
  for (let i = 1; i < 12; i++) expect(values[i] / values[i - 1]).toBeCloseTo(100 ** (1 / 11), 7);
  // Rounded, because hosts differ in the last digits of a power.
  expect(values.map((value) => Number(value.toPrecision(9)))).toEqual(values);
  expect(risingIterations(rho, 12)).toBe(12);
});

it('it rises in at most 300 iterations and then stays', () => {
  const rho = { from: 1, to: 16 };
  expect(risingIterations(rho, 1e9)).toBe(300);
  expect([299, 300, 301, 5000].map((k) => penaltyAt(rho, k, 1e9))).toEqual([expect.closeTo(15.9, 1), 16, 16, 16]);
  expect(penaltyAt(rho, 1, 1)).toBe(16);
});

it('a constant ρ is not rounded, and factors beyond the largest number do not overflow', () => {
  expect([1, 2, 77, 100, 300].map((k) => penaltyAt({ from: 0.1, to: 0.1 }, k, 500))).toEqual(Array(5).fill(0.1));
  expect(risingIterations({ from: 0.1, to: 0.1 }, 500)).toBe(0);
  expect(penaltyAt({ from: 1e-300, to: 1e300 }, 2, 3)).toBeCloseTo(1, 8);
});
