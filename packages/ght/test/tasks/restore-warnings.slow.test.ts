/** What restorations find out by themselves: the blur, the noise of a JPEG, a kernel that does not fit, and what is missing. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import {
  deblur,
  denoise,
  diskKernel,
  gaussianKernel,
  inpaint,
  motionKernel,
  psnr,
  randomSource,
  describe as sentences,
} from '../../src/index.js';
import { blurred } from '../blurred.js';
import { greyPhotograph, photograph } from '../photographs.js';
import { noisy } from '../pictures.js';

const fast = { quality: 'fast', threads: 1 } as const;

/** An image as a JPEG file has it. */
async function asJpeg({ width, height, planes, peak }: Image, quality: number): Promise<Image> {
  const raw = { width, height, channels: 1 } as const;
  const file = await sharp(Uint8Array.from(Uint8ClampedArray.from(planes[0])), { raw })
    .jpeg({ quality })
    .toBuffer();
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  return {
    ...{ width, height, peak },
    planes: [Float64Array.from({ length: width * height }, (_, i) => data[info.channels * i])],
  };
}

describe('deblurring with the kernel auto', () => {
  it('finds a motion, and says so', async () => {
    const { image, clean } = blurred(await greyPhotograph('nagasaki-boats', 112), motionKernel(9, 30), 1.5);
    const result = await deblur(image, 'auto', fast);
    expect(result.blur).toMatchObject({ kind: 'motion', length: expect.closeTo(9, 0), angle: expect.closeTo(30, -1) });
    expect(result.warnings).toEqual([]);
    expect(psnr(result.image, clean)).toBeGreaterThan(psnr(image, clean) + 1);
    expect(sentences(result)[1]).toMatch(/^blur: motion over .* pixels at \d+°; confidence \d+%$/);
  });

  it('refuses a picture that is sharp, flat or too small, with the reason', async () => {
    const photo = await greyPhotograph('nagasaki-boats', 128);
    await expect(deblur(photo, 'auto', fast)).rejects.toThrow(
      /image must be blurred .* leave a sharp picture as it is/,
    );
    const flat = { ...photo, planes: [new Float64Array(128 * 128).fill(99)] };
    await expect(deblur(flat, 'auto', fast)).rejects.toThrow('image must show something for the kernel auto');
    const small = await greyPhotograph('nagasaki-boats', 24);
    await expect(deblur(small, 'auto', fast)).rejects.toThrow('image must be at least 32×32 pixels');
  });

  it('is the same in any units', async () => {
    const { image } = blurred(await greyPhotograph('march-pastoral', 80), motionKernel(7, 90), 1);
    const plane = image.planes[0].map((value) => 257 * value);
    const [a, b] = [
      await deblur(image, 'auto', fast),
      await deblur({ ...image, peak: 65535, planes: [plane] }, 'auto', fast),
    ];
    expect(b.blur).toMatchObject({ ...a.blur, confidence: expect.closeTo(a.blur?.confidence ?? 0, 6) });
  });
});

describe('deblurring a JPEG', () => {
  it('counts its steps as noise, whether its tables are given or found', async () => {
    const { image: soft, clean } = blurred(await greyPhotograph('nagasaki-boats', 144), gaussianKernel(1.6), 0);
    const image = await asJpeg(soft, 75);
    const found = await deblur(image, gaussianKernel(1.6), fast);
    expect(Math.abs((found.jpegQuality ?? 0) - 75)).toBeLessThan(3);
    const error = 255 / 10 ** (psnr(image, soft) / 20);
    expect(found.sigma / error).toBeGreaterThan(1);
    expect(found.sigma / error).toBeLessThan(2);
    const without = await deblur(image, gaussianKernel(1.6), { ...fast, jpeg: 'off' });
    expect(without.jpegQuality).toBeUndefined();
    expect(psnr(found.image, clean)).toBeGreaterThan(psnr(without.image, clean) + 1);
    expect(psnr(found.image, clean)).toBeGreaterThan(psnr(image, clean) + 1);
    expect(sentences(found)[0]).toMatch(/^noise: white, σ = .*; JPEG steps of quality about 7\d counted in$/);
  });

  it('keeps part of the picture if the kind of the blur is doubtful, and says so', async () => {
    const { image: soft, clean } = blurred(await greyPhotograph('nagasaki-boats', 144), diskKernel(2), 0);
    const image = await asJpeg(soft, 50);
    const found = await deblur(image, 'auto', fast);
    const { blur } = found;
    if (!blur || blur.kind === 'motion') throw new Error('another blur was found');
    const share = (0.35 * Math.min(0.2, 0.8 - blur.confidence)) / 0.2;
    expect(share).toBeGreaterThan(0.1);
    const kernel = blur.kind === 'disk' ? diskKernel(blur.radius) : gaussianKernel(blur.sigma);
    const { image: alone } = await deblur(image, kernel, { ...fast, sigma: found.sigma });
    const mixed = alone.planes[0].map((value, i) => (1 - share) * value + share * image.planes[0][i]);
    const off = Float64Array.from(mixed, (value, i) => Math.abs(value - found.image.planes[0][i]));
    expect(off.reduce((most, each) => Math.max(most, each), 0)).toBeLessThan(1e-6);
    expect(psnr(found.image, clean)).toBeGreaterThan(psnr(image, clean));
    expect(sentences(found).join()).toMatch(/; confidence \d\d%, so that \d\d% of the blurred picture is kept/);
  });

  it('refuses tables that are none', async () => {
    const jpeg = { luma: [1, 2] };
    const image = await greyPhotograph('nagasaki-boats', 40);
    await expect(deblur(image, gaussianKernel(1), { ...fast, jpeg })).rejects.toThrow('jpeg.luma must hold 64 steps');
  });
});

describe('a kernel that does not fit', () => {
  it('is pointed out, and never makes ripples beyond the range of the data', async () => {
    const { image, clean } = blurred(await greyPhotograph('nagasaki-boats', 144), gaussianKernel(1.2), 1.5);
    const wrong = await deblur(image, diskKernel(6), fast);
    expect(wrong.warnings).toContainEqual({
      reason: 'kernel-misfit',
      before: expect.closeTo(1.6, 0),
      sigma: wrong.sigma,
    });
    expect(wrong.sigma).toBeGreaterThan(4);
    expect(wrong.history.map(({ k }) => k)).toEqual([1, 2, 3, 4, 5]);
    // Without more noise the ripples leave 11 dB.
    expect(psnr(wrong.image, clean)).toBeGreaterThan(18);
    expect(sentences(wrong).at(-1)).toContain('the kernel does not fit the picture');
    const right = await deblur(image, gaussianKernel(1.2), fast);
    expect(right.warnings).toEqual([]);
  });

  it('is pointed out for a sharp picture', async () => {
    const photo = noisy(await greyPhotograph('march-pastoral', 128), 1.5);
    const { warnings } = await deblur(photo, gaussianKernel(2), fast);
    expect(warnings.map(({ reason }) => reason)).toEqual(['image-sharp', 'kernel-misfit']);
  });
});

describe('inpainting', () => {
  const holeAt = (side: number, left: number, top: number, width: number) => {
    const mask = new Uint8Array(side * side);
    for (let y = top; y < top + width; y++) mask.fill(1, y * side + left, y * side + left + width);
    return mask;
  };

  it.each([
    ['inside', 50, 40],
    ['in a corner', 0, 0],
    ['at an edge', 80, 30],
  ])('fills a hole of 80×80 %s from its rim, and says how wide it is', async (_, left, top) => {
    const image = await photograph('nagasaki-boats', 160);
    const mask = holeAt(160, left, top, 80);
    const { image: filled, missing, warnings, ...rest } = await inpaint(image, mask, fast);
    expect(missing).toEqual({ count: 6400, share: 0.25, widest: 80 });
    expect(warnings).toEqual([]);
    expect(sentences({ missing, warnings, ...rest })).toContain(
      'missing: 6400 pixels (25.0%), the widest hole 80 across: its middle is filled smoothly from its rim',
    );
    for (const plane of filled.planes) {
      const isRim = (i: number) => {
        const [x, y] = [i % 160, Math.floor(i / 160)];
        return !mask[i] && x >= left - 1 && x <= left + 80 && y >= top - 1 && y <= top + 80;
      };
      const rim = plane.filter((_value, i) => isRim(i));
      const hole = plane.filter((_value, i) => mask[i]);
      expect(Math.min(...hole)).toBeGreaterThanOrEqual(Math.min(...rim));
      expect(Math.max(...hole)).toBeLessThanOrEqual(Math.max(...rim));
    }
  });

  it('points out a mask that looks inverted, and none of random pixels or of an empty frame', async () => {
    const image = await greyPhotograph('nagasaki-boats', 96);
    const scratch = Uint8Array.from({ length: 96 * 96 }, (_, i) => Number((i % 96) - (i % 7) === 40));
    const scratched = { ...image, planes: [image.planes[0].map((value, i) => (scratch[i] ? 255 : value))] };
    const inverted = await inpaint(
      scratched,
      scratch.map((each) => 1 - each),
      fast,
    );
    expect(inverted.warnings).toEqual([{ reason: 'mask-inverted', share: expect.closeTo(0.99, 1) }]);
    expect(sentences(inverted).at(-1)).toContain('the mask may be inverted');
    expect((await inpaint(scratched, scratch, fast)).warnings).toEqual([]);
    const random = randomSource(1);
    const most = Uint8Array.from({ length: 96 * 96 }, () => Number(random.uniform() < 0.8));
    expect((await inpaint(image, most, fast)).warnings).toEqual([]);
    // A small picture in the middle of nothing, which is to be continued.
    const frame = Uint8Array.from(holeAt(96, 30, 30, 36), (each) => 1 - each);
    const framed = { ...image, planes: [image.planes[0].map((value, i) => (frame[i] ? 0 : value))] };
    expect((await inpaint(framed, frame, fast)).warnings).toEqual([]);
  });

  it('is the remedy for NaN in denoise', async () => {
    const image = { width: 8, height: 8, planes: [new Float64Array(64).fill(Number.NaN)], peak: 1 };
    await expect(denoise(image)).rejects.toThrow('inpaint fills NaN in images');
  });
});
