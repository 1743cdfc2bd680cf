/** Denoising planes, as a user meets it. */
import { describe, expect, it } from 'vitest';
import { recipeNames, recipeOf } from '../../src/denoisers/groups/recipes.js';
import { GroupMemory } from '../../src/engines/wasm/run/group-memory.js';
import { decorrelate, recorrelate } from '../../src/image/colour.js';
import {
  denoise,
  engineNames,
  estimateMemory,
  type Image,
  isGhtError,
  probeEngines,
  psnr,
  type Quality,
  qualities,
  type Samples,
} from '../../src/index.js';
import type { PlanesSettings } from '../../src/pipelines/denoise/planes.js';
import { withFastClock } from '../clock.js';
import { noisy, picture } from '../pictures.js';
import { denoisePlanes as denoiseAny } from '../planes.js';

const denoisePlanes = async (
  planes: readonly Samples[],
  width: number,
  height: number,
  sigma: readonly number[],
  settings: Partial<PlanesSettings> = {},
) => (await denoiseAny(planes, width, height, { sigma }, { quality: 'balanced', engine: 'auto', ...settings })).planes;
const same = (a: Samples, b: Samples) => a.length === b.length && a.every((value, i) => value === b[i]);
const largest = (plane: Samples) => Math.max(...Array.from(plane, Math.abs));

async function gain(image: Image, sigma: number, quality: Quality) {
  const { width, height } = image;
  const input = noisy(image, sigma);
  const planes = await denoisePlanes(
    decorrelate(input.planes),
    width,
    height,
    input.planes.map(() => sigma),
    { quality },
  );
  const joined = (shown: readonly Samples[]) => Float64Array.from(shown.flatMap((plane) => [...plane]));
  const level = (shown: readonly Samples[]) => psnr(joined(image.planes), joined(shown), image.peak);
  return level(recorrelate(planes)) - level(input.planes);
}

describe('quality', () => {
  it('each is better than the one before, and all gain what they should', async () => {
    const image = picture(96, 96);
    const gains: number[] = [];
    for (const quality of qualities) gains.push(await gain(image, 25, quality));
    const [fast, balanced, best, learned, finest] = gains;
    expect(fast).toBeGreaterThan(8.3);
    expect(balanced).toBeGreaterThan(fast + 0.7);
    expect(best).toBeGreaterThan(balanced + 0.05);
    // The model knows photographs, which this picture is not.
    expect(learned).toBeGreaterThan(fast);
    expect(finest).toBeGreaterThan(best);
  });

  it('colour gains more than grey: the planes share their groups', async () => {
    const grey = await gain(picture(64, 64), 20, 'balanced');
    const colour = await gain(picture(64, 64, 3), 20, 'balanced');
    expect(colour).toBeGreaterThan(grey);
  });

  it('little noise does no harm', async () => {
    for (const quality of recipeNames) expect(await gain(picture(48, 40), 0.5, quality)).toBeGreaterThan(-0.1);
  });
});

describe('any picture', () => {
  const sizes = [
    [1, 1],
    [5, 3],
    [8, 8],
    [3, 60],
    [17, 40],
  ];
  it.each(sizes)('%i×%i', async (width, height) => {
    const { planes } = noisy(picture(width, height), 10);
    for (const quality of qualities) {
      const [plane] = await denoisePlanes(planes, width, height, [10], { quality });
      expect(plane).toHaveLength(width * height);
      expect(plane.every(Number.isFinite)).toBe(true);
      expect(largest(plane)).toBeLessThan(largest(planes[0]) + 10);
    }
  });

  it.each(qualities)('%s: a constant stays what it is', async (quality) => {
    const planes = [new Float64Array(400).fill(7.25), new Float64Array(400)];
    const denoised = await denoisePlanes(planes, 20, 20, [3, 3], { quality });
    denoised.forEach((plane, c) => {
      plane.forEach((value) => {
        expect(value).toBeCloseTo(planes[c][0], 5);
      });
    });
  });

  it('the units and the zero of the values do not matter', async () => {
    const { planes } = noisy(picture(30, 26), 12);
    const [usual] = await denoisePlanes(planes, 30, 26, [12], { quality: 'best' });
    // Powers of two, so that rounding is the same.
    const scaled = planes.map((plane) => plane.map((value) => value / 4096));
    const [other] = await denoisePlanes(scaled, 30, 26, [12 / 4096], { quality: 'best' });
    usual.forEach((value, i) => {
      expect(4096 * other[i]).toBeCloseTo(value, 2);
    });
    const moved = planes.map((plane) => plane.map((value) => value - 100));
    const [there] = await denoisePlanes(moved, 30, 26, [12], { quality: 'fast' });
    const [here] = await denoisePlanes(planes, 30, 26, [12], { quality: 'fast' });
    here.forEach((value, i) => {
      expect(there[i] + 100).toBeCloseTo(value, 2);
    });
  });

  it('a plane without noise comes back as it is, and still guides the others', async () => {
    const { planes } = noisy(picture(24, 20, 2), 10);
    for (const quality of qualities) {
      const untouched = await denoisePlanes(planes, 24, 20, [0, 0], { quality });
      expect(untouched.every((plane, c) => same(plane, planes[c]))).toBe(true);
      const [guide, other] = await denoisePlanes(planes, 24, 20, [0, 10], { quality });
      expect(same(guide, planes[0])).toBe(true);
      expect(same(other, planes[1])).toBe(false);
      const [tiny] = await denoisePlanes(planes.slice(0, 1), 24, 20, [1e-30], { quality });
      expect(same(tiny, planes[0])).toBe(true);
    }
  });
});

describe('memory', () => {
  it('is taken once for all tiles: those left behind are collected late, and would pile up', async () => {
    const { planes } = noisy(picture(150, 190), 20);
    // The first use of the engine makes another, to see what the host can do.
    await denoisePlanes(noisy(picture(16, 16), 20).planes, 16, 16, [20], { quality: 'fast', threads: 1 });
    const { Memory } = WebAssembly;
    let made = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        super(descriptor);
        made++;
      }
    };
    try {
      await denoisePlanes(planes, 150, 190, [20], { quality: 'fast', threads: 1, tile: 64 });
    } finally {
      WebAssembly.Memory = Memory;
    }
    expect(made).toBe(1);
  });

  it('is a few float32 planes per channel, and says so beforehand', () => {
    // Six or seven in the passes, and one for the result.
    expect(estimateMemory('denoise', { width: 1000, height: 1000, channels: 1 }, { quality: 'fast' })).toBe(7 * 4e6);
    expect(estimateMemory('denoise', { width: 1000, height: 1000, channels: 3 })).toBe(3 * 7 * 4e6);
    expect(estimateMemory('denoise', { width: 1000, height: 1000, channels: 1 }, { quality: 'best' })).toBe(8 * 4e6);
    // The result; both planes and the codes of a block on each of 8 threads; and the passes of best, since finest may take its place.
    expect(estimateMemory('denoise', { width: 1000, height: 1000, channels: 1 }, { quality: 'learned' })).toBe(
      (1 + 2 + 7) * 4e6 + 8 * 4 * 272 ** 2 * 35,
    );
    const { memory } = new GroupMemory(recipeOf('best'), { width: 1000, height: 1000, channels: 1 }, 4);
    const scratches = 4 * 2 ** 18;
    expect(memory.buffer.byteLength).toBeLessThan(
      estimateMemory('denoise', { width: 1000, height: 1000, channels: 1 }, { quality: 'best' }) + scratches + 2 ** 20,
    );
  });
});

describe('while it works', () => {
  it.each([1, 2])('%i thread(s): says how far it is, and which pass is at work', async (threads) => {
    const { planes } = noisy(picture(200, 160), 20);
    const reported: { fraction: number; pass: string }[] = [];
    const onProgress = (progress: { fraction: number; pass: string }) => reported.push(progress);
    await withFastClock(() => denoisePlanes(planes, 200, 160, [20], { quality: 'best', threads, onProgress }));
    const fractions = reported.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions[0]).toBe(0);
    // Worker threads are looked at from time to time, the calling thread tells after every piece of work.
    if (threads === 1) {
      expect(fractions[fractions.length - 1]).toBeGreaterThan(0.95);
      expect(new Set(fractions).size).toBeGreaterThan(6);
    }
    expect([...new Set(reported.map(({ pass }) => pass))].slice(0, 2)).toEqual(['pilot', 'wiener']);
  });

  it.each([1, 2])('%i thread(s): stops on abort', async (threads) => {
    const { planes } = noisy(picture(600, 600), 20);
    const controller = new AbortController();
    const onProgress = ({ fraction }: { fraction: number }) => {
      if (fraction > 0.02) controller.abort(new Error('enough'));
    };
    const { signal } = controller;
    const work = denoisePlanes(planes, 600, 600, [20], { quality: 'best', threads, signal, onProgress });
    await expect(work).rejects.toThrow('enough');
    // And the threads are ready for the next picture.
    const [plane] = await denoisePlanes([planes[0].slice(0, 6000)], 100, 60, [20], { quality: 'fast', threads });
    expect(plane.every(Number.isFinite)).toBe(true);
  });

  it('does not start if it is already aborted', async () => {
    const signal = AbortSignal.abort(new Error('never'));
    await expect(denoisePlanes([new Float32Array(64)], 8, 8, [1], { signal })).rejects.toThrow('never');
  });
});

describe('refuses', () => {
  const plane = new Float32Array(64);
  const image: Image = { width: 8, height: 8, planes: [plane], peak: 1 };
  const refused: [string, () => Promise<unknown>, RegExp][] = [
    ['a wrong number of deviations', () => denoise(image, { sigma: [1, 1] }), /^sigma must be a number, one for each/],
    ['a negative deviation', () => denoise(image, { sigma: -1 }), /^sigma must be a finite number of at least 0/],
    ['a plane of another size', () => denoise({ ...image, width: 9 }), /^image\.planes\[0\] must hold/],
    ['no plane', () => denoise({ ...image, planes: [] }), /^image\.planes must hold at least one/],
    ['an unknown quality', () => denoise(image, { quality: 'good' as 'best' }), /^quality must be one of/],
    [
      'an unknown engine',
      () => denoise(image, { engine: 'gpu' as 'wasm' }),
      /^engine must be one of auto, webgpu, wasm, portable, reference/,
    ],
    [
      'an unknown option',
      () => denoise(image, { strenght: 3 } as object),
      /^unknown option strenght; did you mean strength\?$/,
    ],
    ['no thread', () => denoise(image, { threads: 0 }), /^threads must be a whole number/],
  ];
  it.each(refused)('%s', async (_, act, message) => {
    const error = await act().catch((reason: unknown) => reason);
    expect(isGhtError(error)).toBe(true);
    expect(String((error as Error).message)).toMatch(message);
  });
});

it.each(engineNames)('takes %s as its engine, as every task does', async (engine) => {
  const clean = picture(20, 18);
  const { planes } = noisy(clean, 15);
  const { image, engine: ran } = await denoise({ ...clean, planes }, { sigma: 15, quality: 'fast', engine });
  const states = await probeEngines();
  const isThere = states.find(({ name }) => name === engine)?.available ?? false;
  expect(ran.name).toBe(isThere ? engine : 'wasm');
  if (engine === 'webgpu' && !isThere)
    expect(ran.fallbackReason).toMatchObject({ engine: 'webgpu', kind: 'unavailable' });
  const [theirs] = await denoisePlanes(planes, 20, 18, [15], { quality: 'fast', engine: 'reference' });
  image.planes[0].forEach((value, i) => {
    expect(value).toBeCloseTo(theirs[i], 2);
  });
});
