import { describe, expect, it } from 'vitest';
import { psnr, rmsePixel } from '../../src/index.js';
import { rmseOver } from '../../src/measures/error.js';
import { watched } from '../sparse/solvers/definitions.js';

describe('the error per sample', () => {
  it('is the root of the mean of the squared differences', () => {
    expect(rmsePixel(Float64Array.of(1, 2, 3), Float64Array.of(1, 4, 0))).toBeCloseTo(Math.sqrt(13 / 3), 14);
    expect(rmsePixel(Float64Array.of(-5), Float64Array.of(2))).toBe(7);
    expect(rmsePixel(Float64Array.of(-5), Float64Array.of(5))).toBe(10);
  });

  it('is correct where squares would underflow or overflow', () => {
    for (const scale of [1e-250, 1e-150, 1e150, 1e250]) {
      const [a, b] = [Float64Array.of(scale, 2 * scale, 3 * scale), Float64Array.of(scale, 4 * scale, 0)];
      expect(rmsePixel(a, b) / scale).toBeCloseTo(Math.sqrt(13 / 3), 12);
    }
  });

  it('covers several planes, even of different sizes, and every sample of large ones', () => {
    const zero = new Float64Array(70_000);
    const a = new Float64Array(70_000);
    a[0] = 3;
    a[65_536] = 4;
    a[69_999] = 12;
    const { fractions, result } = watched(rmseOver([a, Float64Array.of(1, 2)], [zero, Float64Array.of(1, 0)]));
    expect(result).toBeCloseTo(Math.sqrt((9 + 16 + 144 + 4) / 70_002), 14);
    // Once to find the largest difference, once to sum.
    const once = [65_536 / 70_000, 1, 1];
    expect(fractions).toEqual([...once, ...once]);
  });

  it('rejects arrays that cannot be compared', () => {
    const rule = 'arrays must both have the same samples, and at least one';
    expect(() => rmsePixel(new Float64Array(2), new Float64Array(3))).toThrow(`${rule}, but got "2 and 3"`);
    expect(() => rmsePixel(new Float64Array(0), new Float64Array(0))).toThrow(`${rule}, but got "0 and 0"`);
  });
});

describe('PSNR', () => {
  it('is 20 log₁₀(peak / error), and infinite for an error of 0', () => {
    expect(psnr(2.55, 255)).toBeCloseTo(40, 12);
    expect(psnr(0, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(psnr(Float64Array.of(0, 0), Float64Array.of(0.1, 0.1), 1)).toBeCloseTo(20, 12);
  });

  it('rejects negative errors and peaks that are not positive', () => {
    expect(() => psnr(-1, 255)).toThrow('rmse must be');
    expect(() => psnr(1, 0)).toThrow('peak must be');
  });
});

describe('the PSNR of an image', () => {
  const image = (value: number, peak = 255) => ({
    ...{ width: 2, height: 1, peak },
    planes: [Uint8Array.of(value, value), Uint8Array.of(7, 7), Uint8Array.of(9, 9)],
  });

  it('is one over all planes, with the peak of the clean image as full scale', () => {
    expect(psnr(image(13), image(10, 100))).toBeCloseTo(10 * Math.log10(100 ** 2 / (9 / 3)), 12);
    expect(psnr(image(10), image(10))).toBe(Number.POSITIVE_INFINITY);
  });

  it('is refused between images of different size, and between an image and an array', () => {
    const grey = { ...image(1), planes: [Uint8Array.of(1, 2)] };
    expect(() => psnr(grey, image(1))).toThrow('image must have the size of the clean image, 2×1×3, but got "2×1×1"');
    // @ts-expect-error: one of each
    expect(() => psnr(grey, Uint8Array.of(1, 2))).toThrow('must be two images, or two arrays of samples');
  });
});
