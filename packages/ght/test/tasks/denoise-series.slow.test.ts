/** The noise of series: of a kind that takes long to find, or in pages that are not alike. */
import { expect, it, describe as suite } from 'vitest';
import { type Image, randomSource } from '../../src/index.js';
import { alone, made, pagesOf, qualityOf, samplesOf } from '../denoised-series.js';
import { greyPhotograph } from '../photographs.js';

suite('the noise of a series', () => {
  it('of pages that are not alike and have coloured noise is denoised page by page, each with its own noise', async () => {
    const random = randomSource(2);
    const names = ['nagasaki-boats', 'black-canyon', 'airplane-from-above'];
    const clean = await Promise.all(names.map((name) => greyPhotograph(name, 192)));
    const noisy = clean.map((page) => {
      const white = Float64Array.from(page.planes[0], () => random.normal());
      const coloured = (value: number, i: number) =>
        value + 14 * (white[i] + (white[i + 1] ?? 0) + (white[i + 192] ?? 0) + (white[i + 193] ?? 0));
      return { ...page, planes: page.planes.map((plane) => Float64Array.from(plane, coloured)) };
    });
    const pages = await pagesOf(noisy);
    const expected = await alone(noisy);
    expect(pages[0].noise.kind).toBe('coloured');
    expect(pages.map(({ noise }) => noise)).toEqual(expected.map(({ noise }) => noise));
    expect(samplesOf(pages)).toEqual(expected.map(({ image }) => [...image.planes[0]]));
    for (const page of pages) expect(page.series?.depthMean).toBe(1);
  });

  it('loses a fixed pattern and hot pixels if the content moves, not if it stands still', async () => {
    const random = randomSource(4);
    const [width, height] = [128, 128];
    const pattern = Float64Array.from({ length: width * height }, () => 10 * random.normal());
    const hot = Array.from({ length: 12 }, (_, k) => (9 + 9 * k) * width + 7 * k + 20);
    for (const i of hot) pattern[i] += 150;
    const defective = (motion: readonly [number, number]) =>
      made({ pages: 8, width, height, motion, sigma: 1.5 }).map((page) => ({
        ...page,
        planes: page.planes.map((plane) => plane.map((value, i) => value + pattern[i])),
      }));
    const moving = defective([7, 5]);
    const clean = made({ pages: 8, width, height, motion: [7, 5], sigma: 0 });
    const options = { noise: 'white', quality: 'fast' } as const;
    const pages = await pagesOf(moving, options);
    const [{ series }] = pages;
    expect(series?.fixedPattern).toBeGreaterThan(0.3);
    expect(series?.hotPixels).toBeGreaterThan(8);
    expect(qualityOf(pages, clean) - qualityOf(await alone(moving, options), clean)).toBeGreaterThan(1);
    const [still] = await pagesOf(defective([0, 0]), options);
    expect(still.series).toMatchObject({ fixedPattern: 0, hotPixels: 0 });
    const [kept] = await pagesOf(moving, { ...options, banding: 'off', impulses: 'off' });
    expect(kept.series).toMatchObject({ fixedPattern: 0, hotPixels: 0 });
  });

  it.each([
    ['grows with the signal', 'signal-dependent', 1],
    ['is coloured', 'coloured', 1],
  ] as const)('may be of any kind: it %s', async (_, kind, gain) => {
    const random = randomSource(8);
    const [width, height] = [128, 128];
    const clean = made({ pages: 8, width, height, sigma: 0, motion: [1, 1] });
    const noisy = clean.map((page) => {
      const white = Float64Array.from(page.planes[0], () => random.normal());
      const noise = (value: number, i: number) =>
        kind === 'coloured'
          ? 9 * (white[i] + 1.4 * (white[i + 1] ?? 0) + (white[i + width] ?? 0) + 0.8 * (white[i + width + 1] ?? 0))
          : Math.sqrt(4 * Math.max(0, value)) * white[i];
      return { ...page, planes: page.planes.map((plane) => plane.map((value, i) => value + noise(value, i))) };
    });
    const options = kind === 'coloured' ? {} : ({ noise: 'poisson-gaussian' } as const);
    const pages = await pagesOf(noisy, options);
    expect(pages[0].noise.kind).toBe(kind);
    expect(qualityOf(pages, clean) - qualityOf(await alone(noisy, options), clean)).toBeGreaterThan(gain);
  });
});

suite('the bands of a series', () => {
  it.each([
    ['that show the same gain from each other', [1, 0.6], 1],
    ['of which the first shows nothing are followed all the same', [0, 1], -0.05],
  ] as const)('%s', async (_, shares, gain) => {
    const random = randomSource(6);
    const clean = made({ pages: 8, sigma: 0, motion: [2, 1], width: 96, height: 96 }).map((page) => ({
      ...page,
      planes: shares.map((share) => page.planes[0].map((value) => 110 + share * (value - 110))),
    }));
    const noisy = clean.map((page) => ({
      ...page,
      planes: page.planes.map((plane) => plane.map((value) => value + 15 * random.normal())),
    }));
    const together = await pagesOf(noisy, { channels: 'bands', sigma: 15 });
    for (const c of [0, 1]) {
      const of = (pages: readonly Image[]) => pages.map((page) => ({ ...clean[0], planes: [page.planes[c]] }));
      const single = await pagesOf(of(noisy), { sigma: 15 });
      const result = together.map(({ image }) => ({ image: { ...image, planes: [image.planes[c]] } }));
      expect(qualityOf(result, of(clean)) - qualityOf(single, of(clean)), `band ${c}`).toBeGreaterThan(gain);
    }
  });
});
