import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { fewestChannels } from '../src/image/bitmap.js';
import { planesOf } from '../src/image/decoded.js';
import { formatOf, sizeOf } from '../src/image/header.js';
import { openImage } from '../src/image/open.js';
import { decodePng, encodePng } from '../src/image/png.js';

const whole = () => 1;
const bytesOf = async (picture: Sharp) => new Uint8Array(await picture.toBuffer());
const ramp = (n: number, step: number) => Uint16Array.from({ length: n }, (_, i) => i * step);

describe('opening a PNG', () => {
  it('gives 16-bit samples exactly, with alpha apart', async () => {
    const samples = ramp(4 * 3 * 4, 1301);
    const raw = { width: 4, height: 3, channels: 4 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('rgb16').png());
    const { image, depth, format } = await openImage(file, whole);
    expect({ depth, format, peak: image.peak, planes: image.planes.length }).toEqual({
      depth: 16,
      format: 'PNG',
      peak: 65535,
      planes: 3,
    });
    expect([...image.planes[1]]).toEqual([...samples].filter((_, i) => i % 4 === 1));
    expect([...(image.alpha ?? [])]).toEqual([...samples].filter((_, i) => i % 4 === 3));
  });

  it('gives it back the same', async () => {
    const samples = ramp(5 * 4, 3000);
    const raw = { width: 5, height: 4, channels: 1 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('grey16').png());
    const { image } = await openImage(file, whole);
    expect(decodePng(encodePng(image, 16)).samples).toEqual(samples);
  });

  it('opens palettes and one bit a pixel as 8-bit samples', async () => {
    const colours = Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255, 0]);
    const picture = sharp(colours, { raw: { width: 3, height: 2, channels: 3 } });
    const palette = await openImage(await bytesOf(picture.png({ palette: true })), whole);
    expect(palette.image.planes.map((plane) => [...plane])).toEqual([
      [255, 0, 0, 255, 255, 0],
      [0, 255, 0, 0, 0, 255],
      [0, 0, 255, 0, 0, 0],
    ]);
    const bits = Uint8Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 255 : 0));
    const grey = sharp(bits, { raw: { width: 10, height: 2, channels: 1 } }).toColourspace('b-w');
    const bilevel = await openImage(await bytesOf(grey.png({ palette: true, colours: 2 })), whole);
    expect([...bilevel.image.planes[0]]).toEqual([...bits]);
  });

  it('refuses damage in a sentence', async () => {
    const file = await bytesOf(sharp(ramp(64, 3), { raw: { width: 8, height: 8, channels: 1 } }).png());
    file[50] ^= 0xff;
    await expect(openImage(file, whole)).rejects.toThrow(/^This PNG file is damaged or incomplete \(.+\)\. Fetch or/);
    await expect(openImage(file.slice(0, 40), whole)).rejects.toThrow(/damaged or incomplete/);
    await expect(openImage(new TextEncoder().encode('hello'), whole)).rejects.toThrow(/not a PNG, JPEG, WebP or TIFF/);
  });
});

describe('opening a TIFF', () => {
  it('gives 16-bit samples exactly', async () => {
    const samples = ramp(6 * 2, 5000);
    const raw = { width: 6, height: 2, channels: 1 } as const;
    const file = await bytesOf(sharp(samples, { raw }).toColourspace('grey16').tiff({ compression: 'lzw' }));
    const { image, depth, format } = await openImage(file, whole);
    expect({ depth, format, samples: [...image.planes[0]] }).toEqual({
      depth: 16,
      format: 'TIFF',
      samples: [...samples],
    });
  });
});

describe('the header', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('of %s tells the size before anything is decoded', async (format) => {
    const blank = sharp({ create: { width: 37, height: 21, channels: 3, background: '#a40' } });
    const file = await bytesOf(blank.toFormat(format));
    const found = formatOf(file);
    expect(found?.toLowerCase()).toBe(format);
    expect(found && sizeOf(file, found)).toEqual({ width: 37, height: 21, channels: 3 });
    expect(found && sizeOf(file.slice(0, 14), found)).toBeUndefined();
  });

  it('lets an image be refused or reduced', async () => {
    const raw = { width: 4, height: 2, channels: 1 } as const;
    const file = await bytesOf(
      sharp(Uint8Array.from([1, 3, 10, 20, 5, 7, 30, 40]), { raw })
        .toColourspace('b-w')
        .png(),
    );
    const reduced = await openImage(file, () => 2);
    expect([...reduced.image.planes[0]]).toEqual([4, 25]);
    const refuse = () => {
      throw Object.assign(new Error('too large'), { name: 'TooLargeError' });
    };
    await expect(openImage(file, refuse)).rejects.toThrow('too large');
  });
});

describe('planes', () => {
  it('of floats have their range as full scale', () => {
    const raster = { width: 2, height: 1, channels: 1, alpha: false, depth: 32, sample: 'float' } as const;
    expect(planesOf({ ...raster, samples: Float32Array.of(-1, 3) }).peak).toBe(4);
    expect(planesOf({ ...raster, samples: Float32Array.of(2, 2) }).peak).toBe(1);
  });

  it('of a canvas leave out what says nothing', () => {
    const grey = fewestChannels(2, 1, Uint8ClampedArray.of(7, 7, 7, 255, 9, 9, 9, 255));
    expect(grey).toMatchObject({ channels: 1, alpha: false, samples: Uint8ClampedArray.of(7, 9) });
    const see = fewestChannels(1, 1, Uint8ClampedArray.of(7, 8, 9, 200));
    expect(see).toMatchObject({ channels: 4, alpha: true });
  });
});
