import { decodeBmp, readBmpHeader } from '../bmp.js';
import { decodeFits, fitsLength, readFitsHeader } from '../fits.js';
import type { ImageFormat } from '../image-file.js';
import { decodeNetpbm, readNetpbmHeader } from '../netpbm.js';
import { asSamples, toPlanes } from '../raster.js';
import type { Refuse } from '../refuse.js';
import { openTiff } from './decode-tiff.js';
import { checkSize, type Decoded } from './decoded.js';
import { decodeExrFile } from './exr.js';
import { framesOfGif, openBySharp, type SharpFormat } from './sharp-image.js';

/** A file whose pages are decoded one by one. */
export interface Pages {
  /** How many there are; 1 for all formats but TIFF and GIF. */
  readonly count: number;
  /** Decodes a page without changing a sample: no profile is applied and no depth changed. */
  decode(index: number): Promise<Decoded>;
}

/** Opens a picture of any format but `.npy`. */
export async function openPages(bytes: Buffer, format: Exclude<ImageFormat, 'npy'>, refuse: Refuse): Promise<Pages> {
  if (format === 'bmp') return { count: 1, decode: async () => decodeBitmap(bytes, refuse) };
  if (format === 'tiff') return openTiff(bytes, refuse);
  if (format === 'ppm' || format === 'pfm') return { count: 1, decode: async () => decodeNetpbmFile(bytes, refuse) };
  if (format === 'fits') return { count: 1, decode: async () => decodeFitsFile(bytes, refuse) };
  if (format === 'exr') return { count: 1, decode: () => decodeExrFile(bytes, refuse) };
  const count = format === 'gif' ? await framesOfGif(bytes) : 1;
  return { count, decode: (index) => decodeBySharp(bytes, format, index, refuse) };
}

function decodeBitmap(bytes: Buffer, refuse: Refuse): Decoded {
  const { width, height, channels } = readBmpHeader(bytes);
  checkSize({ width, height, channels, depth: 8, bytes: bytes.length }, refuse);
  const { samples, alpha, resolution } = decodeBmp(bytes);
  return {
    ...{ width, height, alpha, depth: 8, sample: 'uint', orientation: 1 },
    planes: toPlanes(samples, channels),
    metadata: resolution ? { resolution } : {},
  };
}

function decodeNetpbmFile(bytes: Buffer, refuse: Refuse): Decoded {
  const { width, height, channels, depth, white } = readNetpbmHeader(bytes);
  checkSize({ width, height, channels, depth, bytes: bytes.length }, refuse);
  const common = {
    width,
    height,
    alpha: false,
    depth,
    orientation: 1,
    planes: toPlanes(decodeNetpbm(bytes), channels),
  };
  if (depth === 32) return { ...common, sample: 'float', metadata: white === 1 ? {} : { notRead: [`scale ${white}`] } };
  const isUsual = white === 2 ** depth - 1;
  return { ...common, sample: 'uint', peak: white, metadata: isUsual ? {} : { white } };
}

function decodeFitsFile(bytes: Buffer, refuse: Refuse): Decoded {
  const header = readFitsHeader(bytes);
  const { width, height, channels, sample, depth, cards, start } = header;
  checkSize({ width, height, channels, depth, bytes: bytes.length }, refuse);
  const planes = decodeFits(bytes, header).map(asSamples);
  const isLast = start + fitsLength(header) >= bytes.length;
  return {
    ...{ width, height, planes, alpha: false, depth, sample, orientation: 1 },
    metadata: {
      ...(cards.length > 0 && { fits: cards }),
      ...(channels === 3 && { bands: true }),
      ...(!isLast && { notRead: ['FITS extensions'] }),
    },
  };
}

async function decodeBySharp(bytes: Buffer, format: SharpFormat, page: number, refuse: Refuse): Promise<Decoded> {
  const file = { source: bytes, format, head: bytes, bytes: bytes.length, page };
  const image = await openBySharp(file, refuse, checkSize);
  const { width, height, alpha, depth, sample, orientation, metadata } = image;
  return { width, height, alpha, depth, sample, orientation, metadata, planes: await image.read() };
}
