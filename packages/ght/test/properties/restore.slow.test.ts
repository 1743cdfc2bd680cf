/** Restoration of any image: finite results, or an error that says what is wrong. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recipeNames } from '../../src/denoisers/groups/recipes.js';
import type { BlurKernel, Image } from '../../src/index.js';
import {
  deblur,
  diskKernel,
  gaussianKernel,
  inpaint,
  isGhtError,
  motionKernel,
  restore,
  upscale,
} from '../../src/index.js';
import { inpaintPaper } from '../../src/paper.js';
import { badNumbers, image, refusal, refused, runs } from './problems.js';

const finite = ({ planes }: Image) => planes.every((plane) => plane.every(Number.isFinite));
const quality = fc.constantFrom(...recipeNames);
const level = fc.constantFrom(0, 0.01, 10);

describe('restoration of any size and scale', () => {
  it('inpaint', async () => {
    await fc.assert(
      fc.asyncProperty(image, quality, level, fc.nat(3), async (given, quality, sigma, every) => {
        const mask = Uint8Array.from(given.planes[0], (_, i) => Number(i % (every + 1) === 0));
        const options = { quality, sigma: sigma * given.peak, threads: 1 };
        if (!mask.includes(0)) {
          expect(await refused(inpaint(given, mask, options))).toContain('at least one pixel known');
          return;
        }
        const { image: filled } = await inpaint(given, mask, options);
        expect(finite(filled)).toBe(true);
        if (sigma > 0) return;
        filled.planes.forEach((plane, c) => {
          plane.forEach((value, i) => {
            if (!mask[i]) expect(value).toBe(given.planes[c][i] + 0);
          });
        });
      }),
      runs(20),
    );
  });

  it('inpaintPaper', async () => {
    await fc.assert(
      fc.asyncProperty(image, fc.constantFrom(undefined, 0, 2.5, 1e9), async (given, budget) => {
        const mask = Uint8Array.from(given.planes[0], (_, i) => i % 3 && 1);
        if (!mask.includes(1)) return;
        const result = await inpaintPaper(given, mask, { budget });
        expect(finite(result.image)).toBe(true);
        expect(result.nonzeros).toBeLessThanOrEqual(result.budget);
      }),
      runs(20),
    );
  });

  it('deblur', async () => {
    await fc.assert(
      fc.asyncProperty(image, quality, level, async (given, quality, sigma) => {
        const options = { quality, sigma: sigma * given.peak, threads: 1 };
        try {
          expect(finite((await deblur(given, gaussianKernel(0.5), options)).image)).toBe(true);
        } catch (error) {
          if (!isGhtError(error)) throw error;
          // The kernel has 5×5 weights.
          expect([error.parameter, Math.min(given.width, given.height) < 5]).toEqual(['kernel', true]);
        }
      }),
      runs(20),
    );
  });

  it('upscale', async () => {
    await fc.assert(
      fc.asyncProperty(image, quality, level, fc.constantFrom(1, 1.4, 2), async (given, quality, sigma, factor) => {
        const { image: large } = await upscale(given, factor, { quality, sigma: sigma * given.peak, threads: 1 });
        expect(finite(large)).toBe(true);
        expect(large.planes[0].length).toBe(Math.round(factor * given.width) * Math.round(factor * given.height));
      }),
      runs(20),
    );
    for (const bad of badNumbers) {
      expect(
        await refused(upscale({ width: 1, height: 1, planes: [Float64Array.of(1)], peak: 1 }, bad as number)),
      ).toContain('factor');
    }
  });

  it('restore', async () => {
    await fc.assert(
      fc.asyncProperty(image, quality, level, async (given, quality, sigma) => {
        const { width, height } = given;
        const half = (x: Float64Array) => x.map((value) => value / 2);
        const own = { width, height, apply: half, adjoint: half };
        const { image: result } = await restore(given, own, { quality, sigma: sigma * given.peak, threads: 1 });
        expect(finite(result)).toBe(true);
      }),
      runs(20),
    );
  });
});

describe('kernels of any size', () => {
  it('have odd sides, no negative weight, and a centre that is the largest', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 40, noNaN: true }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (size, angle) => {
          const kernels: BlurKernel[] = [gaussianKernel(size), diskKernel(size), motionKernel(size + 1, angle)];
          for (const { width, height, data } of kernels) {
            expect([width % 2, height]).toEqual([1, width]);
            const weights = Array.from(data);
            expect(weights.every((weight) => weight >= 0)).toBe(true);
            expect(weights[(weights.length - 1) / 2]).toBe(Math.max(...weights));
          }
        },
      ),
      runs(20),
    );
    for (const bad of [...badNumbers, 0, 1e9] as number[]) {
      expect(refusal(() => gaussianKernel(bad))).toContain('sigma must be');
      expect(refusal(() => diskKernel(bad))).toContain('radius must be');
      expect(refusal(() => motionKernel(bad))).toContain('length must be');
    }
    expect(refusal(() => motionKernel(0.5))).toContain('at least 1 pixel');
    expect(refusal(() => motionKernel(5, Number.NaN))).toContain('angle must be');
  });
});
