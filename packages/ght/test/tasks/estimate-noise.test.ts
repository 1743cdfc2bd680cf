import { denoise, estimateNoise, type Image, randomSource, type WhiteNoise } from 'ght';
import { describe, expect, it } from 'vitest';

/** A ramp with white noise. */
function noisy(seed: number, side = 128): Image {
  const random = randomSource(seed);
  const plane = Float32Array.from({ length: side * side }, (_, i) => 60 + (i % side) / 2 + 10 * random.normal());
  return { width: side, height: side, planes: [plane], peak: 255 };
}

describe('noise models', () => {
  it('one estimate of several images does not depend on their order', async () => {
    const images = [noisy(1), noisy(2, 260), noisy(3)];
    const estimate = await estimateNoise(images);
    expect(await estimateNoise(images.toReversed())).toEqual(estimate);
    expect(estimate.model.kind === 'white' && estimate.model.sigma[0]).toBeCloseTo(10, 0);
  });

  it('images that cannot share one noise are refused with a remedy', async () => {
    const colour = { ...noisy(1), planes: [noisy(1), noisy(2), noisy(3)].map(({ planes }) => planes[0]) };
    await expect(estimateNoise([noisy(1), colour])).rejects.toThrow(/images\[1\] must have 1 plane.*separately/);
    await expect(estimateNoise([noisy(1), noisy(2, 100)])).rejects.toThrow(/128×128/);
    await expect(estimateNoise([])).rejects.toThrow(/at least one image/);
  });

  it('denoise takes a model, or the whole estimate, and returns the same as with the numbers', async () => {
    const image = noisy(4);
    const estimate = await estimateNoise(image);
    const byModel = await denoise(image, { noise: estimate.model, threads: 1 });
    const { sigma } = estimate.model as WhiteNoise;
    expect(byModel.estimated).toBe(false);
    expect(byModel.image).toEqual((await denoise(image, { noise: estimate, threads: 1 })).image);
    expect(byModel.image).toEqual((await denoise(image, { sigma, threads: 1 })).image);
  });

  it('a model of other planes, or with wrong numbers, is refused', async () => {
    const wrong = (noise: object) => denoise(noisy(5), { noise: noise as never });
    await expect(wrong({ kind: 'white', sigma: [1, 2, 3] })).rejects.toThrow(
      /noise must be the noise of 1 plane.*grey or colour/,
    );
    await expect(wrong({ kind: 'white', sigma: [-1] })).rejects.toThrow(/noise\.sigma/);
    await expect(wrong({ kind: 'coloured', brightness: [0], deviations: [[[1, 2]]] })).rejects.toThrow(/64 deviations/);
    await expect(wrong({ kind: 'pink' })).rejects.toThrow(/noise\.kind must be one of/);
  });
});
