import { deflateSync } from 'node:zlib';
import { ResourceError, type Samples } from 'ght';
import type { Raster } from '../raster.js';

// Ours rather than a library's: sharp cannot write floats, and geotiff's writer has no room for a profile and marks
// every image as a map of the globe. Fields and samples are little-endian, as every platform sharp supports in practice.

type Field = readonly [tag: number, type: 'short' | 'long' | 'undefined', values: ArrayLike<number>];

const fieldTypes = {
  short: { code: 3, size: 2 },
  long: { code: 4, size: 4 },
  undefined: { code: 7, size: 1 },
} as const;

/** Strips near this size keep readers that decode strip by strip small, and still compress well. */
const stripBytes = 1 << 18;

/**
 * A lossless TIFF of any depth and number of channels: deflate, after horizontal differences for integers. Three
 * colour channels are RGB; any other number is grey with bands beside it. Alpha is marked as straight.
 */
export function encodeTiff(raster: Raster, icc?: Uint8Array): Uint8Array {
  const { width, height, channels, alpha, depth } = raster;
  const float = raster.sample === 'float';
  const colours = channels - (alpha ? 1 : 0) === 3 ? 3 : 1;
  const extra = Array.from({ length: channels - colours }, (_, i) => (alpha && i === channels - colours - 1 ? 2 : 0));
  const rows = Math.max(1, Math.floor((8 * stripBytes) / (width * channels * depth)));
  const strips: Uint8Array[] = [];
  for (let y = 0; y < height; y += rows) {
    const strip = raster.rows(y, Math.min(y + rows, height));
    if (!float) takeDifferences(strip, width * channels, channels);
    strips.push(deflateSync(new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength)));
  }
  const offsets: number[] = [];
  let end = 8;
  for (const strip of strips) {
    offsets.push(end);
    end += strip.length;
  }
  const each = (value: number) => new Array<number>(channels).fill(value);
  const fields: Field[] = [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', each(depth)],
    [259, 'short', [8]], // compression: deflate
    [262, 'short', [colours === 3 ? 2 : 1]], // photometric: RGB, or black is zero
    [273, 'long', offsets],
    [277, 'short', [channels]],
    [278, 'long', [rows]],
    [279, 'long', strips.map((strip) => strip.length)],
    [284, 'short', [1]], // interleaved
    [317, 'short', [float ? 1 : 2]], // predictor
    ...(extra.length > 0 ? [[338, 'short', extra] as const] : []),
    [339, 'short', each(float ? 3 : 1)],
    ...(icc ? [[34675, 'undefined', icc] as const] : []),
  ];
  const pad = end % 2;
  const directory = encodeDirectory(fields, end + pad);
  const total = end + pad + directory.length;
  if (total > 0xffff_ffff) {
    throw new ResourceError('image', 'must fit in the 4 GiB of a TIFF file', `${total} bytes`, 'cut it into tiles');
  }
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(end + pad, 4);
  return Buffer.concat([header, ...strips, Buffer.alloc(pad), directory]);
}

/** Horizontal differences, modulo the depth: each sample less its left neighbour in the same channel. */
function takeDifferences(samples: Samples, rowLength: number, channels: number): void {
  for (let row = 0; row < samples.length; row += rowLength) {
    for (let at = row + rowLength - 1; at >= row + channels; at--) samples[at] -= samples[at - channels];
  }
}

/** One image file directory, to lie at `position`, followed by the values that do not fit in its entries. */
function encodeDirectory(fields: readonly Field[], position: number): Buffer {
  const entries = Buffer.alloc(2 + 12 * fields.length + 4);
  const outside: Buffer[] = [];
  let next = position + entries.length;
  entries.writeUInt16LE(fields.length, 0);
  fields.forEach(([tag, type, values], i) => {
    const { code, size } = fieldTypes[type];
    const bytes = Buffer.alloc(Math.max(4, values.length * size + ((values.length * size) % 2)));
    for (let k = 0; k < values.length; k++) bytes.writeUIntLE(values[k], k * size, size);
    const entry = 2 + 12 * i;
    entries.writeUInt16LE(tag, entry);
    entries.writeUInt16LE(code, entry + 2);
    entries.writeUInt32LE(values.length, entry + 4);
    if (values.length * size <= 4) {
      bytes.copy(entries, entry + 8);
    } else {
      entries.writeUInt32LE(next, entry + 8);
      outside.push(bytes);
      next += bytes.length;
    }
  });
  return Buffer.concat([entries, ...outside]);
}
