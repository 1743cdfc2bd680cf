/** More of denoise-real.test.ts: the slow qualities, JPEG files, and the reference engine. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { denoise, psnr } from '../../src/index.js';
import { filteredDeviations } from '../noise/made-noise.js';
import { photograph } from '../photographs.js';
import { noisy, picture } from '../pictures.js';
import { coloured, inBytes, jpegOf, KERNEL, level } from './camera-files.js';

let boats: Image;
beforeAll(async () => {
  boats = await photograph('nagasaki-boats', 192);
});

describe('denoising without options', () => {
  it('coloured noise: best gains decibels that white does not', async () => {
    const quality = 'best';
    const input = inBytes(coloured(boats, 15));
    const found = await denoise(input, { quality });
    expect(found.noise.kind).toBe('coloured');
    expect(found.changed).toBe(true);
    expect(level(found.image, boats)).toBeGreaterThan(level(input, boats) + 3);
    const white = await denoise(input, { quality, noise: 'white' });
    expect(level(found.image, boats)).toBeGreaterThan(level(white.image, boats) + 2);
  });

  it('a noisy JPEG: its tables are read, or found in the pixels, and both help', async () => {
    const { image, jpeg } = await jpegOf(noisy(boats, 15), 80);
    const gain = async (how: Parameters<typeof denoise>[1]) =>
      level((await denoise(image, { quality: 'fast', ...how })).image, boats) - level(image, boats);
    const [read, found, none, given] = [
      await gain({ jpeg }),
      await gain({}),
      await gain({ jpeg: 'off' }),
      await gain({ sigma: 15 }),
    ];
    expect(read).toBeGreaterThan(2.5);
    expect(read).toBeGreaterThan(given - 0.5);
    expect(Math.abs(found - read)).toBeLessThan(0.3);
    expect(read).toBeGreaterThan(none);
  });

  it('a noisy JPEG: the blend with the learned model gains 0.1 dB over best', async () => {
    const { image, jpeg } = await jpegOf(noisy(boats, 15), 80);
    const [best, finest] = [
      await denoise(image, { quality: 'best', jpeg }),
      await denoise(image, { quality: 'finest', jpeg }),
    ];
    expect([finest.noise.kind, finest.quality]).toEqual(['coloured', 'finest']);
    expect(level(finest.image, boats)).toBeGreaterThan(level(best.image, boats) + 0.1);
  });

  it('a clean JPEG does not become worse', async () => {
    for (const quality of [70, 90]) {
      const { image, jpeg } = await jpegOf(boats, quality);
      const result = await denoise(image, { jpeg });
      expect(level(result.image, boats)).toBeGreaterThan(level(image, boats));
    }
  });
});

describe('coloured noise', () => {
  it('the same bits for any number of threads, and the same picture on the reference engine', async () => {
    const small = coloured(picture(72, 60, 3), 8);
    const run = async (options: Parameters<typeof denoise>[1]) =>
      (await denoise(small, { ...options, quality: 'balanced', noise: { spectrum } })).image.planes;
    const spectrum = { width: 8, height: 8, data: filteredDeviations(KERNEL, KERNEL).map((s) => (8 / 0.375) * s) };
    const alone = await run({ threads: 1 });
    for (const threads of [2, 3]) expect(await run({ threads })).toEqual(alone);
    const reference = await run({ engine: 'reference' });
    reference.forEach((plane, c) => {
      expect(psnr(plane, alone[c], 255)).toBeGreaterThan(90);
    });
  });
});
