/** Damages files: truncates them, changes bits, and makes some announce more than they hold. */
import { type RandomSource, randomSource } from 'ght';
import { crc32 } from '../fixtures.js';
import type { Sound } from './sound.js';

/** A damaged file. */
export interface Damaged {
  readonly name: string;
  readonly of: Sound;
  readonly bytes: Uint8Array;
  /** True if the checksums were corrected, so that the damage reaches the decoder. */
  readonly resealed?: true;
  /** True if bytes are missing at the end and all others are unchanged. */
  readonly cut?: true;
}

/** The file cut at lengths spread over it, at its last bytes, and inside its first. */
export function truncations(of: Sound, count: number): Damaged[] {
  const { length } = of.bytes;
  const spread = Array.from({ length: count }, (_, i) => Math.floor((length * i) / count));
  const lengths = new Set(
    [...spread, 1, 7, 9, 11, length - 1, length - 4, length - 8].filter((n) => n >= 0 && n < length),
  );
  return [...lengths].map((n) => ({ name: `cut-${n}-${of.name}`, of, bytes: of.bytes.subarray(0, n), cut: true }));
}

/** The file with a few changes: bits flipped, bytes set to an extreme, runs removed, doubled or zeroed. */
export function flips(of: Sound, count: number, seed: number): Damaged[] {
  const random = randomSource(seed);
  return Array.from({ length: count }, (_, i) => {
    const turned = Buffer.from(of.bytes);
    // Half of them in the first bytes, where the sizes, types and offsets are.
    const within = i % 2 === 0 ? turned.length : Math.min(turned.length, 160);
    for (let n = 1 + random.below(3); n > 0; n--) change(turned, random.below(within), random);
    const moved = i % 5 === 4 ? shifted(turned, random) : turned;
    const reseal = of.name.endsWith('.png') && i % 3 !== 0;
    const bytes = reseal ? resealed(moved) : moved;
    return { name: `flip-${i}-${of.name}`, of, bytes, ...(reseal ? { resealed: true as const } : {}) };
  });
}

function change(bytes: Buffer, at: number, random: RandomSource): void {
  if (random.below(3) > 0) bytes[at] ^= 1 << random.below(8);
  else bytes[at] = [0, 255, 127, 128, random.below(256)][random.below(5)];
}

function shifted(bytes: Buffer, random: RandomSource): Buffer {
  const at = random.below(bytes.length);
  const run = 1 + random.below(12);
  if (random.below(2) === 0) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + run)]);
  return Buffer.concat([bytes.subarray(0, at + run), bytes.subarray(at)]);
}

/** A PNG with the correct CRC in every chunk. */
function resealed(bytes: Buffer): Buffer {
  const whole = Buffer.from(bytes);
  for (let at = 8; at + 12 <= whole.length; ) {
    const end = at + 8 + whole.readUInt32BE(at);
    if (end + 4 > whole.length) break;
    whole.writeUInt32BE(crc32(whole.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return whole;
}

/** Files of a few bytes that announce an image of gigabytes. */
export function bombs(files: readonly Sound[], side: number): Damaged[] {
  const large = { 256: side, 257: side, 278: side };
  const made: [name: string, enlarge: (bytes: Buffer) => Buffer][] = [
    ['rgb.png', (bytes) => headerOfPng(bytes, side)],
    ['interlaced.png', (bytes) => headerOfPng(bytes, side)],
    ['baseline.jpg', (bytes) => frameOfJpeg(bytes, 0xc0, side)],
    ['progressive.jpg', (bytes) => frameOfJpeg(bytes, 0xc2, side)],
    ['lossless.webp', (bytes) => losslessWebp(bytes, side)],
    ['lossy.webp', (bytes) => lossyWebp(bytes, side)],
    ['plain.tif', (bytes) => withTags(bytes, large)],
    ['lzw.tif', (bytes) => withTags(bytes, large)],
    ['deflate.tif', (bytes) => withTags(bytes, large)],
    ['jpeg-inside.tif', (bytes) => withTags(bytes, large)],
    ['float-32.tif', (bytes) => withTags(bytes, large)],
    ['bands.tif', (bytes) => withTags(bytes, { ...large, 277: 65535 })],
    ['float-64.tif', (bytes) => withTags(bytes, { ...large, 279: 0 })],
  ];
  return made.map(([name, enlarge]) => {
    const of = files.find((file) => file.name === name);
    if (!of) throw new Error(`there is no ${name}`);
    return { name: `bomb-${side}-${name}`, of, bytes: enlarge(Buffer.from(of.bytes)) };
  });
}

/** A TIFF whose only strip has no bytes, which some programs read as zeros. */
export function sparse(files: readonly Sound[]): Damaged {
  const of = files.find((file) => file.name === 'float-64.tif') as Sound;
  return { name: 'sparse.tif', of, bytes: withTags(Buffer.from(of.bytes), { 279: 0 }) };
}

function headerOfPng(bytes: Buffer, side: number): Buffer {
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return resealed(bytes);
}

function lossyWebp(bytes: Buffer, side: number): Buffer {
  bytes.writeUInt16LE(side, 26);
  bytes.writeUInt16LE(side, 28);
  return bytes;
}

/** A lossless WebP has its width and height, less one, in 14 bits each after the signature byte. */
function losslessWebp(bytes: Buffer, side: number): Buffer {
  const kept = bytes.readUInt32LE(21) & 0xf0000000;
  bytes.writeUInt32LE((kept | ((side - 1) << 14) | (side - 1)) >>> 0, 21);
  return bytes;
}

function frameOfJpeg(bytes: Buffer, marker: number, side: number): Buffer {
  const at = bytes.indexOf(Buffer.of(0xff, marker));
  bytes.writeUInt16BE(side, at + 5);
  bytes.writeUInt16BE(side, at + 7);
  return bytes;
}

/** A little-endian TIFF with single values of its directory replaced. */
function withTags(bytes: Buffer, values: Readonly<Record<number, number>>): Buffer {
  const start = bytes.readUInt32LE(4);
  for (let n = 0; n < bytes.readUInt16LE(start); n++) {
    const at = start + 2 + 12 * n;
    const value = values[bytes.readUInt16LE(at)];
    if (value === undefined) continue;
    bytes.writeUInt16LE(4, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  return bytes;
}
