/** The learned model as the prior of restorations. */
import { describe, expect, it } from 'vitest';
import { deblur, gaussianKernel, type Image, inpaint, psnr, restore, upscale } from '../../src/index.js';
import { reductionOperator } from '../../src/operators/reduction.js';
import { finish } from '../../src/work.js';
import { blurred } from '../blurred.js';
import { greyPhotograph } from '../photographs.js';

type Options = { readonly quality: 'best' | 'learned'; readonly threads: number };

/** A clean picture, and its restoration from data. */
const cases: readonly (readonly [string, () => Promise<readonly [Image, (options: Options) => Promise<Image>]>])[] = [
  [
    'upscaling',
    async () => {
      const clean = await greyPhotograph('march-pastoral', 120);
      const size = { width: 60, height: 60 };
      const planes = clean.planes.map((plane) =>
        finish(reductionOperator(clean, size, 'area').apply(Float64Array.from(plane))),
      );
      return [clean, async (options) => (await upscale({ ...size, planes, peak: 255 }, 2, options)).image];
    },
  ],
  [
    'deblurring',
    async () => {
      const kernel = gaussianKernel(1.6);
      const { image, clean } = blurred(await greyPhotograph('nagasaki-boats', 144), kernel, 2);
      return [clean, async (options) => (await deblur(image, kernel, { ...options, sigma: 2 })).image];
    },
  ],
];

describe.each(cases)('the quality learned, %s', (_, make) => {
  it('is better than best, and has the same bits for any number of threads', async () => {
    const [clean, restored] = await make();
    const [best, one] = [
      await restored({ quality: 'best', threads: 1 }),
      await restored({ quality: 'learned', threads: 1 }),
    ];
    expect(psnr(one, clean)).toBeGreaterThan(psnr(best, clean) + 0.05);
    expect(await restored({ quality: 'learned', threads: 3 })).toEqual(one);
  });
});

describe('the quality learned', () => {
  it('is refused if best is better, with the remedy', async () => {
    const image = { width: 4, height: 4, planes: [new Float32Array(16)], peak: 255 };
    const same = { width: 4, height: 4, apply: (x: Float64Array) => x, adjoint: (r: Float64Array) => r };
    const missing = new Uint8Array(16).fill(1, 3, 5);
    await expect(inpaint(image, missing, { quality: 'learned' })).rejects.toThrow(
      'quality must be fast, balanced, best for inpaint, but got "learned": use best',
    );
    await expect(restore(image, same, { quality: 'learned' })).rejects.toThrow(
      'quality must be fast, balanced, best for restore, but got "learned": use best',
    );
  });
});
