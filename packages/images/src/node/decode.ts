import { decodeBmp, readBmpHeader } from '../bmp.js';
import type { ImageFormat } from '../imageFile.js';
import { toPlanes } from '../raster.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { openTiff, type TiffPage } from './decodeTiff.js';
import { openBySharp, type SharpFormat } from './sharpImage.js';
import { commonCompressions } from './tiffTags.js';

/** A file whose pages are decoded one by one. */
export interface Pages {
  /** How many there are; 1 for all formats but TIFF. */
  readonly count: number;
  /** Decodes a page without changing a sample: no profile is applied and no depth changed. */
  decode(index: number): Promise<Decoded>;
}

/** Opens a picture of any format but `.npy`. */
export async function openPages(bytes: Buffer, format: Exclude<ImageFormat, 'npy'>, refuse: Refuse): Promise<Pages> {
  if (format === 'bmp') return { count: 1, decode: async () => decodeBitmap(bytes, refuse) };
  if (format !== 'tiff') return { count: 1, decode: () => decodeBySharp(bytes, format, refuse) };
  const { pages, page } = await openTiff(bytes, refuse);
  const decode = async (index: number) => {
    const tags = await page(index);
    const decoding = tags.decodeBands?.() ?? decodeBySharp(bytes, format, refuse, { index, tags });
    return decoding.catch((cause: unknown) => {
      if (commonCompressions.includes(tags.compression) || !(cause instanceof Error)) throw cause;
      throw new Error(`${tags.compression} compression: ${cause.message}`, { cause });
    });
  };
  return { count: pages, decode };
}

function decodeBitmap(bytes: Buffer, refuse: Refuse): Decoded {
  const { width, height, channels } = readBmpHeader(bytes);
  checkSize({ width, height, channels, bytes: bytes.length }, refuse);
  const { samples, alpha, resolution } = decodeBmp(bytes);
  return {
    ...{ width, height, alpha, depth: 8, sample: 'uint', orientation: 1 },
    planes: toPlanes(samples, channels),
    metadata: resolution ? { resolution } : {},
  };
}

async function decodeBySharp(
  bytes: Buffer,
  format: SharpFormat,
  refuse: Refuse,
  page?: { readonly index: number; readonly tags: TiffPage },
): Promise<Decoded> {
  const file = { source: bytes, format, head: bytes, bytes: bytes.length };
  const image = await openBySharp(file, refuse, checkSize, page);
  const { width, height, alpha, depth, sample, orientation, metadata } = image;
  return { width, height, alpha, depth, sample, orientation, metadata, planes: await image.read() };
}
