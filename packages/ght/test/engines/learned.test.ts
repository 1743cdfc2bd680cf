/** The learned denoiser on every engine: the fixture of `training/fixture.py`, and the contract. */
import '../webgpu/uncleared.js';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { BLOCK } from '../../src/denoisers/learned/blocks.js';
import type { LearnedModel } from '../../src/denoisers/learned/model.js';
import { shippedModel } from '../../src/denoisers/learned/shipped.js';
import { tilesOf } from '../../src/denoisers/tiles.js';
import { engines } from '../../src/engines/engines.js';
import { cut, within } from '../../src/image/rectangle.js';
import { readNpy } from '../../src/sparse/codes/npy.js';
import { unzip } from '../../src/sparse/codes/zip.js';
import { largestDifference } from '../golden/denoisers.js';
import { noisy, picture, tileOf } from '../pictures.js';
import { engineCases } from './cases.js';

let model: LearnedModel;
let fixture: { readonly width: number; readonly height: number; noisy: Float64Array; denoised: Float64Array };

beforeAll(async () => {
  model = await shippedModel();
  const files = await unzip(readFileSync(new URL('../golden/learned.npz', import.meta.url)));
  const [given, wanted] = ['noisy', 'denoised'].map((name) => readNpy(files.get(`${name}.npy`) as Uint8Array));
  const [height, width] = given.shape;
  fixture = { width, height, noisy: Float64Array.from(given.data), denoised: Float64Array.from(wanted.data) };
});

/** The last steps of a model with its first atoms alone, so that plain TypeScript is fast enough. */
function reduced(model: LearnedModel, steps: number, atoms: number): LearnedModel {
  const rows = (array: Float32Array, samples: number) => {
    return array.filter((_, i) => Math.floor(i / samples) % model.atoms < atoms).slice(-steps * atoms * samples);
  };
  const [A, B, D] = [rows(model.A, 64), rows(model.B, 64).slice(-(steps - 1) * atoms * 64), rows(model.D, 64)];
  return { steps, atoms, A, B, D, kappa: rows(model.kappa, 1) };
}

describe.each(engineCases)('the learned denoiser on the %s engine', (_name, { engine, threads, within: tolerance }) => {
  it('denoises as NumPy does', async () => {
    const { width, height } = fixture;
    const denoiser = await engine.learned(model, width * height, { threads });
    const [plane] = await denoiser.run(tileOf([fixture.noisy], width, height));
    expect(largestDifference(plane, fixture.denoised)).toBeLessThan(tolerance.pixels);
  });

  it('reports its engine and rising progress, and stops on abort', async () => {
    const denoiser = await engine.learned(reduced(model, 4, 16), 40 * 32, { threads });
    const tile = tileOf(noisy(picture(40, 32), 1).planes, 40, 32);
    expect(denoiser.info).toMatchObject({ name: engine.name, threads: threads ?? 1 });
    const reported: number[] = [];
    await denoiser.run(tile, { onProgress: ({ fraction }) => reported.push(fraction) });
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(denoiser.run(tile, { signal })).rejects.toThrow('enough');
  });

  it('tiles have the samples of the whole, and what is not kept is not computed', async () => {
    // A GPU in software is slow: there the picture is a strip.
    const [width, height] = [BLOCK + 21, engine.name === 'webgpu' ? 12 : BLOCK + 7];
    const { planes } = noisy(picture(width, height), 1);
    const denoiser = await engine.learned(reduced(model, 2, 8), width * height, { threads });
    const whole = Float64Array.from((await denoiser.run(tileOf(planes, width, height)))[0]);
    const all = { left: 0, top: 0, width, height };
    const tiles = tilesOf(denoiser, width, height, 1);
    expect(tiles).toHaveLength(height > BLOCK ? 4 : 2);
    for (const { inner, outer } of tiles) {
      const part = cut(planes[0], all, outer);
      const kept = within(inner, outer);
      const [denoised] = await denoiser.run({ ...tileOf([part], outer.width, outer.height), kept });
      const expected = cut(whole, all, inner);
      expect(largestDifference(cut(denoised, { ...outer, left: 0, top: 0 }, kept), expected)).toBe(0);
      expect(denoised.filter((value) => value !== 0).length).toBeLessThanOrEqual(inner.width * inner.height);
    }
  });
});

it('the wasm engine has the same bits on any number of threads', async () => {
  const [width, height] = [BLOCK + 30, 50];
  const { planes } = noisy(picture(width, height, 2), 1);
  const run = async (threads: number) => {
    const denoiser = await engines.wasm.learned(reduced(model, 4, 128), width * height, { threads });
    return (await denoiser.run(tileOf(planes, width, height))).map((plane) => plane.slice());
  };
  const alone = await run(1);
  expect(await run(2)).toEqual(alone);
  expect(await run(5)).toEqual(alone);
});
