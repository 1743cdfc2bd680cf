/** The image tasks, on numerically difficult sizes and values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawContactSheet, drawHeatmap, heatmap, type SheetCell, sheetCell } from '../../src/draw/index.js';
import { stabiliser } from '../../src/image/stabilise.js';
import type { Image } from '../../src/index.js';
import {
  aggregate,
  denoise,
  extract,
  isGhtError,
  nonzeros,
  patchGrid,
  psnr,
  qualities,
  represent,
  representJoint,
  rmsePixel,
  ssim,
} from '../../src/index.js';
import { denoisePaper } from '../../src/paper.js';
import { estimatePoissonGaussian, estimateSigma } from '../noise/estimates.js';
import { noisy, picture } from '../pictures.js';
import { badNumbers, distance, image, refusal, refused, runs } from './problems.js';

const finite = ({ planes }: Image) => planes.every((plane) => plane.every(Number.isFinite));
const scaledBy = (given: Image, by: number): Image => ({
  ...given,
  planes: given.planes.map((plane) => Float64Array.from(plane, (value) => value * by)),
  peak: given.peak * by,
});

describe('patches', () => {
  it('of any plane aggregate to the plane', () => {
    fc.assert(
      fc.property(image, fc.constantFrom(1, 2, 3, 8), fc.nat(), ({ width, height, planes }, patch, n) => {
        const grid = patchGrid(width, height, patch, 1 + (n % patch));
        const patches = extract(grid, planes[0]);
        // Except for the sign of zero, which a mean does not keep.
        expect(aggregate(grid, patches)).toEqual(planes[0].map((value) => value + 0));
        expect(refusal(() => extract(grid, planes[0], new Float64Array(patches.length + 1)))).toContain('into');
      }),
      runs(100),
    );
  });
});

describe('representing', () => {
  it('keeps to the budget and reports the error of the picture it returns', async () => {
    await fc.assert(
      fc.asyncProperty(
        image,
        fc.constantFrom('admm', 'joint-omp', 'cosamp'),
        fc.constantFrom(1, 3, 8),
        async (given, solver, patch) => {
          const result = await represent(given, { solver, patch, budget: { perPatch: 1 }, maxIterations: 6 });
          expect(finite(result.image)).toBe(true);
          expect(result.nonzeros).toBeLessThanOrEqual(result.patches);
          expect(nonzeros(result.codes)).toBe(result.nonzeros);
          const [now, before] = [result.image, given].map(({ planes }) =>
            Float64Array.from(planes.flatMap((plane) => [...plane])),
          );
          expect(Math.abs(distance(now, before, before.length) - result.rmsePixel)).toBeLessThanOrEqual(
            1e-9 * result.rmsePixel,
          );
          expect(Number.isNaN(result.psnr)).toBe(false);
          expect(heatmap(result)).toHaveLength(given.width * given.height);
          expect(drawHeatmap(result)).toHaveLength(3 * given.width * given.height);
        },
      ),
      runs(40),
    );
  });

  it('spends one budget on all images of a set', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(image, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 3, 8),
        async (all, patch) => {
          const images = all.map((each) => ({ ...each, peak: all[0].peak }));
          const set = await representJoint(images, { patch, budget: { perPatch: 1 } });
          expect(set.nonzeros).toBeLessThanOrEqual(set.patches);
          const cells: SheetCell[] = [];
          const got = { patches: 0, nonzeros: 0, of: 0 };
          for await (const result of set.results()) {
            expect(finite(result.image)).toBe(true);
            expect(nonzeros(result.codes)).toBe(result.nonzeros);
            cells.push(sheetCell(result));
            expect(Math.max(...(cells.at(-1)?.atoms ?? []))).toBeLessThanOrEqual(Math.max(...result.atomsPerPatch));
            expect(set.images[got.of++].psnr).toBe(result.psnr);
            got.patches += result.patches;
            got.nonzeros += result.nonzeros;
          }
          const { width, height, pixels } = drawContactSheet(cells);
          expect(pixels).toHaveLength(3 * width * height);
          expect(got).toEqual({ patches: set.patches, nonzeros: set.nonzeros, of: images.length });
        },
      ),
      runs(20),
    );
  });

  it('is the paper’s denoiser with other weights', async () => {
    const given = noisy(picture(24, 17), 10);
    const result = await denoisePaper(given, { stride: 4, budget: { sigma: 10 } });
    expect(finite(result.image)).toBe(true);
    expect(await refused(denoisePaper(given, { budget: { sigma: Number.NaN } }))).toContain('budget.sigma');
  });
});

describe('denoising', () => {
  it('returns finite pictures of any size and scale, or says what is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(
        image,
        fc.constantFrom(...qualities),
        fc.constantFrom('auto' as const, 0, 0.1, 1e6),
        async (given, quality, level) => {
          const sigma = typeof level === 'number' ? level * given.peak : level;
          try {
            const result = await denoise(given, { quality, sigma, threads: 1 });
            expect(finite(result.image)).toBe(true);
            if (sigma === 0)
              expect(
                distance(Float64Array.from(result.image.planes[0]), given.planes[0] as Float64Array, 1),
              ).toBeLessThanOrEqual(1e-6 * given.peak);
          } catch (error) {
            if (!isGhtError(error)) throw error;
            // Noise cannot be estimated on less than 3×3 pixels.
            expect([error.parameter, sigma, Math.min(given.width, given.height) < 3]).toEqual(['image', 'auto', true]);
          }
        },
      ),
      runs(40),
    );
  });

  it('is the same in any units, and deterministic', async () => {
    const given = noisy(picture(40, 33), 12);
    const [plain] = (await denoise(given, { sigma: 12, threads: 1 })).image.planes;
    expect((await denoise(given, { sigma: 12, threads: 1 })).image.planes[0]).toEqual(plain);
    for (const by of [2 ** -400, 2 ** 400]) {
      const { image: there } = await denoise(scaledBy(given, by), { sigma: 12 * by, threads: 1 });
      expect(
        distance(
          Float64Array.from(there.planes[0], (v) => v / by),
          Float64Array.from(plain),
          1,
        ),
      ).toBeLessThan(1e-2);
    }
  });

  it.each(badNumbers.filter((value) => value !== null))(
    'refuses %s as a level, a gain or a number of threads',
    async (bad) => {
      const given = picture(12, 9);
      expect(await refused(denoise(given, { sigma: bad as number }))).toContain('sigma');
      expect(await refused(denoise(given, { sigma: [bad as number] }))).toContain('sigma');
      expect(await refused(denoise(given, { noise: { gain: bad as number, sigma: 1 } }))).toContain('gain');
      expect(await refused(denoise(given, { sigma: 1, threads: bad as number }))).toContain('threads');
    },
  );
});

describe('estimates of the noise', () => {
  it('are not negative, and scale with the image however large or small it is', () => {
    for (const given of [noisy(picture(48, 40), 9), noisy(picture(9, 5), 9), picture(33, 37)]) {
      const [sigma] = estimateSigma(given);
      expect(sigma).toBeGreaterThanOrEqual(0);
      for (const by of [1e-200, 1e-30, 1e30, 1e200]) {
        expect(estimateSigma(scaledBy(given, by))[0]).toBeCloseTo(sigma * by, -Math.log10(by * 1e-6));
        expect(Math.abs(estimateSigma(scaledBy(given, by))[0] / by - sigma)).toBeLessThanOrEqual(1e-6 * sigma);
      }
    }
    const dark = noisy(picture(48, 40), 9);
    const [{ gain, sigma }] = estimatePoissonGaussian(dark);
    for (const by of [1e-100, 1e100]) {
      const [there] = estimatePoissonGaussian(scaledBy(dark, by));
      expect(there.gain / by).toBeCloseTo(gain, 6);
      expect(there.sigma / by).toBeCloseTo(sigma, 6);
    }
  });

  it('are finite for any image that is large enough', () => {
    fc.assert(
      fc.property(image, (given) => {
        if (Math.min(given.width, given.height) < 3) {
          expect(refusal(() => estimateSigma(given))).toContain('3×3');
          return;
        }
        expect(estimateSigma(given).every((sigma) => sigma >= 0 && sigma < Number.POSITIVE_INFINITY)).toBe(true);
        expect(refusal(() => estimatePoissonGaussian(given))).toContain('32×32');
      }),
      runs(60),
    );
    for (const value of [0, 7, 1e250, 5e-324]) {
      const flat = { width: 40, height: 40, planes: [new Float64Array(1600).fill(value)], peak: 1 };
      expect(estimateSigma(flat)).toEqual([0]);
      expect(estimatePoissonGaussian(flat)).toEqual([{ gain: 0, sigma: 0, offset: 0 }]);
    }
  });
});

describe('a stabiliser', () => {
  const size = fc.constantFrom(0, 1e-300, 1e-20, 1e-3, 1, 50, 1e20, 1e200);
  it('is increasing and finite for every kind of noise, and so is its inverse', () => {
    fc.assert(
      fc.property(size, size, fc.constantFrom(0, -5, 1e10), (gain, sigma, offset) => {
        if (gain === 0 && sigma === 0) {
          expect(refusal(() => stabiliser({ gain, sigma, offset }))).toContain('gain');
          return;
        }
        const { forward, inverse } = stabiliser({ gain, sigma, offset });
        const unit = Math.max(gain, sigma);
        const points = [-1e300, -20, -1, 0, 0.5, 1, 3, 20, 1000].map((x) => offset + x * Math.min(unit, 1e5));
        for (const f of [forward, inverse]) {
          const values = points.map(f);
          expect(values.every((value) => !Number.isNaN(value))).toBe(true);
          expect(values).toEqual([...values].sort((a, b) => a - b));
        }
      }),
      runs(64),
    );
  });
});

describe('measures', () => {
  it('follow their definitions at any scale', () => {
    fc.assert(
      fc.property(image, ({ width, height, planes, peak }) => {
        const [a] = planes;
        const b = a.map((value, i) => value + (i % 2 ? 0.1 : -0.1) * peak);
        expect(psnr(a, a, peak)).toBe(Number.POSITIVE_INFINITY);
        if (peak > 1e-300) expect(psnr(a, b, peak)).toBeCloseTo(20, 6);
        expect(rmsePixel(a, b)).toBe(rmsePixel(b, a));
        const ofItself = ssim(
          Float64Array.from(a, (v) => v / peak),
          Float64Array.from(a, (v) => v / peak),
          width,
          height,
          1,
        );
        if (peak > 1e-300) expect(ofItself).toBeCloseTo(1, 9);
      }),
      runs(60),
    );
  });
  it('reject arrays of different lengths, empty arrays, and an invalid peak', () => {
    const [one, two] = [new Float64Array(1), new Float64Array(2)];
    for (const call of [() => psnr(one, two, 1), () => rmsePixel(two, one), () => ssim(one, two, 1, 1, 1)]) {
      expect(refusal(call)).toContain('arrays');
    }
    expect(refusal(() => rmsePixel(new Float64Array(0), new Float64Array(0)))).toContain('arrays');
    expect(refusal(() => ssim(two, two, 3, 3, 1))).toContain('width × height');
    for (const bad of [...badNumbers, 0]) expect(refusal(() => psnr(one, one, bad as number))).toContain('peak');
  });
});
