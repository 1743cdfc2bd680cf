import { describe, expect, it } from 'vitest';
import type { Image, PoissonGaussian } from '../../../src/index.js';
import { randomSource } from '../../../src/index.js';
import { poissonGaussianEstimate } from '../../../src/noise/signal-dependent/poisson-gaussian.js';
import { poissonGaussianByDefinition } from '../../measures/poisson-gaussian-definition.js';
import { watched } from '../../sparse/solvers/definitions.js';
import { estimatePoissonGaussian } from '../estimates.js';

/** Shading, discs and a grating from 15 to 240: every brightness, and texture in a third of the picture. */
const [width, height] = [256, 192];
const scene = Float64Array.from({ length: width * height }, (_, i) => {
  const [x, y] = [i % width, Math.floor(i / width)];
  const disc = Math.hypot(x - 150, y - 60) < 40 ? 70 : 0;
  return 15 + 0.55 * x + disc + (y > 128 ? 12 * Math.sin(1.1 * x + 0.4 * y) : 0);
});

function seen({ gain, sigma, offset = 0 }: PoissonGaussian, seed = 1, scale = 1): Image {
  const { normal, poisson } = randomSource(seed);
  const planes = [scene.map((x) => scale * (offset + gain * poisson(x / gain) + sigma * normal()))];
  return { width, height, planes, peak: 255 * scale };
}
const deviation = ({ gain, sigma }: PoissonGaussian, x: number) => Math.sqrt(gain * x + sigma * sigma);

describe('gain and σ by their definition', () => {
  /** A part of the scene, with noise of this gain and deviation. */
  const part = (w: number, h: number, gain: number, sigma: number, offset = 0) => {
    const { normal, poisson } = randomSource(w);
    return Float64Array.from({ length: w * h }, (_, i) => {
      const x = scene[(Math.floor(i / w) % height) * width + ((3 * (i % w)) % width)];
      return offset + (gain > 0 ? gain * poisson(x / gain) : x) + sigma * normal();
    });
  };
  const compare = (
    samples: Float64Array,
    w: number,
    h: number,
    options: { offset?: number; spacing?: number; free?: (value: number) => boolean } = {},
  ) => {
    const expected = poissonGaussianByDefinition(samples, w, h, options);
    const [found] = estimatePoissonGaussian({ width: w, height: h, planes: [samples], peak: 255 }, options.offset);
    expect(found.gain).toBeCloseTo(expected.gain, 8);
    expect(found.sigma).toBeCloseTo(expected.sigma, 7);
    return expected;
  };

  it.each([
    { w: 48, h: 40, gain: 2, sigma: 5, offset: 0 },
    { w: 33, h: 60, gain: 4, sigma: 0, offset: 0 },
    { w: 64, h: 32, gain: 0, sigma: 6, offset: 0 },
    { w: 45, h: 44, gain: 1, sigma: 4, offset: 30 },
  ])('%j', ({ w, h, gain, sigma, offset }) => {
    compare(part(w, h, gain, sigma, offset), w, h, { offset });
  });

  it('where samples lie below the offset', () => {
    compare(part(48, 40, 2, 5), 48, 40, { offset: 60 });
  });

  it('ignores blocks clipped at either end if 256 others are left', () => {
    const clipped = (top: number, bottom: number) =>
      part(48, 40, 2, 5).map((value, i) => (i < 48 * top ? 900 : i >= 48 * (40 - bottom) ? -900 : value));
    // 41 blocks per row; 33 rows of them, minus those that include clipped samples.
    const few = compare(clipped(4, 5), 48, 40, { free: (value) => Math.abs(value) < 900 });
    expect(few.blocks).toBe(41 * (40 - 9 - 7));
    compare(clipped(13, 14), 48, 40);
  });

  it('every second block of a picture with more than 2^15', () => {
    compare(part(200, 180, 2, 5), 200, 180, { spacing: 2 });
  });

  it('reports progress over the rows of blocks and over the rounds', () => {
    const planes = [part(32, 32, 2, 5)];
    const { fractions } = watched(poissonGaussianEstimate({ width: 32, height: 32, planes, peak: 255 }));
    const rows = Array.from({ length: 25 }, (_, y) => y / 25);
    const first = fractions.indexOf(0);
    expect(fractions.slice(first, first + 25)).toEqual(rows);
    expect(fractions.slice(first + 25, first + 27)).toEqual([0, 1 / 8]);
  });
});

describe('estimatePoissonGaussian', () => {
  it.each([
    { gain: 0.5, sigma: 3 },
    { gain: 1, sigma: 5 },
    { gain: 4, sigma: 10 },
    { gain: 8, sigma: 0 },
  ])('finds how the noise depends on the signal: %j', (noise) => {
    const [found] = estimatePoissonGaussian(seen(noise));
    expect(Math.abs(found.gain / noise.gain - 1)).toBeLessThan(0.1);
    for (const x of [20, 100, 200]) {
      expect(Math.abs(deviation(found, x) / deviation(noise, x) - 1)).toBeLessThan(0.06);
    }
  });

  it('finds no gain in Gaussian noise, and no noise where there is none', () => {
    const { normal } = randomSource(4);
    const planes = [scene.map((x) => x + 8 * normal()), new Float64Array(width * height).fill(9)];
    const [gaussian, none] = estimatePoissonGaussian({ width, height, planes, peak: 255 });
    expect(gaussian.gain * 100).toBeLessThan(0.06 * 64);
    expect(Math.abs(gaussian.sigma / 8 - 1)).toBeLessThan(0.05);
    expect(none).toEqual({ gain: 0, sigma: 0, offset: 0 });
  });

  it('counts from the offset, in the units of the image', () => {
    const noise = { gain: 2, sigma: 4, offset: 64 };
    const [found] = estimatePoissonGaussian(seen(noise), 64);
    expect(found.offset).toBe(64);
    expect(Math.abs(deviation(found, 80) / deviation(noise, 80) - 1)).toBeLessThan(0.05);
    const [scaled] = estimatePoissonGaussian(seen(noise, 1, 1 / 255), 64 / 255);
    expect(scaled.gain * 255).toBeCloseTo(found.gain, 6);
    expect(scaled.sigma * 255).toBeCloseTo(found.sigma, 4);
  });

  it('leaves clipped samples out', () => {
    const noise = { gain: 3, sigma: 6 };
    const image = seen(noise);
    const clipped = { ...image, planes: [image.planes[0].map((y) => Math.min(190, Math.max(0, y)))] };
    const [found] = estimatePoissonGaussian(clipped);
    expect(Math.abs(deviation(found, 80) / deviation(noise, 80) - 1)).toBeLessThan(0.06);
  });

  it('rejects images that are too small and invalid offsets, by name', () => {
    const small = { width: 31, height: 40, planes: [new Float64Array(31 * 40)], peak: 1 };
    expect(() => estimatePoissonGaussian(small)).toThrow('image must be at least 32×32 pixels');
    expect(() => estimatePoissonGaussian(seen({ gain: 1, sigma: 1 }), Number.NaN)).toThrow('offset must be a finite');
  });
});
