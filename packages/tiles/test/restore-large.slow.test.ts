/** Restoring in tiles, with the bits of the whole image. */
import {
  deblur,
  gaussianKernel,
  type Image,
  inpaint,
  isGhtError,
  type Restored,
  randomSource,
  type Samples,
  upscale,
} from 'ght';
import type { RunProgress } from 'ght/plans';
import { describe, expect, it } from 'vitest';
import { memoryScratch, memorySink, memorySource, pictureOf } from '../src/memory.js';
import { restoreLarge } from '../src/restore-large.js';
import { type RestoreTask, restoredPicture, restoreTask } from '../src/restore-task.js';
import type { Source } from '../src/source.js';
import { noisyPicture } from './pictures.js';
import { runElsewhere } from './tiled.js';

const [width, height] = [90, 70];
const grey = noisyPicture(width, height, 1);
const colour = noisyPicture(width, height, 3, 'uint8');
const random = randomSource(3);
const missing = Uint8Array.from({ length: width * height }, () => Number(random.uniform() < 0.3));
/** Transparent where pixels are missing. */
const cutout: Image = { ...colour, alpha: Uint8Array.from(missing, (gone, i) => (gone ? 0 : 100 + (i % 100))) };
/** A mask as a picture: red marks what is missing. */
const mask: Source = memorySource({
  ...{ width, height, peak: 255 },
  planes: [missing.map((gone) => 255 * gone), new Uint8Array(width * height), new Uint8Array(width * height)],
});
const kernel = gaussianKernel(1.2);
/** Moved by 7 pixels along rows. */
const [still] = colour.planes;
const moved: Image = {
  ...colour,
  planes: [still].map((plane) =>
    Uint8Array.from(plane, (_, i) => {
      const there = [-3, -2, -1, 0, 1, 2, 3].map((off) => Math.min(width - 1, Math.max(0, (i % width) + off)));
      return there.reduce((sum, x) => sum + plane[i - (i % width) + x], 0) / 7 + random.normal();
    }),
  ),
};
/** Quantisation tables, as if the picture had been a JPEG. */
const tables = { luma: new Array<number>(64).fill(30), chroma: new Array<number>(64).fill(40) };
const fast = { quality: 'fast', threads: 1 } as const;

/** A sink that keeps every bit. */
const sinkFor = (image: Image, what: RestoreTask<unknown>) =>
  memorySink({ ...restoredPicture(pictureOf(image), what), sample: 'float', depth: 64 }, { width: 32, height: 32 });
const asFloat64 = (planes: readonly Samples[]) => planes.map((plane) => Float64Array.from(plane));
const bits = ({ image }: Restored) => asFloat64(image.alpha ? [...image.planes, image.alpha] : image.planes);
const withoutTimes = ({ history, engine: _, ...rest }: Omit<Restored, 'image'>) => ({
  ...rest,
  history: history.map(({ ms, ...entry }) => entry),
});

const cases: readonly [name: string, image: Image, what: RestoreTask<Source>, whole: () => Promise<Restored>][] = [
  [
    'inpaint with a mask',
    grey,
    { task: 'inpaint', mask, options: fast },
    () => inpaint(grey, missing, { quality: 'fast' }),
  ],
  ['inpaint a cutout', cutout, { task: 'inpaint', options: fast }, () => inpaint(cutout, 'auto', { quality: 'fast' })],
  [
    'inpaint with noise',
    colour,
    { task: 'inpaint', mask, options: { ...fast, sigma: 12 } },
    () => inpaint(colour, missing, { quality: 'fast', sigma: 12 }),
  ],
  ['deblur', colour, { task: 'deblur', kernel, options: fast }, () => deblur(colour, kernel, { quality: 'fast' })],
  [
    'deblur auto',
    moved,
    { task: 'deblur', kernel: 'auto', options: fast },
    () => deblur(moved, 'auto', { quality: 'fast' }),
  ],
  [
    'deblur without noise',
    grey,
    { task: 'deblur', kernel, options: { ...fast, sigma: 0 } },
    () => deblur(grey, kernel, { quality: 'fast', sigma: 0 }),
  ],
  [
    'upscale',
    cutout,
    { task: 'upscale', factor: 1.5, options: { ...fast, blur: 'area' } },
    () => upscale(cutout, 1.5, { quality: 'fast', blur: 'area' }),
  ],
  [
    'upscale without noise, reduction unknown',
    grey,
    { task: 'upscale', factor: 2, options: { ...fast, sigma: 0 } },
    () => upscale(grey, 2, { quality: 'fast', sigma: 0 }),
  ],
  [
    'upscale what was a JPEG, after its steps are removed',
    colour,
    { task: 'upscale', factor: 2, options: { ...fast, jpeg: tables } },
    () => upscale(colour, 2, { quality: 'fast', jpeg: tables }),
  ],
];

describe('restoration in tiles', () => {
  it.each(cases)('has the bits of the whole image: %s', async (_, image, what, whole) => {
    const expected = await whole();
    const sink = sinkFor(image, what);
    const result = await restoreLarge(memorySource(image), sink, { ...what, tile: 50 });
    expect(asFloat64(sink.planes)).toEqual(bits(expected));
    const { image: _image, ...report } = expected;
    expect(withoutTimes(result)).toEqual(withoutTimes(report));
  });

  it.each(cases)('may be sent, reordered and repeated: %s', async (_, image, what, whole) => {
    const [sink, scratch, source] = [sinkFor(image, what), memoryScratch(), memorySource(image)];
    const places = {
      source: async (name: string) => (name === 'mask' ? mask : source),
      sink: async () => sink,
      scratch: async () => scratch,
    };
    const sent = what.task === 'inpaint' ? { ...what, mask: what.mask && 'mask' } : what;
    const request = { input: 'in', output: 'out', tile: 32, ...sent };
    const { passes } = await runElsewhere(restoreTask(), request, places);
    expect(passes.slice(0, 4)).toEqual(['read', 'start', 'data-1', 'prior-1']);
    expect(passes.at(-1)).toBe('result');
    expect(asFloat64(sink.planes)).toEqual(bits(await whole()));
  });

  it('removes the noise of the input once, and says so in every part', async () => {
    const what = { task: 'upscale', factor: 2, options: { ...fast, jpeg: tables } } as const;
    const { noise, reduction, sigma } = await restoreLarge(memorySource(colour), sinkFor(colour, what), {
      ...what,
      tile: 32,
    });
    expect(noise?.model.kind).toBe('coloured');
    expect(noise?.jpegQuality).toBeGreaterThan(1);
    expect(reduction).toMatchObject({ kind: 'mixed', reason: 'noise-removed' });
    expect(sigma).toBe(2);
  });

  it('works on tiles with their margin, one prior for all, and frees planes that are no longer needed', async () => {
    const long = noisyPicture(64, 1200, 1, 'uint8');
    const scratch = memoryScratch();
    const stored = new Map<string, unknown>();
    let [most, tiles] = [0, 0];
    const watched = {
      ...scratch,
      put: async (key: string, value: unknown) => {
        stored.set(key, value);
        most = Math.max(most, [...stored.values()].filter((each) => each !== null).length);
        await scratch.put(key, value);
      },
    };
    const onProgress = ({ pass, parts }: RunProgress) => {
      if (pass === 'prior-1') tiles = parts;
    };
    const what = { task: 'deblur', kernel, options: { ...fast, sigma: 12 }, tile: 256, scratch: watched } as const;
    const sink = sinkFor(long, what);
    await restoreLarge(memorySource(long), sink, what, { onProgress });
    expect(tiles).toBe(5);
    // z and x + u of two steps at most, in five pieces each.
    expect(most).toBeLessThanOrEqual(4 * 5);
    for (const key of stored.keys()) expect(await scratch.get(key)).toBeUndefined();
  });

  it('reports progress that rises to 1, and stops when it is aborted', async () => {
    const fractions: number[] = [];
    const what = { task: 'upscale', factor: 2, options: fast, tile: 64 } as const;
    const onProgress = ({ fraction }: RunProgress) => fractions.push(fraction);
    await restoreLarge(memorySource(grey), sinkFor(grey, what), what, { onProgress });
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    const controller = new AbortController();
    const stop = ({ pass, done }: RunProgress) => {
      if (pass === 'prior-2' && done === 1) controller.abort(new Error('enough'));
    };
    const watch = { signal: controller.signal, onProgress: stop };
    await expect(restoreLarge(memorySource(grey), sinkFor(grey, what), what, watch)).rejects.toThrow('enough');
  });
});

describe('refuses', () => {
  const errorOf = async (what: RestoreTask<Source> & { tile?: number }, sink = sinkFor(grey, what)) => {
    const error = await restoreLarge(memorySource(grey), sink, what).catch((reason) => reason);
    expect(isGhtError(error)).toBe(true);
    return error.message;
  };

  it('a sink of another size than the result', async () => {
    const what = { task: 'upscale', factor: 2 } as const;
    const message = await errorOf(what, memorySink(pictureOf(grey)));
    expect(message).toMatch(/^sink must have 180×140 pixels with 1 channels, as the result, but got "90×70 pixels/);
  });

  it('a mask of another size', async () => {
    const what = { task: 'inpaint', mask: memorySource(noisyPicture(91, 70, 1)) } as const;
    expect(await errorOf(what)).toMatch(/^mask must have the size of the image, 90×70, but got "91×70"/);
  });

  it('what the tasks refuse, and tiles of no size', async () => {
    expect(await errorOf({ task: 'inpaint' })).toContain('mask must be given for an image without transparent pixels');
    expect(await errorOf({ task: 'deblur', kernel, options: { sigma: -1 } })).toContain(
      'sigma must be a finite number',
    );
    expect(await errorOf({ task: 'deblur', kernel, options: { blur: 'area' } as object })).toContain(
      'unknown option blur',
    );
    expect(await errorOf({ task: 'deblur', kernel, tile: 0 })).toContain('tile must be a whole number of at least 1');
  });

  it('to go on if planes were lost, with the reason', async () => {
    const scratch = memoryScratch();
    const forgetful = {
      ...scratch,
      get: async (key: string) => (key.startsWith('z-2') ? undefined : scratch.get(key)),
    };
    const what = { task: 'deblur', kernel, options: fast, tile: 32, scratch: forgetful } as const;
    const error = await restoreLarge(memorySource(grey), sinkFor(grey, what), what).catch((reason) => reason);
    expect(isGhtError(error, 'environment')).toBe(true);
    expect(error.message).toContain('scratch must keep what a run has stored until the run has ended');
  });
});
