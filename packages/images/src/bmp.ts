/**
 * Windows bitmaps: 1, 4 and 8 bits with a palette, 16 bits by masks, 24 and 32 bits. Palettes become the colours they name.
 * Rows are padded to four bytes and lie from the bottom up, unless the height is negative.
 */
import type { Raster } from './raster.js';
import { perCentimetre, type Resolution, valid } from './resolution.js';

/** What the header of a bitmap says. */
export interface BmpHeader {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Samples of a pixel, alpha among them. */
  readonly channels: number;
  /** Whether the last of them is opacity. */
  readonly alpha: boolean;
  /** Pixels per length, where it is stated. */
  readonly resolution?: Resolution;
}

/** A bitmap and its samples, 8 bits each, the channels of a pixel side by side. */
export interface Bmp extends BmpHeader {
  /** The samples, row by row from the top. */
  readonly samples: Uint8Array;
}

interface Layout extends BmpHeader {
  readonly bits: number;
  readonly topDown: boolean;
  /** Where the rows begin, and how long each is with its padding. */
  readonly start: number;
  readonly rowBytes: number;
  /** The colours of a palette, or what of a pixel is red, green, blue and opacity. */
  readonly palette?: readonly (readonly number[])[];
  readonly masks?: readonly number[];
}

const compressions: Readonly<Record<number, string>> = { 1: 'RLE 8', 2: 'RLE 4', 4: 'JPEG', 5: 'PNG' };
const [fileHeader, oldHeader, commonHeader] = [14, 12, 40];

/** Reads the header; throws an Error that says why a bitmap cannot be read. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const { width, height, channels, alpha, resolution } = layoutOf(bytes);
  return { width, height, channels, alpha, ...(resolution && { resolution }) };
}

/** Decodes a bitmap whose size is known to be acceptable; throws an Error that says why it cannot be read. */
export function decodeBmp(bytes: Uint8Array): Bmp {
  const layout = layoutOf(bytes);
  const { width, height, channels, bits, topDown, start, rowBytes, palette, masks } = layout;
  if (start + rowBytes * height > bytes.length) throw new Error('the file ends before its last row');
  const view = viewOf(bytes);
  const samples = new Uint8Array(width * height * channels);
  let to = 0;
  for (let y = 0; y < height; y++) {
    const row = start + rowBytes * (topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) {
      if (palette) {
        const bit = x * bits;
        const index = (bytes[row + (bit >> 3)] >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
        const colour = palette[index];
        if (!colour) throw new Error(`the palette has no colour ${index}`);
        for (const value of colour) samples[to++] = value;
      } else if (masks) {
        const pixel = bits === 16 ? view.getUint16(row + 2 * x, true) : view.getUint32(row + 4 * x, true);
        for (const mask of masks) samples[to++] = masked(pixel, mask);
      } else {
        const at = row + (x * bits) / 8;
        for (const offset of [2, 1, 0]) samples[to++] = bytes[at + offset];
      }
    }
  }
  const { alpha, resolution } = layout;
  return { width, height, channels, alpha, samples, ...(resolution && { resolution }) };
}

function layoutOf(bytes: Uint8Array): Layout {
  const view = viewOf(bytes);
  if (bytes.length < fileHeader + oldHeader) throw new Error('the file ends inside its header');
  const size = view.getUint32(fileHeader, true);
  if (bytes.length < fileHeader + size || (size !== oldHeader && size < commonHeader))
    throw new Error('unknown header');
  const old = size === oldHeader;
  const width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  const stated = old ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(old ? 24 : 28, true);
  const compression = old ? 0 : view.getUint32(30, true);
  if (compressions[compression]) throw new Error(`${compressions[compression]} compression is not read`);
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw new Error(`${bits} bits per pixel are not read`);
  const common = {
    ...{ width, height: Math.abs(stated), bits, topDown: stated < 0, start: view.getUint32(10, true) },
    rowBytes: 4 * Math.ceil((width * bits) / 32),
    resolution: old ? undefined : resolutionOf(view),
  };
  if (bits <= 8) {
    const palette = paletteOf(bytes, fileHeader + size, old ? 3 : 4, paletteSize(view, bits, old));
    return { ...common, alpha: false, palette, channels: palette[0]?.length ?? 1 };
  }
  if (bits === 24) return { ...common, alpha: false, channels: 3 };
  const masks = masksOf(view, bits, size, compression);
  return { ...common, alpha: masks.length === 4, masks, channels: masks.length };
}

function paletteSize(view: DataView, bits: number, old: boolean): number {
  const used = old ? 0 : view.getUint32(46, true);
  return used === 0 ? 2 ** bits : Math.min(used, 2 ** bits);
}

/** The colours of a palette, one sample each where all of them are grey. */
function paletteOf(bytes: Uint8Array, start: number, step: number, count: number): number[][] {
  const colours: number[][] = [];
  for (let i = 0, at = start; i < count && at + 3 <= bytes.length; i++, at += step) {
    colours.push([bytes[at + 2], bytes[at + 1], bytes[at]]);
  }
  const grey = colours.every(([red, green, blue]) => red === green && red === blue);
  return grey ? colours.map(([red]) => [red]) : colours;
}

/** What of a pixel is red, green and blue, and opacity where the header names it. */
function masksOf(view: DataView, bits: number, size: number, compression: number): number[] {
  if (compression !== 3 && compression !== 6) {
    return bits === 16 ? [0x7c00, 0x3e0, 0x1f] : [0xff0000, 0xff00, 0xff];
  }
  // Behind the common header, or inside the longer ones, which have a fourth for opacity.
  const count = size > commonHeader + 12 || compression === 6 ? 4 : 3;
  if (view.byteLength < 54 + 4 * count) throw new Error('the file ends inside its header');
  const masks = Array.from({ length: count }, (_, i) => view.getUint32(54 + 4 * i, true));
  return masks[3] === 0 ? masks.slice(0, 3) : masks;
}

/** The bits of a pixel under a mask, spread over 0 to 255. */
function masked(pixel: number, mask: number): number {
  if (mask === 0) return 0;
  const lowest = 31 - Math.clz32(mask & -mask);
  const most = mask >>> lowest;
  return Math.round((255 * ((pixel & mask) >>> lowest)) / most);
}

/** Pixels per metre. */
function resolutionOf(view: DataView): Resolution | undefined {
  return valid({ x: view.getInt32(38, true) / 100, y: view.getInt32(42, true) / 100, unit: 'centimetre' });
}

/** A bitmap of 8-bit samples: grey by a palette, colour in 24 bits, with opacity in 32 bits. */
export function encodeBmp(raster: Raster, resolution?: Resolution): Uint8Array<ArrayBuffer> {
  const { width, height, channels, alpha } = raster;
  const colours = channels - (alpha ? 1 : 0);
  const bytesPerPixel = alpha ? 4 : colours;
  const rowBytes = 4 * Math.ceil((width * bytesPerPixel) / 4);
  // Only the header of 108 bytes names opacity.
  const header = alpha ? 108 : commonHeader;
  const palette = bytesPerPixel === 1 ? 256 : 0;
  const start = fileHeader + header + 4 * palette;
  const bytes = new Uint8Array(start + rowBytes * height);
  const view = viewOf(bytes);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, start, true);
  view.setUint32(14, header, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 8 * bytesPerPixel, true);
  view.setUint32(34, rowBytes * height, true);
  const dense = resolution && perCentimetre(resolution);
  if (dense) {
    view.setInt32(38, Math.round(100 * dense.x), true);
    view.setInt32(42, Math.round(100 * dense.y), true);
  }
  if (alpha) {
    view.setUint32(30, 3, true);
    for (const [i, mask] of [0xff0000, 0xff00, 0xff, 0xff000000].entries()) view.setUint32(54 + 4 * i, mask, true);
    view.setUint32(70, 0x73524742, true); // sRGB
  }
  for (let i = 0; i < palette; i++) bytes.fill(i, start - 4 * (palette - i), start - 4 * (palette - i) + 3);
  for (let y = 0; y < height; y++) {
    const row = raster.rows(y, y + 1);
    let at = start + rowBytes * (height - 1 - y);
    for (let from = 0; from < row.length; from += channels) {
      for (let c = colours - 1; c >= 0; c--) bytes[at++] = row[from + c];
      // Grey with opacity has no form of its own.
      if (alpha && colours === 1) for (let c = 1; c < 3; c++) bytes[at++] = row[from];
      if (alpha) bytes[at++] = row[from + channels - 1];
    }
  }
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
