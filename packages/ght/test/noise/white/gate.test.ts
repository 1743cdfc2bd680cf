import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/index.js';
import { isWhite } from '../../../src/noise/white/gate.js';
import { noisy, picture } from '../../pictures.js';
import { estimateOf, filtered, whiteNoise } from '../made-noise.js';

const [width, height] = [256, 192];
const blur = [-3, -2, -1, 0, 1, 2, 3].map((x) => Math.exp(-(x ** 2) / 2) / Math.sqrt(2 * Math.PI));
const blurred = (given: Image, sigma: number): Image => ({
  ...given,
  planes: given.planes.map((plane, c) => {
    const noise = filtered(whiteNoise(plane.length, c + 1), width, blur, blur);
    return plane.map((value, i) => value + sigma * noise[i]);
  }),
});

describe('isWhite', () => {
  it.each([1, 2, 3, 5])('is true for white noise in %d planes, and false for blurred noise', (channels) => {
    const clean = picture(width, height, channels);
    for (const sigma of [10, 25, 50]) {
      expect(isWhite(estimateOf(noisy(clean, sigma)), false)).toBe(true);
      expect(isWhite(estimateOf(blurred(clean, 3 * sigma)), false)).toBe(false);
    }
  });

  it('is never true for a JPEG', () => {
    const given = noisy(picture(width, height, 3), 25);
    expect(isWhite(estimateOf(given, { luma: new Float64Array(64).fill(1) }), true)).toBe(false);
  });

  it('lets the chromas decide: luma may have texture', () => {
    const texture = filtered(whiteNoise(width * height, 9), width, blur, blur);
    const clean = { width, height, peak: 255, planes: [0, 1, 2].map(() => texture.map((value) => 128 + 60 * value)) };
    expect(isWhite(estimateOf(noisy(clean, 5)), false)).toBe(true);
    expect(isWhite(estimateOf(noisy({ ...clean, planes: [clean.planes[0]] }, 5)), false)).toBe(false);
  });

  it('is not misled by chromas that were rounded to zero', () => {
    const [luma] = noisy(picture(width, height), 10).planes;
    expect(isWhite(estimateOf({ width, height, peak: 255, planes: [luma, luma, luma] }), false)).toBe(false);
  });

  it('needs every plane of a stack to be white', () => {
    const clean = picture(width, height, 2);
    const planes = [noisy(clean, 25).planes[0], blurred(clean, 75).planes[1]];
    expect(isWhite(estimateOf({ ...clean, planes }), false)).toBe(false);
  });

  it('takes three bands as they are, not as luma and chromas', () => {
    const texture = filtered(whiteNoise(width * height, 9), width, blur, blur);
    const clean = { width, height, peak: 255, planes: [0, 1, 2].map(() => texture.map((value) => 128 + 60 * value)) };
    const spectrum = estimateOf(noisy(clean, 5));
    expect([isWhite(spectrum, false, true), isWhite(spectrum, false, false)]).toEqual([true, false]);
    const { planes } = estimateOf(noisy(picture(width, height), 25));
    const [white] = planes;
    const weak = { ...white, finest: white.finest / 3, reference: white.reference / 3 };
    const bands = { ...spectrum, planes: [white, weak, weak] };
    expect([isWhite(bands, false, true), isWhite(bands, false, false)]).toEqual([false, true]);
  });
});
