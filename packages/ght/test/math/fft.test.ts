import { describe, expect, it } from 'vitest';
import { randomSource } from '../../src/index.js';
import { planeTransform, smoothSize } from '../../src/math/fft.js';
import { finish } from '../../src/work.js';

/** The definition, for the columns k = 0 … width/2. */
function definition(plane: Float64Array, width: number, height: number) {
  const half = Math.floor(width / 2) + 1;
  const sum = (part: (angle: number) => number) =>
    Float64Array.from({ length: half * height }, (_, i) => {
      const [k, l] = [Math.floor(i / height), i % height];
      return plane.reduce((total, value, n) => {
        const [x, y] = [n % width, Math.floor(n / width)];
        return total + value * part(-2 * Math.PI * ((k * x) / width + (l * y) / height));
      }, 0);
    });
  return { re: sum(Math.cos), im: sum(Math.sin) };
}

const apart = (a: Float64Array, b: Float64Array) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

describe('the transform of a plane', () => {
  // Every radix, alone and mixed; odd and even sides.
  it.each([
    [1, 1],
    [2, 1],
    [1, 3],
    [5, 4],
    [16, 9],
    [15, 8],
    [12, 25],
    [30, 6],
  ])('of %i×%i is that of the definition, and its inverse gives the plane back', (width, height) => {
    const random = randomSource(width + 100 * height);
    const plane = Float64Array.from({ length: width * height }, () => random.normal());
    const { forward, inverse } = planeTransform(width, height);
    const spectrum = finish(forward(plane));
    const expected = definition(plane, width, height);
    expect(apart(spectrum.re, expected.re)).toBeLessThan(1e-12 * width * height);
    expect(apart(spectrum.im, expected.im)).toBeLessThan(1e-12 * width * height);
    expect(apart(finish(inverse(spectrum)), plane)).toBeLessThan(1e-13);
  });

  it('is there for sizes with the factors 2, 3 and 5', () => {
    expect([1, 7, 11, 16, 17, 121, 1001].map(smoothSize)).toEqual([1, 8, 12, 16, 18, 125, 1024]);
    expect(() => planeTransform(7, 8)).toThrow('factors 2, 3 and 5');
  });
});
