import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/index.js';
import { randomSource } from '../../../src/index.js';
import { clippedAt } from '../../../src/noise/clipped.js';
import { aboveRounding } from '../../../src/noise/white/sigma.js';
import { finish } from '../../../src/work.js';
import { noiseByDefinition, noiseOfSmall } from '../../measures/noise-definition.js';
import { noisy, picture } from '../../pictures.js';
import { estimateSigma } from '../estimates.js';

/** A picture whose texture is not noise: the synthetic one without its random part, mirrored into a larger one. */
const clean: Image = {
  ...{ width: 160, height: 120, peak: 255 },
  planes: [
    Float64Array.from({ length: 160 * 120 }, (_, i) => {
      const [x, y] = [i % 160, Math.floor(i / 160)];
      const disc = Math.hypot(x - 90, y - 50) < 30 ? 60 : 0;
      return 60 + 0.4 * x + disc + (y > 80 ? 25 * Math.sin(0.9 * x + 0.35 * y) : 0);
    }),
  ],
};
const mapped = (image: Image, f: (value: number) => number, peak = image.peak): Image => ({
  ...image,
  planes: image.planes.map((plane) => plane.map(f)),
  peak,
});
const grey = (width: number, height: number, value: (i: number) => number): Image => ({
  ...{ width, height, peak: 255 },
  planes: [Float64Array.from({ length: width * height }, (_, i) => value(i))],
});

describe('the noise level by its definition', () => {
  const random = randomSource(11);
  /** A picture of shading and texture, with noise of deviation 2. */
  const made = (width: number, height: number) =>
    Float64Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      return (
        50 + 0.1 * x + 6 * Math.cos(y / 9) + (x > width / 2 ? 9 * Math.sin(1.3 * x + 0.7 * y) : 0) + 2 * random.normal()
      );
    });
  const estimated = (samples: Float64Array, width: number, height: number) =>
    estimateSigma({ width, height, peak: 255, planes: [samples] })[0];

  it.each([
    [40, 37],
    [64, 70],
    [110, 90],
  ])('%i×%i pixels', (width, height) => {
    const samples = made(width, height);
    expect(estimated(samples, width, height)).toBeCloseTo(noiseByDefinition(samples, width, height), 8);
  });

  it('every second patch of a picture with more than 2^16, of which enough have little texture', () => {
    const samples = made(300, 290);
    expect(estimated(samples, 300, 290)).toBeCloseTo(noiseByDefinition(samples, 300, 290, 2), 8);
  });

  it('all patches if fewer of the second ones have little texture', () => {
    const samples = made(264, 276).map((value, i) => value + (i % 264 > 60 ? 40 * Math.sin(0.9 * i) : 0));
    expect(estimated(samples, 264, 276)).toBeCloseTo(noiseByDefinition(samples, 264, 276), 8);
  });

  it('ignores patches clipped at either end if 1568 others are left', () => {
    const clipped = (rows: number) =>
      made(80, 60).map((value, i) => (i < 80 * rows ? 500 : i >= 80 * (60 - rows) ? -500 : value));
    const few = clipped(6);
    const free = (value: number) => Math.abs(value) < 500;
    expect(estimated(few, 80, 60)).toBeCloseTo(noiseByDefinition(few, 80, 60, 1, free), 8);
    // 74 × (60 − 2 · 17 − 6) = 1480 patches are free.
    const many = clipped(17);
    expect(estimated(many, 80, 60)).toBeCloseTo(noiseByDefinition(many, 80, 60), 8);
  });

  it.each([
    [3, 3],
    [5, 4],
    [7, 7],
    [6, 40],
    [40, 6],
    [20, 21],
  ])('of few pixels, %i×%i, by second differences', (width, height) => {
    const samples = made(width, height);
    expect(estimated(samples, width, height)).toBeCloseTo(noiseOfSmall(samples, width, height), 12);
  });
});

describe('samples at the ends of the range', () => {
  const ends = (length: number, low: number, high: number) =>
    finish(clippedAt(Float64Array.from({ length }, (_, i) => (i < low ? -3 : i >= length - high ? 8 : i / length))));

  it('count as clipped from two in a thousand on', () => {
    expect(ends(1000, 2, 1)).toEqual({ least: -3, most: Number.POSITIVE_INFINITY });
    expect(ends(1000, 1, 2)).toEqual({ least: Number.NEGATIVE_INFINITY, most: 8 });
    expect(ends(70_000, 140, 140)).toEqual({ least: -3, most: 8 });
    expect(ends(70_000, 139, 139)).toEqual({ least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY });
  });
});

it('a level that rounding could explain is 0', () => {
  const samples = Float64Array.of(1, -1000, 3);
  expect(finish(aboveRounding(samples, 1.01e-9))).toBe(1.01e-9);
  expect(finish(aboveRounding(samples, 1e-9))).toBe(0);
});

describe('estimateSigma', () => {
  it.each([1, 5, 15, 25, 50])('finds σ = %d in edges, shading and texture', (sigma) => {
    expect(Math.abs(estimateSigma(noisy(clean, sigma))[0] / sigma - 1)).toBeLessThan(0.05);
  });

  it('finds the level of each plane by itself', () => {
    const colour = { ...clean, planes: [3, 10, 30].map((sigma) => noisy(clean, sigma, sigma).planes[0]) };
    estimateSigma(colour).forEach((sigma, c) => {
      expect(Math.abs(sigma / [3, 10, 30][c] - 1)).toBeLessThan(0.05);
    });
  });

  it('depends only on the samples, and scales with them', () => {
    const input = noisy(clean, 10);
    const [sigma] = estimateSigma(input);
    expect(estimateSigma(input)).toEqual([sigma]);
    expect(estimateSigma(mapped(input, (value) => value / 255, 1))[0] * 255).toBeCloseTo(sigma, 6);
    expect(estimateSigma(mapped(input, (value) => 257 * value, 65535))[0] / 257).toBeCloseTo(sigma, 6);
    expect(estimateSigma(mapped(input, (value) => value + 1e6))[0]).toBeCloseTo(sigma, 6);
  });

  it('finds no noise where there is none', () => {
    expect(estimateSigma(grey(64, 48, () => 77))).toEqual([0]);
    expect(estimateSigma(grey(5, 4, () => -0.1))).toEqual([0]);
    expect(estimateSigma(grey(64, 48, (i) => 0.1 * (i % 64) + 0.3 * Math.floor(i / 64)))).toEqual([0]);
  });

  it('is not misled by clipped parts: a white sky or a black frame has no noise', () => {
    const sky = noisy({ ...clean, planes: [clean.planes[0].map((value, i) => (i < 160 * 40 ? 400 : value))] }, 10);
    const [sigma] = estimateSigma(mapped(sky, (value) => Math.round(Math.min(255, Math.max(0, value)))));
    expect(Math.abs(sigma / 10 - 1)).toBeLessThan(0.05);
  });

  it('gives a sensible estimate for small images, and rejects those without a middle pixel', () => {
    const random = randomSource(5);
    for (const [width, height] of [
      [3, 3],
      [3, 200],
      [12, 9],
      [16, 16],
      [40, 40],
    ]) {
      const [sigma] = estimateSigma(grey(width, height, () => 100 + 20 * random.normal()));
      expect(sigma).toBeGreaterThan(4);
      expect(sigma).toBeLessThan(60);
    }
    for (const [width, height] of [
      [1, 1],
      [2, 50],
      [50, 2],
    ]) {
      expect(() => estimateSigma(grey(width, height, () => 1))).toThrow(
        `image must be at least 3×3 pixels to tell noise from picture, but got "${width}×${height}"`,
      );
    }
    expect(() => estimateSigma(grey(4, 4, () => Number.NaN))).toThrow('must be a finite number');
  });

  it('accepts any number of channels, and float32', () => {
    const input = noisy(picture(80, 64, 2), 20);
    const single = { ...input, planes: input.planes.map((plane) => Float32Array.from(plane)) };
    estimateSigma(single).forEach((sigma, c) => {
      expect(sigma).toBeCloseTo(estimateSigma(input)[c], 4);
    });
  });
});
