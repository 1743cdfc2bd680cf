/** Denoising an image, as a user meets it: nothing to tell, any number of planes, noise of two kinds. */
import { describe, expect, it } from 'vitest';
import { recipeNames, recipeOf } from '../../src/denoisers/groups/recipes.js';
import { tilesOf } from '../../src/denoisers/tiles.js';
import { engines } from '../../src/engines/engines.js';
import type { Image, Samples } from '../../src/index.js';
import { denoise, estimateMemory, psnr, qualities, randomSource } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';
import { denoisePlanes } from '../planes.js';

const joined = (planes: readonly Samples[]) => Float64Array.from(planes.flatMap((plane) => [...plane]));
const level = (image: Image, clean: Image) => psnr(joined(image.planes), joined(clean.planes), clean.peak);

describe('denoise', () => {
  it('needs no options', async () => {
    const clean = picture(128, 96);
    const input = noisy(clean, 20);
    const { image, noise, estimated, quality, engine } = await denoise(input);
    expect(level(image, clean)).toBeGreaterThan(level(input, clean) + 7);
    expect(noise).toEqual({ kind: 'white', sigma: [expect.any(Number)] });
    if (noise.kind === 'white') expect(Math.abs(noise.sigma[0] - 20)).toBeLessThan(2);
    expect({ estimated, quality, engine: engine.name }).toEqual({
      estimated: true,
      quality: 'balanced',
      engine: 'wasm',
    });
  });

  it.each(qualities)('%s takes the deviation in the units of the image', async (quality) => {
    const clean = picture(48, 40);
    const input = noisy(clean, 20);
    const scaled = (image: Image, by: number) => ({
      ...image,
      planes: image.planes.map((plane) => Float64Array.from(plane, (value) => by * value)),
      peak: by * image.peak,
    });
    const plain = await denoise(input, { sigma: 20, quality });
    const large = await denoise(scaled(input, 257), { sigma: 20 * 257, quality });
    expect(psnr(scaled(large.image, 1 / 257).planes[0], plain.image.planes[0], 255)).toBeGreaterThan(75);
    expect(plain.estimated).toBe(false);
  });

  it.each(['learned', 'finest'] as const)('%s has the same bits for floats from 0 to 1', async (quality) => {
    const { planes, ...rest } = noisy(picture(40, 33), 12);
    const [usual] = (await denoise({ ...rest, planes }, { quality, sigma: 12 })).image.planes;
    const floats = { ...rest, planes: planes.map((plane) => plane.map((value) => value / 256)), peak: 1 };
    const [small] = (await denoise(floats, { quality, sigma: 12 / 256 })).image.planes;
    expect(Float32Array.from(small, (value) => 256 * value)).toEqual(Float32Array.from(usual));
  });

  it.each([
    ['white', 2 ** -7, (level: number) => ({ sigma: level })],
    ['of samples far from 1', 2 ** 90, (level: number) => ({ sigma: level })],
    ['that grows with the signal', 1, (level: number) => ({ noise: { gain: 1e-6 * level, sigma: level, offset: 0 } })],
  ])('learned leaves weak noise to best: %s', async (_kind, unit, noise) => {
    const { planes, ...rest } = noisy(picture(48, 40), 8);
    const image = { ...rest, planes: planes.map((plane) => plane.map((value) => unit * value)), peak: 255 * unit };
    const run = async (level: number, strength = 1) => {
      return denoise(image, { quality: 'learned', strength, ...noise(level * unit) });
    };
    const range = Math.max(...planes[0]) - Math.min(...planes[0]);
    expect((await run(range / 63)).quality).toBe('learned');
    const weak = await run(range / 65);
    expect(weak.quality).toBe('best');
    expect(weak.qualityFallback).toEqual({ requested: 'learned', reason: 'noise-too-weak' });
    expect((await run(range / 65, 1.2)).quality).toBe('learned');
  });

  it('learned works on noise that grows with the signal', async () => {
    const image = noisy(picture(48, 40), 9);
    const growing = await denoise(image, { quality: 'learned', noise: { gain: 0.5, sigma: 5 } });
    expect([growing.quality, growing.changed, growing.qualityFallback]).toEqual(['learned', true, undefined]);
  });

  describe('coloured noise', () => {
    const image = noisy(picture(48, 40), 9);
    /** Deviations of 3 and 15, whose mean square is that of σ = √117. */
    const data = Float64Array.from({ length: 64 }, (_, f) => (f < 32 ? 15 : 3));
    const spectrum = (factor: number) => ({ width: 8, height: 8, data: data.map((each) => factor * each) });

    it('finest is 0.3 of the model, at the overall deviation, and 0.7 of balanced', async () => {
      const [model] = (await denoise(image, { quality: 'learned', sigma: Math.sqrt(117) })).image.planes;
      const [recipe] = (await denoise(image, { noise: { spectrum: spectrum(1) } })).image.planes;
      const finest = await denoise(image, { quality: 'finest', noise: { spectrum: spectrum(1) } });
      expect([finest.quality, finest.levels, finest.qualityFallback]).toEqual(['finest', undefined, undefined]);
      const expected = Float64Array.from(recipe, (value, i) => 0.3 * model[i] + 0.7 * value);
      expect(psnr(finest.image.planes[0], expected, 255)).toBeGreaterThan(120);
    });

    it('finest takes the place of learned', async () => {
      const learned = await denoise(image, { quality: 'learned', noise: { spectrum: spectrum(1) } });
      expect(learned.quality).toBe('finest');
      expect(learned.qualityFallback).toEqual({ requested: 'learned', reason: 'noise-not-white' });
      const finest = await denoise(image, { quality: 'finest', noise: { spectrum: spectrum(1) } });
      expect(learned.image).toEqual(finest.image);
    });

    it.each(['learned', 'finest'] as const)('%s leaves weak noise to best', async (quality) => {
      const range = Math.max(...image.planes[0]) - Math.min(...image.planes[0]);
      const run = (level: number) => denoise(image, { quality, noise: { spectrum: spectrum(level / Math.sqrt(117)) } });
      expect((await run(range / 63)).quality).toBe('finest');
      const weak = await run(range / 65);
      expect(weak.quality).toBe('best');
      expect(weak.qualityFallback).toEqual({ requested: quality, reason: 'noise-too-weak' });
    });
  });

  it.each(['white', 'poisson-gaussian'] as const)('the same bits for samples kept narrow: %s', async (kind) => {
    const { planes, ...rest } = noisy(picture(64, 48, 3), 9);
    const whole = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
    const kept = [Uint8Array, Uint8ClampedArray, Uint16Array, Float32Array, Float64Array].map((array) =>
      denoise(
        { ...rest, planes: planes.map((plane) => array.from(plane.map(whole))) },
        { noise: kind, quality: 'fast' },
      ),
    );
    const [first, ...others] = await Promise.all(kept);
    for (const { image, noise } of others)
      expect({ noise, planes: image.planes }).toEqual({ noise: first.noise, planes: first.image.planes });
  });

  it('colour: one deviation per plane, alpha unchanged', async () => {
    const clean = { ...picture(64, 48, 3), alpha: Float64Array.from({ length: 64 * 48 }, (_, i) => i % 256) };
    const random = randomSource(3);
    const sigma = [10, 20, 30];
    const planes = clean.planes.map((plane, c) =>
      Float64Array.from(plane, (value) => value + sigma[c] * random.normal()),
    );
    const input = { ...clean, planes };
    const { image, noise } = await denoise(input, { sigma });
    expect(noise).toEqual({ kind: 'white', sigma });
    expect(image.alpha).toBe(clean.alpha);
    expect(level(image, clean)).toBeGreaterThan(level(input, clean) + 6);
  });

  it('grey stays grey, also where it comes as three equal channels', async () => {
    const input = noisy(picture(48, 40), 15);
    const [plane] = input.planes;
    const three = await denoise({ ...input, planes: [plane, plane.slice(), plane.slice()] }, { sigma: 15 });
    const one = await denoise(input, { sigma: 15 });
    expect(three.image.planes).toHaveLength(3);
    // Three arrays: changing one does not change the others.
    expect(new Set(three.image.planes).size).toBe(3);
    for (const each of three.image.planes) expect(each).toEqual(one.image.planes[0]);
    expect(three.noise).toEqual({ kind: 'white', sigma: [15, 15, 15] });
  });

  it('leaves an image without noise alone, and floats unclipped', async () => {
    const still = picture(40, 40);
    const beyond = { ...still, planes: [Float64Array.from(still.planes[0], (value) => 3 * value - 300)], peak: 1 };
    const { image } = await denoise(noisy(beyond, 5), { sigma: 5 });
    expect(Math.min(...image.planes[0])).toBeLessThan(-100);
    expect(Math.max(...image.planes[0])).toBeGreaterThan(100);
  });

  it('gives an image without noise back to the last bit, in arrays of its own, and says that it is done', async () => {
    const random = randomSource(9);
    const floats = (length: number) => Float64Array.from({ length }, () => random.normal() / 3);
    for (const planes of [
      [floats(400)],
      [floats(400), floats(400), floats(400)],
      [new Float64Array(400).fill(1 / 3)],
    ]) {
      for (const by of [1, 2 ** 300]) {
        const given = { width: 20, height: 20, planes: planes.map((plane) => plane.map((v) => v * by)), peak: by };
        const seen: number[] = [];
        const { image } = await denoise(given, { sigma: 0, onProgress: ({ fraction }) => seen.push(fraction) });
        expect(image.planes).toEqual(given.planes);
        for (const [c, plane] of image.planes.entries()) expect(plane).not.toBe(given.planes[c]);
        expect(seen.at(-1)).toBe(1);
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      }
    }
    // A Buffer is a Uint8Array whose slices are the same bytes.
    const bytes = Buffer.alloc(400, 7);
    const { image } = await denoise({ width: 20, height: 20, planes: [bytes], peak: 255 }, { sigma: 0 });
    bytes.fill(0);
    expect(image.planes[0]).toEqual(new Uint8Array(400).fill(7));
  });

  it.each([1, 3])('%i plane(s): does not mind how far from zero the samples are', async (channels) => {
    const clean = picture(64, 48, channels);
    const input = noisy(clean, 15);
    const moved = (image: Image, by: number) => ({
      ...image,
      planes: image.planes.map((plane) => Float64Array.from(plane, (value) => value + by)),
    });
    const here = level((await denoise(input, { sigma: 15 })).image, clean);
    for (const offset of [1e5, 1e8, 1e10, -1e10]) {
      const { image } = await denoise(moved(input, offset), { sigma: 15 });
      expect(level(moved(image, -offset), clean), String(offset)).toBeCloseTo(here, 1);
    }
  });

  it.each([{ gain: 4, sigma: 3 }, 'poisson-gaussian' as const])(
    'noise that grows with the signal: %j',
    async (noise) => {
      const clean = picture(160, 128);
      const { poisson, normal } = randomSource(5);
      const planes = [Float64Array.from(clean.planes[0], (x) => 4 * poisson(x / 4) + 3 * normal())];
      const input = { ...clean, planes };
      const result = await denoise(input, { noise });
      expect(level(result.image, clean)).toBeGreaterThan(level(input, clean) + 6);
      const { image: white } = await denoise(input, { noise: 'white' });
      expect(level(result.image, clean)).toBeGreaterThan(level(white, clean) + 0.2);
      const found = result.noise.kind === 'signal-dependent' ? result.noise.planes : [];
      expect(Math.abs(found[0].gain - 4)).toBeLessThan(1);
      expect(result.estimated).toBe(noise === 'poisson-gaussian');
      // The inverse is unbiased: nothing is lost of the brightness.
      const mean = (plane: Samples) => joined([plane]).reduce((sum, value) => sum + value, 0) / plane.length;
      expect(Math.abs(mean(result.image.planes[0]) - mean(clean.planes[0]))).toBeLessThan(0.5);
    },
  );

  it('reports progress that never falls, and stops on abort', async () => {
    const input = noisy(picture(96, 96), 20);
    const seen: number[] = [];
    await denoise(input, { sigma: 20, quality: 'best', onProgress: ({ fraction }) => seen.push(fraction) });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
    const stop = new AbortController();
    const run = denoise(input, { sigma: 20, quality: 'best', signal: stop.signal, onProgress: () => stop.abort() });
    await expect(run).rejects.toThrow('aborted');
  });

  it.each([
    [{ sigma: -1 }, 'sigma must be a finite number of at least 0, but got -1'],
    [{ sigma: [1, 2] }, 'sigma must be a number, one for each of the 1 planes, or auto'],
    [{ sigma: 'much' }, 'sigma must be a number'],
    [{ quality: 'good' }, 'quality must be one of fast, balanced, best, learned, finest, but got "good"'],
    [{ noise: 'salt' }, 'noise must be one of auto, white, poisson-gaussian, but got "salt"'],
    [{ noise: { gain: -1, sigma: 0 } }, 'noise.gain must be a finite number of at least 0, but got -1'],
    [{ noise: { gain: 1, sigma: 0, offset: '2' } }, 'noise.offset must be a finite number, but got "2"'],
    [{ noise: { gain: 1, sigma: 0, more: 2 } }, 'unknown option more; the options are gain, sigma, offset'],
    [{ signal: 5 }, 'signal must be an AbortSignal, but got 5'],
    [{ onProgress: 5 }, 'onProgress must be a function, but got 5'],
    [null, 'options must be an object, but got null'],
    [{ noise: 'poisson-gaussian', sigma: 3 }, 'sigma must be left out for noise that is not white'],
    [{ budget: { sigma: 3 } }, 'budget'],
  ])('refuses %j by name', async (options, message) => {
    await expect(denoise(picture(40, 40), options as never)).rejects.toThrow(message);
  });
});

describe('tiles', () => {
  it.each([
    ['fast', picture(300, 300, 3)],
    ['balanced', picture(300, 300, 3)],
    // A strip, because this quality is slow and its margin is 266 pixels.
    ['best', picture(24, 640)],
    ['learned', picture(300, 300)],
  ] as const)('%s: the same bits as the whole', async (quality, clean) => {
    const { planes, width, height } = noisy(clean, 20);
    const sigma = planes.map(() => 20);
    const whole = await denoisePlanes(planes, width, height, { sigma }, { quality, engine: 'auto' });
    const seen: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }) => seen.push(fraction);
    const tiled = await denoisePlanes(
      planes,
      width,
      height,
      { sigma },
      {
        ...{ quality, engine: 'auto', tile: 180, threads: 2, onProgress },
      },
    );
    expect(tiled.planes).toEqual(whole.planes);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('are not cut where the whole fits', async () => {
    for (const quality of recipeNames) {
      const denoiser = await engines.wasm.denoiser(recipeOf(quality), 100);
      for (const [width, height] of [
        [768, 1024],
        [1, 4000],
        [90, 91],
      ]) {
        expect(tilesOf(denoiser, width, height, Math.max(width, height)), quality).toHaveLength(1);
      }
    }
  });

  it('bound the memory of a large image', () => {
    // 28 bytes per pixel and plane would be 84 GB in one piece.
    const gigapixel = estimateMemory('denoise', { width: 31_623, height: 31_623, channels: 3 });
    expect(gigapixel - 4 * 3 * 1e9).toBeLessThan(2 ** 31);
    expect(estimateMemory('denoise', { width: 1000, height: 1000, channels: 1 })).toBeLessThan(50e6);
  });
});
