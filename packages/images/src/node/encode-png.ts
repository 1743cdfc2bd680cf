import { deflateSync } from 'node:zlib';
import type { ImageMetadata } from '../image-file.js';
import type { Raster } from '../raster.js';
import { perCentimetre } from '../resolution.js';

const colourTypes = [0, 4, 2, 6]; // grey, grey with alpha, RGB, RGB with alpha
/** The bytes of a chunk besides its data: length, type and checksum. */
const frameBytes = 12;
/** The most bytes of a deflate block that is stored as it is. */
const blockBytes = 65535;

/**
 * An uncompressed PNG of 8- or 16-bit samples with its profile, EXIF and resolution. It is how they reach sharp together:
 * sharp takes none with raw samples, and its own ways to set a profile convert the colours to it. Its rows are made where
 * they stay, since every copy of a large image counts.
 */
export function encodePng(raster: Raster, metadata: ImageMetadata): Buffer {
  const { width, height, channels, depth } = raster;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = colourTypes[channels - 1];
  const { icc, exif, resolution } = metadata;
  const dense = resolution && perCentimetre(resolution);
  const before = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(icc ? [chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(icc)]))] : []),
    ...(dense ? [chunk('pHYs', pixelsPerMetre(dense))] : []),
    ...(exif ? [chunk('eXIf', exif)] : []),
  ]);
  const after = chunk('IEND', Buffer.alloc(0));
  const rows = storedBytes(raster);
  const file = Buffer.alloc(before.length + frameBytes + rows + after.length);
  before.copy(file);
  storeRows(raster, file.subarray(before.length + 8, before.length + 8 + rows));
  frame('IDAT', file.subarray(before.length, before.length + frameBytes + rows));
  after.copy(file, file.length - after.length);
  return file;
}

/** Pixels per metre, in both directions, and the number of that unit. */
function pixelsPerMetre({ x, y }: { readonly x: number; readonly y: number }): Buffer {
  const content = Buffer.alloc(9);
  const perMetre = (value: number) => Math.min(Math.round(100 * value), 0x7fff_ffff);
  content.writeUInt32BE(perMetre(x), 0);
  content.writeUInt32BE(perMetre(y), 4);
  content[8] = 1;
  return content;
}

/** A row begins with a zero: no filter. */
function rowBytes({ width, channels, depth }: Raster): number {
  return 1 + (width * channels * depth) / 8;
}

/** The rows in stored blocks of five bytes more, in a zlib stream of six more. */
function storedBytes(raster: Raster): number {
  const row = rowBytes(raster);
  return 6 + raster.height * (row + 5 * Math.ceil(row / blockBytes));
}

/** Writes all rows as a zlib stream without compression (RFC 1950 and RFC 1951, 3.2.4). */
function storeRows(raster: Raster, into: Buffer): void {
  const row = Buffer.alloc(rowBytes(raster));
  let at = into.writeUInt16BE(0x7801, 0);
  let [a, b] = [1, 0]; // Adler-32
  for (let y = 0; y < raster.height; y++) {
    const { buffer, byteLength } = raster.rows(y, y + 1);
    row.set(new Uint8Array(buffer, 0, byteLength), 1);
    if (raster.depth === 16) row.subarray(1).swap16();
    for (let from = 0; from < row.length; from += blockBytes) {
      const block = row.subarray(from, from + blockBytes);
      const last = y === raster.height - 1 && from + block.length === row.length;
      at = into.writeUInt8(last ? 1 : 0, at);
      at = into.writeUInt16LE(block.length, at);
      at = into.writeUInt16LE(0xffff - block.length, at);
      at += block.copy(into, at);
      for (let i = 0; i < block.length; i++) {
        a += block[i];
        b += a;
      }
      [a, b] = [a % 65521, b % 65521];
    }
  }
  into.writeUInt32BE(b * 65536 + a, at);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const whole = Buffer.alloc(frameBytes + data.length);
  whole.set(data, 8);
  return frame(type, whole);
}

/** Puts length, type and checksum around the data of a chunk. */
function frame(type: string, whole: Buffer): Buffer {
  whole.writeUInt32BE(whole.length - frameBytes, 0);
  whole.write(type, 4, 'latin1');
  whole.writeUInt32BE(crc(whole.subarray(4, -4)) >>> 0, whole.length - 4);
  return whole;
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The CRC-32 of bytes; zlib's own came only with Node 20.15. */
function crc(bytes: Uint8Array): number {
  let rest = -1;
  for (let i = 0; i < bytes.length; i++) rest = crcTable[(rest ^ bytes[i]) & 255] ^ (rest >>> 8);
  return ~rest;
}
