/** Denoising in tiles has the bits of denoising the whole. */
import fc from 'fast-check';
import type { Image } from 'ght';
import { describe, expect, it } from 'vitest';
import { memoryScratch } from '../src/memory.js';
import { kinds, noisyPicture } from './pictures.js';
import { type Options, tiled, whole } from './tiled.js';

/** Denoises an image both ways; expects the same bits and the same report, and returns the report and the passes. */
async function same(image: Image, options: Options, tile: number, sampled?: number) {
  const expected = await whole(image, options, sampled);
  const { planes, report, passes } = await tiled(image, options, tile, sampled);
  expect(report).toEqual(expected.report);
  expect(differing(planes, expected.planes)).toBe(0);
  return { report, passes, planes };
}

/** The number of samples that differ; quicker than `toEqual`. */
function differing(planes: readonly Float64Array[], others: readonly Float64Array[]): number {
  expect(planes.map(({ length }) => length)).toEqual(others.map(({ length }) => length));
  let count = 0;
  for (const [c, plane] of planes.entries())
    plane.forEach((value, i) => {
      if (!Object.is(value, others[c][i])) count++;
    });
  return count;
}

const size = fc.integer({ min: 9, max: 110 });
const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));
const unit = { uint8: 1, uint16: 257, float32: 1 / 255, float64: 1 };

describe('given noise', () => {
  it('any image, any tile: the bits of the whole', async () => {
    const choice = fc.record({
      width: size,
      height: size,
      channels: fc.constantFrom(1, 2, 3, 4),
      kind,
      copies: fc.boolean(),
      tile: fc.constantFrom(16, 33, 64),
      keepGrain: fc.constantFrom(0, 0.25),
      strength: fc.constantFrom(1, 1.3),
      quality: fc.constantFrom('fast' as const, 'fast' as const, 'balanced' as const),
      poisson: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(choice, async ({ width, height, channels, kind, copies, tile, poisson, ...options }) => {
        const made = noisyPicture(width, height, channels, kind);
        const image = copies ? { ...made, planes: made.planes.map(() => made.planes[0]), peak: peakOf(made) } : made;
        const one = unit[kind];
        const noise = poisson ? { noise: { gain: one, sigma: 3 * one, offset: 10 * one } } : { sigma: 12 * one };
        await same(image, { ...options, ...noise }, tile);
      }),
      { numRuns: 14 },
    );
  });

  it('best: on a strip that is longer than its margin', async () => {
    await same(noisyPicture(20, 640, 1, 'uint8'), { quality: 'best', sigma: 12 }, 160);
  });

  it('learned: tiles that do not begin on its blocks', async () => {
    await same(noisyPicture(250, 270, 1, 'uint8'), { quality: 'learned', sigma: 12 }, 160);
  });

  it('finest: on a strip that is longer than its margin', async () => {
    await same(noisyPicture(20, 760, 1, 'uint8'), { quality: 'finest', sigma: 12 }, 368);
  });

  it('learned: of a spectrum, which takes finest, and says so', async () => {
    const data = Float64Array.from({ length: 64 }, (_, f) => 20 / (1 + f / 8));
    const options: Options = { quality: 'learned', noise: { spectrum: { width: 8, height: 8, data } } };
    const { report } = await same(noisyPicture(20, 560, 1, 'uint8'), options, 240);
    expect(report).toMatchObject({ quality: 'finest' });
    expect(report.qualityFallback).toEqual({ requested: 'learned', reason: 'noise-not-white' });
  });

  it('balanced: tiles that do not begin on its grid', async () => {
    await same(noisyPicture(330, 60, 3, 'uint8'), { quality: 'balanced', sigma: [12, 12, 6] }, 100);
  });

  it('of a spectrum', async () => {
    const data = Float64Array.from({ length: 64 }, (_, f) => 20 / (1 + f / 8));
    const options: Options = { quality: 'fast', noise: { spectrum: { width: 8, height: 8, data } } };
    const image = noisyPicture(90, 80, 3, 'uint8');
    expect((await same(image, options, 33)).report.noise.kind).toBe('coloured');
    const copies = { ...image, planes: image.planes.map(() => image.planes[0]) };
    expect((await same(copies, options, 33)).planes[2]).not.toEqual(copies.planes[2]);
  });

  it('an image of several blocks has the same mean wherever its sums are computed', async () => {
    const image = noisyPicture(2100, 24, 3, 'float32');
    await same(image, { quality: 'fast', sigma: 12 / 255, impulses: 'off', banding: 'off' }, 640);
    await same(noisyPicture(17, 2100, 1, 'float32'), { quality: 'fast', sigma: 12 / 255 }, 640);
  });

  it('an image far from 1 is denoised in other units', async () => {
    const { planes, ...image } = noisyPicture(70, 60, 1);
    const far = { ...image, planes: planes.map((plane) => plane.map((value) => value * 2 ** 60)) };
    const { peak } = { peak: image.peak * 2 ** 60 };
    const { planes: denoised } = await same(
      { ...far, peak },
      { quality: 'fast', sigma: 12 * 2 ** 60, keepGrain: 0.1 },
      33,
    );
    expect(denoised[0][0]).toBeGreaterThan(2 ** 60);
  });
});

/** Copies of one plane have its range. */
function peakOf({ planes, peak }: Image): number {
  const [plane] = planes;
  if (plane instanceof Uint8Array || plane instanceof Uint16Array) return peak;
  return Math.max(...plane) - Math.min(...plane);
}

describe('estimated noise', () => {
  /** The whole image is looked at, or a sample of 16×16 windows of 32×32 pixels. */
  const limits = [undefined, 2 ** 14];

  it.each(limits)('white, %s pixels looked at', async (sampled) => {
    const { report } = await same(noisyPicture(200, 170, 3, 'uint8'), { quality: 'fast' }, 64, sampled);
    expect(report.noise).toMatchObject({ kind: 'white' });
    expect(report.banding.search).toBe(sampled === undefined ? 'done' : 'image-too-large');
  });

  it.each(limits)('growing with the signal, %s pixels looked at', async (sampled) => {
    const options = { quality: 'fast', noise: 'poisson-gaussian' } as const;
    const { report } = await same(noisyPicture(200, 170, 1, 'uint16'), options, 64, sampled);
    expect(report.noise.kind).toBe('signal-dependent');
  });

  it.each(limits)('coloured, at two scales, %s pixels looked at', async (sampled) => {
    const image = noisyPicture(210, 190, 3, 'uint8', { smooth: true });
    const { report, passes } = await same(image, { quality: 'fast', strengthChroma: 1.2 }, 64, sampled);
    expect(report.noise.kind).toBe('coloured');
    expect(passes).toContain('coarse');
  });

  it('coloured, with impulses, in a sample whose windows touch', async () => {
    const image = noisyPicture(210, 190, 3, 'uint8', { smooth: true, sigma: 6, impulses: 0.03 });
    const { report } = await same(image, { quality: 'fast' }, 64, 2 ** 14);
    expect(report.noise.kind).toBe('coloured');
    expect(report.impulses.count).toBeGreaterThan(1000);
  });

  it('coloured, balanced and grey', async () => {
    const image = noisyPicture(170, 260, 1, 'float32', { smooth: true });
    expect((await same(image, { quality: 'balanced' }, 120)).passes).toContain('coarse');
  });

  it.each([
    [0.4, 'best'],
    [6, 'finest'],
  ])(
    'coloured, σ = %d: the quality is that for the noise that is left after the coarse scale, %s',
    async (sigma, quality) => {
      const image = noisyPicture(150, 250, 1, 'uint8', { smooth: true, sigma });
      const { report, passes } = await same(image, { quality: 'learned' }, 120);
      expect(passes).toContain('coarse');
      expect(report.quality).toBe(quality);
    },
  );

  it('coloured, in an image that is too small for two scales', async () => {
    const image = noisyPicture(120, 100, 1, 'uint8', { smooth: true });
    const { report, passes } = await same(image, { quality: 'fast' }, 33);
    expect(report.noise.kind).toBe('coloured');
    expect(passes).not.toContain('coarse');
  });

  it('a piece of the coarse scale that was lost is computed again', async () => {
    const image = noisyPicture(210, 190, 1, 'uint8', { smooth: true });
    const scratch = memoryScratch();
    const forgetful = { ...scratch, get: async (key: string) => (lost(key) ? undefined : scratch.get(key)) };
    let times = 0;
    const lost = (key: string) => key === 'coarse-0-64-0' && times++ % 2 === 0;
    const expected = await whole(image, { quality: 'fast' });
    const { planes } = await tiled(image, { quality: 'fast' }, 64, undefined, forgetful);
    expect(times).toBeGreaterThan(1);
    expect(differing(planes, expected.planes)).toBe(0);
  });
});

describe('defects', () => {
  it.each([undefined, 2 ** 14])('salt and pepper, %s pixels looked at', async (sampled) => {
    const image = noisyPicture(230, 210, 2, 'uint8', { sigma: 4, impulses: 0.06 });
    const { report } = await same(image, { quality: 'fast' }, 64, sampled);
    expect(report.impulses.kind).toBe('salt-and-pepper');
    expect(report.impulses.fraction).toBeGreaterThan(0.04);
  });

  it('salt and pepper without noise: only the impulses are replaced', async () => {
    const image = noisyPicture(200, 180, 1, 'uint8', { sigma: 1, impulses: 0.03 });
    const { report, planes } = await same(image, { quality: 'fast', sigma: 0 }, 48);
    expect(report.changed).toBe(true);
    const kept = planes[0].filter((value, i) => value === image.planes[0][i]).length / planes[0].length;
    expect(kept).toBeGreaterThan(0.95);
    expect(kept).toBeLessThan(0.98);
  });

  it('row offsets', async () => {
    const image = noisyPicture(200, 190, 1, 'float64', { sigma: 3, bands: 5 });
    const { report } = await same(image, { quality: 'fast' }, 64);
    expect(report.banding.rows).toBeGreaterThan(3);
  });
});
