import { describe, expect, it } from 'vitest';
import { deblur, denoise, gaussianKernel, inpaint, OptionError, restore, upscale } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';
import { runExtremes } from './extremes.js';

/** More cases and other seeds: GHT_EXTREMES=5000 GHT_SEED=7 npx vitest run extremes */
const cases = Number(process.env.GHT_EXTREMES ?? 250);
const seed = Number(process.env.GHT_SEED ?? 20260701);

it('no NaN comes out of finite numbers, whatever their size', async () => {
  const { failures, refused } = await runExtremes({ cases, seed });
  expect(failures).toEqual([]);
  expect(refused).toBeLessThan(cases / 2);
});

describe('noise far beyond the samples', () => {
  const given = noisy(picture(16, 12), 10);
  const colour = { ...given, planes: [0, 1, 2].map((c) => given.planes[0].map((value) => value * (1 - 0.2 * c))) };

  it.each([3e11, 1e155, 1e308])('σ = %d is refused by all tasks, and none of them returns NaN', async (sigma) => {
    const { width, height } = colour;
    const same = (x: Float64Array) => x.slice();
    const mask = Uint8Array.from(colour.planes[0], (_, i) => Number(i === 5));
    for (const task of [
      () => denoise(colour, { sigma }),
      () => inpaint(colour, mask, { sigma }),
      () => deblur(colour, gaussianKernel(0.5), { sigma }),
      () => upscale(colour, 2, { sigma }),
      () => restore(colour, { width, height, apply: same, adjoint: same }, { sigma }),
    ]) {
      const error = await task().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(OptionError);
      expect(String(error)).toContain('sigma must be at most 1000000000 times the peak and the largest sample (255)');
      expect(String(error)).toContain(`but got ${sigma}: give it in the units of the image`);
    }
  });

  it('names the part of other noise that is too large', async () => {
    const refusal = (noise: object) => denoise(given, { noise }).catch((error: unknown) => String(error));
    expect(await refusal({ gain: 1e200, sigma: 1 })).toContain('noise.gain must be at most');
    expect(await refusal({ gain: 1, sigma: 1e200 })).toContain('noise.sigma must be at most');
    expect(await refusal({ gain: 1, sigma: 1, offset: -1e200 })).toContain('noise.offset must be at most');
    expect(await refusal({ offset: 1e200 })).toContain('noise.offset must be at most');
    const spectrum = { width: 8, height: 8, data: new Array(64).fill(1e200) };
    expect(await refusal({ spectrum })).toContain('noise.spectrum must be at most');
  });

  it('is taken if the samples are almost zero but the peak is not, and reported as given', async () => {
    const planes = colour.planes.map((plane) => Float64Array.from(plane, (value) => value * 1e-312));
    const { image, noise, confidence } = await denoise({ ...colour, planes }, { sigma: 25 });
    for (const plane of image.planes) expect(plane.every(Number.isFinite)).toBe(true);
    expect(noise).toEqual({ kind: 'white', sigma: [25, 25, 25] });
    expect(confidence).toBe(1);
  });
});
