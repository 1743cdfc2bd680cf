/** Noise that grows with the signal is found without being asked for; white noise is not mistaken for it. */
import { describe, expect, it } from 'vitest';
import { diagnose, type Image, type PoissonGaussian, randomSource, type SignalNoise } from '../../../src/index.js';
import { growingNoise } from '../../../src/noise/signal-dependent/poisson-gaussian.js';
import { finish } from '../../../src/work.js';
import { greyPhotograph, photograph } from '../../photographs.js';
import { noisy, picture } from '../../pictures.js';

/** The picture as a sensor counts it: `gain` is a count in the units of the picture, `scale` that of the samples in these units. */
function counted(clean: Image, { gain, sigma, offset = 0 }: PoissonGaussian, scale = 1, peak = clean.peak): Image {
  const { poisson, normal } = randomSource(17);
  const sample = (x: number) => offset + scale * gain * poisson(Math.max(0, x) / gain) + sigma * normal();
  return { ...clean, planes: clean.planes.map((plane) => Float64Array.from(plane, sample)), peak };
}
const deviation = ({ gain, sigma, offset = 0 }: PoissonGaussian, x: number) => {
  return Math.sqrt(gain * Math.max(0, x - offset) + sigma ** 2);
};
const relative = (value: number, truth: number) => Math.abs(value / truth - 1);

/** Fails unless the deviation at these samples is that of the noise, within 12%. */
function expectLike({ model }: { readonly model: object }, truth: PoissonGaussian, samples: readonly number[]): void {
  expect(model).toMatchObject({ kind: 'signal-dependent' });
  for (const plane of (model as SignalNoise).planes) {
    for (const x of samples) expect(relative(deviation(plane, x), deviation(truth, x)), `at ${x}`).toBeLessThan(0.12);
  }
}

describe('noise that grows with the signal is found', () => {
  it.each([
    { gain: 1, sigma: 1 },
    { gain: 4, sigma: 0 },
    { gain: 4, sigma: 5 },
  ])('in a grey photograph: %j', async (noise) => {
    const clean = await greyPhotograph('french-alpine-landscape', 192);
    expectLike(await diagnose(counted(clean, noise)), noise, [40, 100, 180]);
  });

  it('in colour, in all planes', async () => {
    const noise = { gain: 4, sigma: 2 };
    const found = await diagnose(counted(await photograph('black-canyon', 224), noise));
    expect((found.model as SignalNoise).planes).toHaveLength(3);
    expectLike(found, noise, [60, 120, 180]);
  });

  it('in 12-bit samples with an offset', async () => {
    const clean = await greyPhotograph('nagasaki-boats', 192);
    const image = counted(clean, { gain: 2, sigma: 5, offset: 256 }, 14, 4095);
    // 14 · 2 per count: a signal of 14 x has the variance 14 · 2 · 14 x.
    expectLike(await diagnose(image), { gain: 28, sigma: 5, offset: 256 }, [1000, 1800, 2800]);
  });
});

describe('noise of a few bright objects on a dark ground is found', () => {
  const side = 256;
  const signal = new Float64Array(side * side).fill(3);
  for (const [k, [cx, cy]] of [
    [70, 60],
    [180, 90],
    [110, 190],
    [210, 210],
  ].entries()) {
    for (let i = 0; i < signal.length; i++) {
      const r = Math.hypot((i % side) - cx, Math.floor(i / side) - cy) / (14 + 3 * k);
      signal[i] += (60 + 70 * k) / (1 + Math.exp(8 * (r - 1)));
    }
  }

  it.each([
    { gain: 4, sigma: 8, offset: 100 },
    { gain: 1, sigma: 2, offset: 0 },
  ])('%j', async (noise) => {
    const { gain, offset } = noise;
    const image = counted({ width: side, height: side, planes: [signal], peak: 4095 }, { gain: 1, sigma: 0 });
    const { normal } = randomSource(3);
    const planes = [Float64Array.from(image.planes[0], (count) => offset + gain * count + noise.sigma * normal())];
    expectLike(
      await diagnose({ ...image, planes }),
      noise,
      [3, 100, 200].map((count) => offset + gain * count),
    );
  });
});

describe('white noise stays white', () => {
  it.each(['nagasaki-boats', 'airplane-from-above', 'march-pastoral'])('on %s, for σ from 5 to 50', async (name) => {
    const clean = await greyPhotograph(name, 192);
    for (const sigma of [5, 15, 25, 50]) expect((await diagnose(noisy(clean, sigma))).model.kind).toBe('white');
  });

  it('in colour', async () => {
    const clean = await photograph('french-alpine-landscape', 192);
    for (const sigma of [5, 20]) expect((await diagnose(noisy(clean, sigma))).model.kind).toBe('white');
  });

  it('in a picture of one brightness, which cannot show that noise grows', () => {
    const flat = { width: 64, height: 64, planes: [new Float64Array(4096).fill(100)], peak: 255 };
    expect(finish(growingNoise(counted(flat, { gain: 4, sigma: 1 }), undefined))).toBeUndefined();
  });
});

describe('growingNoise', () => {
  it('needs 192 rows and columns', async () => {
    for (const [width, height] of [
      [191, 200],
      [200, 191],
      [8, 8],
    ]) {
      const image = counted(picture(width, height), { gain: 4, sigma: 0 });
      expect(finish(growingNoise(image, undefined))).toBeUndefined();
      expect((await diagnose(image)).model.kind).not.toBe('signal-dependent');
    }
  });

  it('needs all planes', () => {
    const clean = picture(192, 192, 3);
    const grown = counted(clean, { gain: 4, sigma: 0 }).planes;
    const even = noisy(clean, 15).planes;
    const growing = (count: number) => {
      const planes = clean.planes.map((_, c) => (c < count ? grown[c] : even[c]));
      return finish(growingNoise({ ...clean, planes }, undefined));
    };
    expect([0, 1, 2, 3].map((count) => growing(count)?.length)).toEqual([undefined, undefined, undefined, 3]);
  });
});
