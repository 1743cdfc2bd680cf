import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Image, Samples } from 'ght';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';

/** A folder for the files of one test file; `save` puts bytes there and gives the path. */
export function temporaryFolder() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ght-io-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const save = async (name: string, bytes: Uint8Array | string) => {
    await writeFile(path(name), bytes);
    return path(name);
  };
  return { path, save };
}

/** Samples that use the whole range, low and high bytes alike, and start with both extremes. */
export function pattern(length: number, most: number): number[] {
  return Array.from({ length }, (_, i) => (i < 2 ? i * most : (i * 40503 + 77) % (most + 1)));
}

/** Planes of an image from interleaved samples. */
export function imageOf(
  width: number,
  height: number,
  samples: readonly number[],
  alpha: boolean,
  peak: number,
): Image {
  const channels = samples.length / (width * height);
  const all = Array.from({ length: channels }, (_, c) =>
    Float64Array.from(samples.filter((_, i) => i % channels === c)),
  );
  return { width, height, planes: alpha ? all.slice(0, -1) : all, ...(alpha ? { alpha: all.at(-1) } : {}), peak };
}

/** The image in float64, as `imageOf` makes it: a file is read as narrow as it is. */
export function widened({ planes, alpha, ...rest }: Image): Image {
  const wide = (samples: Samples) => Float64Array.from(samples);
  return { ...rest, planes: planes.map(wide), ...(alpha ? { alpha: wide(alpha) } : {}) };
}

type Chunk = readonly [type: string, data: Uint8Array];

/** A PNG written by the letter of the specification, independent of the code under test and of libpng. */
export function png(
  header: { width: number; height: number; bits: number; colourType: number },
  rows: readonly Uint8Array[],
  chunks: readonly Chunk[] = [],
): Buffer {
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(header.width, 0);
  ihdr.writeUInt32BE(header.height, 4);
  ihdr.set([header.bits, header.colourType], 8);
  const data = deflateSync(Buffer.concat(rows.map((row) => Buffer.concat([Buffer.of(0), row]))));
  const all: Chunk[] = [['IHDR', ihdr], ...chunks, ['IDAT', data], ['IEND', Buffer.alloc(0)]];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...all.map(([type, bytes]) => pngChunk(type, bytes))]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

/** The CRC-32 of PNG and ZIP; zlib's own came only with Node 20.15. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The rows of a PNG from interleaved samples of 8 or 16 bits. */
export function pngRows(height: number, bits: 8 | 16, samples: readonly number[]): Buffer[] {
  const length = samples.length / height;
  return Array.from({ length: height }, (_, y) => {
    const row = samples.slice(y * length, (y + 1) * length);
    return Buffer.from(bits === 8 ? row : row.flatMap((value) => [value >> 8, value & 255]));
  });
}

/** An uncompressed little-endian TIFF with the tags given (type SHORT), for what no encoder here would write. */
export function tiff(
  width: number,
  height: number,
  data: ArrayBufferView,
  tags: Readonly<Record<number, number[]>>,
): Buffer {
  const all: Record<number, number[]> = {
    256: [width],
    257: [height],
    259: [1],
    273: [8],
    278: [height],
    279: [data.byteLength],
    284: [1],
    ...tags,
  };
  const entries = Object.entries(all).map(([tag, values]) => ({ tag: Number(tag), values }));
  const start = 8 + data.byteLength + (data.byteLength % 2);
  const directory = Buffer.alloc(2 + 12 * entries.length + 4);
  directory.writeUInt16LE(entries.length, 0);
  const outside: Buffer[] = [];
  let next = start + directory.length;
  entries.forEach(({ tag, values }, i) => {
    const bytes = Buffer.alloc(Math.max(4, 2 * values.length));
    values.forEach((value, k) => {
      bytes.writeUInt16LE(value, 2 * k);
    });
    const at = 2 + 12 * i;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(3, at + 2);
    directory.writeUInt32LE(values.length, at + 4);
    if (values.length <= 2) bytes.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(next, at + 8);
      outside.push(bytes);
      next += bytes.length;
    }
  });
  const file = Buffer.alloc(start);
  file.write('II*\0', 0, 'latin1');
  file.writeUInt32LE(start, 4);
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(file, 8);
  return Buffer.concat([file, directory, ...outside]);
}

/** A real RGB profile that is not sRGB, so that applying it would change every sample. */
export async function displayP3(): Promise<Buffer> {
  const red = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
  const file = await red.withIccProfile('p3').png().toBuffer();
  return (await sharp(file).metadata()).icc as Buffer;
}

/** The least grey profile that libpng accepts: gamma 1, which would change every sample if it were applied. */
export function linearGrey(): Buffer {
  const profile = Buffer.alloc(128 + 4 + 12 + 12 + 20 + 16);
  profile.writeUInt32BE(profile.length, 0);
  profile.writeUInt32BE(0x02400000, 8);
  profile.write('mntrGRAYXYZ ', 12, 'latin1');
  profile.write('acsp', 36, 'latin1');
  profile.set([0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d], 68); // the D50 illuminant
  profile.writeUInt32BE(2, 128);
  profile.write('wtpt', 132, 'latin1');
  profile.writeUInt32BE(156, 136);
  profile.writeUInt32BE(20, 140);
  profile.write('kTRC', 144, 'latin1');
  profile.writeUInt32BE(176, 148);
  profile.writeUInt32BE(12, 152);
  profile.write('XYZ ', 156, 'latin1');
  profile.set([0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d], 164);
  profile.write('curv', 176, 'latin1');
  return profile;
}

/** A PNG chunk that holds a profile. */
export function iccChunk(icc: Uint8Array): Chunk {
  return ['iCCP', Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(icc)])];
}
