/** Transparent pixels: what they hold counts for nothing, and stays as it is. */
import { beforeAll, describe, expect, it } from 'vitest';
import { denoise, diagnose, type Image, psnr, randomSource, type WhiteNoise } from '../../src/index.js';
import { photograph } from '../photographs.js';
import { noisy } from '../pictures.js';
import { coloured } from './camera-files.js';

const SIDE = 160;
const random = randomSource(9);
/** A square of any values, an oblique edge and single pixels. */
const hidden = Uint8Array.from({ length: SIDE ** 2 }, (_, i) => {
  const [x, y] = [i % SIDE, Math.floor(i / SIDE)];
  return (x >= 88 && x < 150 && y >= 30 && y < 96) || x + y < 60 || (i * 7919) % 997 === 0 ? 1 : 0;
});
const alpha = hidden.map((mark, i) => (mark ? 0 : 1 + (i % 200)));
const options = { quality: 'fast', threads: 1 } as const;

/** The image with these samples in transparent pixels. */
function withHidden({ planes, ...rest }: Image, sample: () => number): Image {
  return {
    ...rest,
    alpha,
    planes: planes.map((plane) => Float64Array.from(plane, (v, i) => (hidden[i] ? sample() : v))),
  };
}
const junk = () => (random.uniform() < 0.5 ? 0 : Math.floor(255 * random.uniform()));

let clean: Image;
let white: Image;
let camera: Image;
beforeAll(async () => {
  clean = await photograph('nagasaki-boats', SIDE);
  white = noisy(clean, 12);
  camera = coloured(clean, 12);
});

describe('transparent pixels', () => {
  it('do not count for white noise: that of the rest alone is found', async () => {
    const alone = (await diagnose(white)).model as WhiteNoise;
    for (const sample of [junk, () => 255, () => Number.NaN]) {
      const found = await diagnose(withHidden(white, sample));
      expect(found.impulses.count).toBe(0);
      expect(found.model.kind).toBe('white');
      const { sigma } = found.model as WhiteNoise;
      for (const [c, each] of sigma.entries()) expect(Math.abs(each / alone.sigma[c] - 1)).toBeLessThan(0.06);
    }
  });

  it('do not count for coloured noise, with what is measured at half the size', async () => {
    const alone = await diagnose(camera);
    const found = await diagnose(withHidden(camera, junk));
    const flat = await diagnose(withHidden(camera, () => 40));
    expect([alone.model.kind, found.model.kind]).toEqual(['coloured', 'coloured']);
    expect(found).toEqual(flat);
    for (const [c, { middle }] of (found.levels ?? []).entries()) {
      expect(Math.abs(middle / (alone.levels?.[c].middle ?? 0) - 1)).toBeLessThan(0.1);
    }
  });

  it('would count if they were opaque', async () => {
    const opaque = await diagnose({ ...withHidden(white, junk), alpha: undefined });
    const alone = await diagnose(white);
    expect(opaque.impulses.count).not.toBe(0);
    expect(opaque.model).not.toEqual(alone.model);
  });

  it('come back as they were, and have no influence on the others', async () => {
    for (const image of [white, camera]) {
      const results = [];
      for (const sample of [junk, () => 7]) {
        const input = withHidden(image, sample);
        const { image: result, ...report } = await denoise(input, options);
        expect(result.alpha).toBe(alpha);
        for (const [c, plane] of result.planes.entries()) {
          expect(plane.filter((_, i) => hidden[i])).toEqual(input.planes[c].filter((_, i) => hidden[i]));
        }
        results.push({ report, planes: result.planes.map((plane) => plane.filter((_, i) => !hidden[i])) });
      }
      expect(results[0]).toEqual(results[1]);
    }
  });

  it('cost their neighbours nothing', async () => {
    const near = hidden.map((mark, i) => (!mark && (hidden[i - 3] || hidden[i + 3] || hidden[i + 3 * SIDE]) ? 1 : 0));
    const seen = (plane: ArrayLike<number>) => Float64Array.from(plane).filter((_, i) => near[i]);
    const whole = await denoise(white, options);
    const cut = await denoise(withHidden(white, junk), options);
    const [before, after] = [whole, cut].map(({ image }) => psnr(seen(clean.planes[1]), seen(image.planes[1]), 255));
    expect(after).toBeGreaterThan(before - 0.7);
  });

  it('may be NaN, may differ in grey, and may be everything', async () => {
    const input = withHidden(white, () => Number.NaN);
    const filled = await denoise(input, { ...options, missing: 'fill' });
    const plain = await denoise(input, options);
    expect(filled.image.planes).toEqual(plain.image.planes);
    expect(plain.image.planes[0].some(Number.isNaN)).toBe(true);
    const [grey] = white.planes;
    const copies = withHidden({ ...white, planes: [grey, grey, grey] }, junk);
    const { noise, image } = await denoise(copies, options);
    expect((noise as WhiteNoise).sigma.every((each, _, all) => each === all[0])).toBe(true);
    expect(image.planes[2][SIDE ** 2 - 1]).toBe(image.planes[0][SIDE ** 2 - 1]);
    const invisible = { ...withHidden(white, junk), alpha: new Uint8Array(SIDE ** 2) };
    const unchanged = await denoise(invisible, options);
    expect(unchanged.image.planes).toEqual(invisible.planes);
  });

  it('do not count for several images either', async () => {
    const opaque = (await diagnose([white, white])).model as WhiteNoise;
    const some = (await diagnose([withHidden(white, junk), white])).model as WhiteNoise;
    const other = (await diagnose([white, withHidden(white, () => 3)])).model as WhiteNoise;
    for (const [c, sigma] of some.sigma.entries()) {
      expect(Math.abs(sigma / opaque.sigma[c] - 1)).toBeLessThan(0.06);
      expect(Math.abs(sigma / other.sigma[c] - 1)).toBeLessThan(0.06);
    }
  });
});
