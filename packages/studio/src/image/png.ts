import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png';
import type { Image } from 'ght';
import type { Raster } from './decoded.js';

/** The samples of a PNG exactly as stored, 16 bits included; palettes and depths below 8 become 8-bit samples. */
export function decodePng(bytes: Uint8Array): Raster {
  const png = decode(bytes, { checkCrc: true });
  const { width, height } = png;
  if (png.palette) {
    const samples = convertIndexedToRgb(png);
    const channels = samples.length / (width * height);
    return { width, height, channels, alpha: channels === 4, depth: 8, sample: 'uint', samples };
  }
  const { channels } = png;
  const depth = png.depth === 16 ? 16 : 8;
  const samples = png.depth < 8 ? unpack(png) : png.data;
  return { width, height, channels, alpha: channels === 2 || channels === 4, depth, sample: 'uint', samples };
}

/** Grey of 1, 2 or 4 bits, several samples in a byte, every row beginning with a new one; spread over 0 to 255. */
function unpack({ width, height, depth, data }: DecodedPng): Uint8Array {
  const samples = new Uint8Array(width * height);
  const row = Math.ceil((width * depth) / 8);
  const most = 2 ** depth - 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * depth;
      const packed = data[y * row + (bit >> 3)] >> (8 - depth - (bit & 7));
      samples[y * width + x] = Math.round(((packed & most) * 255) / most);
    }
  }
  return samples;
}

/** An image as a PNG of 8 or 16 bits: only here are integers made, rounded to the nearest and clamped. */
export function encodePng(image: Image, depth: 8 | 16): Uint8Array<ArrayBuffer> {
  const { width, height, planes, alpha } = image;
  const all = alpha ? [...planes, alpha] : planes;
  const channels = all.length;
  const most = 2 ** depth - 1;
  const data = depth === 8 ? new Uint8Array(width * height * channels) : new Uint16Array(width * height * channels);
  all.forEach((plane, channel) => {
    for (let pixel = 0, at = channel; pixel < plane.length; pixel++, at += channels) {
      data[at] = Math.min(Math.max(Math.round(plane[pixel]), 0), most);
    }
  });
  return Uint8Array.from(encode({ width, height, data, channels, depth }));
}
