/** What a file says besides its samples, read from one file and put into another, with sharp as the other reader and writer. */
import { describeFile, profileFits, readMetadata } from 'ght-images';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { isDisplayP3 } from '../src/image/display-p3.js';

const size = { width: 20, height: 12, channels: 3 } as const;
const plain = () => sharp({ create: { ...size, background: '#c63' } });
const described = () => plain().withMetadata({ density: 300, icc: 'p3', exif: { IFD0: { Artist: 'Somebody' } } });

const formats = ['png', 'jpeg', 'webp'] as const;
const bytesOf = async (picture: Sharp, format: (typeof formats)[number]) =>
  Uint8Array.from(await picture.toFormat(format).toBuffer());

describe.each(formats)('the metadata of a file, %s', (from) => {
  it('are found', async () => {
    const file = await bytesOf(described(), from);
    const { icc, exif, resolution } = await readMetadata(file, from);
    const truth = await sharp(file).metadata();
    expect(icc).toEqual(Uint8Array.from(truth.icc ?? []));
    expect([isDisplayP3(icc), icc && profileFits(icc, 3)]).toEqual([true, true]);
    expect(Buffer.from(exif ?? []).toString('latin1')).toContain('Somebody');
    const perInch = (resolution?.x ?? 0) * (resolution?.unit === 'centimetre' ? 2.54 : 1);
    expect(perInch).toBeCloseTo(300, 0);
  });

  it.each(formats)('are found by other programs in a %s', async (to) => {
    const metadata = await readMetadata(await bytesOf(described(), from), from);
    const bare = await bytesOf(plain(), to);
    const file = await describeFile(bare, to, { width: 20, height: 12, alpha: false }, metadata);
    const { icc, exif, density, width, height, format } = await sharp(file).metadata();
    expect({ format, width, height }).toEqual({ format: to, width: 20, height: 12 });
    expect(Uint8Array.from(icc ?? [])).toEqual(metadata.icc);
    expect(exif?.toString('latin1')).toContain('Somebody');
    if (to !== 'webp') expect(density).toBe(300);
    // The samples are the same; sharp converts them to sRGB and back.
    const raw = (bytes: Uint8Array) => sharp(bytes).keepIccProfile().raw().toBuffer();
    const [labelled, without] = await Promise.all([raw(file), raw(bare)]);
    expect(labelled.length).toBe(without.length);
    expect(labelled.every((value, i) => Math.abs(value - without[i]) <= 1)).toBe(true);
  });
});

it('a profile that is longer than a segment of a JPEG is split, and put together again', async () => {
  const icc = Uint8Array.from({ length: 150_000 }, (_, i) => (i * 31) % 251);
  const file = await describeFile(await bytesOf(plain(), 'jpeg'), 'jpeg', { ...size, alpha: false }, { icc });
  expect((await readMetadata(file, 'jpeg')).icc).toEqual(icc);
});

it('a file without any has none, and gets none', async () => {
  const file = await bytesOf(plain(), 'webp');
  expect(await readMetadata(file, 'webp')).toEqual({});
  expect(await describeFile(file, 'webp', { ...size, alpha: false }, {})).toBe(file);
});
