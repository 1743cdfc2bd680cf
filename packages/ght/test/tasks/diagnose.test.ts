import { denoise, diagnose, type Image, randomSource, type WhiteNoise } from 'ght';
import { describe, expect, it } from 'vitest';
import { diagnoseWhole } from '../../src/pipelines/denoise/diagnosis.js';
import { resolveDenoiseOptions } from '../../src/pipelines/denoise/options.js';
import { denoiseWhole } from '../../src/pipelines/denoise/whole.js';
import { finish } from '../../src/work.js';
import { photograph } from '../photographs.js';
import { noisy as withNoise } from '../pictures.js';
import { coloured, inBytes, jpegOf } from './camera-files.js';

/** A ramp with white noise. */
function noisy(seed: number, side = 128): Image {
  const random = randomSource(seed);
  const plane = Float32Array.from({ length: side * side }, (_, i) => 60 + (i % side) / 2 + 10 * random.normal());
  return { width: side, height: side, planes: [plane], peak: 255 };
}

describe('noise models', () => {
  it('one estimate of several images does not depend on their order', async () => {
    const images = [noisy(1), noisy(2, 260), noisy(3)];
    const estimate = await diagnose(images);
    expect(await diagnose(images.toReversed())).toEqual(estimate);
    expect(estimate.model.kind === 'white' && estimate.model.sigma[0]).toBeCloseTo(10, 0);
  });

  it('images that cannot share one noise are refused with a remedy', async () => {
    const colour = { ...noisy(1), planes: [noisy(1), noisy(2), noisy(3)].map(({ planes }) => planes[0]) };
    await expect(diagnose([noisy(1), colour])).rejects.toThrow(/images\[1\] must have 1 plane.*separately/);
    await expect(diagnose([noisy(1), noisy(2, 100)])).rejects.toThrow(/128×128/);
    await expect(diagnose([])).rejects.toThrow(/at least one image/);
    await expect(diagnose([noisy(1), { ...noisy(2), peak: 1 }])).rejects.toThrow(/images\[1\] must have the peak 255/);
    await expect(diagnose([noisy(1), null as never])).rejects.toThrow(/image must be an object/);
  });

  it('denoise takes a model, or the whole estimate, and returns the same as with the numbers', async () => {
    const image = noisy(4);
    const estimate = await diagnose(image);
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

describe('diagnose and denoise find the same, to the last bit', () => {
  const poisson = (image: Image): Image => {
    const random = randomSource(9);
    return { ...image, planes: image.planes.map((plane) => plane.map((value) => 2 * random.poisson(value / 2))) };
  };
  const salted = (image: Image): Image => ({
    ...image,
    planes: image.planes.map((plane) => plane.map((value, i) => (i % 31 === 3 ? (i % 62 === 3 ? 0 : 255) : value))),
  });
  const inGrey = (image: Image): Image => ({ ...image, planes: [0, 1, 2].map(() => image.planes[1]) });
  const cases: [string, (image: Image) => Image | Promise<Image>, Parameters<typeof diagnose>[1]?][] = [
    ['white', (image) => withNoise(image, 12)],
    ['coloured', (image) => inBytes(coloured(image, 12))],
    ['coloured, far from usual units', (image) => scaledImage(coloured(image, 12), 2 ** 60)],
    ['coloured, grey in three channels', (image) => inGrey(coloured(image, 12))],
    ['JPEG', async (image) => (await jpegOf(inBytes(withNoise(image, 12)), 80)).image],
    ['Poisson', poisson, { kind: 'signal-dependent' }],
    ['salt and pepper', (image) => salted(inBytes(withNoise(image, 8)))],
  ];

  it.each(cases)('%s', async (_name, make, options = {}) => {
    const image = await make(await photograph('nagasaki-boats', 160));
    const { model, ...found } = await diagnose(image, options);
    const noise = options.kind === 'signal-dependent' ? 'poisson-gaussian' : 'auto';
    const result = await denoise(image, { quality: 'fast', noise, threads: 1 });
    expect(result.noise).toEqual(model);
    expect(result).toMatchObject(found);
    if (model.kind === 'coloured') expect(model.deviations).toHaveLength(3);
    if (found.levels) expect(found.levels).toHaveLength(3);
  });

  it('of a large image, a sample is looked at, and impulses are counted in all of it', async () => {
    const image = salted(inBytes(withNoise(await photograph('nagasaki-boats', 256), 8)));
    const settings = { ...resolveDenoiseOptions(3, { quality: 'fast', threads: 1 }), sampled: 2 ** 14 };
    const { model, ...found } = finish(diagnoseWhole(image, settings));
    const result = await denoiseWhole(image, settings);
    expect(result.noise).toEqual(model);
    expect(result).toMatchObject(found);
    expect(found.impulses.fraction).toBeGreaterThan(0.03);
    expect(found.banding.search).toBe('image-too-large');
  });

  it('the diagnosis of equal channels can be given for them', async () => {
    const image = inGrey(coloured(await photograph('nagasaki-boats', 100), 12));
    const one = { ...image, planes: image.planes.slice(0, 1) };
    const [colour, grey] = [await diagnose(image), await diagnose(one)];
    const result = await denoise(image, { noise: colour, quality: 'fast', threads: 1 });
    const expected = await denoise(one, { noise: grey, quality: 'fast', threads: 1 });
    const apart = Array.from(result.image.planes[0], (value, i) => Math.abs(value - expected.image.planes[0][i]));
    expect(Math.max(...apart)).toBeLessThan(1e-3);
  });
});

describe('the diagnosis of several images', () => {
  it('counts the steps of the JPEG that each file is', async () => {
    const files = await Promise.all(
      [1, 2].map(async (seed) => jpegOf(withNoise(await photograph('nagasaki-boats', 160), 12, seed), 75)),
    );
    const read = await diagnose(files);
    expect(read.jpeg?.luma).toEqual(files[0].jpeg?.luma);
    expect((await diagnose(files, { jpeg: 'off' })).jpeg).toBeUndefined();
    const found = await diagnose(files.map(({ image }) => image));
    expect(Array.from(found.jpeg?.luma ?? [])).toEqual(Array.from(files[0].jpeg?.luma ?? []));
  });

  const spots = (image: Image): Image => ({
    ...image,
    planes: image.planes.map((plane) => plane.map((value, i) => (i % 401 === 5 ? 255 : value))),
  });

  it('leaves impulses out of the noise, and counts those of all', async () => {
    const images = [spots(noisy(1)), noisy(2), spots(noisy(3, 200))];
    const found = await diagnose(images);
    expect(found.model.kind === 'white' && found.model.sigma[0]).toBeCloseTo(10, 0);
    expect(found.impulses.kind).toBe('hot pixels');
    const own = await Promise.all(images.map((image) => diagnose(image)));
    expect(found.impulses.count).toBe(own.reduce((sum, { impulses }) => sum + impulses.count, 0));
    expect(found.impulses.count).toBeGreaterThan(30);
    expect((await diagnose(images, { impulses: 'off' })).impulses).toEqual({ count: 0, fraction: 0, kind: 'none' });
  });
});

function scaledImage({ planes, peak, ...size }: Image, factor: number): Image {
  return {
    ...size,
    planes: planes.map((plane) => Float64Array.from(plane, (value) => factor * value)),
    peak: factor * peak,
  };
}
