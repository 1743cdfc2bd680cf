import { expect, it } from 'vitest';
import { codesFromDense } from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';

const codes = (support: number[], L = 3, P = 2) =>
  codesFromDense(
    Float64Array.from({ length: L * P }, (_, i) => Number(support.includes(i))),
    L,
    P,
  );

it('the support mismatch is the fraction of the larger support that is not shared, in either order', () => {
  // Entries 0 … 2 belong to the first patch, 3 … 5 to the second.
  expect(supportMismatch(codes([0, 2, 4]), codes([0, 4, 5]))).toBeCloseTo(1 / 3, 14);
  expect(supportMismatch(codes([0]), codes([0, 1, 2, 3]))).toBeCloseTo(3 / 4, 14);
  expect(supportMismatch(codes([0, 1, 2, 3]), codes([2]))).toBeCloseTo(3 / 4, 14);
  expect(supportMismatch(codes([1, 2]), codes([0, 3]))).toBe(1);
  expect(supportMismatch(codes([]), codes([5]))).toBe(1);
  expect(supportMismatch(codes([1, 5]), codes([1, 5]))).toBe(0);
});

it('codes of different sizes are rejected', () => {
  const rule = 'codes must both be of one size, here 3×2, but got';
  expect(() => supportMismatch(codes([1]), codes([1], 2, 3))).toThrow(`${rule} "2×3"`);
  expect(() => supportMismatch(codes([1]), codes([1], 3, 1))).toThrow(`${rule} "3×1"`);
  expect(() => supportMismatch(codes([1]), codes([1], 4, 2))).toThrow(`${rule} "4×2"`);
});
