/** Transparent pixels: what they hold has no influence, and stays as it is. */
import { expect, it } from 'vitest';
import { denoise, type Image, randomSource } from '../../src/index.js';
import { noisy, picture } from '../pictures.js';

const SIDE = 96;
const alpha = Uint8Array.from({ length: SIDE ** 2 }, (_, i) => (i % SIDE > 60 && i > SIDE * 30 ? 0 : 1 + (i % 200)));
const hidden = (_: number, i: number) => alpha[i] === 0;
const visible = (_: number, i: number) => alpha[i] !== 0;

function withHidden({ planes: [plane], ...rest }: Image, sample: (i: number) => number): Image {
  return { ...rest, alpha, planes: [plane.map((value, i) => (alpha[i] === 0 ? sample(i) : value))] };
}

it('leaves transparent pixels as they are, and finds and removes the same noise whatever they hold', async () => {
  const image = noisy(picture(SIDE, SIDE), 10);
  const random = randomSource(9);
  const inputs = [() => 7, () => Math.floor(300 * random.uniform()), () => Number.NaN].map((sample) =>
    withHidden(image, sample),
  );
  const results = [];
  for (const input of inputs) results.push(await denoise(input, { quality: 'fast', threads: 1 }));
  const [{ image: expected, ...first }] = results;
  expect(first.noise).toMatchObject({ kind: 'white', sigma: [expect.closeTo(10, 0)] });
  for (const [n, { image, ...report }] of results.entries()) {
    expect(report).toEqual(first);
    expect(image.alpha).toBe(alpha);
    expect([...image.planes[0].filter(hidden)]).toEqual([...inputs[n].planes[0].filter(hidden)]);
    expect(image.planes[0].filter(visible)).toEqual(expected.planes[0].filter(visible));
  }
});
