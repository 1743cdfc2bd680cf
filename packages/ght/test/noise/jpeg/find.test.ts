import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { type Image, randomSource, readJpegInfo } from '../../../src/index.js';
import { findJpeg } from '../../../src/noise/jpeg/find.js';
import { drive, finish } from '../../../src/work.js';
import { photograph } from '../../photographs.js';
import { noisy } from '../../pictures.js';

const eightBit = (image: Image): Image => ({
  ...image,
  planes: image.planes.map((plane) => Uint8Array.from(plane, (v) => Math.min(255, Math.max(0, Math.round(v))))),
});
/** A photograph at half its size, so that it has no JPEG blocks, and with noise like that of cameras. */
const clean = await photograph('french-alpine-landscape', 200);
const noise = (sigma: number) => eightBit(noisy(clean, sigma));
const camera = noise(5);

const interleaved = ({ width, height, planes }: Image) => {
  const channels = planes.length as 1 | 3;
  const samples = Uint8Array.from({ length: width * height * channels }, (_, i) => {
    return planes[i % channels][Math.floor(i / channels)];
  });
  return sharp(samples, { raw: { width, height, channels } });
};
/** The pixels of a JPEG from (x, y) on. */
async function decoded(bytes: Buffer, [left, top] = [0, 0]): Promise<Image> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const [width, height] = [info.width - left, info.height - top];
  const planes = Array.from({ length: info.channels }, (_, c) =>
    Uint8Array.from({ length: width * height }, (_value, i) => {
      const pixel = (top + Math.floor(i / width)) * info.width + left + (i % width);
      return data[pixel * info.channels + c];
    }),
  );
  return { width, height, planes, peak: 255 };
}
const found = ({ planes, width, height }: Image) => finish(findJpeg(planes, width, height));

describe('findJpeg', () => {
  it.each([
    [50, '4:2:0'],
    [75, '4:2:0'],
    [92, '4:2:0'],
    [50, '4:4:4'],
    [75, '4:4:4'],
    [92, '4:4:4'],
  ] as const)('finds grid, steps and subsampling of quality %i, %s, in a crop', async (quality, chromaSubsampling) => {
    const bytes = await interleaved(camera).jpeg({ quality, chromaSubsampling }).toBuffer();
    const truth = readJpegInfo(bytes);
    const info = found(await decoded(bytes, [3, 5]));
    expect(info?.origin).toEqual([5, 3]);
    expect(Array.from(info?.luma ?? [])).toEqual(Array.from(truth?.luma ?? []));
    expect(info?.subsampling).toEqual(truth?.subsampling);
    const wrong = Array.from(info?.chroma ?? [], (step, f) => Math.abs(step / (truth?.chroma?.[f] ?? 0) - 1));
    expect(wrong.length).toBe(64);
    expect(Math.max(...wrong)).toBeLessThan(0.26);
    expect(wrong.filter((ratio) => ratio > 0).length).toBeLessThan(8);
  });

  it('finds it in one grey plane, and in three equal planes', async () => {
    const grey = { ...camera, planes: [camera.planes[1]] };
    const bytes = await interleaved(grey).toColourspace('b-w').jpeg({ quality: 70 }).toBuffer();
    const pixels = await decoded(bytes);
    const truth = Array.from(readJpegInfo(bytes)?.luma ?? []);
    for (const planes of [[pixels.planes[0]], new Array(3).fill(pixels.planes[0])]) {
      const info = found({ ...pixels, planes });
      expect(Array.from(info?.luma ?? [])).toEqual(truth);
      expect(info?.chroma).toBeUndefined();
    }
  });

  it('finds tables that are not standard, at frequencies whose coefficients are not all 0', async () => {
    const bytes = await interleaved(noise(25)).jpeg({ quality: 80, quantisationTable: 3 }).toBuffer();
    const { luma = [] } = readJpegInfo(bytes) ?? {};
    const standard = readJpegInfo(await interleaved(camera).jpeg({ quality: 80 }).toBuffer());
    expect(luma[1]).not.toBe(standard?.luma[1]);
    const info = found(await decoded(bytes));
    // At higher frequencies, the coefficients are 0.
    for (let f = 0; f < 64; f++) if (luma[f] <= 75) expect([f, info?.luma[f]]).toEqual([f, luma[f]]);
  });

  it.each([
    ['a clean picture', () => eightBit(clean)],
    ['a noisy one', () => noise(5)],
    ['a very noisy one', () => noise(40)],
    ['one grey level', () => ({ ...camera, planes: [new Uint8Array(200 * 200).fill(90)] })],
    ['a picture that repeats every 8 pixels', () => repeating(8)],
    ['a picture of few pixels', () => ({ width: 9, height: 9, planes: [new Uint8Array(81).fill(7)], peak: 255 })],
  ])('finds nothing in %s', (_, picture) => {
    expect(found(picture())).toBeUndefined();
  });

  it.each([0.5, 1, 2, 4, 8, 16, 32, 64])('finds nothing in white noise of deviation %d', (sigma) => {
    const random = randomSource(Math.round(10 * sigma));
    for (const channels of [1, 3]) {
      const plane = () => Uint8Array.from({ length: 160 * 160 }, () => 128 + sigma * random.normal());
      const planes = Array.from({ length: channels }, plane);
      expect(found({ width: 160, height: 160, planes, peak: 255 })).toBeUndefined();
    }
  });

  it.each([
    ['resized', (file: Sharp) => file.resize(170)],
    ['enlarged', (file: Sharp) => file.resize(300)],
    ['blurred', (file: Sharp) => file.blur(0.8)],
    ['sharpened', (file: Sharp) => file.sharpen()],
  ])('finds nothing once the pixels were %s', async (_, change) => {
    const bytes = await interleaved(camera).jpeg({ quality: 75 }).toBuffer();
    expect(found(await decoded(bytes))).toBeDefined();
    expect(found(await decoded(await change(sharp(bytes)).png().toBuffer()))).toBeUndefined();
  });

  it('finds nothing once the pixels got noise', async () => {
    const pixels = await decoded(await interleaved(camera).jpeg({ quality: 75 }).toBuffer());
    for (const sigma of [1, 2, 5]) expect(found(eightBit(noisy(pixels, sigma)))).toBeUndefined();
  });

  it('yields often, and gives the same result when it is paused', async () => {
    const pixels = await decoded(await interleaved(camera).jpeg({ quality: 75 }).toBuffer());
    const fractions = [...findJpeg(pixels.planes, pixels.width, pixels.height)];
    expect(fractions.length).toBeGreaterThan(70);
    expect(fractions.every((done) => done >= 0 && done <= 1)).toBe(true);
    expect(await drive(findJpeg(pixels.planes, pixels.width, pixels.height))).toEqual(found(pixels));
  });
});

function repeating(period: number): Image {
  const random = randomSource(4);
  const tile = Array.from({ length: period * period }, () => Math.round(60 + 120 * random.uniform()));
  const plane = Uint8Array.from(
    { length: 200 * 200 },
    (_, i) => tile[period * (Math.floor(i / 200) % period) + ((i % 200) % period)],
  );
  return { width: 200, height: 200, planes: [plane], peak: 255 };
}
