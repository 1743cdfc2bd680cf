/** Intact files of every format and kind, small enough to test thousands of damaged copies. */
import { deflateSync } from 'node:zlib';
import { type NpyArray, saveCodes, writeNpy } from 'ght/npy';
import sharp, { type TiffOptions } from 'sharp';
import { encodeBmp } from '../../src/bmp.js';
import { encodeTiff } from '../../src/node/encode-tiff.js';
import { type RasterSamples, toPlanes, toRaster } from '../../src/raster.js';
import { displayP3, iccChunk, pattern, png, pngRows, tiff } from '../fixtures.js';

/** An intact file. */
export interface Sound {
  readonly name: string;
  /** What it is read as: commands such as `ght info` read images, `ght solve` arrays, `loadCodes` codes. */
  readonly kind: 'image' | 'array' | 'codes';
  readonly bytes: Uint8Array;
  /** Whether it must be read; the others are intact, but of a kind that is refused. */
  readonly read: boolean;
  /** Its samples with interleaved channels, if they are known. */
  readonly samples?: readonly number[];
  /** True if checksums cover every sample, so that damage cannot give another image. */
  readonly sealed?: true;
}

const [width, height] = [20, 12];
const size = width * height;
const grey = pattern(size, 255);
const rgb = pattern(size * 3, 255);
const rgba = pattern(size * 4, 255);
const deep = pattern(size, 65535);

const photo = (samples = rgb, channels: 1 | 3 | 4 = 3) =>
  sharp(Uint8Array.from(samples), { raw: { width, height, channels } });
const grid = (bits: number, colourType: number) => ({ width, height, bits, colourType });

/** All intact files; the same bytes every time. */
export async function soundFiles(): Promise<Sound[]> {
  return [
    ...(await pngs()),
    ...(await jpegs()),
    ...(await webps()),
    ...(await tiffs()),
    ...bitmaps(),
    ...arrays(),
    ...(await codes()),
  ];
}

async function pngs(): Promise<Sound[]> {
  const sealed = true as const;
  const file = (name: string, bytes: Uint8Array, samples: readonly number[]): Sound => ({
    ...{ name: `${name}.png`, kind: 'image', bytes, read: true, samples, sealed },
  });
  const few = (bits: number) => {
    const samples = pattern(size, 2 ** bits - 1);
    const perByte = 8 / bits;
    const rows = Array.from({ length: height }, (_, y) =>
      Uint8Array.from({ length: Math.ceil(width / perByte) }, (_byte, b) => {
        let packed = 0;
        for (let k = 0; k < perByte; k++) packed |= (samples[y * width + b * perByte + k] ?? 0) << (8 - bits * (k + 1));
        return packed;
      }),
    );
    const scale = 255 / (2 ** bits - 1);
    return file(
      `grey-${bits}-bit`,
      png(grid(bits, 0), rows),
      samples.map((value) => value * scale),
    );
  };
  const colours = pattern(48, 255);
  const chosen = pattern(size, 15);
  const palette = png(grid(8, 3), pngRows(height, 8, chosen), [['PLTE', Uint8Array.from(colours)]]);
  const exif = await sharp(
    await photo()
      .jpeg()
      .withExif({ IFD0: { Copyright: 'GHT' } })
      .toBuffer(),
  ).metadata();
  const adorned = png(grid(8, 2), pngRows(height, 8, rgb), [
    iccChunk(await displayP3()),
    ['eXIf', (exif.exif as Buffer).subarray(6)],
    ['tEXt', Buffer.from('Title\0a picture', 'latin1')],
  ]);
  return [
    file('grey', png(grid(8, 0), pngRows(height, 8, grey)), grey),
    file('rgb', png(grid(8, 2), pngRows(height, 8, rgb)), rgb),
    file('rgba', png(grid(8, 6), pngRows(height, 8, rgba)), rgba),
    file('grey-16-bit', png(grid(16, 0), pngRows(height, 16, deep)), deep),
    ...[1, 2, 4].map(few),
    file(
      'palette',
      palette,
      chosen.flatMap((index) => colours.slice(3 * index, 3 * index + 3)),
    ),
    file('interlaced', await photo().png({ progressive: true, compressionLevel: 9 }).toBuffer(), rgb),
    file('profile-and-exif', adorned, rgb),
    { name: 'animated.png', kind: 'image', bytes: animatedPng(), read: false },
  ];
}

function animatedPng(): Buffer {
  const frames = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]);
  return png(grid(8, 0), pngRows(height, 8, grey), [['acTL', frames]]);
}

async function jpegs(): Promise<Sound[]> {
  const file = (name: string, bytes: Uint8Array, read = true): Sound => ({
    ...{ name: `${name}.jpg`, kind: 'image', bytes, read },
  });
  const turned = photo().withMetadata({ orientation: 6 }).withIccProfile('p3');
  return [
    file('baseline', await photo().jpeg().toBuffer()),
    file('grey', await photo(grey, 1).toColourspace('b-w').jpeg().toBuffer()),
    file('progressive', await photo().jpeg({ progressive: true }).toBuffer()),
    file('profile-and-orientation', await turned.jpeg().toBuffer()),
    file('cmyk', await photo().toColourspace('cmyk').jpeg().toBuffer()),
  ];
}

async function webps(): Promise<Sound[]> {
  const file = (name: string, bytes: Uint8Array, read = true, samples?: readonly number[]): Sound => ({
    ...{ name: `${name}.webp`, kind: 'image', bytes, read, samples },
  });
  const other = rgb.map((value) => 255 - value);
  const frames = [rgb, other].map((samples) => photo(samples).png().toBuffer());
  const twoFrames = sharp(await Promise.all(frames), { join: { animated: true } });
  return [
    file('lossy', await photo().webp().toBuffer()),
    file('lossless', await photo().webp({ lossless: true }).toBuffer(), true, rgb),
    file('alpha', await photo(rgba, 4).webp({ lossless: true, exact: true }).toBuffer(), true, rgba),
    file('profile', await photo().withIccProfile('p3').webp().toBuffer()),
    file('animated', await twoFrames.webp({ loop: 0, delay: [9, 9] }).toBuffer(), false),
  ];
}

async function tiffs(): Promise<Sound[]> {
  const file = (name: string, bytes: Uint8Array, samples?: readonly number[], read = true): Sound => ({
    ...{ name: `${name}.tif`, kind: 'image', bytes, read, samples },
  });
  const written = (options: TiffOptions) => photo().tiff(options).toBuffer();
  const floats = Float32Array.from(rgb, (value) => value / 7 - 3);
  const ours = (samples: RasterSamples, channels: number, kind: 'uint' | 'int' | 'float', depth: 16 | 32 | 64) =>
    encodeTiff(toRaster({ width, height, planes: toPlanes(samples, channels), peak: 1 }, kind, depth));
  const broken = Float32Array.from(grey);
  broken.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 30);
  const one = { 258: [8], 262: [1], 277: [1] };
  return [
    file('plain', await written({ compression: 'none' }), rgb),
    file('lzw', await written({ compression: 'lzw' }), rgb),
    file('deflate', await written({ compression: 'deflate', predictor: 'horizontal' }), rgb),
    file('packbits', await written({ compression: 'packbits' }), rgb),
    file('jpeg-inside', await written({ compression: 'jpeg' })),
    file('tiled', await written({ compression: 'lzw', tile: true, tileWidth: 16, tileHeight: 16 }), rgb),
    file('bigtiff', await written({ compression: 'none', bigtiff: true }), rgb),
    file(
      'bilevel',
      await photo(grey, 1).toColourspace('b-w').tiff({ bitdepth: 1, compression: 'ccittfax4' }).toBuffer(),
    ),
    file('float-32', await ours(floats, 3, 'float', 32), [...floats]),
    file('float-64', await ours(Float64Array.from(grey), 1, 'float', 64), grey),
    file(
      'signed',
      await ours(
        Int16Array.from(grey, (value) => value - 99),
        1,
        'int',
        16,
      ),
      grey.map((value) => value - 99),
    ),
    file(
      'wide',
      await ours(
        Uint32Array.from(deep, (value) => 65537 * value),
        1,
        'uint',
        32,
      ),
      deep.map((value) => 65537 * value),
    ),
    file('not-finite', await ours(broken, 1, 'float', 32), undefined, false),
    file('bands', await ours(Uint16Array.from(pattern(size * 5, 65535)), 5, 'uint', 16)),
    file('float-plain', tiff(width, height, Float32Array.from(grey), { ...one, 258: [32], 339: [3] }), grey),
    file('planar', planar(), rgb),
    file('big-endian', bigEndian(), deep),
    file('white-is-zero', tiff(width, height, Uint8Array.from(grey), { ...one, 262: [0] })),
    file('pages', twoPages(tiff(width, height, Uint8Array.from(grey), one)), undefined, false),
    file('cmyk', await photo().toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer()),
  ];
}

function bitmaps(): Sound[] {
  const file = (name: string, bytes: Uint8Array, samples?: readonly number[]): Sound => ({
    ...{ name: `${name}.bmp`, kind: 'image', bytes, read: samples !== undefined, samples },
  });
  const written = (samples: readonly number[], channels: number) => {
    const planes = toPlanes(Uint8Array.from(samples), channels);
    const alpha = channels === 4 ? planes.pop() : undefined;
    return encodeBmp(toRaster({ width, height, planes, peak: 255, ...(alpha && { alpha }) }, 'uint', 8));
  };
  const runLength = Buffer.from(written(grey, 1));
  runLength.writeUInt32LE(1, 30);
  return [
    file('grey', written(grey, 1), grey),
    file('rgb', written(rgb, 3), rgb),
    file('rgba', written(rgba, 4), rgba),
    file('run-length', runLength),
  ];
}

/** The three channels one after the other, one strip each: their offsets and lengths do not fit in an entry. */
function planar(): Buffer {
  const data = Uint8Array.from([0, 1, 2].flatMap((channel) => rgb.filter((_, i) => i % 3 === channel)));
  const tags = {
    258: [8, 8, 8],
    262: [2],
    277: [3],
    284: [2],
    273: [8, 8 + size, 8 + 2 * size],
    279: [size, size, size],
  };
  return tiff(width, height, data, tags);
}

/** Sixteen bits per sample, big-endian. */
function bigEndian(): Buffer {
  const entries = [
    ...[
      [256, width],
      [257, height],
      [258, 16],
      [259, 1],
      [262, 1],
      [273, 8],
      [277, 1],
      [278, height],
      [279, 2 * size],
    ],
  ];
  const bytes = Buffer.alloc(8 + 2 * size + 2 + 12 * entries.length + 4);
  bytes.write('MM\0*', 0, 'latin1');
  bytes.writeUInt32BE(8 + 2 * size, 4);
  deep.forEach((value, i) => {
    bytes.writeUInt16BE(value, 8 + 2 * i);
  });
  bytes.writeUInt16BE(entries.length, 8 + 2 * size);
  entries.forEach(([tag, value], i) => {
    const at = 8 + 2 * size + 2 + 12 * i;
    bytes.writeUInt16BE(tag, at);
    bytes.writeUInt16BE(3, at + 2);
    bytes.writeUInt32BE(1, at + 4);
    bytes.writeUInt16BE(value, at + 8);
  });
  return bytes;
}

/** A TIFF whose directory is followed by a second, of the same image. */
function twoPages(bytes: Buffer): Buffer {
  const start = bytes.readUInt32LE(4);
  const length = 2 + 12 * bytes.readUInt16LE(start);
  const both = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2), bytes.subarray(start, start + length + 4)]);
  both.writeUInt32LE(bytes.length + (bytes.length % 2), start + length);
  return both;
}

const array = (type: NpyArray['type'], data: NpyArray['data'], shape: readonly number[] = [height, width]) =>
  Buffer.from(writeNpy({ type, shape, data }));

/** The same file with its header's text replaced by another of the same length. */
function rewritten(bytes: Buffer, from: string, to: string): Buffer {
  const [head, tail] = bytes.toString('latin1').split(from);
  return Buffer.from(`${head}${to}${tail.slice(to.length - from.length)}`, 'latin1');
}

function arrays(): Sound[] {
  const file = (name: string, bytes: Uint8Array, samples?: readonly number[], read = true): Sound[] =>
    (['image', 'array'] as const).map((kind) => ({ name: `${name}.${kind}.npy`, kind, bytes, read, samples }));
  const f8 = array('f8', Float64Array.from(grey));
  const big = Buffer.from(f8);
  big.subarray(-8 * size).swap64();
  // In Fortran order the first index runs fastest: the same bytes are the transpose.
  const across = Array.from({ length: size }, (_, i) => grey[(i % width) * height + Math.floor(i / width)]);
  const odd = Float64Array.from(grey);
  odd.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 7);
  const [notFinite] = file('not-finite', array('f8', odd), undefined, false);
  return [
    ...file('uint8', array('u1', Uint8Array.from(rgb), [height, width, 3]), rgb),
    ...file('uint16', array('u2', Uint16Array.from(deep)), deep),
    ...file('float32', array('f4', Float32Array.from(grey)), grey),
    ...file('float64', f8, grey),
    ...file('big-endian', rewritten(big, "'<f8'", "'>f8'"), grey),
    ...file('fortran', rewritten(f8, 'False, ', 'True,  '), across),
    ...file('object', rewritten(f8, "'<f8'", "'|O8'"), undefined, false),
    ...file('structured', rewritten(f8, "'<f8'", "[['a',"), undefined, false),
    ...file('wrong-header', rewritten(f8, "'shape'", "'shame'"), undefined, false),
    ...file('wrong-shape', rewritten(f8, `(${height}, ${width})`, `(${height}, ${width + 1})`), undefined, false),
    ...file('huge-shape', rewritten(f8, `(${height}, ${width})`, '(99999, 99999)'), undefined, false),
    // It can be read as an array: only solve itself refuses numbers that are not finite.
    notFinite,
  ];
}

async function codes(): Promise<Sound[]> {
  const whole = await saveCodes({
    ...{ L: 9, P: 4, indptr: Int32Array.of(0, 2, 2, 3, 6), indices: Int32Array.of(1, 8, 0, 2, 3, 7) },
    values: Float64Array.of(1, -2, 3.5, 4, 5, 6e9),
  });
  const samples = [9, 4, 0, 2, 2, 3, 6, 1, 8, 0, 2, 3, 7, 1, -2, 3.5, 4, 5, 6e9];
  const without = (name: string): Sound => {
    // The name of an array is in its header and in the directory: it is changed in both, so that the archive stays intact.
    const bytes = Buffer.from(Buffer.from(whole).toString('latin1').replaceAll(`${name}.npy`, `${name}.nox`), 'latin1');
    return { name: `without-${name}.npz`, kind: 'codes', bytes, read: false };
  };
  return [
    { name: 'codes.npz', kind: 'codes', bytes: whole, read: true, samples, sealed: true },
    ...['indices', 'indptr', 'format', 'shape', 'data'].map(without),
    { name: 'not-a-zip.npz', kind: 'codes', bytes: deflateSync(whole), read: false },
  ];
}
