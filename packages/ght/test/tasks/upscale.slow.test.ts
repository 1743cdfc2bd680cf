/** What `upscale` finds in an image: how it was reduced, and its noise. */
import { describe, expect, it } from 'vitest';
import { describe as describeResult, type Image, psnr, type Restored, randomSource, upscale } from '../../src/index.js';
import { reductionOperator, resampled } from '../../src/operators/reduction.js';
import { cubicResampling, type ReductionBlur } from '../../src/operators/resampling.js';
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

  it('takes strong texture for texture', async () => {
    const random = randomSource(9);
    // Sand: nearly white, and somewhat stronger in some places.
    const grain = Float64Array.from({ length: 82 * 82 }, () => random.normal());
    const sand = Float64Array.from({ length: 80 * 80 }, (_, i) => {
      const [x, y] = [i % 80, Math.floor(i / 80)];
      const strength = 22 + 11 * Math.sin(x / 7) * Math.cos(y / 9);
      return 120 + strength * (grain[82 * y + x] + 0.4 * (grain[82 * y + x + 1] + grain[82 * (y + 1) + x]));
    });
    const image = inBytes({ width: 80, height: 80, planes: [sand], peak: 255 });
    expect((await upscale(image, 2, { quality: 'fast', ...one })).noise).toBeUndefined();
  });

  it('keeps to interpolation if the image has single samples of a larger one', async () => {
    const clean = await greyPhotograph('french-alpine-landscape', 192);
    const side = 96;
    const at = (i: number) => 192 * (2 * Math.floor(i / side) + 1) + 2 * (i % side) + 1;
    const samples = Uint8Array.from({ length: side * side }, (_, i) => clean.planes[0][at(i)]);
    const image = { width: side, height: side, planes: [samples], peak: 255 };
    const found = await upscale(image, 2, { quality: 'fast', ...one });
    const { kind, share = 0 } = found.reduction ?? {};
    expect(kind).toBe('points');
    const rows = cubicResampling(side, 192);
    const [plain] = [finish(resampled(Float64Array.from(samples), rows, rows))];
    const given = await upscale(image, 2, { quality: 'fast', blur: 'area', sigma: 0, ...one });
    const mixed = given.image.planes[0].map((value, i) => (1 - share) * value + share * plain[i]);
    const off = Float64Array.from(mixed, (value, i) => Math.abs(value - found.image.planes[0][i]));
    expect(off.reduce((most, each) => Math.max(most, each), 0)).toBeLessThan(1e-6);
    expect(psnr(found.image, clean)).toBeGreaterThan(psnr(given.image, clean) + 0.3);
    expect(describeResult(found).join()).toMatch(
      /single samples, with confidence 0\.\d\d: \d+% of the result is cubic/,
    );
  });

  it('has the bits of given options if they are what was found', async () => {
    const small = inBytes(reduced(await greyPhotograph('nagasaki-boats', 192), 2, { gaussian: 1.6 }));
    const found = await upscale(small, 2, { quality: 'fast', ...one });
    const blur = { gaussian: found.reduction?.width ?? 0 };
    expect((await upscale(small, 2, { quality: 'fast', blur, sigma: 0, ...one })).image).toEqual(found.image);
  });
});
