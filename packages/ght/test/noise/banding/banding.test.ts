import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf } from '../../../src/image/rectangle.js';
import type { Image } from '../../../src/index.js';
import { psnr, randomSource } from '../../../src/index.js';
import { findBanding, withoutBanding } from '../../../src/noise/banding/banding.js';
import { drive, finish } from '../../../src/work.js';
import { greyPhotograph, photograph } from '../../photographs.js';
import { noisy, picture } from '../../pictures.js';
import { drawn, innocent, to8Bits } from '../made.js';

/** PSNR of the first plane. */
const quality = (clean: Image, image: Image) => psnr(clean.planes[0], image.planes[0], 255);
const found = ({ planes, width, height }: Image) => finish(findBanding(planes, width, height));
const cleaned = (image: Image) => ({
  ...image,
  planes: finish(withoutBanding(image.planes, allOf(image), found(image))),
});

/** The image with an independent offset for every row, or every column. */
function banded(image: Image, sigma: number, along: 'rows' | 'columns' = 'rows', seed = 11): Image {
  const random = randomSource(seed);
  const offsets = Float64Array.from({ length: Math.max(image.width, image.height) }, () => sigma * random.normal());
  const of = (i: number) => offsets[along === 'rows' ? Math.floor(i / image.width) : i % image.width];
  return { ...image, planes: image.planes.map((plane) => Float64Array.from(plane, (value, i) => value + of(i))) };
}

describe('banding', () => {
  it.each([
    ['nagasaki-boats', 256, 5, 5],
    ['nagasaki-boats', 256, 10, 7.5],
    ['nagasaki-boats', 256, 20, 8],
    ['french-alpine-landscape', 192, 10, 7.5],
    ['airplane-from-above', 192, 10, 7.5],
  ])('on %s of %d pixels, of deviation %d: is found, and removing it gains %d dB', async (name, side, sigma, gain) => {
    const clean = await greyPhotograph(name, side);
    for (const along of ['rows', 'columns'] as const) {
      const image = banded(clean, sigma, along);
      const report = found(image);
      expect(Math.abs(report[along] / sigma - 1)).toBeLessThan(0.25);
      expect(report[along === 'rows' ? 'columns' : 'rows']).toBe(0);
      expect(quality(clean, cleaned(image)) - quality(clean, image)).toBeGreaterThan(gain);
    }
  });

  it.each([10, 25])('is removed under white noise of deviation %d', async (noise) => {
    const clean = noisy(await greyPhotograph('nagasaki-boats', 256), noise);
    const image = banded(clean, 10);
    expect(quality(clean, cleaned(image)) - quality(clean, image)).toBeGreaterThan(6);
  });

  it('is found in rows and columns together', async () => {
    const clean = await photograph('french-alpine-landscape', 192);
    const image = banded(banded(clean, 10), 6, 'columns', 5);
    const { rows, columns } = found(image);
    expect(Math.abs(rows - 10)).toBeLessThan(2);
    expect(Math.abs(columns - 6)).toBeLessThan(1);
  });

  it('is removed from the planes that have it', () => {
    const clean = noisy(picture(128, 128, 3), 2);
    const [red, green, blue] = clean.planes;
    const [bands] = banded({ ...clean, planes: [green] }, 8).planes;
    const { planes } = cleaned({ ...clean, planes: [red, Float32Array.from(bands), blue] });
    expect(planes[0]).toBe(red);
    expect(planes[1]).toBeInstanceOf(Float32Array);
    expect(planes[2]).toBe(blue);
  });

  it('leaves a horizon as it is', () => {
    const clean = drawn(256, 256, (x, y) => (y < 120 ? 200 : 80) + 5 * Math.sin(x / 9));
    const plane = Float64Array.from(cleaned(noisy(banded(clean, 5), 1)).planes[0]);
    const mean = (from: number, to: number) =>
      plane.subarray(from * 256, to * 256).reduce((s, v) => s + v, 0) / ((to - from) * 256);
    expect(Math.abs(mean(110, 120) - mean(120, 130) - 120)).toBeLessThan(5);
  });
});

describe('no banding', () => {
  it.each(innocent())('in %s, as floats and as 8 bits', (_name, image) => {
    for (const planes of [image.planes, to8Bits(image.planes)]) {
      const { width, height } = image;
      const report = finish(findBanding(planes, width, height));
      expect([report.rows, report.columns]).toEqual([0, 0]);
      finish(withoutBanding(planes, allOf({ width, height }), report)).forEach((plane, c) => {
        expect(plane).toBe(planes[c]);
      });
    }
  });

  it.each([0, 5, 15, 25, 50])('in photographs with white noise of deviation %d', async (sigma) => {
    for (const clean of [
      await greyPhotograph('nagasaki-boats', 256),
      await photograph('french-alpine-landscape', 192),
    ]) {
      expect(found(noisy(clean, sigma))).toMatchObject({ rows: 0, columns: 0 });
    }
  });

  it.each([
    [1, 1],
    [3, 3],
    [1, 300],
    [300, 1],
    [300, 20],
  ])('in an image of %d×%d', (width, height) => {
    const random = randomSource(2);
    expect(found(drawn(width, height, () => random.normal()))).toMatchObject({ rows: 0, columns: 0 });
  });
});

describe('the deviation of banding', () => {
  it('scales with the samples and is independent of their offset', () => {
    const image = banded(noisy(picture(192, 192), 2), 8);
    const rounded = image.planes[0].map((value) => Math.round(value * 16) / 16);
    const { rows } = found({ ...image, planes: [rounded] });
    expect(rows).toBeGreaterThan(5);
    fc.assert(
      fc.property(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -1000, max: 1000 }), (exponent, offset) => {
        const planes = [rounded.map((value) => (value + offset) * 2 ** exponent)];
        expect(found({ ...image, planes }).rows / 2 ** exponent).toBeCloseTo(rows, 9);
      }),
      { numRuns: 6 },
    );
  });

  it('can be stopped while it is measured', async () => {
    const { planes, width, height } = banded(picture(128, 128), 10);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(drive(findBanding(planes, width, height), { signal: stop.signal })).rejects.toThrow('enough');
    expect([...findBanding(planes, width, height)].length).toBeGreaterThan(20);
  });
});
