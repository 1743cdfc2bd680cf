import { readFile } from 'node:fs/promises';
import { fromArrayBuffer } from 'geotiff';
import type { Image } from 'ght';
import { writeNpy } from 'ght/npy';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ImageFile } from '../src/index.js';
import { readArray, readImage, writeImage } from '../src/node/index.js';
import { imageOf, pattern, png, pngRows, temporaryFolder, tiff, widened } from './fixtures.js';

const { path, save } = temporaryFolder();
const width = 13;
const height = 7;
const pixels = width * height;

const kinds = [
  { kind: 'grey', channels: 1, alpha: false, colourType: 0 },
  { kind: 'grey with alpha', channels: 2, alpha: true, colourType: 4 },
  { kind: 'RGB', channels: 3, alpha: false, colourType: 2 },
  { kind: 'RGB with alpha', channels: 4, alpha: true, colourType: 6 },
];
const integers = [
  { depth: 8, most: 255 },
  { depth: 16, most: 65535 },
] as const;
const floats = [
  { depth: 32, round: Math.fround },
  { depth: 64, round: (value: number) => value },
] as const;
const floatSamples = (length: number, round: (value: number) => number) =>
  Array.from({ length }, (_, i) => round(Math.sin(i) * 10 ** ((i % 9) - 4) - 0.1));

/** An image as if read from a file of that depth, to be written in any format. */
function file(image: Image, depth: ImageFile['depth'], sample: ImageFile['sample']): ImageFile {
  return { image, depth, sample, format: 'png' };
}

async function writtenAndRead(name: string, like: ImageFile): Promise<ImageFile> {
  await writeImage(path(name), like.image, like);
  return readImage(path(name));
}

describe('reading', () => {
  it.each(kinds.flatMap((kind) => integers.map((integer) => ({ ...kind, ...integer }))))(
    'gives the samples of a $depth-bit $kind PNG exactly, with alpha apart',
    async ({ channels, alpha, colourType, depth, most }) => {
      const samples = pattern(pixels * channels, most);
      const bytes = png({ width, height, bits: depth, colourType }, pngRows(height, depth, samples));
      const read = await readImage(await save('kind.png', bytes));
      expect(read).toMatchObject({ format: 'png', depth, sample: 'uint' });
      expect(read.image.planes[0].constructor).toBe(depth === 8 ? Uint8Array : Uint16Array);
      expect(widened(read.image)).toEqual(imageOf(width, height, samples, alpha, most));
    },
  );

  it.each([
    { bits: 1, row: [0b01000000], values: [0, 255] },
    { bits: 2, row: [0b00011011], values: [0, 85, 170, 255] },
    { bits: 4, row: [0x01, 0x8f], values: [0, 17, 136, 255] },
  ])('expands $bits-bit grey PNG to 8 bits', async ({ bits, row, values }) => {
    const bytes = png({ width: values.length, height: 1, bits, colourType: 0 }, [Buffer.from(row)]);
    const read = await readImage(await save('narrow.png', bytes));
    expect(read.depth).toBe(8);
    expect(Array.from(read.image.planes[0])).toEqual(values);
  });

  it('expands a palette to RGB', async () => {
    const palette = Buffer.of(10, 20, 30, 200, 100, 50);
    const bytes = png({ width: 2, height: 1, bits: 8, colourType: 3 }, [Buffer.of(1, 0)], [['PLTE', palette]]);
    const read = await readImage(await save('palette.png', bytes));
    expect(read.image.planes.map((plane) => Array.from(plane))).toEqual([
      [200, 10],
      [100, 20],
      [50, 30],
    ]);
  });

  it('goes by the content of a file, not by its name', async () => {
    const bytes = png({ width: 1, height: 1, bits: 8, colourType: 0 }, [Buffer.of(9)]);
    expect((await readImage(await save('really-a-png.jpg', bytes))).format).toBe('png');
    expect((await readImage(await save('no-extension', bytes))).format).toBe('png');
  });

  it('takes the unlabelled fourth channel of an RGB TIFF as alpha, and the second of grey as a band', async () => {
    const samples = Uint8Array.from(pattern(8, 255));
    const rgba = tiff(2, 1, samples, { 258: [8, 8, 8, 8], 262: [2], 277: [4] });
    const read = await readImage(await save('rgba.tif', rgba));
    expect(widened(read.image)).toEqual(imageOf(2, 1, Array.from(samples), true, 255));
    const bands = tiff(4, 1, samples, { 258: [8, 8], 262: [1], 277: [2], 338: [0] });
    expect(widened((await readImage(await save('bands.tif', bands))).image)).toEqual(
      imageOf(4, 1, Array.from(samples), false, 255),
    );
  });

  it('reads tiled and LZW-compressed TIFF of 16 bits exactly', async () => {
    const samples = Uint16Array.from(pattern(pixels * 3, 65535));
    const raw = sharp(samples, { raw: { width, height, channels: 3 } });
    const options = { compression: 'lzw', predictor: 'horizontal', tile: true, tileWidth: 16, tileHeight: 16 } as const;
    const bytes = await raw.toColourspace('rgb16').tiff(options).toBuffer();
    const read = await readImage(await save('tiled.tif', bytes));
    expect(widened(read.image)).toEqual(imageOf(width, height, Array.from(samples), false, 65535));
  });

  it('has as peak of floats the range of their finite values, and 1 when they are constant', async () => {
    const varied = writeNpy({ type: 'f4', shape: [2, 2], data: Float32Array.of(-0.5, Number.NaN, 2, Infinity) });
    const read = await readImage(await save('varied.npy', varied));
    expect(read.image.peak).toBe(2.5);
    expect(Array.from(read.image.planes[0])).toEqual([-0.5, Number.NaN, 2, Infinity]);
    const constant = writeNpy({ type: 'f8', shape: [1, 2], data: Float64Array.of(7, 7) });
    expect((await readImage(await save('constant.npy', constant))).image.peak).toBe(1);
  });
});

describe('writing and reading back', () => {
  const lossless = kinds.flatMap((kind) =>
    integers.flatMap((integer) =>
      ['png', 'tif', 'webp']
        // WebP has neither 16 bits nor grey.
        .filter((extension) => extension !== 'webp' || (integer.depth === 8 && kind.channels >= 3))
        .map((extension) => ({ ...kind, ...integer, extension })),
    ),
  );
  it.each(lossless)(
    '$extension keeps $depth-bit $kind exactly',
    async ({ channels, alpha, depth, most, extension }) => {
      const image = imageOf(width, height, pattern(pixels * channels, most), alpha, most);
      const read = await writtenAndRead(`kept.${extension}`, file(image, depth, 'uint'));
      expect(read).toMatchObject({ depth, sample: 'uint', format: extension === 'tif' ? 'tiff' : extension });
      expect(widened(read.image)).toEqual(image);
    },
  );

  it('PNG keeps rows of more bytes than a stored block holds', async () => {
    const image = imageOf(40_000, 3, pattern(120_000, 65535), false, 65535);
    expect(widened((await writtenAndRead('wide.png', file(image, 16, 'uint'))).image)).toEqual(image);
  });

  it('keeps the colours under fully transparent pixels in WebP', async () => {
    const image = imageOf(2, 1, [10, 20, 30, 0, 200, 100, 50, 0], true, 255);
    expect(widened((await writtenAndRead('hidden.webp', file(image, 8, 'uint'))).image)).toEqual(image);
  });

  it('gives grey as three equal channels in WebP, which has no grey', async () => {
    const grey = imageOf(width, height, pattern(pixels, 255), false, 255);
    const { image } = await writtenAndRead('grey.webp', file(grey, 8, 'uint'));
    expect(widened(image).planes).toEqual([grey.planes[0], grey.planes[0], grey.planes[0]]);
  });

  it.each(
    [...kinds, { kind: 'five bands', channels: 5, alpha: false }].flatMap((k) => floats.map((f) => ({ ...k, ...f }))),
  )('float$depth TIFF keeps $kind exactly', async ({ channels, alpha, depth, round }) => {
    const image = imageOf(width, height, floatSamples(pixels * channels, round), alpha, 1);
    const read = await writtenAndRead('float.tiff', file(image, depth, 'float'));
    expect(read).toMatchObject({ format: 'tiff', depth, sample: 'float' });
    expect(widened({ ...read.image, peak: 1 })).toEqual(image);
  });

  it.each(integers)('TIFF keeps a stack of six $depth-bit bands', async ({ depth, most }) => {
    const image = imageOf(width, height, pattern(pixels * 6, most), false, most);
    expect(widened((await writtenAndRead('stack.tif', file(image, depth, 'uint'))).image)).toEqual(image);
  });

  it('writes TIFF in several strips that other readers decode to the same samples', async () => {
    const [wide, high] = [601, 403];
    const samples = pattern(wide * high * 3, 65535);
    const image = imageOf(wide, high, samples, false, 65535);
    await writeImage(path('strips.tif'), image, file(image, 16, 'uint'));
    const bytes = await readFile(path('strips.tif'));
    const decoded = await sharp(bytes).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    expect(Buffer.compare(decoded, Buffer.from(Uint16Array.from(samples).buffer))).toBe(0);
    const other = await (await fromArrayBuffer(new Uint8Array(bytes).buffer)).getImage();
    expect(Number(await other.getFileDirectory().loadValue('RowsPerStrip'))).toBeLessThan(high);
    expect((await other.readRasters())[2]).toEqual(Uint16Array.from(image.planes[2]));
  });

  it('writes JPEG near the samples, grey as grey, with colours at full resolution', async () => {
    const smooth = Array.from({ length: 64 * 64 * 3 }, (_, i) => Math.round(128 + 100 * Math.sin(i / 900 + (i % 3))));
    const colour = imageOf(64, 64, smooth, false, 255);
    const read = await writtenAndRead('near.jpg', file(colour, 8, 'uint'));
    const worst = Math.max(
      ...read.image.planes.flatMap((plane, c) => Array.from(plane, (v, i) => Math.abs(v - colour.planes[c][i]))),
    );
    expect(worst).toBeLessThanOrEqual(6);
    expect((await sharp(path('near.jpg')).metadata()).chromaSubsampling).toBe('4:4:4');
    const grey: Image = { ...colour, planes: [colour.planes[0]] };
    expect((await writtenAndRead('near.jpeg', file(grey, 8, 'uint'))).image.planes).toHaveLength(1);
  });

  it('rounds to the nearest integer and clamps to the range', async () => {
    const like = file(imageOf(6, 1, [-3, -0.4, 0.5, 99.49, 255.4, 900], false, 255), 8, 'uint');
    expect(Array.from((await writtenAndRead('rounded.png', like)).image.planes[0])).toEqual([0, 0, 1, 99, 255, 255]);
    const deep = file(imageOf(2, 1, [65535.6, 299.5], false, 65535), 16, 'uint');
    expect(Array.from((await writtenAndRead('rounded.tif', deep)).image.planes[0])).toEqual([65535, 300]);
  });

  it('follows an extension in capitals', async () => {
    const like = file(imageOf(1, 1, [5], false, 255), 8, 'uint');
    expect((await writtenAndRead('CAPITAL.TIF', like)).format).toBe('tiff');
  });
});

describe('.npy', () => {
  it.each([
    { type: 'u1', data: Uint8Array.of(0, 1, 2, 3, 254, 255), depth: 8, sample: 'uint', peak: 255 },
    { type: 'u2', data: Uint16Array.of(0, 1, 2, 3, 256, 65535), depth: 16, sample: 'uint', peak: 65535 },
    { type: 'f4', data: Float32Array.of(-1, 0.25, 2, 3, 4, 5), depth: 32, sample: 'float', peak: 6 },
    { type: 'f8', data: Float64Array.of(0.1, 0.2, 1e-9, 3, 4, 5), depth: 64, sample: 'float', peak: 5 - 1e-9 },
  ] as const)('comes back as the same bytes for $type and each shape', async ({ type, data, depth, sample, peak }) => {
    for (const shape of [
      [2, 3],
      [2, 3, 1],
      [1, 2, 3],
      [3, 1, 2],
    ]) {
      const bytes = writeNpy({ type, shape, data });
      const read = await readImage(await save('array.npy', bytes), { axes: 'HWC' });
      const [height, width] = shape;
      expect(read).toMatchObject({ format: 'npy', depth, sample });
      expect(read.image.planes[0].constructor).toBe(data.constructor);
      expect(widened(read.image)).toEqual(imageOf(width, height, Array.from(data), false, peak));
      await writeImage(path('again.npy'), read.image, read);
      expect(new Uint8Array(await readFile(path('again.npy')))).toEqual(bytes);
    }
  });

  it('takes four channels as planes, and holds the alpha of another file as the last channel', async () => {
    const four = writeNpy({ type: 'u1', shape: [1, 1, 4], data: Uint8Array.of(1, 2, 3, 4) });
    const read = await readImage(await save('four.npy', four), { axes: 'HWC' });
    expect(read.image.planes).toHaveLength(4);
    const rgba = file(imageOf(1, 1, [1, 2, 3, 4], true, 255), 8, 'uint');
    await writeImage(path('rgba.npy'), rgba.image, rgba);
    const array = await readArray(path('rgba.npy'));
    expect(array).toEqual({ type: 'u1', shape: [1, 1, 4], data: Uint8Array.of(1, 2, 3, 4) });
  });
});
