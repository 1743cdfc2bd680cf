import { expect, it, describe as suite } from 'vitest';
import { denoiseSeries, describe, type Image, psnr, randomSource, type SeriesOptions } from '../../src/index.js';
import { alone, made, mean, pagesOf, qualityOf, samplesOf } from '../denoised-series.js';
import { greyPhotograph } from '../photographs.js';
import { noisy as withNoise } from '../pictures.js';

suite('a series', () => {
  it('gains where pages are alike, and says through how many pages patches were followed', async () => {
    for (const [motion, gain] of [
      [[0, 0], 4],
      [[1, 1], 1.8],
    ] as const) {
      const [noisy, clean] = [made({ motion }), made({ motion, sigma: 0 })];
      const pages = await pagesOf(noisy, { sigma: 20 });
      expect(qualityOf(pages, clean) - qualityOf(await alone(noisy, { sigma: 20 }), clean)).toBeGreaterThan(gain);
      expect(pages[4].series?.depthMean).toBeGreaterThan(6);
      expect(describe(pages[4]).join()).toMatch(/patches followed through \d\.\d pages on average/);
    }
  });

  it('of pages that are not alike loses nothing, and says so', async () => {
    const names = ['nagasaki-boats', 'black-canyon', 'dust-bowl-home', 'airplane-from-above'];
    const clean = await Promise.all(names.map((name) => greyPhotograph(name, 96)));
    const noisy = clean.map((page, p) => withNoise(page, 20, p + 1));
    const pages = await pagesOf(noisy, { sigma: 20 });
    const gain = qualityOf(pages, clean) - qualityOf(await alone(noisy, { sigma: 20 }), clean);
    expect(gain).toBeGreaterThan(-0.02);
    for (const page of pages) expect(page.series?.depthMean).toBe(1);
    expect(describe(pages[2])).toContain('denoised by itself: the pages next to it are not like it');
  });

  it('with missing samples keeps or fills them, and loses nothing elsewhere', async () => {
    const [noisy, clean] = [
      made({ pages: 5, width: 64, height: 64 }),
      made({ pages: 5, width: 64, height: 64, sigma: 0 }),
    ];
    const isHole = (i: number, page: number) => (i * 7919 + page) % 211 === 0 || (page === 2 && i % 64 > 50 && i < 900);
    const holed = noisy.map((image, page) => ({
      ...image,
      planes: image.planes.map((plane) =>
        Float64Array.from(plane, (value, i) => (isHole(i, page) ? Number.NaN : value)),
      ),
    }));
    await expect(pagesOf(holed, { sigma: 20 })).rejects.toThrow(/images\[0\].*finite number.*option missing/);
    async function* stream() {
      yield* holed;
    }
    const options = { sigma: 20, banding: 'off', impulses: 'off' } as const;
    const [kept, filled, whole] = [
      await pagesOf(holed, { ...options, missing: 'keep' }),
      await pagesOf(stream(), { ...options, missing: 'fill' }),
      await pagesOf(noisy, options),
    ];
    const error = (pages: typeof kept) =>
      Math.sqrt(
        mean(
          pages.flatMap(({ image, page }) =>
            [...image.planes[0]].flatMap((value, i) =>
              isHole(i, page) ? [] : [(value - clean[page].planes[0][i]) ** 2],
            ),
          ),
        ),
      );
    expect(error(kept) / error(whole)).toBeLessThan(1.06);
    for (const [p, { image, page }] of kept.entries()) {
      expect(page).toBe(p);
      const [mine, other] = [image.planes[0], filled[p].image.planes[0]];
      expect(mine.every((value, i) => Number.isNaN(value) === isHole(i, p))).toBe(true);
      expect(other.every((value, i) => Number.isFinite(value) && (isHole(i, p) || value === mine[i]))).toBe(true);
    }
    expect(kept[2].series?.depthMean).toBeGreaterThan(3);
  });

  it('is denoised page by page on request, as by denoise', async () => {
    const noisy = made({ pages: 3, width: 64, height: 64 });
    const expected = await alone(noisy);
    const pages = await pagesOf(noisy, { series: 'off' });
    expect(samplesOf(pages)).toEqual(expected.map(({ image }) => [...image.planes[0]]));
    expect(pages.map(({ page, series }) => [page, series])).toEqual([0, 1, 2].map((page) => [page, undefined]));
    // The depth is limited, too.
    const two = await pagesOf(noisy, { series: 2, sigma: 20 });
    expect(two.every(({ series }) => (series?.depthMean ?? 9) <= 2)).toBe(true);
    const [one] = await pagesOf(noisy, { series: 1, sigma: 20, quality: 'fast' });
    expect(describe(one)).toContain('denoised by itself: as the option series says, with the noise of all pages');
    const [only] = await pagesOf(noisy.slice(0, 1), { sigma: 20, quality: 'fast' });
    expect(describe(only)).toContain('denoised by itself: there is no other page');
  });

  it('has the same bits for a list and a stream with given noise, and for any number of threads', async () => {
    const noisy = made({ pages: 21, width: 40, height: 40, motion: [1, 0] });
    async function* stream() {
      yield* noisy;
    }
    const list = await pagesOf(noisy, { sigma: 20, threads: 1, banding: 'off', impulses: 'off' });
    expect(list.map(({ page }) => page)).toEqual(noisy.map((_, p) => p));
    const threads = await pagesOf(noisy, { sigma: 20, threads: 3, banding: 'off', impulses: 'off' });
    expect(samplesOf(threads)).toEqual(samplesOf(list));
    // The frame of a stream comes from other pages, so the bits differ, but by no more than rounding.
    const streamed = await pagesOf(stream(), { sigma: 20, banding: 'off', impulses: 'off' });
    const differences = samplesOf(streamed).flatMap((page, p) =>
      page.map((v, i) => Math.abs(v - list[p].image.planes[0][i])),
    );
    expect(mean(differences)).toBeLessThan(0.01);
  });

  it('of bytes has the result of the same numbers as floats', async () => {
    // The content moves, so that a fixed pattern is looked for.
    const floats = made({ pages: 5, width: 96, height: 96, motion: [7, 5], sigma: 1 }).map((page) => ({
      ...page,
      planes: page.planes.map((plane) => Float32Array.from(Uint8ClampedArray.from(plane))),
    }));
    const bytes = floats.map((page) => ({ ...page, planes: page.planes.map((plane) => Uint8Array.from(plane)) }));
    const options = { sigma: 10, quality: 'fast' } as const;
    const [expected, pages] = [await pagesOf(floats, options), await pagesOf(bytes, options)];
    const differences = pages.map(({ image }, p) =>
      Math.max(...image.planes[0].map((value, i) => Math.abs(value - expected[p].image.planes[0][i]))),
    );
    expect(differences).toEqual([0, 0, 0, 0, 0]);
    expect(pages[0].series?.fixedPattern).toBe(0);
  });

  it('of colour is denoised in luma and chromas, and keeps its opacity', async () => {
    const random = randomSource(9);
    const clean = made({ pages: 8, sigma: 0 });
    const colour = clean.map((page) => {
      const planes = [1, 0.8, 0.5].map((share) => page.planes[0].map((value) => share * value));
      return { ...page, planes, alpha: new Uint8Array(page.width * page.height).fill(7) };
    });
    const noisy = colour.map((page) => ({
      ...page,
      planes: page.planes.map((plane) => plane.map((value) => value + 20 * random.normal())),
    }));
    const pages = await pagesOf(noisy, { sigma: 20 });
    const expected = await alone(noisy, { sigma: 20 });
    for (const c of [0, 1, 2]) {
      const of = (results: readonly { image: Image }[]) =>
        mean(results.map(({ image }, p) => psnr(colour[p].planes[c], image.planes[c], 255)));
      expect(of(pages) - of(expected), `channel ${c}`).toBeGreaterThan(2);
    }
    expect(pages[3].image.alpha).toBe(noisy[3].alpha);
  });

  it('without noise is returned as it is', async () => {
    const clean = made({ pages: 3, sigma: 0, width: 48, height: 48 });
    const pages = await pagesOf(clean, { sigma: 0 });
    expect(samplesOf(pages)).toEqual(clean.map(({ planes }) => [...planes[0]]));
    expect(pages.every(({ changed }) => !changed)).toBe(true);
    expect(await pagesOf([])).toEqual([]);
  });
});

suite('the noise of a series', () => {
  it('is estimated once, from all of it', async () => {
    const pages = await pagesOf(made({ pages: 6, width: 128, height: 128, motion: [2, 1] }), { quality: 'fast' });
    const [{ noise }] = pages;
    expect(noise.kind).toBe('white');
    expect(noise.kind === 'white' && Math.abs(noise.sigma[0] - 20)).toBeLessThan(1);
    for (const page of pages) expect(page.noise).toEqual(noise);
  });
});

suite('a series whose noise changes from page to page', () => {
  it('is denoised page by page, each with its own noise', async () => {
    const sigmas = [1, 2, 3, 1, 2, 3];
    const noisy = sigmas.flatMap((sigma, p) => made({ pages: p + 1, sigma, seed: p + 1 }).slice(p));
    const pages = await pagesOf(noisy, { quality: 'fast', noise: 'white' });
    const expected = await alone(noisy, { quality: 'fast', noise: 'white' });
    expect(pages.map(({ noise }) => noise)).toEqual(expected.map(({ noise }) => noise));
    for (const page of pages) expect(page.series?.depthMean).toBe(1);
    // Noise that is given counts for all.
    const given = await pagesOf(noisy, { quality: 'fast', sigma: 20 });
    expect(given[3].series?.depthMean).toBeGreaterThan(1);
  });
});

suite('a stream of pages', () => {
  it('is read at most a window ahead of what was returned, and closed when its results are not wanted any more', async () => {
    const [page] = made({ pages: 1, width: 16, height: 16 });
    let [read, returned, ahead, closed] = [0, 0, 0, false];
    async function* endless() {
      try {
        for (;;) {
          read++;
          ahead = Math.max(ahead, read - returned);
          yield { ...page, planes: page.planes.map((plane) => plane.map((value) => value + (read % 7))) };
        }
      } finally {
        closed = true;
      }
    }
    for await (const { page: number } of denoiseSeries(endless(), { sigma: 20, quality: 'fast', threads: 1 })) {
      expect(number).toBe(returned);
      returned++;
      if (returned === 60) break;
    }
    expect(ahead).toBeLessThanOrEqual(24);
    expect(closed).toBe(true);
  });

  it('leaves out pages that are to be skipped, and gives the others the same', async () => {
    const noisy = made({ pages: 20, width: 32, height: 32, motion: [1, 0] });
    const all = await pagesOf(noisy, { sigma: 20, quality: 'fast' });
    const reported: number[] = [];
    const some = await pagesOf(noisy, {
      ...({ sigma: 20, quality: 'fast' } as const),
      skip: (page) => page < 12 || page === 15,
      onProgress: ({ page }) => reported.push(page),
    });
    expect(some.map(({ page }) => page)).toEqual([12, 13, 14, 16, 17, 18, 19]);
    for (const { page, image } of some) expect([...image.planes[0]]).toEqual([...all[page].image.planes[0]]);
    expect(reported.at(-1)).toBeGreaterThanOrEqual(12);
    const alone = await pagesOf(noisy.slice(0, 3), { series: 'off', sigma: 20, skip: (page) => page !== 1 });
    expect(alone.map(({ page }) => page)).toEqual([1]);
  });

  it('reports rising progress, and stops on abort', async () => {
    const noisy = made({ pages: 14, width: 32, height: 32 });
    const reports: { fraction?: number; pages?: number; page: number }[] = [];
    await pagesOf(noisy, { sigma: 20, onProgress: (progress) => reports.push(progress) });
    const fractions = reports.map(({ fraction }) => fraction ?? -1);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions[0]).toBeGreaterThanOrEqual(0);
    expect(reports.every(({ pages }) => pages === 14)).toBe(true);
    const controller = new AbortController();
    const stopped = async () => {
      for await (const { page } of denoiseSeries(noisy, { sigma: 20, signal: controller.signal })) {
        if (page === 3) controller.abort(new Error('enough'));
      }
    };
    await expect(stopped()).rejects.toThrow('enough');
  });
});

suite('refuses', () => {
  const [page] = made({ pages: 1, width: 32, height: 32 });
  const [wide] = made({ pages: 1, width: 40, height: 32 });
  it.each<[string, unknown, SeriesOptions, string]>([
    [
      'pages of another size',
      [page, page, wide],
      {},
      'images[2] must have 32×32 pixels, as the first page, but got "40×32"',
    ],
    ['other planes', [page, { ...page, planes: [page.planes[0], page.planes[0]] }], {}, 'images[1] must have 1 planes'],
    [
      'another peak',
      [page, { ...page, peak: 1 }],
      {},
      'images[1] must have the peak 255, as the first page, but got 1',
    ],
    ['what is no list', 5, {}, 'images must be a list of images or iterable, but got 5'],
    ['a depth of 9', [page], { series: 9 }, 'series must be auto, off, or a number of pages from 1 to 8, but got 9'],
    ['unknown options', [page], { serie: 2 } as SeriesOptions, 'unknown option serie'],
    [
      'NaN',
      [page, { ...page, planes: [page.planes[0].map((value, i) => (i === 33 ? Number.NaN : value))] }],
      {},
      'images[1]: image pixel (x 1, y 1, channel 0) must be a finite number',
    ],
  ])('%s', async (_, images, options, message) => {
    await expect(pagesOf(images as Image[], options)).rejects.toThrow(message);
  });
});
