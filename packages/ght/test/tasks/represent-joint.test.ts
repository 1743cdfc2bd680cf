/** One budget for several images. */
import { describe, expect, it } from 'vitest';
import {
  type Codes,
  extract,
  type Image,
  overcompleteDct,
  psnr,
  type RepresentOptions,
  represent,
  representJoint,
  solve,
} from '../../src/index.js';
import { type JointImage, type JointRepresentation, representSet } from '../../src/pipelines/represent/joint.js';
import { joinCodes } from '../../src/sparse/codes/codes.js';
import { picture } from '../pictures.js';

/** Different sizes, most with patches beyond the edges, grey, colour and bands, and one that is flat. */
const flat = { width: 40, height: 24, planes: [new Float32Array(960).fill(7)], peak: 255 };
const images: readonly Image[] = [picture(64, 48), picture(45, 61, 3), flat, picture(50, 20, 2), picture(9, 90)];

async function all(set: JointRepresentation): Promise<JointImage[]> {
  const results: JointImage[] = [];
  for await (const each of set.results()) results.push(each);
  return results;
}

const loaded = (of: readonly Image[]) => ({ length: of.length, image: async (k: number) => of[k] });
const codesIn = (results: readonly JointImage[]): Codes => joinCodes(results.map(({ codes }) => codes));

describe('representJoint', () => {
  it('is the solution for the patches of all images in one list', async () => {
    const grey = images.filter(({ planes }) => planes.length !== 3);
    const D = overcompleteDct(8, 10);
    for (const solver of ['joint-omp', 'qpm', 'admm', 'omp'] as const) {
      const set = await representJoint(grey, { solver, dictionary: D, budget: { perPatch: 3 } });
      const results = await all(set);
      const columns = results.flatMap(({ grid }, k) => grey[k].planes.map((plane) => extract(grid, plane)));
      const Y = Float64Array.from(columns.flatMap((column) => Array.from(column)));
      const { codes, nonzeros, rmse } = await solve(D, Y, { solver, peak: 255, budget: { perPatch: 3 } });
      expect(codesIn(results)).toEqual(codes);
      expect([set.nonzeros, set.rmse, set.patches]).toEqual([nonzeros, rmse, codes.P]);
    }
  });

  it('represents a set of one as represent does, bit for bit', async () => {
    for (const image of images) {
      for (const budget of [{ perPatch: 4 }, { psnr: 35 }, { sigma: 5 }]) {
        const one = await represent(image, { budget });
        const set = await representJoint([image], { budget });
        const [each] = await all(set);
        expect(each.image).toEqual(one.image);
        expect(each.codes).toEqual(one.codes);
        expect(each.atomsPerPatch).toEqual(one.atomsPerPatch);
        for (const own of [set, each]) {
          const { nonzeros, psnr: level, rmsePixel, patches } = one;
          expect(own).toMatchObject({ nonzeros, psnr: level, rmsePixel, patches });
        }
      }
    }
  });

  it('has the same bits for images that are loaded one at a time, in any number of runs of patches', async () => {
    const tests: RepresentOptions[] = [
      { budget: { perPatch: 3 } },
      { budget: { perPatch: 3 }, stride: 5, effort: 2 },
      { budget: { psnr: 36 } },
      { budget: { total: 500 }, solver: 'admm', maxIterations: 5 },
    ];
    for (const options of tests) {
      const expected = await all(await representJoint(images, { engine: 'wasm', ...options }));
      for (const side of [16, 100, 2048]) {
        const set = await representSet(loaded(images), { engine: 'wasm', ...options }, side);
        expect(await all(set)).toEqual(expected);
      }
    }
  });

  it('gives every image the same in any order', async () => {
    const set = await all(await representJoint(images, { budget: { perPatch: 2.5 } }));
    const reversed = await all(await representJoint(images.toReversed(), { budget: { perPatch: 2.5 } }));
    expect(reversed.toReversed()).toEqual(set);
  });

  it('gives the last of equal atoms to the image that comes first', async () => {
    const [{ nonzeros: first }, { nonzeros: second }] = (
      await representJoint([images[0], images[0]], { budget: { total: 101 } })
    ).images;
    expect([first, second]).toEqual([51, 50]);
  });

  it('says what each image and the set got', async () => {
    const set = await representJoint(images, { budget: { perPatch: 3 } });
    const results = await all(set);
    const sum = (of: (each: JointImage) => number) => results.reduce((total, each) => total + of(each), 0);
    expect(set.nonzeros).toBe(3 * set.patches);
    expect(sum(({ nonzeros }) => nonzeros)).toBe(set.nonzeros);
    expect(sum(({ patches }) => patches)).toBe(set.patches);
    let [squares, samples] = [0, 0];
    for (const [k, { image, atomsPerPatch, nonzeros, psnr: level }] of results.entries()) {
      expect(level).toBeCloseTo(psnr(image, images[k]), 9);
      expect(set.images[k]).toMatchObject({ nonzeros, psnr: level });
      expect(atomsPerPatch.reduce((total, count) => total + count, 0)).toBe(nonzeros);
      const size = image.width * image.height * image.planes.length;
      squares += size * 10 ** (-level / 10);
      samples += size;
    }
    expect(set.psnr).toBeCloseTo(-10 * Math.log10(squares / samples), 6);
    // A flat image needs one atom per patch; what it does not need helps the others.
    expect(results[2].nonzeros).toBeLessThanOrEqual(results[2].patches);
  });

  it('is better over the set than the same budget for each image', async () => {
    const set = await representJoint(images, { budget: { perPatch: 3 } });
    let squares = 0;
    let samples = 0;
    for (const image of images) {
      const { rmsePixel } = await represent(image, { budget: { perPatch: 3 }, dictionary: set.dictionary });
      const size = image.width * image.height * image.planes.length;
      squares += size * rmsePixel ** 2;
      samples += size;
    }
    expect(set.rmsePixel).toBeLessThan(Math.sqrt(squares / samples));
  });

  it('reaches a target PSNR over the set with hardly an atom too many', async () => {
    const set = await representJoint(images, { budget: { psnr: 38 } });
    expect(set.psnr).toBeGreaterThanOrEqual(38);
    expect((await representJoint(images, { budget: { total: Math.floor(0.98 * set.nonzeros) } })).psnr).toBeLessThan(
      38,
    );
    expect(Math.min(...set.images.map((each) => each.psnr))).toBeLessThan(38);
  });

  it('takes an async iterable', async () => {
    async function* stream() {
      yield* images;
    }
    const results = await all(await representJoint(stream(), { budget: { perPatch: 2 } }));
    expect(results).toEqual(await all(await representJoint(images, { budget: { perPatch: 2 } })));
  });

  it('stops, and reports progress that ends at 1', async () => {
    for (const set of [images, loaded(images)]) {
      const fractions: number[] = [];
      await representJoint(set, { onProgress: ({ fraction }) => fractions.push(fraction) });
      expect(fractions.at(-1)).toBe(1);
      expect(fractions.toSorted((a, b) => a - b)).toEqual(fractions);
      const stopped = representJoint(set, { signal: AbortSignal.abort(new Error('enough')) });
      await expect(stopped).rejects.toThrow('enough');
    }
  });

  it('names the image that is wrong', async () => {
    const bad = picture(16, 16);
    bad.planes[0][17] = Number.NaN;
    const cases: [readonly Image[], string][] = [
      [[], 'images must be at least one image, but got 0: give a list of images'],
      [[flat, { ...flat, peak: 1 }], 'images[1].peak must be that of the images before it, 255, but got 1'],
      [[flat, { ...flat, width: 3 }], 'images[1].planes[0] must hold width × height = 72 samples'],
      [[flat, bad], 'images[1] pixel (x 1, y 1, channel 0) must be a finite number'],
    ];
    for (const [set, message] of cases) {
      for (const given of [set, loaded(set)]) await expect(representJoint(given)).rejects.toThrow(message);
    }
    await expect(representJoint(5 as never)).rejects.toThrow('images must be a list');
  });
});
