/** The Kaiser window by its definition, with I₀(x) as the mean of exp(x cos θ) over the circle. */
import { expect, it } from 'vitest';
import { kaiser } from '../../../src/denoisers/groups/window.js';

const bessel = (x: number) => {
  const angles = Array.from({ length: 200 }, (_, k) => (2 * Math.PI * k) / 200);
  return angles.reduce((sum, angle) => sum + Math.exp(x * Math.cos(angle)), 0) / 200;
};

it.each([
  [2, 2],
  [4, 5],
  [5, 0.5],
  [8, 12],
])('a window of %i samples with β = %d', (patch, beta) => {
  const side = Array.from({ length: patch }, (_, i) => {
    const fromMiddle = (i - (patch - 1) / 2) / ((patch - 1) / 2);
    return bessel(beta * Math.sqrt(1 - fromMiddle ** 2)) / bessel(beta);
  });
  const window = kaiser(patch, beta);
  expect(window).toHaveLength(patch * patch);
  window.forEach((value, i) => {
    expect(value).toBeCloseTo(side[Math.floor(i / patch)] * side[i % patch], 14);
  });
});

it('a window of one sample is 1', () => {
  expect([...kaiser(1, 3)]).toEqual([1]);
});
