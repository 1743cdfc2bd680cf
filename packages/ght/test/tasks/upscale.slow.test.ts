/** What `upscale` finds in an image: how it was reduced, and its noise. */
import { describe, expect, it } from 'vitest';
import { type Image, psnr, type Restored, randomSource, upscale } from '../../src/index.js';
import { reductionOperator } from '../../src/operators/reduction.js';
import type { ReductionBlur } from '../../src/operators/resampling.js';
import { finish } from '../../src/work.js';
import { greyPhotograph } from '../photographs.js';

const one = { threads: 1 } as const;

function reduced(image: Image, factor: number, blur: ReductionBlur = 'bicubic'): Image {
  const size = { width: image.width / factor, height: image.height / factor };
  const A = reductionOperator(image, size, blur);
  return { ...size, peak: image.peak, planes: image.planes.map((plane) => finish(A.apply(Float64Array.from(plane)))) };
}

const inBytes = (image: Image): Image => ({
  ...image,
  planes: image.planes.map((plane) => new Uint8Array(Uint8ClampedArray.from(plane))),
});
/** The share of area averaging in the reduction that was assumed. */
const assumedShare = (found: Restored['reduction']) => (found?.kind === 'area' ? 1 : (found?.share ?? 0));

describe('upscaling without options', () => {
  it('finds how the image was reduced', async () => {
    for (const name of ['nagasaki-boats', 'march-pastoral']) {
      const clean = await greyPhotograph(name, 192);
      const { reduction: area } = await upscale(inBytes(reduced(clean, 2, 'area')), 2, { quality: 'fast', ...one });
      expect(assumedShare(area)).toBeGreaterThan(0.5);
      const { reduction: cubic } = await upscale(inBytes(reduced(clean, 2)), 2, { quality: 'fast', ...one });
      expect(assumedShare(cubic)).toBeLessThan(0.5);
      const wide = inBytes(reduced(clean, 2, { gaussian: 1.6 }));
      const { reduction: soft } = await upscale(wide, 2, { quality: 'fast', ...one });
      expect(soft).toMatchObject({ kind: 'gaussian', width: expect.closeTo(0.95, 0.5) });
    }
    const flat = { width: 40, height: 40, planes: [new Uint8Array(1600).fill(90)], peak: 255 };
    const { reduction } = await upscale(flat, 2, { quality: 'fast', ...one });
    expect(reduction).toEqual({ kind: 'mixed', share: 0.6, confidence: 0, reason: 'too-little-detail' });
  });

  it('is better than with the wrong reduction, and above interpolation for area averaging', async () => {
    const clean = await greyPhotograph('march-pastoral', 120);
    const small = inBytes(reduced(clean, 2, 'area'));
    const level = async (options: object) => psnr((await upscale(small, 2, { ...one, ...options })).image, clean);
    const [auto, cubic] = [await level({}), await level({ blur: 'bicubic', sigma: 0 })];
    expect(auto).toBeGreaterThan(cubic);
  });

  it('removes noise first if it is certain, and leaves clean images and given σ alone', async () => {
    const clean = await greyPhotograph('nagasaki-boats', 192);
    const small = inBytes(reduced(clean, 2));
    const { normal } = randomSource(4);
    const grainy = inBytes({
      ...small,
      planes: [Float64Array.from(small.planes[0], (value) => value + 10 * normal())],
    });
    const found = await upscale(grainy, 2, { quality: 'fast', ...one });
    expect(found.noise?.model).toMatchObject({ kind: 'white', sigma: [expect.closeTo(10, -0.5)] });
    expect(found).toMatchObject({ sigma: 1, estimated: true, reduction: { reason: 'noise-removed' } });
    const none = await upscale(grainy, 2, { quality: 'fast', sigma: 0, ...one });
    expect(none.noise).toBeUndefined();
    expect(psnr(found.image, clean)).toBeGreaterThan(psnr(none.image, clean) + 1);
    const untouched = await upscale(small, 2, { quality: 'fast', ...one });
    expect(untouched.noise).toBeUndefined();
    expect(untouched.sigma).toBe(0);
  });

  it('has the bits of given options if they are what was found', async () => {
    const small = inBytes(reduced(await greyPhotograph('nagasaki-boats', 192), 2, { gaussian: 1.6 }));
    const found = await upscale(small, 2, { quality: 'fast', ...one });
    const blur = { gaussian: found.reduction?.width ?? 0 };
    expect((await upscale(small, 2, { quality: 'fast', blur, sigma: 0, ...one })).image).toEqual(found.image);
  });
});
