/** CMYK and CIE Lab in a TIFF, against Little CMS by way of Pillow (colours/make_colours.py), and against sharp's own reader. */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { basicCodecs, bytesInMemory, notKept, openStructure, readTiffPage, windowReader } from '../src/index.js';
import { nodeCodecs, readImage, refusing } from '../src/node/index.js';
import { tiff } from './fixtures.js';

interface Colour {
  readonly stored: readonly number[];
  readonly rgb: readonly number[];
}
const golden: Readonly<Record<'lab' | 'cmyk', readonly Colour[]>> = JSON.parse(
  readFileSync(new URL('colours/colours.json', import.meta.url), 'utf8'),
);

const kinds = { inks: { 262: [5], 277: [4], 258: [8, 8, 8, 8] }, lab: { 262: [8], 277: [3], 258: [8, 8, 8] } };
const inksOf = (data: ArrayBufferView, width: number, tags = {}) =>
  tiff(width, data.byteLength / width / 4, data, { ...kinds.inks, ...tags });
const messageOf = (bytes: Uint8Array) =>
  readImage(bytes).then(
    () => 'it was read',
    (error: Error) => error.message,
  );

/** The largest difference to golden colours. */
async function worst(bytes: Uint8Array, colours: readonly Colour[], scale = 1): Promise<number> {
  const { image } = await readImage(bytes);
  expect([image.planes.length, image.width * image.height]).toEqual([3, colours.length]);
  const differences = colours.flatMap(({ rgb }, i) =>
    rgb.map((value, channel) => Math.abs(image.planes[channel][i] / scale - value)),
  );
  return Math.max(...differences);
}

describe('a TIFF in CIE Lab', () => {
  const { lab } = golden;
  const shifted = (offset: number) => lab.flatMap(({ stored: [l, a, b] }) => [l, a + offset, b + offset]);

  it('of ICC, with a and b from 0 to 255, has the colours of Little CMS', async () => {
    const bytes = tiff(lab.length, 1, Uint8Array.from(shifted(0)), { ...kinds.lab, 262: [9] });
    expect(await worst(bytes, lab)).toBeLessThanOrEqual(1);
    const { metadata, depth } = await readImage(bytes);
    expect([depth, notKept('tiff', 3, metadata)]).toEqual([8, ['CIE Lab colours (converted to sRGB)']]);
  });

  it('of TIFF, with a and b from −128 to 127, has them too', async () => {
    const bytes = tiff(lab.length, 1, Int8Array.from(shifted(-128)), kinds.lab);
    expect(await worst(bytes, lab)).toBeLessThanOrEqual(1);
  });

  it.each([
    ['ICC', 9, ([l, a, b]: readonly number[]) => [256 * l, 256 * a, 256 * b]],
    ['TIFF', 8, ([l, a, b]: readonly number[]) => [257 * l, 256 * (a - 128), 256 * (b - 128)]],
  ])('of 16 bits of %s stays one of 16 bits', async (_, photometric, encode) => {
    const data = Uint16Array.from(lab.flatMap(({ stored }) => encode(stored)));
    const bytes = tiff(lab.length, 1, data, { 262: [photometric], 277: [3], 258: [16, 16, 16] });
    expect(await worst(bytes, lab, 257)).toBeLessThan(1.1);
    const { image, depth } = await readImage(bytes);
    expect([depth, image.peak]).toEqual([16, 65535]);
    // Not only multiples of 257: nothing was rounded to 8 bits.
    expect(image.planes[0].some((value) => value % 257 !== 0)).toBe(true);
  });

  it('with opacity keeps it as it is', async () => {
    const data = Uint8Array.of(255, 0, 0, 7, 0, 0, 0, 200);
    const { image } = await readImage(tiff(2, 1, data, { 262: [8], 277: [4], 258: [8, 8, 8, 8], 338: [2] }));
    expect([...image.planes.map((plane) => [...plane]), [...(image.alpha ?? [])]]).toEqual([
      ...Array.from({ length: 3 }, () => [255, 0]),
      [7, 200],
    ]);
  });
});

describe('a TIFF in CMYK', () => {
  const pixels = Uint8Array.from({ length: 4 * 30 * 20 }, (_, i) => (i * 40503 + (i >> 5) * 77) & 255);
  const photo = () => sharp(pixels, { raw: { width: 30, height: 20, channels: 4 } }).removeAlpha();
  const written = (profile?: string) => {
    const inks = photo().toColourspace('cmyk');
    return (profile ? inks.withIccProfile(profile) : inks).tiff({ compression: 'lzw' }).toBuffer();
  };

  it('has the colours of Little CMS, but for the black point, which libvips maps by itself', async () => {
    const data = Uint8Array.from(golden.cmyk.flatMap(({ stored }) => stored));
    expect(await worst(inksOf(data, golden.cmyk.length), golden.cmyk)).toBeLessThanOrEqual(6);
  });

  it.each(['cmyk', undefined])(
    "is what sharp's own reader makes of the file (profile: %s), and that is said",
    async (profile) => {
      const bytes = await written(profile);
      const { image, depth, sample, metadata } = await readImage(bytes);
      const expected = await sharp(bytes).toColourspace('srgb').raw().toBuffer();
      for (const [channel, plane] of image.planes.entries()) {
        expect([...plane]).toEqual([...expected].filter((_, i) => i % 3 === channel));
      }
      const way = profile ? 'their profile' : 'a common profile, as they have none';
      expect([depth, sample, metadata?.icc]).toEqual([8, 'uint', undefined]);
      expect(notKept('tiff', 3, metadata)).toEqual([`CMYK colours (converted to sRGB by ${way})`]);
    },
  );

  it('is read in windows with the samples of the whole', async () => {
    const bytes = await written('cmyk');
    const { image } = await readImage(bytes);
    const source = bytesInMemory(bytes);
    const { littleEndian, directories } = await openStructure(source);
    const refuse = refusing('inks.tif', 'file');
    for await (const directory of directories()) {
      const page = await readTiffPage(directory, { bytes: bytes.length, pages: 1, littleEndian }, refuse, () => {});
      const window = { left: 7, top: 3, width: 11, height: 9 };
      const part = await windowReader(source, page, nodeCodecs, refuse)(window);
      for (const [channel, plane] of part.entries()) {
        for (let i = 0; i < plane.length; i++) {
          const at = (window.top + Math.floor(i / 11)) * 30 + window.left + (i % 11);
          expect(plane[i]).toBe(image.planes[channel][at]);
        }
      }
      expect(() => windowReader(source, page, basicCodecs, refuse)).toThrow(
        /must be grey or RGB, not CMYK.*command ght/,
      );
    }
  });

  it('with opacity keeps it as it is', async () => {
    const data = Uint8Array.of(0, 0, 0, 0, 7, 0, 0, 0, 255, 200);
    const { image } = await readImage(tiff(2, 1, data, { 262: [5], 277: [5], 258: [8, 8, 8, 8, 8], 338: [2] }));
    expect([image.planes.map(([paper]) => paper), [...(image.alpha ?? [])]]).toEqual([
      [255, 255, 255],
      [7, 200],
    ]);
    expect(Math.max(...image.planes.map((plane) => plane[1]))).toBeLessThan(60);
  });

  it('of another kind is refused by name', async () => {
    const four = Uint8Array.of(1, 2, 3, 4);
    expect(await messageOf(inksOf(four, 1, { 332: [2] }))).toMatch(/not of other inks/);
    expect(await messageOf(inksOf(four, 1, { 336: [16, 240] }))).toMatch(/not a dot range of 16, 240/);
    const deep = tiff(1, 1, Uint16Array.of(1, 2, 3, 4), { ...kinds.inks, 258: [16, 16, 16, 16] });
    expect(await messageOf(deep)).toMatch(/not CMYK with 4 inks of 16 bits/);
    const spot = tiff(1, 1, Uint8Array.of(1, 2, 3, 4, 5), { 262: [5], 277: [5], 258: [8, 8, 8, 8, 8] });
    expect(await messageOf(spot)).toMatch(/not CMYK with 5 inks/);
    const jpeg = await photo().toColourspace('cmyk').tiff({ compression: 'jpeg' }).toBuffer();
    expect(await messageOf(jpeg)).toMatch(/not CMYK with jpeg compression/);
    const float = await photo().toColourspace('lab').tiff({ compression: 'lzw' }).toBuffer();
    expect(await messageOf(float)).toMatch(/not CIE Lab with 3 channels of 32 bits \(float\)/);
  });

  it('with a damaged profile is refused, not converted by another one', async () => {
    const bytes = await written('cmyk');
    const { icc } = await sharp(bytes).metadata();
    const at = bytes.indexOf((icc as Buffer).subarray(0, 128));
    bytes.fill(0x55, at + 128, at + 4000);
    expect(await messageOf(bytes)).toMatch(/its colours cannot be converted: corrupt profile/);
  });
});
