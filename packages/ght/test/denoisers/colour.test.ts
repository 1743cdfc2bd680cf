import { describe, expect, it } from 'vitest';
import { readColourModel } from '../../src/denoisers/learned/colour-model.js';
import { network } from '../../src/denoisers/learned/network.js';
import { shippedModel } from '../../src/denoisers/learned/shipped.js';
import { engines } from '../../src/engines/engines.js';
import { decorrelate, recorrelate } from '../../src/image/colour.js';
import { denoise, randomSource } from '../../src/index.js';
import { isForColour } from '../../src/pipelines/denoise/quality.js';
import { finish } from '../../src/work.js';
import { noisy, picture, tileOf } from '../pictures.js';
import { smallColourFile, smallShapes } from './small-colour-model.js';

describe('the file of a model for colour', () => {
  it('is read as layers: there and back, with the picture as the first place', async () => {
    const { places, layers, multiple } = await readColourModel(await smallColourFile());
    expect(places.map(({ scale, channels }) => [scale, channels])).toEqual([
      [0, 15],
      [0, 8],
      [0, 8],
      [1, 8],
      [1, 8],
    ]);
    expect(layers.map(({ kind, from, into }) => `${from} ${kind} ${into}`)).toEqual([
      ...['0 same 1', '1 same 2', '2 same 1', '1 down 3', '3 same 4', '4 same 3'],
      ...['3 up 1', '1 same 2', '2 same 1', '1 same 0'],
    ]);
    expect(multiple).toBe(4);
  });

  const { tail, ...headless } = smallShapes;
  it.each([
    ['an array is missing', headless, undefined, /must hold the array tail/],
    [
      'channels do not come in eights',
      { ...smallShapes, A0: [2, 7, 3, 3, 7] },
      undefined,
      /model\.A0 .*multiple of 8.*7/,
    ],
    [
      'shapes do not fit',
      { ...smallShapes, up0: [8, 3, 3, 8] },
      undefined,
      /model\.up0 must have the shape \(8, 2, 2, 8\)/,
    ],
    ['a number is not finite', smallShapes, Number.NaN, /must hold finite numbers/],
  ])('is refused where %s', async (_what, shapes, value, message) => {
    expect(tail).toBeDefined();
    await expect(smallColourFile(shapes, value).then(readColourModel)).rejects.toThrow(message);
  });
});

it('scaling picture and noise scales the result of the network', async () => {
  const model = await readColourModel(await smallColourFile());
  const random = randomSource(1);
  const sites = { columns: 8, rows: 6 };
  const given = Float64Array.from({ length: 15 * 48 }, () => random.normal());
  const result = (scale: number) => {
    const values = given.map((value) => scale * value);
    finish(network(model, sites, values));
    return values;
  };
  const once = result(1);
  expect(Math.max(...once.map((value, i) => Math.abs(value - given[i])))).toBeGreaterThan(0.1);
  expect(result(8)).toEqual(once.map((value) => 8 * value));
});

it('is for three planes with white noise of similar deviation, at the qualities with a learned model', () => {
  const seen = { least: 0, most: 255 };
  expect(isForColour('learned', { sigma: [10, 10, 10] }, seen)).toBe(true);
  expect(isForColour('finest', { sigma: [10, 4, 15] }, seen)).toBe(true);
  expect(isForColour('best', { sigma: [10, 10, 10] }, seen)).toBe(false);
  expect(isForColour('learned', { sigma: [10] }, seen)).toBe(false);
  expect(isForColour('learned', { sigma: [10, 0, 10] }, seen)).toBe(false);
  expect(isForColour('learned', { sigma: [10, 10, 20] }, seen)).toBe(false);
  expect(isForColour('learned', { sigma: [300, 300, 300] }, seen)).toBe(false);
});

it('denoises colour pictures better than plane after plane', async () => {
  const [clean, sigma] = [picture(96, 96, 3), 30];
  const image = noisy(clean, sigma);
  const error = (planes: readonly ArrayLike<number>[]) => {
    const squares = planes.flatMap((plane, c) => Array.from(clean.planes[c], (value, i) => (value - plane[i]) ** 2));
    return squares.reduce((sum, square) => sum + square, 0);
  };
  const options = { sigma, quality: 'learned', engine: 'wasm', impulses: 'off', banding: 'off' } as const;
  const together = (await denoise(image, options)).image;
  const axes = decorrelate(image.planes).map((plane) => Float64Array.from(plane, (value) => value / sigma));
  const means = axes.map((plane) => plane.reduce((sum, value) => sum + value, 0) / plane.length);
  const denoiser = await engines.wasm.learned(await shippedModel(), 96 * 96, { threads: 1 });
  const centred = axes.map((plane, c) => plane.map((value) => value - means[c]));
  const apart = (await denoiser.run(tileOf(centred, 96, 96))).map((plane, c) =>
    Float64Array.from(plane, (value) => sigma * (value + means[c])),
  );
  expect(error(together.planes)).toBeLessThan(0.99 * error(recorrelate(apart)));
});
