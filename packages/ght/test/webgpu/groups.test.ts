/** The denoisers on a GPU against the mathematics as written, and what holds on GPUs alone. */
import './uncleared.js';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Filter, Pass, Step } from '../../src/denoisers/groups/recipes.js';
import { recipeNames, recipeOf } from '../../src/denoisers/groups/recipes.js';
import { recipeRunner as onWasm } from '../../src/engines/wasm/run/recipe.js';
import { learnedBytes, recipeBytes } from '../../src/engines/webgpu/bytes.js';
import { Gpu, leastLimits } from '../../src/engines/webgpu/gpu.js';
import { type RecipeOptions, recipeRunner } from '../../src/engines/webgpu/run/recipe.js';
import { psnr } from '../../src/index.js';
import { followed } from '../denoisers/groups/followed.js';
import { largestDifference } from '../golden/denoisers.js';
import { noisy, picture, tileOf } from '../pictures.js';

describe.skipIf(inject('withoutGpu') !== '')('recipes on a GPU', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open();
  });
  afterAll(() => gpu.dispose());

  const run = async (
    recipe: readonly Step[],
    planes: readonly Float64Array[],
    width: number,
    height: number,
    options?: RecipeOptions,
  ) => (await recipeRunner(gpu, recipe, options)).follow(tileOf(planes, width, height));

  const pass = (filter: Filter, more: Partial<Pass> = {}): Pass => ({
    ...{ name: 'pass', from: 'noisy', guide: 'noisy', to: 'pilot', filter },
    ...{ patch: 8, stride: 3, reach: 8, members: 20, window: 2, ...more },
  });
  const threshold: Filter = { kind: 'threshold', transform: 'dct', tau: 2.6 };

  /** A noisy picture of few whole numbers: distances are exact, and many are equal. */
  const [width, height] = [27, 22];
  const coarse = noisy(picture(width, height), 8).planes.map((plane) =>
    Float64Array.from(plane, (value) => 3 * Math.round(value / 24)),
  );

  it('groups of equal distances are in picture order, also where all are equal', async () => {
    const half = Float64Array.from(coarse[0], (value, i) => (i % width < 14 ? 5 : value));
    for (const planes of [coarse, [half]]) {
      const recipe = [pass(threshold)];
      const [expected] = followed(recipe, [{ width, height, data: planes[0] }]);
      const [actual] = await run(recipe, planes, width, height);
      expect(largestDifference(actual, expected.data)).toBeLessThan(1e-4);
    }
  });

  it('a threshold of 0 leaves the picture unchanged', async () => {
    const filters: Filter[] = [
      { kind: 'threshold', transform: 'bior', tau: 0 },
      // Of 64 eigenvalues at most 19 are not zero: the others are as equal as they can be.
      { kind: 'rank', factor: 0, noise: 1 },
    ];
    for (const filter of filters) {
      const [actual] = await run([pass(filter, { stride: 7 })], coarse, width, height);
      expect(largestDifference(actual, coarse[0]), filter.kind).toBeLessThan(1e-3);
    }
  });

  it('equal singular values have independent vectors', async () => {
    // Waves of all phases: their sine and their cosine have the same singular value.
    const waves = Float64Array.from({ length: width * height }, (_, i) => 9 * Math.cos((Math.PI / 4) * (i % width)));
    const rank: Filter = { kind: 'rank', factor: 0.5, noise: 1 };
    const [actual] = await run([pass(rank, { stride: 7, reach: 4, members: 80 })], [waves], width, height);
    expect(largestDifference(actual, waves)).toBeLessThan(1e-3);
  });

  it('sums hold the largest samples that a frame allows', async () => {
    const large = new Float64Array(width * height).map((_, i) => (i % width < 13 ? 1e6 : -1e6));
    const [actual] = await run([pass({ ...threshold, tau: 0 })], [large], width, height);
    expect(largestDifference(actual, large)).toBeLessThan(1);
  });

  it('batches of any size, and a second run, give the same bits', async () => {
    const recipe = recipeOf('balanced');
    const [once] = await run(recipe, coarse, width, height);
    for (const batch of [undefined, 7]) {
      const [again] = await run(recipe, coarse, width, height, { batch });
      expect(largestDifference(again, once)).toBe(0);
    }
  });

  it('a second run allocates nothing, and gives the same bits after other work in the same memory', async () => {
    const runner = await recipeRunner(gpu, recipeOf('fast'));
    const tile = tileOf(coarse, width, height);
    const [once] = await runner.follow(tile);
    await run([pass({ ...threshold, tau: 0 })], coarse, width, height);
    const allocations = vi.spyOn(gpu.device, 'createBuffer');
    const [again] = await runner.follow(tile);
    expect(allocations).not.toHaveBeenCalled();
    allocations.mockRestore();
    expect(largestDifference(again, once)).toBe(0);
  });

  it('has the PSNR of the CPU within 0.01 dB', async () => {
    const side = 48;
    const clean = picture(side, side, 3);
    const sigma = 20;
    const planes = noisy(clean, sigma).planes.map((plane) => Float64Array.from(plane, (value) => value / sigma));
    for (const quality of ['fast', 'balanced'] as const) {
      const recipe = recipeOf(quality);
      const cpu = await onWasm(recipe, { fma: false, threads: 1 }).follow(tileOf(planes, side, side));
      const decibels = (result: readonly ArrayLike<number>[]) =>
        psnr({ ...clean, planes: result.map((plane) => Float64Array.from(plane, (value) => value * sigma)) }, clean);
      expect(Math.abs(decibels(await run(recipe, planes, side, side)) - decibels(cpu)), quality).toBeLessThan(0.01);
    }
  });

  it('stops between batches, and runs again afterwards', async () => {
    const stop = new AbortController();
    const runner = await recipeRunner(gpu, recipeOf('fast'), { batch: 25 });
    const tile = tileOf(coarse, width, height);
    const reported: number[] = [];
    const aborted = runner.follow(tile, stop.signal, (_step, fraction) => {
      reported.push(fraction);
      if (fraction > 0) stop.abort(new Error('enough'));
    });
    await expect(aborted).rejects.toThrow('enough');
    // The start, the first batch, and on a fast GPU the second, which was submitted behind it.
    expect(reported.length).toBeLessThanOrEqual(3);
    const all: number[] = [];
    const [again] = await runner.follow(tile, undefined, (_step, fraction) => all.push(fraction));
    expect(all.length).toBeGreaterThan(3);
    expect(all.at(-1)).toBe(1);
    const [whole] = await run(recipeOf('fast'), coarse, width, height);
    expect(largestDifference(again, whole)).toBe(0);
  });

  it('the tiles that tasks choose, of up to a gibibyte, have planes that every GPU can bind', async () => {
    const perPixel = [learnedBytes(1, 1, 1), ...recipeNames.map((quality) => recipeBytes(recipeOf(quality), 1, 1, 1))];
    for (const bytes of perPixel) {
      const pixels = 2 ** 30 / bytes;
      expect(4 * pixels).toBeLessThanOrEqual(leastLimits.maxStorageBufferBindingSize);
    }
    const small = await Gpu.open({ limits: { maxStorageBufferBindingSize: 1024 } });
    const runner = await recipeRunner(small, recipeOf('fast'));
    await expect(runner.follow(tileOf(coarse, width, height))).rejects.toThrow(/planes of more than 256 pixels/);
    small.dispose();
  });

  it('refuses what its workgroups cannot hold, and names the step', async () => {
    await expect(recipeRunner(gpu, [pass(threshold, { name: 'crowd', members: 300 })])).rejects.toThrow(
      /the step "crowd" runs on the CPU only: groups of 300 patches within 8 pixels/,
    );
    const rank: Filter = { kind: 'rank', factor: 1, noise: 1 };
    await expect(recipeRunner(gpu, [pass(rank, { patch: 12 })])).rejects.toThrow(/12×12/);
  });
});
