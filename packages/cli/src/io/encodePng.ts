import { deflateSync } from 'node:zlib';
import type { ImageMetadata } from './imageFile.js';
import type { Raster } from './raster.js';

const colourTypes = [0, 4, 2, 6]; // grey, grey with alpha, RGB, RGB with alpha

/**
 * An uncompressed PNG of 8- or 16-bit samples with its profile and EXIF. It is how they reach sharp together: sharp
 * takes neither beside raw samples, and its own ways to set a profile convert the colours to it.
 */
export function encodePng(raster: Raster, metadata: ImageMetadata): Buffer {
  const { width, height, channels, samples } = raster;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8 * samples.BYTES_PER_ELEMENT;
  header[9] = colourTypes[channels - 1];
  const bytes = Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  if (samples.BYTES_PER_ELEMENT === 2) bytes.swap16();
  const rowLength = bytes.length / height;
  const rows = Buffer.alloc(height * (1 + rowLength)); // each row after a zero: no filter
  for (let y = 0; y < height; y++) bytes.copy(rows, y * (1 + rowLength) + 1, y * rowLength, (y + 1) * rowLength);
  const { icc, exif } = metadata;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...chunk('IHDR', header),
    ...(icc ? chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(icc)])) : []),
    ...(exif ? chunk('eXIf', exif) : []),
    ...chunk('IDAT', deflateSync(rows, { level: 0 })),
    ...chunk('IEND', new Uint8Array(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc(data, crc(head.subarray(4))) >>> 0, 0);
  return [head, data, tail];
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The CRC-32 of bytes that follow bytes of CRC `before`; zlib's own came only with Node 20.15. */
function crc(bytes: Uint8Array, before = 0): number {
  let rest = ~before;
  for (let i = 0; i < bytes.length; i++) rest = crcTable[(rest ^ bytes[i]) & 255] ^ (rest >>> 8);
  return ~rest;
}
