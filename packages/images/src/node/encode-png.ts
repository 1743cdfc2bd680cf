import { drive } from 'ght/plans';
import { crcOf } from '../bytes.js';
import { pngChunk } from '../metadata/describe-png.js';
import type { Raster } from '../raster.js';

const colourTypes = [0, 4, 2, 6]; // grey, grey with alpha, RGB, RGB with alpha
/** The bytes of a chunk besides its data: length, type and checksum. */
const frameBytes = 12;
/** The most bytes of a deflate block that is stored as it is. */
const blockBytes = 65535;
/** The bytes between two pauses: about a millisecond. */
const PAUSE_BYTES = 2 ** 18;

/**
 * An uncompressed PNG of 8- or 16-bit samples. It is how they reach sharp: its rows are made where they stay, since every copy of a large
 * image counts. Long work, which pauses for the event loop.
 */
export function encodePng(raster: Raster): Promise<Buffer> {
  return drive(written(raster));
}

function* written(raster: Raster): Generator<number, Buffer, void> {
  const { width, height, channels, depth } = raster;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = colourTypes[channels - 1];
  const before = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', header)]);
  const after = pngChunk('IEND', Buffer.alloc(0));
  const rows = storedBytes(raster);
  const file = Buffer.alloc(before.length + frameBytes + rows + after.length);
  before.copy(file);
  const [from, to] = [before.length, before.length + frameBytes + rows];
  yield* storeRows(raster, file.subarray(from + 8, to - 4));
  file.writeUInt32BE(rows, from);
  file.write('IDAT', from + 4, 'latin1');
  let crc = 0;
  for (let at = from + 4; at < to - 4; at += PAUSE_BYTES) {
    crc = crcOf(file.subarray(at, Math.min(to - 4, at + PAUSE_BYTES)), crc);
    yield at / to;
  }
  file.writeUInt32BE(crc, to - 4);
  file.set(after, to);
  return file;
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
function* storeRows(raster: Raster, into: Buffer): Generator<number, void, void> {
  const row = Buffer.alloc(rowBytes(raster));
  let at = into.writeUInt16BE(0x7801, 0);
  let [a, b] = [1, 0]; // Adler-32
  const rowsPerPause = Math.max(1, Math.floor(PAUSE_BYTES / row.length));
  for (let y = 0; y < raster.height; y++) {
    if (y % rowsPerPause === 0) yield y / raster.height;
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
