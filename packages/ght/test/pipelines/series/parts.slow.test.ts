/** Series of every kind in parts of any size. */
import { expect, it } from 'vitest';
import { randomSource } from '../../../src/index.js';
import { made } from '../../denoised-series.js';
import { asStream, inParts } from '../../parted-series.js';

const [width, height] = [232, 150];
const colour = () =>
  made({ pages: 5, width, height, motion: [1, 1], sigma: 0 }).map((page, p) => {
    const random = randomSource(p + 1);
    const planes = [1, 0.8, 0.5].map((share) => page.planes[0].map((value) => share * value + 15 * random.normal()));
    return { ...page, planes };
  });
const coloured = () => {
  const random = randomSource(8);
  return made({ pages: 5, width, height, sigma: 0, motion: [1, 1] }).map((page) => {
    const white = Float64Array.from(page.planes[0], () => random.normal());
    const noise = (i: number) =>
      9 * (white[i] + 1.4 * (white[i + 1] ?? 0) + (white[i + width] ?? 0) + 0.8 * (white[i + width + 1] ?? 0));
    return { ...page, planes: page.planes.map((plane) => plane.map((value, i) => value + noise(i))) };
  });
};
const defective = () => {
  const random = randomSource(4);
  const pattern = Float64Array.from({ length: width * height }, () => 10 * random.normal());
  for (let k = 0; k < 12; k++) pattern[(9 + 9 * k) * width + 7 * k + 20] += 150;
  return made({ pages: 8, width, height, motion: [7, 5], sigma: 1.5 }).map((page) => ({
    ...page,
    planes: page.planes.map((plane) => plane.map((value, i) => value + pattern[i])),
  }));
};
const bands = () => {
  const random = randomSource(5);
  return made({ pages: 4, width, height, sigma: 0 }).map((page) => ({
    ...page,
    planes: [1, 0.6].map((share) => page.planes[0].map((value) => share * value + 15 * random.normal())),
  }));
};

it.each([
  ['grey', () => made({ pages: 5, width, height }), { quality: 'balanced' }],
  ['moving', () => made({ pages: 14, width, height, motion: [2, 1] }), { quality: 'fast' }],
  ['after a cut', () => made({ pages: 6, width, height, cut: 3 }), { quality: 'fast' }],
  ['colour', colour, { quality: 'fast' }],
  ['bands', bands, { quality: 'fast' }],
  ['with coloured noise', coloured, { quality: 'fast' }],
  ['with a fixed pattern and hot pixels', defective, { quality: 'fast', noise: 'white' }],
  ['with noise that grows', () => made({ pages: 4, width, height }), { quality: 'fast', noise: 'poisson-gaussian' }],
  ['without noise', () => made({ pages: 3, width, height, sigma: 0 }), { sigma: 0 }],
] as const)('a series %s has the bits of whole pages', async (name, pages, options) => {
  const noisy = pages();
  const whole = await asStream(noisy, { ...options, threads: 1 });
  for (const side of [64, 96]) {
    const { planes, results } = await inParts(noisy, { ...options, side });
    expect(planes).toEqual(whole);
    if (name === 'with a fixed pattern and hot pixels') {
      expect(results[0].series?.fixedPattern).toBeGreaterThan(0.3);
      expect(results[0].series?.hotPixels).toBeGreaterThan(8);
    }
  }
});
