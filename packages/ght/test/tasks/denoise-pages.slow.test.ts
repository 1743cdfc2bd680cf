/** Pages of text: drawn, scanned, and stored as JPEG. */
import { describe, expect, it } from 'vitest';
import { denoise, diagnose, type Image, describe as sentences, type WhiteNoise } from '../../src/index.js';
import { drawn, page } from '../noise/made.js';
import { noisy } from '../pictures.js';
import { inBytes, jpegOf, level } from './camera-files.js';

const fast = { quality: 'fast', threads: 1 } as const;
/** Lines of text with space between them, on paper of this brightness. */
function sheet(paper: number, width = 256, height = 192): Image {
  const [letters] = page(width, height).planes;
  const isBlank = (x: number, y: number) => x % 128 < 32 || y % 28 < 14;
  return drawn(width, height, (x, y) => (isBlank(x, y) ? paper : Math.min(paper, letters[y * width + x])));
}
const inColour = ({ planes: [plane], ...rest }: Image): Image => ({ ...rest, planes: [plane, plane, plane] });

describe('a page as it was drawn', () => {
  it.each([
    ['grey', page(256, 192)],
    ['in 8 bits', inBytes(page(256, 192))],
    ['in colour', inColour(page(128, 128))],
  ])('has no noise, and comes back as it is: %s', async (_name, image) => {
    const found = await diagnose(image);
    expect(found).toMatchObject({ isDrawn: true, confidence: 1, model: { kind: 'white' } });
    expect((found.model as WhiteNoise).sigma.every((sigma) => sigma === 0)).toBe(true);
    const result = await denoise(image, fast);
    expect(result.changed).toBe(false);
    expect(result.image.planes).toEqual(image.planes);
    expect(sentences(result)).toEqual(sentences(found));
  });

  it('is denoised if its noise is given or its kind is asked for', async () => {
    const image = page(128, 128);
    expect((await diagnose(image, { kind: 'white' })).isDrawn).toBeUndefined();
    const { changed, isDrawn } = await denoise(image, { ...fast, sigma: 10 });
    expect([changed, isDrawn]).toEqual([true, undefined]);
  });
});

describe('a scanned page', () => {
  it.each([2, 4, 8])('has white noise of σ = %d, and is better without it', async (sigma) => {
    const clean = sheet(235);
    const scan = inBytes(noisy(clean, sigma));
    const result = await denoise(scan, fast);
    expect(result.isDrawn).toBeUndefined();
    expect(result.noise.kind).toBe('white');
    expect(Math.abs((result.noise as WhiteNoise).sigma[0] / sigma - 1)).toBeLessThan(0.06);
    expect(level(result.image, clean)).toBeGreaterThan(level(scan, clean) + 5);
  });
});

describe('a clean page as a JPEG', () => {
  it.each([60, 75, 90, 95])('of quality %d is no worse after it was denoised', async (quality) => {
    for (const clean of [page(256, 192), sheet(255)]) {
      const { image, jpeg } = await jpegOf(inColour(clean), quality);
      const result = await denoise(image, { ...fast, jpeg });
      expect(level(result.image, inColour(clean))).toBeGreaterThan(level(image, inColour(clean)));
    }
  });
});
