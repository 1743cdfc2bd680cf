import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/index.js';
import { learn, overcompleteDct, represent, separableDictionary } from '../../src/index.js';
import { greyPhotograph } from '../photographs.js';
import { picture } from '../pictures.js';
import { perturbed, planted, randomAtoms, recovered } from '../sparse/learning/planted.js';

const small = { patches: 4096, batch: 2048, atoms: 100, budget: { perPatch: 5 }, iterations: 6 } as const;

describe('learn', () => {
  it.each([true, false])(
    'lowers the error on held-out patches and on another image (separable: %s)',
    async (separable) => {
      const photograph = await greyPhotograph('nagasaki-boats', 192);
      const { dictionary, history, ...result } = await learn(photograph, { ...small, separable });
      expect(result.rmse).toBeLessThan(0.99 * result.initialRmse);
      expect(result.rmse).toBe(Math.min(...history.map(({ heldOut }) => heldOut)));
      expect(history[result.best - 1].heldOut).toBe(result.rmse);
      expect(history.map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(result.patches).toEqual({ training: 3584, heldOut: 512 });
      expect(result.uses.reduce((sum, count) => sum + count, 0)).toBe(5 * 512);
      expect(dictionary.factors !== undefined).toBe(separable);
      expect(dictionary.name).toBe('learned 64×100');
      const other = await greyPhotograph('french-alpine-landscape', 96);
      const with_ = (D = overcompleteDct(8, 10)) =>
        represent(other, { dictionary: D, solver: 'joint-omp', budget: small.budget });
      expect((await with_(dictionary)).psnr).toBeGreaterThan((await with_()).psnr);
    },
  );

  it('recovers a planted dictionary from signals', async () => {
    const truth = randomAtoms(16, 24, 1);
    const { Y } = planted(truth, 2000, 3, 2);
    const initial = perturbed(truth, 1, 3);
    expect(recovered(truth, initial)).toBe(0);
    const { dictionary, rmse, initialRmse } = await learn(Y, { initial, budget: { perPatch: 3 }, iterations: 30 });
    expect(recovered(truth, dictionary)).toBeGreaterThan(0.9);
    expect(rmse).toBeLessThan(0.3 * initialRmse);
  });

  it('learns other atoms for OMP, which are better for OMP', async () => {
    const image = picture(96, 96);
    const options = { ...small, atoms: 64, separable: true } as const;
    const [joint, patchwise] = [await learn(image, options), await learn(image, { ...options, solver: 'omp' })];
    const omp = (dictionary = joint.dictionary) =>
      represent(image, { dictionary, solver: 'omp', budget: small.budget });
    expect((await omp(patchwise.dictionary)).rmse).toBeLessThan((await omp()).rmse);
  });

  it('gives the same bits with 1 and 2 threads, and other patches for another seed', async () => {
    const image = picture(96, 96);
    const run = (options: object) => learn(image, { ...small, iterations: 2, separable: true, ...options });
    const one = await run({ threads: 1 });
    const two = await run({ threads: 2 });
    expect(two.engine.threads).toBe(2);
    expect(two.dictionary.atoms.data).toEqual(one.dictionary.atoms.data);
    expect(two.rmse).toBe(one.rmse);
    expect((await run({ seed: 2 })).initialRmse).not.toBe(one.initialRmse);
  });

  it('reads images once, one after the other, whatever their peak', async () => {
    const read: string[] = [];
    const doubled = (image: Image): Image => ({
      ...{ ...image, peak: 510 },
      planes: image.planes.map((plane) => Float64Array.from(plane, (value) => 2 * value)),
    });
    async function* folder() {
      for (let i = 0; i < 3; i++) {
        read.push(`image ${i}`);
        yield i === 1 ? doubled(picture(64, 64, 1, i)) : picture(64, 64, 1, i);
      }
    }
    const options = { ...small, iterations: 1 };
    const result = await learn(folder(), options);
    expect(read).toEqual(['image 0', 'image 1', 'image 2']);
    const list = await learn(
      [0, 1, 2].map((i) => picture(64, 64, 1, i)),
      options,
    );
    expect(result.dictionary.atoms.data).toEqual(list.dictionary.atoms.data);
  });

  it('continues from an earlier result', async () => {
    const image = picture(96, 96);
    const first = await learn(image, { ...small, iterations: 3 });
    const { atoms, ...rest } = small;
    const second = await learn(image, { ...rest, initial: first.dictionary, iterations: 3 });
    expect(second.initialRmse).toBe(first.rmse);
    expect(second.rmse).toBeLessThan(first.rmse);
  });

  it('learns for the budget that a target needs', async () => {
    const image = picture(96, 96);
    const fewer = await learn(image, { ...small, budget: { psnr: 32 }, iterations: 1 });
    const more = await learn(image, { ...small, budget: { psnr: 38 }, iterations: 1 });
    expect(fewer.perPatch).toBeGreaterThan(0);
    expect(more.perPatch).toBeGreaterThan(1.2 * fewer.perPatch);
  });

  it('tells its progress, every improvement, and stops when it is aborted', async () => {
    const image = picture(96, 96);
    const fractions: number[] = [];
    const bests: number[] = [];
    const result = await learn(image, {
      ...small,
      onProgress: ({ fraction }) => fractions.push(fraction),
      onBest: (_, { k }) => void bests.push(k),
    });
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    expect(bests.at(-1)).toBe(result.best);
    const controller = new AbortController();
    const stopped = learn(image, {
      ...{ ...small, iterations: 1000, signal: controller.signal },
      onProgress: ({ k }) => k === 2 && controller.abort(),
    });
    await expect(stopped).rejects.toThrow(/abort/i);
  });

  it('stays finite over a dictionary with two equal atoms and patches that are flat', async () => {
    const [A] = overcompleteDct(4, 6).factors ?? [];
    if (!A) throw new Error('the DCT is separable');
    A.data.copyWithin(4, 8, 12);
    const flat: Image = { width: 64, height: 64, planes: [new Uint8Array(4096).fill(7)], peak: 255 };
    for (const separable of [true, false]) {
      const initial = separableDictionary(A, A);
      const { dictionary, rmse } = await learn([flat, picture(64, 64)], {
        initial,
        separable,
        patches: 2048,
        iterations: 3,
      });
      expect(dictionary.atoms.data.every(Number.isFinite)).toBe(true);
      expect(rmse).toBeLessThan(255);
    }
  });

  const dct = overcompleteDct(8, 10);
  it.each([
    ['atoms', { atoms: 250 }, 'must be a square number or two factors, but got 250: use 256, or [16, 8] for 128'],
    ['budget', { budget: { total: 100 } }, 'must not be a total'],
    ['budget.perPatch', { budget: { perPatch: 1000 } }, 'must be from 0 to the 256 atoms'],
    ['iterations', { iterations: 0 }, 'must be a whole number from 1'],
    ['batch', { batch: 10 }, 'must be a whole number from 256'],
    ['solver', { solver: 'admm' }, 'must be one of joint-omp, omp'],
    ['unknown option', { atom: 5 }, 'atom; did you mean atoms?'],
    ['atoms', { initial: dct, atoms: 100 }, 'must be left out when an initial dictionary is given'],
    ['initial', { initial: dct, patch: 4 }, 'must have 16 rows for 4×4 patches'],
    ['initial', { initial: randomAtoms(64, 100, 1), separable: true }, 'must have factors'],
    ['initial', { initial: randomAtoms(60, 100, 1) }, 'must have as many rows as a square patch has pixels'],
    ['initial', { initial: randomAtoms(4, 8193, 1) }, 'must have at most 8192 atoms'],
  ])('refuses a wrong %s', async (parameter, options, message) => {
    await expect(learn(picture(64, 64), options as object)).rejects.toThrow(`${parameter} ${message}`);
  });

  it('refuses data that it cannot learn from', async () => {
    await expect(learn([])).rejects.toThrow('images must hold at least one image');
    await expect(learn(picture(8, 8))).rejects.toThrow(
      'images must have at least 293 patches for 256 atoms, but got 1',
    );
    await expect(learn(new Float64Array(100))).rejects.toThrow('data must be signals of 64 samples each');
    await expect(learn(new Float64Array(64).fill(Number.NaN))).rejects.toThrow('data sample (row 0, signal 0)');
  });
});
