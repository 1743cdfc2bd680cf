import { describe, expect, it } from 'vitest';
import { codesFromDense, psnr, rmsePixel, ssim } from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import { golden } from '../golden/golden.js';

const made = golden('measures.json');

describe('measures', () => {
  it.each(['images', 'small_images'])('agree with scikit-image on %s', (name) => {
    const { width, height, ...expected } = made[name];
    const a = Float64Array.from(expected.a);
    const b = Float64Array.from(expected.b);
    expect(ssim(a, b, width, height, 255)).toBeCloseTo(expected.ssim, 10);
    expect(psnr(a, b, 255)).toBeCloseTo(expected.psnr, 10);
    expect(rmsePixel(a, b)).toBeCloseTo(expected.rmse_per_pixel, 10);
  });

  it('an image equals itself', () => {
    const a = Float64Array.from(made.images.a);
    expect(ssim(a, a, made.images.width, made.images.height, 255)).toBeCloseTo(1, 12);
    expect(psnr(a, a, 255)).toBe(Number.POSITIVE_INFINITY);
  });

  it('the support mismatch ratio is that of the paper', () => {
    const codes = (support: number[]) => {
      const dense = new Float64Array(20 * 30);
      for (const i of support) dense[i] = 1;
      return codesFromDense(dense, 20, 30);
    };
    for (const { A, B, ratio } of made.mismatch) expect(supportMismatch(codes(A), codes(B))).toBeCloseTo(ratio, 12);
    expect(supportMismatch(codes([]), codes([]))).toBe(0);
  });
});
