/** Bands: what they have in common is used, and what they do not have in common is kept. */
import { describe, expect, it } from 'vitest';
import { denoise, type Image, psnr, randomSource } from '../../../src/index.js';
import { bandsOf } from '../../../src/pipelines/denoise/bands.js';
import { finish } from '../../../src/work.js';
import { noisy, picture } from '../../pictures.js';

const [width, height] = [96, 80];
const [first, second, third] = [1, 2, 3].map((seed) => {
  const plane = Float64Array.from(picture(width, height, 1, seed).planes[0]);
  // Turned, so that each shows something else.
  if (seed === 2) return plane.reverse();
  return seed === 1 ? plane : plane.map((_, i) => plane[(i * 7) % plane.length]);
});
const sum = (...terms: [number, ArrayLike<number>][]) =>
  Float64Array.from({ length: width * height }, (_, i) =>
    terms.reduce((all, [weight, plane]) => all + weight * plane[i], 0),
  );
const imageOf = (...planes: Float64Array[]): Image => ({ width, height, planes, peak: 255 });
const options = { sigma: 12, impulses: 'off', banding: 'off' } as const;

async function levels(clean: Image) {
  const given = noisy(clean, 12);
  const alone: number[] = [];
  for (const [c, plane] of given.planes.entries()) {
    const { image } = await denoise({ ...given, planes: [plane] }, options);
    alone.push(psnr(image.planes[0], clean.planes[c], 255));
  }
  const { image } = await denoise(given, { ...options, channels: 'bands' });
  return { alone, together: image.planes.map((plane, c) => psnr(plane, clean.planes[c], 255)) };
}

describe('denoising bands', () => {
  it('uses what they have in common, for two to five of them', async () => {
    for (const weights of [
      [1, 0.6],
      [1, 0.6, 0.8],
      [1, 0.6, 0.8, 0.4, 0.9],
    ]) {
      const { alone, together } = await levels(imageOf(...weights.map((weight) => sum([weight, first]))));
      for (const [c, level] of together.entries()) expect(level - alone[c]).toBeGreaterThan(0.3);
      expect(Math.max(...together.map((level, c) => level - alone[c]))).toBeGreaterThan(2);
    }
  });

  it('is never worse than each band alone', async () => {
    const sets = [
      [first, second],
      [first, second, third],
      [first, sum([0.5, first], [0.5, second])],
      [first, second, sum([0.5, first], [0.5, second]), sum([0.2, first], [0.8, second])],
    ];
    for (const set of sets) {
      const { alone, together } = await levels(imageOf(...set));
      for (const [c, level] of together.entries()) expect(level - alone[c]).toBeGreaterThan(-0.05);
    }
  });

  it('keeps a small thing that only one band shows', async () => {
    const rare = Float64Array.from(
      first,
      (value, i) => 0.8 * value + (Math.hypot((i % width) - 40, Math.floor(i / width) - 30) < 6 ? 40 : 0),
    );
    const clean = imageOf(first, rare);
    const { image } = await denoise(noisy(clean, 12), { ...options, channels: 'bands' });
    const inside = (plane: ArrayLike<number>) => {
      let total = 0;
      for (let y = 27; y <= 33; y++) for (let x = 37; x <= 43; x++) total += plane[y * width + x] / 49;
      return total;
    };
    expect(Math.abs(inside(image.planes[1]) - inside(rare))).toBeLessThan(6);
  });

  it('leaves bands with nothing in common as each is alone, bit for bit', async () => {
    const given = noisy(imageOf(first, second), 12);
    const { image } = await denoise(given, { ...options, sigma: [12, 9] });
    for (const [c, plane] of given.planes.entries()) {
      const alone = await denoise({ ...given, planes: [plane] }, { ...options, sigma: [12, 9][c] });
      expect(image.planes[c]).toEqual(alone.image.planes[0]);
    }
  });

  it('follows the noise of each band, and leaves one without noise as it is', async () => {
    const random = randomSource(5);
    const sigma = [20, 0, 5];
    const planes = sigma.map((deviation) => first.map((value) => value + deviation * random.normal()));
    const { image } = await denoise(imageOf(...planes), { ...options, sigma, channels: 'bands' });
    expect(image.planes[1]).toEqual(planes[1]);
    for (const c of [0, 2]) expect(psnr(image.planes[c], first, 255)).toBeGreaterThan(psnr(planes[c], first, 255) + 4);
  });

  it('has three planes as colour unless they are said to be bands', async () => {
    const given = noisy(imageOf(first, second, third), 12);
    const [auto, colour, bands] = await Promise.all(
      (['auto', 'colour', 'bands'] as const).map((channels) => denoise(given, { ...options, channels })),
    );
    expect(colour.image).toEqual(auto.image);
    expect(bands.image).not.toEqual(auto.image);
    const two = { ...given, planes: given.planes.slice(0, 2) };
    await expect(denoise(two, { channels: 'colour' })).rejects.toThrow('channels must be bands or auto for 2 planes');
    await expect(denoise(two, { channels: 'red' as never })).rejects.toThrow('channels must be');
  });
});

describe('the mixture of bands', () => {
  it('is the projection on the directions that hold more than noise', () => {
    const random = randomSource(9);
    const weights = [1, 0.5, 2];
    const sigma = [3, 6, 4];
    const planes = weights.map((weight, c) => first.map((value) => weight * value + sigma[c] * random.normal()));
    const { mix, left } = finish(bandsOf(planes, sigma, { width, height }));
    // All is one picture: P = u uᵀ with u along weight / σ.
    const u = weights.map((weight, c) => weight / sigma[c]);
    const norm = Math.hypot(...u);
    for (const [c, share] of left.entries()) {
      expect(share).toBeCloseTo(u[c] / norm, 1);
      for (let d = 0; d < 3; d++) {
        const expected = (sigma[c] * u[c] * u[d]) / (sigma[d] * norm ** 2);
        expect(Math.abs((mix as NonNullable<typeof mix>).M[3 * c + d] - expected)).toBeLessThan(0.03);
      }
    }
  });
});
