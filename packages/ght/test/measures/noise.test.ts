import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { estimateSigma, randomSource } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

/** A picture whose texture is not itself noise: the made one without its random part, mirrored into a larger one. */
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

  it('depends on nothing but the samples, and scales with them', () => {
    const input = noisy(clean, 10);
    const [sigma] = estimateSigma(input);
    expect(estimateSigma(input)).toEqual([sigma]);
    expect(estimateSigma(mapped(input, (value) => value / 255, 1))[0] * 255).toBeCloseTo(sigma, 6);
    expect(estimateSigma(mapped(input, (value) => 257 * value, 65535))[0] / 257).toBeCloseTo(sigma, 6);
    expect(estimateSigma(mapped(input, (value) => value + 1e6))[0]).toBeCloseTo(sigma, 6);
  });

  it('finds none where there is none', () => {
    expect(estimateSigma(grey(64, 48, () => 77))).toEqual([0]);
    expect(estimateSigma(grey(5, 4, () => -0.1))).toEqual([0]);
    expect(estimateSigma(grey(64, 48, (i) => 0.1 * (i % 64) + 0.3 * Math.floor(i / 64)))).toEqual([0]);
  });

  it('is not misled by clipped parts: a white sky or a black frame has no noise', () => {
    const sky = noisy({ ...clean, planes: [clean.planes[0].map((value, i) => (i < 160 * 40 ? 400 : value))] }, 10);
    const [sigma] = estimateSigma(mapped(sky, (value) => Math.round(Math.min(255, Math.max(0, value)))));
    expect(Math.abs(sigma / 10 - 1)).toBeLessThan(0.05);
  });

  it('gives a sensible answer for small images, and refuses what has no middle pixel', () => {
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

  it('looks at any number of channels and at float32', () => {
    const input = noisy(picture(80, 64, 2), 20);
    const single = { ...input, planes: input.planes.map((plane) => Float32Array.from(plane)) };
    estimateSigma(single).forEach((sigma, c) => {
      expect(sigma).toBeCloseTo(estimateSigma(input)[c], 4);
    });
  });
});
