/** Numbers out of the range of float32 are refused; within it, the scale of an image changes nothing but the scale. */
import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { denoise, denseDictionary, estimateNoise, represent, solve, solverNames } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

const image = noisy(picture(48, 40), 6);
const scaled = (factor: number): Image => ({
  ...image,
  planes: image.planes.map((plane) => plane.map((value) => value * factor)),
  peak: image.peak * factor,
});
const withValue = (value: number): Image => ({
  ...image,
  planes: [Float64Array.from(image.planes[0]).fill(value, 9, 10)],
});
/** How far two planes are apart, beside the first. */
const apart = (a: ArrayLike<number>, b: ArrayLike<number>, factor: number) => {
  let [difference, energy] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i] / factor) ** 2;
    energy += a[i] ** 2;
  }
  return Math.sqrt(difference / energy);
};

describe.each([1e12, 1e-15])('an image times %f', (factor) => {
  it.each(solverNames)('has the same representation by %s, scaled', async (solver) => {
    const options = { solver, budget: { perPatch: 4 }, maxIterations: 20 } as const;
    const [a, b] = [await represent(image, options), await represent(scaled(factor), options)];
    // Rounding may exchange atoms that are worth the same.
    expect(apart(a.image.planes[0], b.image.planes[0], factor)).toBeLessThan(0.01);
    expect(b.psnr).toBeCloseTo(a.psnr, 1);
  });

  it('is denoised the same', async () => {
    const [a, b] = [await denoise(image), await denoise(scaled(factor))];
    expect(apart(a.image.planes[0], b.image.planes[0], factor)).toBeLessThan(1e-3);
  });
});

describe('numbers out of range', () => {
  it.each([1e200, -1e39, 1.1e15])('%f in an image is refused by its place', async (value) => {
    const rule = 'image pixel (x 9, y 0, channel 0) must be at most 1000000000000000 in magnitude, but got';
    await expect(represent(withValue(value))).rejects.toThrow(rule);
    await expect(denoise(withValue(value))).rejects.toThrow(rule);
    expect(() => estimateNoise(withValue(value))).toThrow(rule);
  });

  it('an image of nothing but tiny ones is refused, one of zeros is not', async () => {
    await expect(represent(scaled(1e-50))).rejects.toThrow('image must have numbers of at least 1e-15 in magnitude');
    await expect(denoise(scaled(1e-50))).rejects.toThrow('scale all of them up');
    expect((await represent({ ...scaled(0), peak: 1 })).nonzeros).toBe(0);
  });

  it('in signals and dictionaries alike', async () => {
    const D = denseDictionary(2, 2, [1, 0, 0, 1]);
    await expect(solve(D, Float64Array.of(1, 1e99))).rejects.toThrow(
      'signals sample (row 1, signal 0) must be at most',
    );
    await expect(solve(D, Float64Array.of(1e-99, 0))).rejects.toThrow('signals must have numbers of at least');
    expect(() => denseDictionary(2, 1, [1e99, 1])).toThrow('dictionary entry (row 0, atom 0) must be at most');
  });
});
