/** From the bytes of a TIFF block to its samples: byte order, predictor, and samples of less than a byte. */
import type { RasterSamples } from '../raster.js';
import { rowBytes, type TiffPage } from './page.js';

/** Samples regardless of their sign: what predictors add up. */
const unsigned = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array } as const;
const ints = { 8: Int8Array, 16: Int16Array, 32: Int32Array } as const;

/** The samples of the first `rows` rows of a block: row by row, channels of a pixel side by side. */
export function samplesOf(bytes: Uint8Array, page: TiffPage, rows: number): RasterSamples {
  const { block, stored, planar, bits, sample, predictor, reversed } = page;
  const channels = planar ? 1 : stored;
  const length = block.width * channels * rows;
  // A copy: it begins where any typed array may begin, and may be changed.
  const data = new Uint8Array(rowBytes(page) * rows);
  data.set(bytes.subarray(0, data.length));
  if (reversed) for (let i = 0; i < data.length; i++) data[i] = reversedByte(data[i]);
  if (bits < 8) return unpacked(data, page, rows);
  if (predictor === 3) sumFloatBytes(data, { channels, size: bits / 8, row: rowBytes(page) });
  else if (!page.littleEndian) reverseBytes(data, bits / 8);
  if (predictor === 2) {
    const all = new unsigned[bits as keyof typeof unsigned](data.buffer, 0, length);
    sumDifferences(all, block.width * channels, channels);
  }
  if (sample === 'float') {
    if (bits === 16) return Float32Array.from(new Uint16Array(data.buffer, 0, length), fromHalf);
    return bits === 32 ? new Float32Array(data.buffer, 0, length) : new Float64Array(data.buffer, 0, length);
  }
  const Kind = sample === 'int' ? ints[bits as keyof typeof ints] : unsigned[bits as 8 | 16 | 32];
  return new Kind(data.buffer, 0, length);
}

/** Every host that runs this is little-endian. */
function reverseBytes(data: Uint8Array, size: number): void {
  for (let at = 0; at + size <= data.length; at += size) data.subarray(at, at + size).reverse();
}

function reversedByte(byte: number): number {
  let [left, result] = [byte, 0];
  for (let i = 0; i < 8; i++) {
    result = (result << 1) | (left & 1);
    left >>= 1;
  }
  return result;
}

/** Predictor 2: each sample was stored less its left neighbour in the same channel, modulo the depth. */
function sumDifferences(
  samples: Uint8Array | Uint16Array | Uint32Array | BigUint64Array,
  row: number,
  channels: number,
): void {
  if (samples instanceof BigUint64Array) {
    for (let start = 0; start < samples.length; start += row) {
      for (let at = start + channels; at < start + row; at++) samples[at] += samples[at - channels];
    }
    return;
  }
  for (let start = 0; start < samples.length; start += row) {
    for (let at = start + channels; at < start + row; at++) samples[at] += samples[at - channels];
  }
}

/**
 * Predictor 3: the bytes of a row of floats were sorted, all highest ones first, and each stored less the one before it in the same
 * channel. The order of bytes in the file does not matter.
 */
function sumFloatBytes(
  data: Uint8Array,
  { channels, size, row }: { readonly channels: number; readonly size: number; readonly row: number },
): void {
  const sorted = new Uint8Array(row);
  const count = row / size;
  for (let start = 0; start < data.length; start += row) {
    for (let at = start + channels; at < start + row; at++) data[at] += data[at - channels];
    sorted.set(data.subarray(start, start + row));
    for (let i = 0; i < count; i++) {
      for (let byte = 0; byte < size; byte++) data[start + i * size + byte] = sorted[(size - 1 - byte) * count + i];
    }
  }
}

/** Samples of 1, 2 or 4 bits, each row starting at a new byte: scaled to 0 to 255, or as they are for a palette. */
function unpacked(data: Uint8Array, page: TiffPage, rows: number): Uint8Array {
  const { bits, palette } = page;
  const { width } = page.block;
  const row = rowBytes(page);
  const most = 2 ** bits - 1;
  const scale = palette ? 1 : 255 / most;
  const samples = new Uint8Array(width * rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * bits;
      samples[y * width + x] = scale * ((data[y * row + (bit >> 3)] >> (8 - bits - (bit & 7))) & most);
    }
  }
  return samples;
}

/** A float of 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
