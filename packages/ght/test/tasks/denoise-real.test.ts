/** Denoising with nothing given, where the noise is that of files: coloured, cut by JPEG, with impulses or bands. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { denoise, diagnose, psnr, randomSource, describe as sentences } from '../../src/index.js';
import { withFastClock } from '../clock.js';
import { filteredDeviations } from '../noise/made-noise.js';
import { photograph } from '../photographs.js';
import { noisy, picture } from '../pictures.js';
import { coloured, inBytes, joined, KERNEL, level } from './camera-files.js';

let boats: Image;
beforeAll(async () => {
  boats = await photograph('nagasaki-boats', 160);
});

describe('with nothing given', () => {
  it('white noise is found to be white, and gives the bits of the white denoiser', async () => {
    const input = noisy(boats, 15);
    const found = await denoise(input, { quality: 'fast' });
    expect(found.noise.kind).toBe('white');
    expect(sentences(found)).toEqual([expect.stringMatching(/^noise: white, σ = 1[456]/)]);
    const white = await denoise(input, { quality: 'fast', noise: 'white' });
    expect(found.image.planes).toEqual(white.image.planes);
  });

  it.each(['fast', 'balanced'] as const)('coloured noise: %s gains decibels that white does not', async (quality) => {
    const input = inBytes(coloured(boats, 15));
    const found = await denoise(input, { quality });
    expect(found.noise.kind).toBe('coloured');
    expect(sentences(found)).toContainEqual(expect.stringMatching(/^noise: coloured; luma/));
    expect(found.changed).toBe(true);
    expect(level(found.image, boats)).toBeGreaterThan(level(input, boats) + 3);
    const white = await denoise(input, { quality, noise: 'white' });
    expect(level(found.image, boats)).toBeGreaterThan(level(white.image, boats) + 2);
  });

  it('impulses and bands are taken out first, and reported', async () => {
    const random = randomSource(5);
    const salted = {
      ...boats,
      planes: inBytes(boats).planes.map((plane) =>
        plane.map((value) => {
          const u = random.uniform();
          return u < 0.025 ? 0 : u < 0.05 ? 255 : value;
        }),
      ),
    };
    const result = await denoise(salted, { quality: 'fast' });
    expect(level(result.image, boats)).toBeGreaterThan(30);
    expect(result.impulses.kind).toBe('salt-and-pepper');
    expect(sentences(result)[0]).toMatch(/of the samples were impulses/);
    const left = await denoise(salted, { quality: 'fast', impulses: 'off' });
    expect(left.impulses.count).toBe(0);
    expect(level(left.image, boats)).toBeLessThan(25);

    const rows = Float64Array.from({ length: boats.height }, () => 10 * random.normal());
    const planes = boats.planes.map((plane) => plane.map((value, i) => value + rows[Math.floor(i / boats.width)]));
    const banded = { ...boats, planes };
    const without = await denoise(banded, { quality: 'fast' });
    expect(without.banding.rows).toBeGreaterThan(5);
    expect(level(without.image, boats)).toBeGreaterThan(level(banded, boats) + 4);
    expect((await denoise(banded, { quality: 'fast', banding: 'off' })).banding.rows).toBe(0);
  });
});

describe('coloured noise', () => {
  it('does not mind the units: 16 bit and floats have the result of 8 bit', async () => {
    const input = inBytes(coloured(boats, 12));
    const scaled = (by: number): Image => ({
      ...input,
      planes: input.planes.map((plane) => Float64Array.from(plane, (value) => by * value)),
      peak: 255 * by,
    });
    const { image } = await denoise(input, { quality: 'fast' });
    for (const by of [257, 1 / 255]) {
      const other = await denoise(scaled(by), { quality: 'fast' });
      const back = { ...other.image, planes: other.image.planes.map((plane) => plane.map((value) => value / by)) };
      expect(level(back, image)).toBeGreaterThan(60);
    }
  });

  it('a given spectrum is worth more than a given σ; as a density it is the same', async () => {
    const clean = picture(128, 96);
    const input = coloured(clean, 15);
    const deviations = filteredDeviations(KERNEL, KERNEL).map((s) => (15 / 0.375) * s);
    const given = await denoise(input, { noise: { spectrum: { width: 8, height: 8, data: deviations } } });
    expect(given.noise).toMatchObject({ kind: 'coloured', brightness: [0] });
    expect(given.estimated).toBe(false);
    const white = await denoise(input, { sigma: 15 });
    expect(level(given.image, clean)).toBeGreaterThan(level(white.image, clean) + 1);
    // |FFT|² of such noise on 32×24 samples: n times the variance times |K|², K = (1 + cos ω) / 2 along each side.
    const [width, height] = [32, 24];
    const power = (k: number, n: number) => ((1 + Math.cos((2 * Math.PI * k) / n)) / 2) ** 2;
    const data = Float64Array.from({ length: width * height }, (_, i) => {
      return width * height * (15 / 0.375) ** 2 * power(i % width, width) * power(Math.floor(i / width), height);
    });
    const density = await denoise(input, { noise: { spectrum: { width, height, data } } });
    expect(psnr(density.image.planes[0], given.image.planes[0], 255)).toBeGreaterThan(60);
  });

  it('strength smooths more, and grain is put back by its share', async () => {
    const input = coloured(await photograph('nagasaki-boats', 192), 10);
    const roughness = ({ image }: { image: Image }) =>
      joined(image.planes).reduce((sum, value, i, all) => (i ? sum + (value - all[i - 1]) ** 2 : 0), 0);
    const plain = await denoise(input, { quality: 'fast' });
    expect(roughness(await denoise(input, { quality: 'fast', strength: 1.6 }))).toBeLessThan(0.97 * roughness(plain));
    const half = await denoise(input, { quality: 'fast', keepGrain: 0.5 });
    half.image.planes.forEach((plane, c) => {
      plane.forEach((value, i) => {
        if (i % 97 === 0) expect(value).toBeCloseTo((plain.image.planes[c][i] + input.planes[c][i]) / 2, 3);
      });
    });
  });

  it('reports progress that never falls, and stops on abort', async () => {
    const input = coloured(boats, 10);
    const seen: number[] = [];
    await denoise(input, { quality: 'fast', onProgress: ({ fraction }) => seen.push(fraction) });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
    const stop = new AbortController();
    const run = denoise(input, { quality: 'fast', signal: stop.signal, onProgress: () => stop.abort() });
    await expect(run).rejects.toThrow('aborted');
  });

  it.each([
    [{ strength: 0 }, 'strength must be a finite number above 0, but got 0'],
    [{ strengthChroma: -1 }, 'strengthChroma must be a finite number above 0'],
    [{ keepGrain: 2 }, 'keepGrain must be a share from 0 to 1, but got 2'],
    [{ impulses: 'on' }, 'impulses must be one of auto, off'],
    [{ jpeg: 'yes' }, 'jpeg must be one of auto, off'],
    [{ jpeg: { luma: [1, 2] } }, 'jpeg.luma must hold 64 steps of at least 0, but got 2'],
    [{ noise: { spectrum: { width: 8, height: 8, data: [1] } } }, 'noise.spectrum must hold width × height numbers'],
    [{ noise: { spectrum: { width: 1, height: 1, data: [-1] } } }, 'noise.spectrum.data[0] must be a finite number'],
    [{ noise: { spectrum: { width: 1, height: 1, data: [1] } }, sigma: 3 }, 'sigma must be left out for noise that is'],
  ])('refuses %j by name', async (options, message) => {
    await expect(denoise(picture(40, 40), options as never)).rejects.toThrow(message);
  });
});

describe('diagnose', () => {
  it('says what kind of noise it is, and how sure that is', async () => {
    const white = await diagnose(noisy(boats, 12));
    expect(white).toMatchObject({ model: { kind: 'white' }, confidence: 1 });
    const found = await diagnose(inBytes(coloured(boats, 12)));
    expect(found.model.kind).toBe('coloured');
    expect(found.levels).toHaveLength(3);
    expect(found.levels?.[1].middle).toBeGreaterThan(2 * (found.levels?.[1].finest ?? 0));
    expect(sentences(found)[0]).toContain('at middle and');
  });

  it('tells how far it is, and stops when it is aborted', async () => {
    const large = picture(640, 480);
    const seen: number[] = [];
    await withFastClock(() => diagnose(large, { onProgress: ({ fraction }) => seen.push(fraction) }));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(1);
    expect(seen.every((fraction, i) => fraction > (seen[i - 1] ?? 0))).toBe(true);
    const stop = new AbortController();
    const run = diagnose(large, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) });
    await expect(run).rejects.toThrow('enough');
  });

  it('finds gain and offset of noise that grows with the signal', async () => {
    const clean = picture(256, 192);
    const { poisson, normal } = randomSource(4);
    const planes = [Float64Array.from(clean.planes[0], (x) => 100 + 2 * poisson(x / 2) + 2 * normal())];
    const { model } = await diagnose({ ...clean, planes, peak: 400 }, { kind: 'signal-dependent' });
    const [{ gain, offset }] = model.kind === 'signal-dependent' ? model.planes : [];
    expect(gain).toBeGreaterThan(1.5);
    expect(gain).toBeLessThan(2.5);
    expect(offset).toBeGreaterThan(85);
    expect(offset).toBeLessThan(112);
  });
});
