/** Every kind of blur that deblurring finds, on photographs. */
import { describe, expect, it } from 'vitest';
import { deblur, diskKernel, gaussianKernel, motionKernel, psnr, describe as sentences } from '../../src/index.js';
import { blurred } from '../blurred.js';
import { greyPhotograph } from '../photographs.js';

const fast = { quality: 'fast', threads: 1 } as const;

describe('deblurring with the kernel auto', () => {
  it.each([
    ['a Gaussian', gaussianKernel(1.6), { kind: 'gaussian', sigma: expect.closeTo(1.6, 0) }, 'blur: Gaussian, σ = 1.'],
    ['a disk', diskKernel(3), { kind: 'disk', radius: expect.closeTo(3, 0) }, 'blur: out of focus, a disk of radius '],
    [
      'a motion',
      motionKernel(9, 30),
      { kind: 'motion', length: expect.closeTo(9, 0), angle: expect.closeTo(30, -1) },
      'blur: motion over ',
    ],
  ])('finds %s, and says so', async (_, kernel, shape, sentence) => {
    const { image, clean } = blurred(await greyPhotograph('nagasaki-boats', 144), kernel, 1.5);
    const result = await deblur(image, 'auto', fast);
    expect(result.blur).toMatchObject(shape);
    expect(result.blur?.confidence).toBeGreaterThan(0.5);
    expect(result.warnings).toEqual([]);
    expect(psnr(result.image, clean)).toBeGreaterThan(psnr(image, clean) + 1);
    expect(sentences(result).join('\n')).toContain(sentence);
  });
});
