import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/index.js';
import { estimateMemory, learnedDictionary, overcompleteDct, represent } from '../../../src/index.js';
import { greyPhotograph } from '../../photographs.js';
import { picture } from '../../pictures.js';

const joint = { solver: 'joint-omp' } as const;

describe('the learned dictionary', () => {
  it('is separable, 64×256, with atoms of norm 1, for small and for large budgets', () => {
    for (const s of [1, 5, 10, 20, 60]) {
      const { N, L, factors, atoms, name } = learnedDictionary(s);
      expect([N, L, name]).toEqual([64, 256, 'learned 64×256']);
      expect(factors?.map(({ rows, cols }) => [rows, cols])).toEqual([
        [8, 16],
        [8, 16],
      ]);
      for (let l = 0; l < L; l++) expect(Math.hypot(...atoms.data.subarray(64 * l, 64 * (l + 1)))).toBeCloseTo(1, 12);
    }
    expect(learnedDictionary(5)).not.toEqual(learnedDictionary(20));
  });

  it('has lower errors with joint OMP than the DCT of the paper, at every budget', async () => {
    const image = await greyPhotograph('march-pastoral', 96);
    for (const [s, least] of [
      [2, 0.3],
      [5, 1],
      [10, 1],
      [20, 1.5],
    ]) {
      const run = (dictionary: 'learned' | 'paper') =>
        represent(image, { ...joint, dictionary, budget: { perPatch: s } });
      expect((await run('learned')).psnr - (await run('paper')).psnr, `s = ${s}`).toBeGreaterThan(least);
    }
  });

  it('represents flat patches exactly with one atom each', async () => {
    const flat: Image = { width: 16, height: 16, planes: [new Uint8Array(256).fill(200)], peak: 255 };
    for (const perPatch of [1, 20]) {
      const { rmse, nonzeros } = await represent(flat, { ...joint, dictionary: 'learned', budget: { perPatch } });
      expect(rmse).toBeLessThan(1e-3);
      expect(nonzeros).toBe(4);
    }
  });

  it('is chosen by the budget, given per patch or in total', async () => {
    const image = picture(32, 32);
    const used = async (budget: { perPatch: number } | { total: number }) =>
      (await represent(image, { ...joint, dictionary: 'learned', budget })).dictionary;
    expect(await used({ perPatch: 5 })).toEqual(learnedDictionary(5));
    expect(await used({ total: 5 * 16 })).toEqual(learnedDictionary(5));
    expect(await used({ total: 20 * 16 })).toEqual(learnedDictionary(20));
  });
});

describe('the named dictionaries of represent', () => {
  it('paper is the 64×100 DCT', async () => {
    const { dictionary } = await represent(picture(32, 32), { dictionary: 'paper' });
    expect(dictionary).toEqual(overcompleteDct(8, 10));
  });

  it('count in the memory estimate', () => {
    const size = { width: 512, height: 512, channels: 1 };
    const bytes = (dictionary: 'learned' | 'paper') => estimateMemory('represent', size, { dictionary });
    expect(bytes('learned')).toBeGreaterThan(bytes('paper'));
    expect(bytes('learned')).toBe(estimateMemory('represent', size));
  });

  it.each([
    [{ dictionary: 'dct' }, 'dictionary must be one of learned, paper, but got "dct"'],
    [{ dictionary: 'learned', patch: 16 }, 'patch must be 8 for the dictionary learned, but got 16'],
    [{ dictionary: 'paper', atoms: 10 }, 'atoms must be left out when a dictionary is given'],
  ])('%j is refused', async (options, message) => {
    await expect(represent(picture(32, 32), options as object)).rejects.toThrow(message);
  });
});
