/** Images in parts: the codes, the history and the picture are those of `represent` on the whole image. */
import fc from 'fast-check';
import {
  type Codes,
  type HistoryEntry,
  type Image,
  type RepresentOptions,
  randomSource,
  represent,
  type Samples,
} from 'ght';
import type { Scratch } from 'ght/plans';
import { describe, expect, it } from 'vitest';
import {
  type CodesLayout,
  type CodesStore,
  memoryScratch,
  memorySink,
  memorySource,
  pictureOf,
  type RepresentLargeOptions,
  representLarge,
} from '../src/index.js';

const CHUNK = { width: 16, height: 16 };

/** A picture with edges, texture and a white part, in which all patches are equal. */
function picture(width: number, height: number, channels: number, make: (length: number) => Samples): Image {
  const { normal } = randomSource(width * height + channels);
  const planes = Array.from({ length: channels }, (_, c) => {
    const plane = make(width * height);
    for (let i = 0; i < plane.length; i++) {
      const [x, y] = [i % width, Math.floor(i / width)];
      const textured = 128 + 60 * Math.sin((x * (c + 1)) / 5) * Math.cos(y / 7) + (x > y ? 30 : 0) + 6 * normal();
      plane[i] = y > height / 2 ? 255 : Math.min(255, Math.max(0, Math.round(textured)));
    }
    return plane;
  });
  return { width, height, planes, peak: 255 };
}
const bytes = (length: number) => new Uint8Array(length);
const floats = (length: number) => new Float64Array(length);

/** Codes in memory, and all of them in one. */
function codesInMemory() {
  const tiles = new Map<string, Codes>();
  let layout: CodesLayout | undefined;
  const store = async (_: string, given?: CodesLayout): Promise<CodesStore> => {
    layout ??= given;
    return {
      layout: layout as CodesLayout,
      has: async ({ plane, row }) => tiles.has(`${plane} ${row}`),
      write: async ({ plane, row }, codes) => void tiles.set(`${plane} ${row}`, codes),
      read: async () => expect.unreachable(),
    };
  };
  const all = () => {
    const { planes, image, tile } = layout as CodesLayout;
    const each: Codes[] = [];
    for (let plane = 0; plane < planes; plane++) {
      for (let row = 0; row < Math.ceil(image.grid.rows / tile.rows); row++) {
        each.push(tiles.get(`${plane} ${row}`) as Codes);
      }
    }
    return {
      counts: each.flatMap(({ P, indptr }) => Array.from({ length: P }, (_, p) => indptr[p + 1] - indptr[p])),
      indices: each.flatMap(({ indices }) => Array.from(indices)),
      values: each.flatMap(({ values }) => Array.from(values)),
    };
  };
  return { store, all };
}

async function inParts(image: Image, options: RepresentLargeOptions) {
  const sink = memorySink(pictureOf(image), CHUNK);
  const { store, all } = codesInMemory();
  const result = await representLarge(memorySource(image), sink, { peak: image.peak, ...options, codes: store });
  return { result, codes: all(), planes: sink.planes };
}

const timeless = (history: readonly HistoryEntry[]) => history.map(({ ms: _, ...entry }) => entry);

/** Compares the run in parts with the one on the whole image. */
async function compare(image: Image, options: RepresentOptions, tile: number): Promise<void> {
  const whole = await represent(image, { solver: 'joint-omp', ...options });
  const { result, codes, planes } = await inParts(image, { solver: 'joint-omp', ...options, tile });
  const { indptr, indices, values, P } = whole.codes;
  expect(codes.counts).toEqual(Array.from({ length: P }, (_, p) => indptr[p + 1] - indptr[p]));
  expect(codes.indices).toEqual(Array.from(indices));
  expect(codes.values).toEqual(Array.from(values));
  const { solver, patches, budget, nonzeros, rmse, rho, iterations, stopReason, history } = whole;
  expect(result).toMatchObject({ solver, patches, budget, nonzeros, rmse, rho, iterations, stopReason });
  expect(timeless(result.history)).toEqual(timeless(history));
  expect(result.rmsePixel / (whole.rmsePixel || 1)).toBeCloseTo(whole.rmsePixel === 0 ? 0 : 1, 9);
  for (const [c, plane] of planes.entries()) {
    const integer = plane instanceof Uint8Array;
    const expected = Array.from(whole.image.planes[c], (value) =>
      integer ? Math.min(255, Math.max(0, Math.round(value))) : value,
    );
    expect(Array.from(plane)).toEqual(expected);
  }
}

describe('the result is that of the whole image', () => {
  it('for any tile, budget, stride, size and number of planes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          width: fc.integer({ min: 5, max: 150 }),
          height: fc.integer({ min: 5, max: 150 }),
          channels: fc.constantFrom(1, 2, 3),
          make: fc.constantFrom(bytes, floats),
        }),
        fc.constantFrom(8, 4, 3),
        fc.constantFrom(0, 0.1, 2, 7.5),
        fc.constantFrom(1, 2),
        fc.constantFrom(16, 64, 100, 2048),
        async ({ width, height, channels, make }, stride, perPatch, effort, tile) => {
          const options = { stride, budget: { perPatch }, effort, threads: 1 } as const;
          await compare(picture(width, height, channels, make), options, tile);
        },
      ),
      { numRuns: 16, seed: 20260701, endOnFailure: true },
    );
  });

  it('with both samples, on two threads, for a budget that ends among equal gains and for others', async () => {
    const image = picture(700, 640, 1, bytes);
    for (const perPatch of [0.3, 3]) await compare(image, { budget: { perPatch }, threads: 2 }, 200);
  });

  it('in colour, for overlapping patches and a given dictionary', async () => {
    const image = picture(160, 210, 3, bytes);
    await compare(image, { stride: 4, budget: { total: 9001 }, dictionary: 'learned' }, 90);
  });

  it.each(['qpm', 'admm', 'omp'] as const)('by %s, with the whole history', async (solver) => {
    const colour = picture(130, 90, 3, bytes);
    await compare(colour, { solver, stride: 5, budget: { perPatch: 3 }, maxIterations: 12, refit: true }, 40);
    const grey = picture(610, 100, 1, floats);
    await compare(grey, { solver, budget: { rmse: 100 }, maxIterations: 4, threads: 2 }, 64);
  });

  it('for samples far from the usual scale, and for a white image', async () => {
    const small = picture(90, 70, 1, floats);
    const tiny = { ...small, peak: 255e-30, planes: [small.planes[0].map((value) => value * 1e-30)] };
    await compare(tiny, { budget: { perPatch: 3 } }, 40);
    await compare({ ...small, planes: [floats(90 * 70).fill(200)] }, { budget: { total: 50 } }, 40);
  });
});

describe('a run in parts', () => {
  const image = picture(120, 100, 1, bytes);
  const budget = { perPatch: 2 };

  const solver = 'joint-omp';

  it.each(['joint-omp', 'qpm'] as const)('by %s computes again what the scratch has lost', async (solver) => {
    const kept = await inParts(image, { solver, budget, tile: 50 });
    let lost = 0;
    const scratch: Scratch = {
      ...memoryScratch(),
      get: async () => {
        lost++;
        return undefined;
      },
    };
    const again = await inParts(image, { solver, budget, tile: 50, scratch });
    expect({ ...again, result: null }).toEqual({ ...kept, result: null });
    expect(again.result.rmse).toBe(kept.result.rmse);
    expect(lost).toBeGreaterThan(2);
  });

  it('leaves the scratch empty and passes opacity on', async () => {
    const alpha = bytes(120 * 100).map((_, i) => i % 256);
    const withAlpha = { ...image, alpha };
    const keys = new Set<string>();
    const store = memoryScratch();
    const scratch: Scratch = {
      get: (key) => store.get(key),
      put: (key, value) => {
        keys.add(key);
        return store.put(key, value);
      },
      clear: () => store.clear(),
    };
    const { planes } = await inParts(withAlpha, { solver, budget, tile: 50, scratch });
    expect(planes[1]).toEqual(alpha);
    expect(keys.size).toBeGreaterThan(0);
    for (const key of keys) expect(await store.get(key)).toBeUndefined();
  });

  it.each([
    { solver, budget: { psnr: 30 } },
    { solver, budget: { psnr: 30, largestInteger: 255 } },
    { solver, budget: { sigma: 3 } },
    { solver: 'qpm', budget: { sigma: 3 } },
    { solver: 'omp', budget: { total: 777 }, spread: true },
    { solver, budget, effort: 3 },
    { solver, budget, refit: true },
  ] as RepresentOptions[])('has the codes of the whole for %o', async (options) => {
    await compare(image, options, 50);
  });

  it.each([
    [{ solver, budget, engine: 'portable' }, 'engine must be wasm for an image in parts'],
    [{ budget, tile: 0 }, 'tile must be a whole number of at least 1'],
    [{ budget, colour: true }, 'colour'],
  ] as [RepresentLargeOptions, string][])('refuses %o', async (options, message) => {
    await expect(inParts(image, options)).rejects.toThrow(message);
  });

  it('refuses samples that are not finite, and a sink of another size', async () => {
    const broken = picture(40, 40, 1, floats);
    broken.planes[0][77] = Number.NaN;
    await expect(inParts(broken, { budget })).rejects.toThrow(
      'image pixel (x 37, y 1, channel 0) must be a finite number',
    );
    const sink = memorySink({ ...pictureOf(image), width: 7 }, CHUNK);
    await expect(representLarge(memorySource(image), sink)).rejects.toThrow('sink must have the size');
  });
});
