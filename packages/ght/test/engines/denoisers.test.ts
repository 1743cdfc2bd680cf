/** One suite for the denoisers of every engine: the golden values of an independent implementation, and the contract. */
import '../webgpu/uncleared.js';
import { describe, expect, it } from 'vitest';
import { recipeOf } from '../../src/denoisers/groups/recipes.js';
import { tilesOf } from '../../src/denoisers/tiles.js';
import { denoiserCases, largestDifference } from '../golden/denoisers.js';
import { noisy, picture, tileOf } from '../pictures.js';
import { engineCases } from './cases.js';

/**
 * The portable engine runs recipes like the reference, and a GPU with the least limits runs them like any GPU, so a few cases are
 * enough. `best` is slow on a GPU in software, and the others have its steps, so one case of it is enough.
 */
const casesOf = (name: string, engine: string) => {
  if (name === 'portable') return denoiserCases.slice(0, 4);
  if (name === 'webgpu with the least limits') return denoiserCases.slice(0, 3);
  const best = ['best, grey picture', 'best, coloured noise, colour picture'];
  return denoiserCases.filter(([title]) => engine !== 'webgpu' || !best.includes(title));
};

describe.each(engineCases)('the %s engine', (name, { engine, threads, within }) => {
  it.each(casesOf(name, engine.name))('denoises as NumPy does: %s', async (_case, golden) => {
    const { recipe, width, height } = golden;
    const denoiser = await engine.denoiser(recipe, width * height, { threads });
    const planes = await denoiser.run({ ...tileOf(golden.noisy, width, height), noise: golden.noise });
    expect(planes).toHaveLength(golden.denoised.length);
    for (const [c, plane] of planes.entries()) {
      expect(largestDifference(plane, golden.denoised[c]), `plane ${c}`).toBeLessThan(within.pixels);
    }
  });

  it('reports its engine and rising progress by pass, and stops on abort', async () => {
    const planes = noisy(picture(40, 32), 1).planes;
    const denoiser = await engine.denoiser(recipeOf('balanced'), 40 * 32, { threads });
    expect(denoiser.info).toMatchObject({ name: engine.name, threads: threads ?? 1 });
    expect(denoiser.passes).toEqual(['pilot', 'wiener']);
    const reported: { fraction: number; pass: string }[] = [];
    await denoiser.run(tileOf(planes, 40, 32), { onProgress: (progress) => reported.push(progress) });
    const fractions = reported.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(new Set(reported.map(({ pass }) => pass))).toEqual(new Set(['pilot', 'wiener']));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(denoiser.run(tileOf(planes, 40, 32), { signal })).rejects.toThrow('enough');
  });

  it('an aligned tile with its margin has the samples of the whole', async () => {
    // One pass with a small reach, so that the tiles are small and the reference is fast.
    const [step] = recipeOf('balanced');
    const recipe = [{ ...step, reach: 3, members: 4 }];
    const [width, height] = [70, 140];
    const [plane] = noisy(picture(width, height), 1).planes;
    const denoiser = await engine.denoiser(recipe, width * height, { threads });
    const whole = Float64Array.from((await denoiser.run(tileOf([plane], width, height)))[0]);
    const tiles = tilesOf(denoiser, width, height, 30);
    expect(tiles.length).toBeGreaterThan(4);
    for (const { inner, outer } of tiles) {
      const part = Float64Array.from({ length: outer.width * outer.height }, (_, i) => {
        return plane[(outer.top + Math.floor(i / outer.width)) * width + outer.left + (i % outer.width)];
      });
      const [tile] = await denoiser.run(tileOf([part], outer.width, outer.height));
      for (let y = inner.top; y < inner.top + inner.height; y++) {
        const [from, there] = [y * width + inner.left, (y - outer.top) * outer.width + inner.left - outer.left];
        const kept = Float64Array.from(tile.subarray(there, there + inner.width));
        expect(largestDifference(kept, whole.subarray(from, from + inner.width)), `row ${y}`).toBe(0);
      }
    }
  });

  it('needs memory in proportion to the picture', async () => {
    const denoiser = await engine.denoiser(recipeOf('best'), 100, { threads });
    expect(denoiser.bytes(200, 100, 3)).toBe(6 * denoiser.bytes(100, 100, 1));
    expect(denoiser.bytes(100, 100, 1)).toBe(engine.recipeBytes(recipeOf('best'), 100, 100, 1));
    expect(denoiser.least).toBe(8);
  });
});
