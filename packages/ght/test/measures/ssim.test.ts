/** SSIM by its definition: weighted moments under a Gaussian window around every pixel. */
import { describe, expect, it } from 'vitest';
import { randomSource, ssim } from '../../src/index.js';

function byDefinition(a: Float64Array, b: Float64Array, width: number, height: number, peak: number): number {
  const mirrored = (i: number, n: number): number =>
    i < 0 ? mirrored(-1 - i, n) : i >= n ? mirrored(2 * n - 1 - i, n) : i;
  const inside = width >= 11 && height >= 11;
  const values: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (inside && (x < 5 || y < 5 || x >= width - 5 || y >= height - 5)) continue;
      const near: { w: number; a: number; b: number }[] = [];
      for (let v = -5; v <= 5; v++) {
        for (let u = -5; u <= 5; u++) {
          const at = mirrored(y + v, height) * width + mirrored(x + u, width);
          near.push({ w: Math.exp(-(u * u + v * v) / (2 * 1.5 * 1.5)), a: a[at], b: b[at] });
        }
      }
      const total = near.reduce((sum, { w }) => sum + w, 0);
      const mean = (f: (p: { a: number; b: number }) => number) => near.reduce((sum, p) => sum + p.w * f(p), 0) / total;
      const [ma, mb] = [mean((p) => p.a), mean((p) => p.b)];
      const [va, vb] = [mean((p) => (p.a - ma) ** 2), mean((p) => (p.b - mb) ** 2)];
      const covariance = mean((p) => (p.a - ma) * (p.b - mb));
      const [c1, c2] = [(0.01 * peak) ** 2, (0.03 * peak) ** 2];
      values.push(((2 * ma * mb + c1) * (2 * covariance + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2)));
    }
  }
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('SSIM', () => {
  it.each([
    [11, 13],
    [14, 11],
    [10, 12],
    [13, 10],
    [3, 2],
  ])('of %i×%i pixels is that of its definition', (width, height) => {
    const random = randomSource(width);
    const a = Float64Array.from({ length: width * height }, () => 40 * random.uniform());
    const b = a.map((value) => value + 10 * random.normal());
    for (const peak of [1, 255]) {
      expect(ssim(a, b, width, height, peak)).toBeCloseTo(byDefinition(a, b, width, height, peak), 12);
    }
  });

  it('rejects planes of another size, and a peak that is not positive', () => {
    const plane = new Float64Array(6);
    expect(() => ssim(plane, new Float64Array(5), 3, 2, 1)).toThrow('arrays must both have the same samples');
    expect(() => ssim(plane, plane, 3, 3, 1)).toThrow('arrays must hold width × height = 9 samples, but got 6');
    expect(() => ssim(plane, plane, 3, 2, 0)).toThrow('peak must be');
  });
});
