/** The learned model for colour pictures on every engine: the fixture of `training/fixture_colour.py`, and the contract. */
import '../webgpu/uncleared.js';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { BLOCK } from '../../src/denoisers/learned/blocks.js';
import { type ColourModel, readColourModel } from '../../src/denoisers/learned/colour-model.js';
import { requiredColourModel } from '../../src/denoisers/learned/shipped.js';
import { tilesOf } from '../../src/denoisers/tiles.js';
import { engines } from '../../src/engines/engines.js';
import { cut, within } from '../../src/image/rectangle.js';
import { readNpy } from '../../src/sparse/codes/npy.js';
import { unzip } from '../../src/sparse/codes/zip.js';
import { smallColourFile } from '../denoisers/small-colour-model.js';
import { largestDifference } from '../golden/denoisers.js';
import { noisy, picture, tileOf } from '../pictures.js';
import { engineCases } from './cases.js';

let model: ColourModel;
let small: ColourModel;

beforeAll(async () => {
  model = await requiredColourModel();
  small = await readColourModel(await smallColourFile());
});

async function fixture() {
  const files = await unzip(readFileSync(new URL('../golden/colour.npz', import.meta.url)));
  const array = (name: string) => readNpy(files.get(`${name}.npy`) as Uint8Array);
  const [, height, width] = array('noisy').shape;
  const planes = (name: string) => {
    const data = Float64Array.from(array(name).data);
    return [0, 1, 2].map((c) => data.subarray(c * width * height, (c + 1) * width * height));
  };
  return { width, height, noisy: planes('noisy'), denoised: planes('denoised'), scales: [...array('deviations').data] };
}

describe.each(engineCases)('the model for colour on the %s engine', (_name, { engine, threads, within: tolerance }) => {
  it('denoises as NumPy does, with noise of its own in each plane, whatever the unit', {
    timeout: 120_000,
  }, async () => {
    const { width, height, noisy, denoised, scales } = await fixture();
    const denoiser = await engine.colour(model, width * height, { threads });
    const planes = await denoiser.run({ ...tileOf(noisy, width, height), scales: scales.map((scale) => 4 * scale) });
    for (const [c, plane] of planes.entries())
      expect(largestDifference(plane, denoised[c])).toBeLessThan(tolerance.pixels);
  });

  it('reports its engine and rising progress, and stops on abort', async () => {
    const denoiser = await engine.colour(small, 40 * 32, { threads });
    const tile = tileOf(noisy(picture(40, 32, 3), 1).planes, 40, 32);
    expect(denoiser.info).toMatchObject({ name: engine.name, threads: threads ?? 1 });
    const fractions: number[] = [];
    await denoiser.run(tile, { onProgress: ({ fraction }) => fractions.push(fraction) });
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(denoiser.run(tile, { signal })).rejects.toThrow('enough');
  });

  it('tiles have the samples of the whole', async () => {
    const [width, height] = [BLOCK + 21, BLOCK + 7];
    const { planes } = noisy(picture(width, height, 3), 1);
    const denoiser = await engine.colour(small, width * height, { threads });
    const whole = (await denoiser.run(tileOf(planes, width, height))).map((plane) => Float64Array.from(plane));
    const all = { left: 0, top: 0, width, height };
    const tiles = tilesOf(denoiser, width, height, 1);
    expect(tiles).toHaveLength(height > BLOCK ? 4 : 2);
    for (const { inner, outer } of tiles) {
      const parts = planes.map((plane) => cut(plane, all, outer));
      const kept = within(inner, outer);
      const denoised = await denoiser.run({ ...tileOf(parts, outer.width, outer.height), kept });
      for (const [c, plane] of denoised.entries()) {
        const part = cut(plane, { ...outer, left: 0, top: 0 }, kept);
        expect(largestDifference(part, cut(whole[c], all, inner))).toBe(0);
      }
    }
  });
});

it('the wasm engine has the same bits on any number of threads', async () => {
  const [width, height] = [2 * BLOCK + 30, 50];
  const { planes } = noisy(picture(width, height, 3), 1);
  const run = async (threads: number) => {
    const denoiser = await engines.wasm.colour(small, width * height, { threads });
    return (await denoiser.run(tileOf(planes, width, height))).map((plane) => plane.slice());
  };
  const alone = await run(1);
  expect(await run(2)).toEqual(alone);
  expect(await run(5)).toEqual(alone);
});
