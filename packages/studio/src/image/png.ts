import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png';
import type { Image } from 'ght';
import { toRaster } from 'ght-images';
import type { Raster } from './decoded.js';

/** The samples of a PNG exactly as stored, including 16 bits; palettes and depths below 8 become 8-bit samples. */
export function decodePng(bytes: Uint8Array): Raster {
  const png = decode(bytes, { checkCrc: true });
  const { width, height, channels } = png;
  // RGB may have a palette too, for displays with few colours.
  if (png.palette && channels === 1) {
    const samples = convertIndexedToRgb(png);
    const colours = samples.length / (width * height);
    return { width, height, channels: colours, alpha: colours === 4, depth: 8, sample: 'uint', samples };
  }
  const depth = png.depth === 16 ? 16 : 8;
  const samples = png.depth < 8 ? unpack(png) : png.data;
  const kind = { width, height, depth, sample: 'uint' } as const;
  if (!png.transparency) return { ...kind, channels, alpha: channels === 2 || channels === 4, samples };
  const key = Array.from(png.transparency, (value) => (png.depth < 8 ? spread(value, png.depth) : value));
  return { ...kind, channels: channels + 1, alpha: true, samples: keyed(samples, key, 2 ** depth - 1) };
}

/** Grey or RGB with alpha, which is 0 for pixels of the colour that the file declares transparent. */
function keyed(samples: Uint8Array | Uint8ClampedArray | Uint16Array, key: readonly number[], opaque: number) {
  const channels = key.length;
  const size = (samples.length / channels) * (channels + 1);
  const out = samples instanceof Uint16Array ? new Uint16Array(size) : new Uint8Array(size);
  for (let from = 0, to = 0; from < samples.length; from += channels) {
    for (let c = 0; c < channels; c++) out[to++] = samples[from + c];
    out[to++] = key.every((value, c) => samples[from + c] === value) ? 0 : opaque;
  }
  return out;
}

/** A sample of 1, 2 or 4 bits, scaled to 0 to 255. */
function spread(sample: number, depth: number): number {
  const most = 2 ** depth - 1;
  return Math.round(((sample & most) * 255) / most);
}

/** Grey of 1, 2 or 4 bits, several samples per byte, each row starting at a new byte; scaled to 0 to 255. */
function unpack({ width, height, depth, data }: DecodedPng): Uint8Array {
  const samples = new Uint8Array(width * height);
  const row = Math.ceil((width * depth) / 8);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * depth;
      samples[y * width + x] = spread(data[y * row + (bit >> 3)] >> (8 - depth - (bit & 7)), depth);
    }
  }
  return samples;
}

/** An image as a PNG of 8 or 16 bits. */
export function encodePng(image: Image, depth: 8 | 16): Uint8Array<ArrayBuffer> {
  const { width, height, channels, rows } = toRaster(image, 'uint', depth);
  return Uint8Array.from(encode({ width, height, data: rows(0, height) as Uint8Array | Uint16Array, channels, depth }));
}
