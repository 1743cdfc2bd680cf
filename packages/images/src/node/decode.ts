import { decodeBmp, readBmpHeader } from '../bmp.js';
import type { Declared, Decoded } from '../decoded.js';
import type { ImageFormat } from '../image-file.js';
import { decodePlain } from '../plain.js';
import { toPlanes } from '../raster.js';
import type { Refuse } from '../refuse.js';
import { openTiff } from './decode-tiff.js';
import { checkSize } from './decoded.js';
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
  if (format === 'ppm' || format === 'pfm' || format === 'fits') {
    const check = (declared: Declared) => checkSize(declared, refuse);
    return { count: 1, decode: async () => decodePlain(bytes, format, check) };
  }
  if (format === 'tiff') return openTiff(bytes, refuse);
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

async function decodeBySharp(bytes: Buffer, format: SharpFormat, page: number, refuse: Refuse): Promise<Decoded> {
  const file = { source: bytes, format, head: bytes, bytes: bytes.length, page };
  const image = await openBySharp(file, refuse, checkSize);
  const { width, height, alpha, depth, sample, orientation, metadata } = image;
  return { width, height, alpha, depth, sample, orientation, metadata, planes: await image.read() };
}
