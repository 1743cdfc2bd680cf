import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Image, Samples } from '../../../src/index.js';
import { psnr, randomSource } from '../../../src/index.js';
import { findImpulses, withoutImpulses } from '../../../src/noise/impulses/impulses.js';
import { drive, finish } from '../../../src/work.js';
import { greyPhotograph, photograph } from '../../photographs.js';
import { noisy, picture } from '../../pictures.js';
import { drawn, innocent, to8Bits } from '../made.js';

/** PSNR of the first plane. */
const quality = (clean: Image, image: Image) => psnr(clean.planes[0], image.planes[0], 255);
const found = ({ planes, width, height }: Image) => finish(findImpulses(planes, width, height));
const cleaned = (image: Image) => ({
  ...image,
  planes: finish(withoutImpulses(image.planes, image.width, image.height, found(image))),
});

/** The image with this share of its samples set to 0 or 255, independently in each plane. */
function saltAndPepper(image: Image, share: number, seed = 3): Image {
  const random = randomSource(seed);
  const hit = (value: number) => (random.uniform() < share ? 255 * random.below(2) : value);
  return { ...image, planes: image.planes.map((plane) => plane.map(hit)) };
}
const eightBits = (image: Image): Image => ({ ...image, planes: to8Bits(image.planes) });

describe('salt and pepper', () => {
  it.each([
    ['nagasaki-boats', 0.01, 38],
    ['nagasaki-boats', 0.05, 33],
    ['nagasaki-boats', 0.2, 28],
    ['airplane-from-above', 0.05, 33],
  ])('on %s, a share of %d: replaced with at least %d dB', async (name, share, bar) => {
    const clean = eightBits(await greyPhotograph(name, 192));
    const hit = saltAndPepper(clean, share);
    const report = found(hit);
    expect(report.kind).toBe('salt-and-pepper');
    expect(Math.abs(report.fraction / share - 1)).toBeLessThan(0.15);
    expect(quality(clean, cleaned(hit))).toBeGreaterThan(bar);
  });

  it('is found independently in each channel', async () => {
    const clean = eightBits(await photograph('french-alpine-landscape', 192));
    const [red, green, blue] = clean.planes;
    const hit = { ...clean, planes: [red, saltAndPepper({ ...clean, planes: [green] }, 0.15).planes[0], blue] };
    const report = found(hit);
    expect(report.kind).toBe('salt-and-pepper');
    expect(Math.abs(report.fraction - 0.05)).toBeLessThan(0.01);
    const { planes } = cleaned(hit);
    expect(planes[0]).toBe(red);
    expect(planes[1]).toBeInstanceOf(Float32Array);
    expect(planes[2]).toBe(blue);
  });

  it('is replaced, and every other sample stays the same bit for bit', () => {
    const clean = noisy(picture(160, 160), 3);
    const hit = saltAndPepper(clean, 0.05);
    const { sites } = found(hit);
    const [plane] = cleaned(hit).planes;
    expect(plane).toBeInstanceOf(Float64Array);
    const changed = [...plane.keys()].filter((i) => plane[i] !== hit.planes[0][i]);
    expect(changed).toEqual([...sites[0]]);
    expect(changed.filter((i) => hit.planes[0][i] === clean.planes[0][i])).toEqual([]);
  });

  it('is found in white noise, whether that is clipped or not', async () => {
    const clean = await greyPhotograph('nagasaki-boats', 256);
    for (const noise of [noisy(clean, 15), eightBits(noisy(clean, 15))]) {
      const hit = saltAndPepper(noise, 0.05);
      expect(found(hit).kind).toBe('salt-and-pepper');
      expect(quality(noise, cleaned(hit))).toBeGreaterThan(quality(noise, hit) + 10);
    }
  });

  it('leaves a white sky white', () => {
    const sky = drawn(200, 200, (x, y) => (y < 80 ? 255 : 60 + 0.5 * x + 10 * Math.sin(x * y * 0.01)));
    const { planes } = cleaned(eightBits(saltAndPepper(eightBits(sky), 0.05)));
    expect([...planes[0].subarray(200 * 3, 200 * 70)].every((value) => value === 255)).toBe(true);
  });
});

describe('other impulses', () => {
  it('finds hot pixels of any brightness', async () => {
    const clean = eightBits(noisy(await greyPhotograph('nagasaki-boats', 256), 2));
    const random = randomSource(8);
    const hot = clean.planes[0].map((v) => (random.uniform() < 0.002 ? Math.min(254, v + 60 + random.below(80)) : v));
    const hit = { ...clean, planes: [hot] };
    const report = found(hit);
    expect(report.kind).toBe('hot pixels');
    expect(quality(clean, cleaned(hit))).toBeGreaterThan(quality(clean, hit) + 3);
  });

  it('finds random values', async () => {
    const clean = eightBits(await greyPhotograph('airplane-from-above', 192));
    const random = randomSource(8);
    const hit = { ...clean, planes: [clean.planes[0].map((v) => (random.uniform() < 0.05 ? random.below(256) : v))] };
    expect(found(hit).kind).toBe('impulses');
    expect(quality(clean, cleaned(hit))).toBeGreaterThan(quality(clean, hit) + 3);
  });
});

describe('no impulses', () => {
  it.each(innocent())('in %s, as floats and as 8 bits', (_name, image) => {
    for (const planes of [image.planes, to8Bits(image.planes)]) {
      const { width, height } = image;
      const report = finish(findImpulses(planes, width, height));
      expect({ ...report, sites: undefined, rules: undefined }).toEqual({
        count: 0,
        fraction: 0,
        kind: 'none',
        sites: undefined,
      });
      const same: Samples[] = finish(withoutImpulses(planes, width, height, report));
      same.forEach((plane, c) => {
        expect(plane).toBe(planes[c]);
      });
    }
  });

  it.each([5, 15, 25, 50])('in white noise of deviation %d, clipped or not', async (sigma) => {
    for (const clean of [await greyPhotograph('nagasaki-boats', 256), picture(256, 256)]) {
      expect(found(noisy(clean, sigma)).kind).toBe('none');
      expect(found(eightBits(noisy(clean, sigma))).kind).toBe('none');
    }
  });

  it.each([0.05, 0.5, 5])('in Poisson–Gaussian noise of gain %d', (gain) => {
    const random = randomSource(4);
    const made = (value: number) => gain * random.poisson(value / gain) + random.normal();
    const image = picture(256, 256);
    expect(found({ ...image, planes: image.planes.map((plane) => plane.map(made)) }).kind).toBe('none');
  });

  it.each([
    [1, 1],
    [1, 9],
    [9, 1],
    [2, 5],
    [3, 3],
    [7, 4],
  ])('in an image of %d×%d', (width, height) => {
    const random = randomSource(2);
    expect(found(drawn(width, height, () => 255 * random.below(2))).kind).toBe('none');
  });
});

describe('impulses', () => {
  it('depend on neither scale nor offset', () => {
    const hit = saltAndPepper(noisy(picture(96, 96), 2), 0.05);
    const { sites } = found(hit);
    expect(sites[0].length).toBeGreaterThan(300);
    const rounded = hit.planes[0].map((value) => Math.round(value * 16) / 16);
    const at = found({ ...hit, planes: [rounded] }).sites;
    fc.assert(
      fc.property(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -1000, max: 1000 }), (exponent, offset) => {
        const planes = [rounded.map((value) => (value + offset) * 2 ** exponent)];
        expect(found({ ...hit, planes }).sites).toEqual(at);
      }),
      { numRuns: 10 },
    );
  });

  it('can be stopped', async () => {
    const { planes, width, height } = saltAndPepper(picture(300, 300), 0.05);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(drive(findImpulses(planes, width, height), { signal: stop.signal })).rejects.toThrow('enough');
    const steps = [...findImpulses(planes, width, height)];
    expect(steps.length).toBeGreaterThan(5);
  });
});
