/** The same results for all numbers of threads, runs and versions of Node. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { recipeNames } from '../../src/denoisers/groups/recipes.js';
import type { Image } from '../../src/index.js';
import { denoise, gaussianDictionary, overcompleteDct, randomSource, solve, solverNames } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';
import { printed } from './programs.js';

/** Compared with one thread; the last entry is a second run with one. */
const threads = [2, 3, 8, 1];

describe.each(solverNames)('%s', (solver) => {
  it.each([
    ['separable', overcompleteDct(8, 10)],
    ['dense', gaussianDictionary(20, 33, 5)],
  ])('has the same bits on 1, 2, 3 and 8 threads, and every time: %s', async (_, D) => {
    const { normal } = randomSource(2);
    const P = 1100;
    const Y = Float64Array.from({ length: D.N * P }, (_value, i) => 50 * Math.sin(i / 31) + (i % 13) * normal());
    const run = async (count: number) => {
      const result = await solve(D, Y, {
        solver,
        refit: true,
        threads: count,
        engine: 'wasm',
        budget: { perPatch: 4 },
        maxIterations: 8,
      });
      return { codes: result.codes, rmse: result.rmse, history: result.history.map(({ ms: _ms, ...entry }) => entry) };
    };
    const expected = await run(1);
    for (const count of threads) expect(await run(count)).toEqual(expected);
  });
});

describe.each(recipeNames)('denoising, %s', (quality) => {
  const bits = ({ planes }: Pick<Image, 'planes'>) => planes.map((plane) => plane.slice());
  it('has the same bits on 1, 2, 3 and 8 threads, and every time', async () => {
    const given = noisy(picture(101, 77, 3), 14);
    const run = async (count: number) => bits((await denoise(given, { quality, threads: count })).image);
    const expected = await run(1);
    for (const count of threads) expect(await run(count)).toEqual(expected);
  });
});

interface Answers {
  readonly node: string;
  readonly answers: Readonly<Record<string, { readonly rmse: number; readonly bits: string }>>;
}

/** Another Node, installed by `npm run node24` into a folder where it does not replace the one in use. */
const other = fileURLToPath(new URL('../../../../.node24/node', import.meta.url));

it.skipIf(!existsSync(other))('Node 24 gives the same bits as this Node (needs npm run node24)', async () => {
  const [here, there] = [await printed<Answers>('answers.js', []), await printed<Answers>('answers.js', [], other)];
  expect(there.node).toMatch(/^v24\./);
  expect(Object.keys(there.answers)).toEqual(Object.keys(here.answers));
  for (const [name, { rmse, bits }] of Object.entries(here.answers)) {
    expect([name, there.answers[name].bits, there.answers[name].rmse]).toEqual([name, bits, rmse]);
  }
});
