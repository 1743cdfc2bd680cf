import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stabiliser } from '../../src/image/stabilise.js';
import { denoise, psnr, randomSource } from '../../src/index.js';
import { logFactorial } from '../../src/math/random.js';
import { estimateSigma } from '../noise/estimates.js';
import { picture } from '../pictures.js';

/** Mean and variance of f(y) for λ counts with read noise s, in units of the gain: summed over counts and a fine grid. */
function moments(f: (y: number) => number, lambda: number, s: number): { mean: number; variance: number } {
  const reach = 12 * Math.sqrt(lambda) + 40;
  const cells = s === 0 ? 1 : 2000;
  let [total, first, second] = [0, 0, 0];
  for (let k = Math.max(0, Math.floor(lambda - reach)); k < lambda + reach; k++) {
    const chance = lambda === 0 ? Number(k === 0) : Math.exp(k * Math.log(lambda) - lambda - logFactorial(k));
    for (let i = 0; i < cells && chance > 0; i++) {
      const n = cells === 1 ? 0 : -8 + (16 * (i + 0.5)) / cells;
      const weight = chance * Math.exp((-n * n) / 2);
      const value = f(k + s * n);
      total += weight;
      first += weight * value;
      second += weight * value * value;
    }
  }
  const mean = first / total;
  return { mean, variance: second / total - mean * mean };
}

const reads = [0, 0.1, 0.5, 1, 4, 15];
const levels = [0, 0.02, 0.2, 0.7, 1.5, 4, 12, 40, 98, 103, 250, 900];

describe('the generalised Anscombe transform', () => {
  it.each(reads)('is inverted exactly from its expectation, with read noise of %d counts', (s) => {
    const { forward, inverse } = stabiliser({ gain: 1, sigma: s });
    for (const lambda of levels) {
      const found = inverse(moments(forward, lambda, s).mean);
      expect(Math.abs(found - lambda), `λ = ${lambda}`).toBeLessThan(1e-4 * Math.sqrt(1 + lambda + s * s));
    }
  });

  it('gives noise of deviation 1 with enough counts or enough read noise', () => {
    for (const s of reads) {
      const { forward } = stabiliser({ gain: 1, sigma: s });
      for (const lambda of levels.filter((each) => each >= 4 || s >= 4)) {
        expect(Math.abs(moments(forward, lambda, s).variance - 1)).toBeLessThan(0.07);
        if (lambda >= 12) expect(Math.abs(moments(forward, lambda, s).variance - 1)).toBeLessThan(0.02);
      }
    }
  });

  it('is increasing and finite in both directions, without a jump at the end of the table', () => {
    const noise = {
      gain: fc.double({ min: 1e-3, max: 50, noNaN: true }),
      sigma: fc.double({ min: 0, max: 50, noNaN: true }),
    };
    fc.assert(
      fc.property(fc.record(noise), fc.double({ min: -1e3, max: 1e3, noNaN: true }), (given, offset) => {
        const { forward, inverse } = stabiliser({ ...given, offset });
        expect(inverse(-5)).toBe(offset + 0);
        expect(inverse(0)).toBe(offset + 0);
        expect(forward(offset - 1e6 * (given.gain + given.sigma))).toBe(0);
        const [x, end] = [
          2 * Math.sqrt(3 / 8 + (given.sigma / given.gain) ** 2),
          2 * Math.sqrt(200 + (given.sigma / given.gain) ** 2),
        ];
        let before = offset;
        for (let i = 0; i <= 400; i++) {
          const value = inverse(0.9 * x + ((end - 0.9 * x) * i) / 400);
          expect(Number.isFinite(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(before);
          before = value;
        }
        expect(before).toBeGreaterThan(offset + 150 * given.gain);
        expect(forward(offset + 2)).toBeGreaterThan(forward(offset + 1));
      }),
      { numRuns: 25, seed: 5 },
    );
  });

  it('uses gain and offset only as units', () => {
    const [unit, other] = [stabiliser({ gain: 1, sigma: 2 }), stabiliser({ gain: 0.25, sigma: 0.5, offset: 16 })];
    for (const y of [-3, 0, 0.3, 7, 200]) {
      expect(other.forward(16 + 0.25 * y)).toBeCloseTo(unit.forward(y), 12);
      expect(other.inverse(unit.forward(y))).toBeCloseTo(16 + 0.25 * unit.inverse(unit.forward(y)), 10);
    }
  });

  it('only scales noise that does not depend on the signal', () => {
    const { forward, inverse } = stabiliser({ gain: 0, sigma: 5, offset: 10 });
    expect(forward(35)).toBe(5);
    expect(inverse(forward(-7))).toBeCloseTo(-7, 12);
  });

  it('turns photon noise into noise that the denoiser removes', async () => {
    const clean = picture(96, 80);
    const noise = { gain: 6, sigma: 4 };
    const { normal, poisson } = randomSource(11);
    const seen = clean.planes[0].map((x) => noise.gain * poisson(x / noise.gain) + noise.sigma * normal());
    const { stabilise, restore } = stabiliser(noise);
    const stable = stabilise({ ...clean, planes: [seen] });
    expect(Math.abs(estimateSigma(stable)[0] - 1)).toBeLessThan(0.1);
    const { image } = await denoise(stable, { sigma: 1 });
    const found = restore(image, 255);
    expect(found.peak).toBe(255);
    expect(psnr(found.planes[0], clean.planes[0], 255)).toBeGreaterThan(psnr(seen, clean.planes[0], 255) + 4);
  });

  it.each([
    [{ gain: -1, sigma: 1 }, 'gain must be a finite number of at least 0, but got -1'],
    [{ gain: 1, sigma: Number.NaN }, 'sigma must be a finite number of at least 0, but got NaN'],
    [{ gain: 1, sigma: 1, offset: Number.POSITIVE_INFINITY }, 'offset must be a finite number, but got Infinity'],
    [{ gain: 0, sigma: 0 }, 'gain must be above 0 where sigma is 0, but got 0'],
  ])('%j is rejected with its name', (noise, message) => {
    expect(() => stabiliser(noise)).toThrow(message);
  });
});

describe('the Poisson source', () => {
  it.each([0, 0.3, 4, 9.9, 10, 37, 1000])('has mean and variance %d, and the same numbers for one seed', (mean) => {
    const { poisson } = randomSource(2);
    const values = Array.from({ length: 20_000 }, () => poisson(mean));
    const average = values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length;
    expect(Math.abs(average - mean)).toBeLessThanOrEqual(4 * Math.sqrt(mean / values.length));
    expect(Math.abs(spread - mean)).toBeLessThanOrEqual(0.05 * mean);
    expect(values.every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
    expect(randomSource(2).poisson(mean)).toBe(values[0]);
  });
});
