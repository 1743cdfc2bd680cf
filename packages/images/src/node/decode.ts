import type { Metadata } from 'sharp';
import { decodeBmp, readBmpHeader } from '../bmp.js';
import { framesOf, resolutionOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageFormat, ImageMetadata } from '../imageFile.js';
import { toPlanes } from '../raster.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { commonCompressions, openTiff, type TiffPage } from './decodeTiff.js';
import { loadSharp } from './packages.js';

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
  format: 'png' | 'jpeg' | 'webp' | 'tiff',
  refuse: Refuse,
  page?: { readonly index: number; readonly tags: TiffPage },
): Promise<Decoded> {
  const sharp = await loadSharp();
  const input = {
    // libtiff also warns of harmless things, such as the unlabelled alpha that OpenCV writes.
    failOn: format === 'tiff' ? 'error' : 'warning',
    ignoreIcc: true,
    // The limit is checked below, where the message can name the size; more channels than five are bands.
    limitInputPixels: false,
    limitInputChannels: false,
    ...(page && { page: page.index }),
  } as const;
  const header = await sharp(bytes, input).metadata();
  const { width, height, channels, space, depth } = header;
  checkSize({ width, height, channels, bytes: bytes.length }, refuse);
  const frames = page ? 1 : Math.max(header.pages ?? 1, format === 'png' ? framesOf(bytes, format) : 1);
  if (frames > 1) throw refuse('must hold exactly one frame', 'save the frame you want as a file of its own');
  if (!['b-w', 'srgb', 'grey16', 'rgb16'].includes(space)) {
    throw refuse(`must be grey or RGB, not ${space}`, 'convert it to RGB first');
  }
  if (depth !== 'uchar' && depth !== 'ushort') {
    throw refuse('must hold integers of 8, 16 or 32 bits, or floats', 'convert its samples to 32-bit float');
  }

  const raw = async (channel?: 'alpha') => {
    // Asking for the colour space it already has keeps sharp from converting, 16 bits to 8 above all.
    const pipeline = sharp(bytes, input).toColourspace(space).raw({ depth });
    const { data, info } = await (channel ? pipeline.extractChannel(channel) : pipeline).toUint8Array();
    // Not as the Buffer that it may be, whose slices are no copies.
    const samples =
      depth === 'uchar'
        ? new Uint8Array(data.buffer, data.byteOffset, data.length)
        : new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    return toPlanes(samples, info.channels);
  };
  const planes = await raw();
  // Of 8-bit grey with alpha, sharp gives out the grey only.
  if (planes.length < channels) planes.push(...(await raw('alpha')));
  const resolution = format === 'tiff' ? undefined : resolutionOf(bytes, format);
  return {
    width,
    height,
    planes,
    alpha: page ? page.tags.hasAlpha(space === 'srgb' || space === 'rgb16', channels) : header.hasAlpha,
    depth: depth === 'uchar' ? 8 : 16,
    sample: 'uint',
    orientation: header.orientation ?? 1,
    metadata: { ...keptMetadata(header), ...page?.tags.metadata, ...(resolution && { resolution }) },
  };
}

function keptMetadata({ icc, exif }: Metadata): ImageMetadata {
  return { ...(icc ? { icc } : {}), ...(exif ? { exif: uprightExif(exif) } : {}) };
}
