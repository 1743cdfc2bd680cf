/** NaN in a noisy image: missing samples do no harm to the others, and are kept or filled. */
import { describe, expect, it } from 'vitest';
import { denoise, diagnose, type Image, randomSource } from '../../src/index.js';

const [width, height, sigma] = [96, 80, 12];
const clean = Float64Array.from({ length: width * height }, (_, i) => {
  const [x, y] = [i % width, Math.floor(i / width)];
  return 120 + 60 * Math.sin(x / 9) * Math.cos(y / 11) + (x > 50 ? 40 : 0);
});
const { normal } = randomSource(5);
const noisy = clean.map((value) => value + sigma * normal());
const imageOf = (plane: Float64Array): Image => ({ width, height, planes: [plane], peak: 255 });
const rootMean = (a: ArrayLike<number>, b: ArrayLike<number>, isMember: (i: number) => boolean) => {
  let [sum, count] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (!isMember(i)) continue;
    sum += (a[i] - b[i]) ** 2;
    count++;
  }
  return Math.sqrt(sum / count);
};

/** A block of 24×20 at the right edge, a column, and single pixels. */
const missing = (i: number) => {
  const [x, y] = [i % width, Math.floor(i / width)];
  return (x >= 72 && y >= 30 && y < 50) || x === 20 || (i * 7919) % 211 === 0;
};
const withHoles = noisy.map((value, i) => (missing(i) ? Number.NaN : value));

describe('missing samples in denoise', () => {
  it('are refused without the option, which the error names', async () => {
    await expect(denoise(imageOf(withHoles))).rejects.toThrow(
      /inpaint fills NaN in images, and denoise .* option missing/,
    );
    await expect(denoise(imageOf(withHoles), { missing: 'drop' as 'keep' })).rejects.toThrow(/missing must be/);
    const infinite = withHoles.map((value, i) => (i === 7 ? Number.POSITIVE_INFINITY : value));
    await expect(denoise(imageOf(infinite), { missing: 'keep' })).rejects.toThrow(/must be a finite number/);
    await expect(denoise(imageOf(clean.map(() => Number.NaN)), { missing: 'fill' })).rejects.toThrow(
      /not NaN in every plane/,
    );
  });

  it('are kept, and the noise is found and removed as without them', async () => {
    const whole = await denoise(imageOf(noisy));
    const kept = await denoise(imageOf(withHoles), { missing: 'keep' });
    const [plane] = kept.image.planes;
    expect(plane.every((value, i) => Number.isNaN(value) === missing(i))).toBe(true);
    const levelOf = ({ noise }: typeof kept) => (noise?.kind === 'white' ? noise.sigma[0] : 0);
    expect(Math.abs(levelOf(kept) / levelOf(whole) - 1)).toBeLessThan(0.02);
    const [error, usual] = [plane, whole.image.planes[0]].map((each) => rootMean(each, clean, (i) => !missing(i)));
    expect(error).toBeLessThan(1.04 * usual);
    // The input is not changed.
    expect(withHoles.filter(Number.isNaN).length).toBe(plane.filter(Number.isNaN).length);
  });

  it('are filled from the denoised samples around them, which stay as they are with `keep`', async () => {
    const [kept, filled] = await Promise.all([
      denoise(imageOf(withHoles), { missing: 'keep', sigma }),
      denoise(imageOf(withHoles), { missing: 'fill', sigma }),
    ]);
    const [a, b] = [kept.image.planes[0], filled.image.planes[0]];
    expect(b.every((value, i) => (missing(i) ? Number.isFinite(value) : value === a[i]))).toBe(true);
    // The mean of the image would be 40 away.
    expect(rootMean(b, clean, (i) => missing(i) && i % width < 72)).toBeLessThan(5);
    expect(rootMean(b, clean, (i) => missing(i) && i % width >= 72)).toBeLessThan(20);
  });

  it('far away change nothing but what the whole image shares', async () => {
    const one = noisy.map((value, i) => (i === width * 70 + 90 ? Number.NaN : value));
    const [whole, kept] = await Promise.all([
      denoise(imageOf(noisy), { sigma }),
      denoise(imageOf(one), { sigma, missing: 'keep' }),
    ]);
    const far = rootMean(kept.image.planes[0], whole.image.planes[0], (i) => i % width < 40 && i / width < 30);
    expect(far).toBeLessThan(0.05);
  });

  it('in one of three planes are missing in that plane only; without any, the result has the bits of no option', async () => {
    const colour = { width, height, planes: [noisy, withHoles, noisy.map((value) => value + 1)], peak: 255 };
    const { image } = await denoise(colour, { missing: 'keep', sigma, quality: 'fast' });
    expect(image.planes.map((plane) => plane.some(Number.isNaN))).toEqual([false, true, false]);
    const [plain, asked] = await Promise.all([
      denoise(imageOf(noisy), { sigma }),
      denoise(imageOf(noisy), { sigma, missing: 'keep' }),
    ]);
    expect(asked.image.planes).toEqual(plain.image.planes);
  });
});

describe('missing samples in diagnose', () => {
  it('are refused without the option, and do not count with it: it finds what denoise finds', async () => {
    await expect(diagnose(imageOf(withHoles))).rejects.toThrow(/must be a finite number/);
    await expect(diagnose(imageOf(withHoles), { missing: 'drop' as 'keep' })).rejects.toThrow(/missing must be/);
    const { model, ...found } = await diagnose(imageOf(withHoles), { missing: 'keep' });
    const { noise, ...result } = await denoise(imageOf(withHoles), { missing: 'keep', quality: 'fast' });
    expect(noise).toEqual(model);
    expect(result).toMatchObject(found);
    expect(model.kind === 'white' && Math.abs(model.sigma[0] / sigma - 1)).toBeLessThan(0.05);
  });

  it('may be in one of several images', async () => {
    const side = 128;
    const flat = (seed: number, isMissing: (i: number) => boolean): Image => {
      const { normal: own } = randomSource(seed);
      const plane = Float64Array.from(
        { length: side * side },
        (_, i) => 100 + 9 * own() + (isMissing(i) ? Number.NaN : 0),
      );
      return { width: side, height: side, planes: [plane], peak: 255 };
    };
    const images = [flat(1, (i) => i % 211 === 0 || i < 40 * side), flat(2, () => false)];
    const { model } = await diagnose(images, { missing: 'fill' });
    expect(model.kind === 'white' && Math.abs(model.sigma[0] / 9 - 1)).toBeLessThan(0.05);
    await expect(diagnose(images)).rejects.toThrow(/must be a finite number/);
  });
});
