/** The blur that the spectrum of a picture shows. */
import { describe, expect, it } from 'vitest';
import { gaussianKernel, motionKernel } from '../../src/index.js';
import { looksSharp } from '../../src/operators/blind/estimate.js';
import { blurResponse, powerSpectrum, windowSide } from '../../src/operators/blind/spectrum.js';
import { finish } from '../../src/work.js';
import { greyPhotograph } from '../photographs.js';
import { noisy } from '../pictures.js';

describe('the spectrum of windows', () => {
  it('is σ² for white noise, at every frequency', () => {
    const flat = { width: 256, height: 256, planes: [new Float64Array(256 ** 2).fill(100)], peak: 255 };
    const { planes } = noisy(flat, 3);
    const { power } = finish(powerSpectrum(Float64Array.from(planes[0]), flat, 64));
    const mean = power.subarray(200).reduce((sum, value) => sum + value, 0) / (power.length - 200);
    expect(Math.abs(mean / 9 - 1)).toBeLessThan(0.05);
    // The mean of 49 logarithms varies by about a fifth.
    expect(Math.max(...power.subarray(200))).toBeLessThan(9 * 3);
  });

  it('has sides for all but the smallest pictures', () => {
    expect([96, 95, 32, 31].map((side) => windowSide({ width: 500, height: side }))).toEqual([64, 32, 32, undefined]);
  });
});

describe('the response of a kernel', () => {
  it('is 1 without frequency, and lowest at the zeros of a motion', () => {
    const { power } = finish(blurResponse(motionKernel(8, 0), 64));
    const alongRows = Array.from({ length: 33 }, (_, k) => power[64 * k]);
    expect(alongRows[0]).toBeGreaterThan(0.9);
    // A line of 8 pixels, as pixels see it, has its zeros near every eighth of the 64 frequencies.
    expect(alongRows[8]).toBeLessThan(alongRows[4] / 10);
    expect(alongRows[8]).toBeLessThan(alongRows[12]);
    // Across it there is hardly any blur.
    expect(power[8]).toBeGreaterThan(0.7);
  });

  it('does not depend on the sum of the weights', () => {
    const kernel = gaussianKernel(1.6);
    const twice = { ...kernel, data: Array.from(kernel.data, (weight) => 2 * weight) };
    const [a, b] = [kernel, twice].map((each) => finish(blurResponse(each, 32)).power);
    a.forEach((value, i) => {
      expect(b[i]).toBeCloseTo(value, 10);
    });
  });
});

describe('a sharp picture', () => {
  it('is distinguished from one that a kernel has blurred, unless the kernel is narrow', async () => {
    const image = noisy(await greyPhotograph('nagasaki-boats', 128), 1.5);
    const plane = Float64Array.from(image.planes[0]);
    expect(finish(looksSharp(plane, image, gaussianKernel(2)))).toBe(true);
    expect(finish(looksSharp(plane, image, gaussianKernel(0.4)))).toBe(false);
    expect(finish(looksSharp(new Float64Array(20 * 20), { width: 20, height: 20 }, gaussianKernel(2)))).toBe(false);
  });
});
