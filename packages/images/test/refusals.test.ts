import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isGhtError, OptionError } from 'ght';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ImageFile } from '../src/index.js';
import { checkFormat, readArray, readImage, writeImage } from '../src/node/index.js';
import { imageOf, pattern, png, pngRows, temporaryFolder, tiff } from './fixtures.js';

const { path, save } = temporaryFolder();
const side = 64;
const noise = Uint8Array.from({ length: side * side * 3 }, (_, i) => 1e6 * Math.abs(Math.sin(i)));
const photo = () => sharp(noise, { raw: { width: side, height: side, channels: 3 } });
const formats = {
  png: () => photo().png(),
  jpeg: () => photo().jpeg(),
  'progressive jpeg': () => photo().jpeg({ progressive: true }),
  tiff: () => photo().tiff({ compression: 'lzw' }),
  'lossless webp': () => photo().webp({ lossless: true }),
  webp: () => photo().webp(),
};

/** The one line a user sees; anything but an error of ours that names the path fails the test. */
async function refusal(attempt: Promise<unknown>, value?: string): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isGhtError(error)) throw error ?? new Error('nothing was refused');
  expect(error.message).not.toContain('\n');
  if (value !== undefined) expect(error.value).toBe(value);
  return error.message;
}

async function refusalOf(name: string, bytes: Uint8Array | string): Promise<string> {
  const file = await save(name, bytes);
  return refusal(readImage(file), file);
}

describe('readImage refuses', () => {
  it('a file that is missing, naming the given parameter', async () => {
    expect(await refusal(readImage(path('none.png')), path('none.png'))).toBe(
      `file must be an existing file, but got "${path('none.png')}": check the path`,
    );
    expect(await refusal(readImage(path('none.png'), { parameter: '--reference' }))).toMatch(
      /^--reference must be an existing file/,
    );
    expect(await refusal(readImage(path('none/none.png')))).toContain('existing file');
  });

  it('a folder', async () => {
    await mkdir(path('folder.png'));
    expect(await refusal(readImage(path('folder.png')))).toContain('this is a folder');
  });

  it.skipIf(process.getuid?.() === 0)('a file without permission', async () => {
    await chmod(await save('secret.png', 'x'), 0);
    expect(await refusal(readImage(path('secret.png')))).toContain('must be readable');
  });

  it('an empty file', async () => {
    expect(await refusalOf('empty.png', '')).toContain('must not be empty');
  });

  it.each([
    ['text', 'hello'],
    ['one byte', '\x89'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>'],
    ['PDF', '%PDF-1.7\n'],
    ['a WAV, which is RIFF like WebP', 'RIFF\x24\0\0\0WAVEfmt '],
  ])('%s whatever its name, with the formats there are', async (_, content) => {
    expect(await refusalOf('named.png', Buffer.from(content, 'latin1'))).toMatch(
      /PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP, PPM, PFM, FITS, EXR or \.npy/,
    );
  });

  it.each(Object.keys(formats) as (keyof typeof formats)[])('truncated %s', async (format) => {
    const bytes = await formats[format]().toBuffer();
    for (const part of [0.1, 0.5, 0.95]) {
      const message = await refusalOf('cut', bytes.subarray(0, Math.floor(part * bytes.length)));
      expect(message).toMatch(/must be an intact (PNG|JPEG|TIFF|WEBP) file/);
    }
  });

  it('a float TIFF with fewer samples than it declares, and a TIFF cut to its header', async () => {
    const short = tiff(side, side, new Float32Array(side * side), { 258: [32], 262: [1], 277: [1], 339: [3] });
    // Moving where the samples begin (tag 273) lets them end one byte behind the end of the file.
    short.writeUInt16LE(short.length - side * side * 4 + 1, short.indexOf(Buffer.of(0x11, 1, 3, 0)) + 8);
    expect(await refusalOf('short.tif', short)).toContain('intact TIFF');
    expect(await refusalOf('header.tif', Buffer.from('II*\0\x08\0\0\0', 'latin1'))).toContain('intact TIFF');
  });

  it('a TIFF without a place for its pixels, which are not its header', async () => {
    const absent = tiff(2, 4, new Uint8Array(8), { 258: [8], 262: [1], 273: [0], 277: [1] });
    expect(await refusalOf('absent.tif', absent)).toContain('must hold every strip and tile of its image');
  });

  it('PNG whose data no longer match their checksum', async () => {
    const bytes = Buffer.from(await photo().png().toBuffer());
    bytes[bytes.length >> 1] ^= 0x10;
    expect(await refusalOf('flipped.png', bytes)).toContain('intact PNG');
  });

  it('more pixels than the limit, by the size the header declares', async () => {
    const bytes = png({ width: 20000, height: 20000, bits: 8, colourType: 0 }, []);
    expect(await refusalOf('huge.png', bytes)).toMatch(/at most 268402689 pixels, not 20000×20000/);
    const float = tiff(40000, 40000, new Uint8Array(8), { 258: [32], 262: [1], 277: [1], 339: [3] });
    expect(await refusalOf('huge.tif', float)).toMatch(/at most 268402689 pixels, not 40000×40000/);
  });

  it('several pages or frames', async () => {
    const grey = (value: number) =>
      png({ width: 4, height: 4, bits: 8, colourType: 2 }, pngRows(4, 8, new Array(48).fill(value)));
    const two = () => sharp([grey(10), grey(200)], { join: { animated: true } });
    expect(await refusalOf('pages.tif', await two().tiff().toBuffer())).toContain('exactly one page');
    const animated = await two().webp({ lossless: true }).toBuffer();
    expect(await refusalOf('animated.webp', animated)).toContain('exactly one frame');
    const control = (count: number) => [['acTL', Buffer.of(0, 0, 0, count, 0, 0, 0, 0)]] as const;
    const apng = (count: number) =>
      png({ width: 1, height: 1, bits: 8, colourType: 0 }, [Buffer.of(7)], control(count));
    expect(await refusalOf('animated.png', apng(2))).toContain('exactly one frame');
    expect((await readImage(await save('still.png', apng(1)))).image.planes[0][0]).toBe(7);
  });

  it('samples of 64 bits that are no floats, and compressions that nobody here reads, by their names', async () => {
    const wide = tiff(1, 1, BigUint64Array.of(1n), { 258: [64], 262: [1], 277: [1], 339: [2] });
    expect(await refusalOf('wide.tif', wide)).toMatch(/integers of 8, 16 or 32 bits, not 64.*32-bit float/);
    const logLuv = tiff(1, 1, Float32Array.of(1, 2, 3), {
      ...{ 258: [32, 32, 32], 259: [34676], 262: [32845], 277: [3], 339: [3] },
    });
    expect(await refusalOf('sky.tif', logLuv)).toMatch(/not SGI LogLuv, but got .*: save it with LZW, Deflate or no/);
    const sensor = tiff(2, 1, Uint16Array.of(1, 2), { 258: [16], 262: [32803], 277: [1], 339: [1] });
    expect(await refusalOf('sensor.tif', sensor)).toContain('must be grey or RGB, not a camera sensor');
  });

  it('premultiplied alpha', async () => {
    const bytes = tiff(1, 1, Uint8Array.of(9, 9, 9, 128), { 258: [8, 8, 8, 8], 262: [2], 277: [4], 338: [1] });
    expect(await refusalOf('premultiplied.tif', bytes)).toContain('straight alpha');
  });

  it('arrays of other types and shapes', async () => {
    const npy = (array: Parameters<typeof writeNpy>[0]) => refusalOf('array.npy', writeNpy(array));
    expect(await npy({ type: 'i8', shape: [1, 2], data: Float64Array.of(1, 2) })).toMatch(/not int64.*astype/);
    expect(await npy({ type: 'b1', shape: [1, 2], data: Uint8Array.of(0, 1) })).toMatch(/not bool.*astype/);
    expect(await npy({ type: 'u1', shape: [2], data: Uint8Array.of(1, 2) })).toContain('shape H×W or H×W×C, not 2');
    expect(await npy({ type: 'u1', shape: [], data: Uint8Array.of(1) })).toContain('not a single number');
    expect(await npy({ type: 'u1', shape: [0, 4], data: new Uint8Array(0) })).toContain('must have pixels, not 4×0');
    expect(await npy({ type: 'u1', shape: [2, 2, 0], data: new Uint8Array(0) })).toContain('at least one channel');
  });
});

describe('readArray', () => {
  it('gives the array of a .npy of any shape and type', async () => {
    const array = { type: 'i4', shape: [2, 1, 1, 2], data: Int32Array.of(-1, 2, 3, 4) } as const;
    expect(await readArray(await save('dictionary', writeNpy(array)))).toEqual(array);
  });

  it('refuses what is not a whole .npy, naming its path', async () => {
    const whole = writeNpy({ type: 'f8', shape: [4], data: new Float64Array(4) });
    const cut = await save('cut.npy', whole.subarray(0, -8));
    expect(await refusal(readArray(cut, '--dictionary'), cut)).toMatch(/^--dictionary .*24 bytes/);
    const header = await save('header.npy', whole.subarray(0, 9));
    expect(await refusal(readArray(header), header)).toContain('ARRAY must be');
    const text = await save('text.npy', 'hello');
    expect(await refusal(readArray(text), text)).toMatch(/must be a \.npy file.*numpy\.save/);
    expect(await refusal(readArray(path('none.npy')))).toContain('existing file');
    expect(await refusal(readArray(dirname(path('x'))))).toContain('this is a folder');
    expect(await refusal(readArray(await save('empty.npy', '')))).toContain('must not be empty');
  });
});

describe('writeImage refuses', () => {
  const like = (depth: ImageFile['depth'], channels: number, alpha = false): ImageFile => ({
    image: imageOf(2, 1, pattern(2 * channels, 200), alpha, 255),
    format: 'tiff',
    depth,
    sample: depth > 16 ? 'float' : 'uint',
  });

  it.each([
    ['16 bits in JPEG', 'no.jpg', like(16, 3), /16 bits, which JPEG does not.*use \.png or \.tiff/],
    ['16 bits in WebP', 'no.webp', like(16, 3), /16 bits, which WebP does not.*use \.png or \.tiff/],
    ['floats in PNG', 'no.png', like(32, 1), /floats, which PNG does not.*use \.tiff or \.npy/],
    ['floats in JPEG', 'no.jpeg', like(64, 1), /floats, which JPEG does not.*use \.tiff or \.npy/],
    ['floats in WebP', 'no.webp', like(32, 3), /floats, which WebP does not.*use \.tiff or \.npy/],
    ['alpha in JPEG', 'no.jpg', like(8, 4, true), /alpha, which JPEG does not.*use \.png/],
    ['five bands in PNG', 'no.png', like(8, 5), /5 channels, which PNG does not.*use \.tiff or \.npy/],
    ['an unknown extension', 'no.gif', like(8, 3), /must end in \.png, \.jpg/],
    ['no extension', 'no', like(8, 3), /must end in \.png, \.jpg/],
  ] as const)('%s, and leaves no file', async (_, name, file, message) => {
    const before = await readdir(dirname(path(name)));
    const shown = await refusal(writeImage(path(name), file.image, file), path(name));
    expect(shown).toMatch(message);
    expect(shown).toMatch(/^output /);
    expect(await readdir(dirname(path(name)))).toEqual(before);
    expect(() => checkFormat(name, file.image, file, '--output')).toThrow(OptionError);
  });

  it('sides longer than the format allows', () => {
    const long = { ...like(8, 1), image: { ...like(8, 1).image, width: 16384 } };
    expect(() => checkFormat('long.webp', long.image, long)).toThrow(/16384×1 pixels.*16383/);
    expect(checkFormat('long.png', long.image, long)).toBe('png');
  });

  it('to replace a folder, and leaves no temporary file', async () => {
    await mkdir(path('taken/out.png'), { recursive: true });
    await writeFile(path('taken/out.png/inside'), 'x');
    const file = like(8, 3);
    expect(await refusal(writeImage(path('taken/out.png'), file.image, file))).toContain('must be writable');
    expect(await readdir(path('taken'))).toEqual(['out.png']);
  });
});
