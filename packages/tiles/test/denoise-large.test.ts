/** Denoising a large image, as a user calls it. */
import { denoise, type Image, isGhtError, randomSource } from 'ght';
import type { RunProgress } from 'ght/plans';
import { describe, expect, it } from 'vitest';
import { denoiseLarge } from '../src/denoise-large.js';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';
import type { Source } from '../src/source.js';
import { noisyPicture } from './pictures.js';
import { tiled, whole } from './tiled.js';

const chunk = { width: 32, height: 32 };
const image: Image = {
  ...noisyPicture(150, 130, 3, 'uint8'),
  alpha: Uint8Array.from({ length: 150 * 130 }, (_, i) => i),
};
const options = { quality: 'fast', tile: 64, threads: 1 } as const;

/** A source that records how many pixels each window has. */
function recorded(source: Source) {
  const pixels: number[] = [];
  const read: Source['read'] = async (window, signal) => {
    pixels.push(window.width * window.height);
    return source.read(window, signal);
  };
  return { pixels, source: { ...source, read } };
}

describe('denoiseLarge', () => {
  it('writes the rounded result of denoise, leaves opacity as it is, and reports the same', async () => {
    const sink = memorySink(pictureOf(image), chunk);
    const { engine, ...report } = await denoiseLarge(memorySource(image), sink, options);
    const { image: expected, engine: _, ...whole } = await denoise(image, { quality: 'fast' });
    const rounded = expected.planes.map((plane) => Uint8ClampedArray.from(plane, Math.round));
    expect(sink.planes.slice(0, 3)).toEqual(rounded.map((plane) => Uint8Array.from(plane)));
    expect(sink.planes[3]).toEqual(image.alpha);
    expect(report).toEqual(whole);
    expect(engine.name).toBe('wasm');
    expect(await sink.has({ left: 0, top: 0, width: 150, height: 130 })).toBe(true);
  });

  it('has the bits of the whole where pixels are transparent, which hold anything', async () => {
    const random = randomSource(7);
    const alpha = Uint8Array.from({ length: 150 * 130 }, (_, i) =>
      ((i % 150) - 70) ** 2 + (i / 150 - 60) ** 2 < 2500 ? 9 : 0,
    );
    const plane = image.planes[0].map((value, i) => (alpha[i] ? value : 256 * random.uniform()));
    const cutout = { ...image, planes: [plane], alpha };
    const sink = memorySink(pictureOf(cutout), chunk);
    const { engine: _, ...report } = await denoiseLarge(memorySource(cutout), sink, { ...options, tile: 32 });
    const { image: expected, engine: __, ...whole } = await denoise(cutout, { quality: 'fast' });
    expect(report).toEqual(whole);
    expect(sink.planes).toEqual([Uint8Array.from(Uint8ClampedArray.from(expected.planes[0], Math.round)), alpha]);
    expect(sink.planes[0].filter((_, i) => alpha[i] === 0)).toEqual(plane.filter((_, i) => alpha[i] === 0));
  });

  it('has the bits of the whole for bands that have something in common', async () => {
    const [first] = noisyPicture(90, 70, 1, 'float64').planes;
    const random = randomSource(4);
    const sigma = [9, 6, 12];
    const planes = [1, 0.5, 0.8].map((weight, c) => first.map((value) => weight * value + sigma[c] * random.normal()));
    const bands = { width: 90, height: 70, planes, peak: 255 };
    const settings = { quality: 'fast', sigma: sigma.map((each) => each + 3), channels: 'bands' } as const;
    const expected = await whole(bands, settings);
    const { planes: inTiles, report } = await tiled(bands, settings, 32);
    expect(inTiles).toEqual(expected.planes);
    expect(report).toEqual(expected.report);
    const alone = await whole({ ...bands, planes: planes.slice(0, 1) }, { quality: 'fast', sigma: sigma[0] + 3 });
    expect(inTiles[0]).not.toEqual(alone.planes[0]);
  });

  it('returns an image without noise bit for bit', async () => {
    const sink = memorySink(pictureOf(image), chunk);
    const report = await denoiseLarge(memorySource(image), sink, {
      ...options,
      sigma: 0,
      impulses: 'off',
      banding: 'off',
    });
    expect(report.changed).toBe(false);
    expect(sink.planes).toEqual([...image.planes, image.alpha]);
  });

  it('reads tiles with their margin when the noise is given, never the whole image again', async () => {
    const long = noisyPicture(64, 1200, 1, 'uint8');
    const { source, pixels } = recorded(memorySource(long));
    const given = { ...options, sigma: 12, impulses: 'off', banding: 'off' } as const;
    await denoiseLarge(source, memorySink(pictureOf(long), chunk), given);
    // Two reads to look and measure, one for defects and noise; then tiles.
    const tiles = pixels.slice(3);
    expect(tiles).toHaveLength(19);
    expect(Math.max(...tiles)).toBeLessThanOrEqual(64 * (64 + 60 + 2 * 32));
  });

  it('needs one memory for all tiles', async () => {
    const { Memory } = WebAssembly;
    let made = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        super(descriptor);
        made++;
      }
    };
    try {
      await denoiseLarge(memorySource(image), memorySink(pictureOf(image), chunk), { ...options, sigma: 12 });
    } finally {
      WebAssembly.Memory = Memory;
    }
    expect(made).toBe(1);
  });

  it('reports progress that rises to 1, and clears the scratch', async () => {
    const smooth = noisyPicture(150, 140, 1, 'uint8', { smooth: true });
    const stored: string[] = [];
    const kept = memoryScratch();
    const put = (key: string, value: Parameters<typeof kept.put>[1]) => {
      stored.push(key);
      return kept.put(key, value);
    };
    const seen: RunProgress[] = [];
    const onProgress = (progress: RunProgress) => seen.push(progress);
    const sink = memorySink(pictureOf(smooth), chunk);
    await denoiseLarge(memorySource(smooth), sink, { ...options, scratch: { ...kept, put } }, { onProgress });
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    // The tiles have most of the progress.
    const atTiles = seen.find(({ pass }) => pass === 'denoise')?.fraction ?? 1;
    expect(atTiles).toBeLessThan(0.4);
    expect(stored.length).toBeGreaterThan(3);
    for (const key of stored) expect(await kept.get(key)).toBeUndefined();
  });

  it('stops in the middle of a tile when it is aborted', async () => {
    const controller = new AbortController();
    const onProgress = ({ pass, done }: RunProgress) => {
      if (pass === 'denoise' && done === 1) controller.abort(new Error('enough'));
    };
    const sink = memorySink(pictureOf(image), chunk);
    const { signal } = controller;
    const work = denoiseLarge(memorySource(image), sink, { ...options, sigma: 12 }, { signal, onProgress });
    await expect(work).rejects.toThrow('enough');
    expect(await sink.has({ left: 0, top: 0, width: 64, height: 64 })).toBe(true);
    expect(await sink.has({ left: 0, top: 96, width: 32, height: 34 })).toBe(false);
  });
});

describe('refuses', () => {
  it('NaN, with its place in the image', async () => {
    const plane = Float32Array.from({ length: 2100 * 4 }, (_, i) => i);
    plane[3 * 2100 + 2070] = Number.NaN;
    const bad = { width: 2100, height: 4, planes: [plane], peak: 1 };
    const error = await denoiseLarge(memorySource(bad), memorySink(pictureOf(bad))).catch((reason) => reason);
    expect(isGhtError(error, 'input')).toBe(true);
    expect(error.message).toMatch(/^image pixel \(x 2070, y 3, channel 0\) must be a finite number/);
  });

  it('a sink of another size', async () => {
    const sink = memorySink({ ...pictureOf(image), width: 151 });
    const error = await denoiseLarge(memorySource(image), sink).catch((reason) => reason);
    expect(isGhtError(error, 'input')).toBe(true);
    expect(error.message).toMatch(/^sink must have 150×130 pixels with 3 channels and opacity, but got "151×130/);
  });

  it.each([0, 1.5, Number.NaN])('a tile of %s pixels', async (tile) => {
    const error = await denoiseLarge(memorySource(image), memorySink(pictureOf(image)), { tile }).catch(
      (reason) => reason,
    );
    expect(isGhtError(error, 'option')).toBe(true);
    expect(error.message).toMatch(/^tile must be a whole number of at least 1/);
  });

  it('an option that denoise does not know', async () => {
    const work = denoiseLarge(memorySource(image), memorySink(pictureOf(image)), { strenght: 2 } as object);
    await expect(work).rejects.toThrow('unknown option strenght; did you mean strength?');
  });
});
