import type { Metadata } from 'sharp';
import { framesOf } from '../chunks.js';
import { uprightExif } from '../exif.js';
import type { ImageFormat, ImageMetadata } from '../imageFile.js';
import { toPlanes } from '../raster.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { openTiff } from './decodeTiff.js';
import { loadSharp } from './packages.js';

/** Decodes a PNG, JPEG, TIFF or WebP without changing a sample: no profile is applied and no depth changed. */
export async function decode(bytes: Buffer, format: Exclude<ImageFormat, 'npy'>, refuse: Refuse): Promise<Decoded> {
  const sharp = await loadSharp();
  const tiff = format === 'tiff' ? await openTiff(bytes, refuse) : undefined;
  if (tiff?.decodeBands) return tiff.decodeBands();

  const input = {
    // libtiff also warns of harmless things, such as the unlabelled alpha that OpenCV writes.
    failOn: format === 'tiff' ? 'error' : 'warning',
    ignoreIcc: true,
    // The limit is checked below, where the message can name the size; more channels than five are bands.
    limitInputPixels: false,
    limitInputChannels: false,
  } as const;
  const header = await sharp(bytes, input).metadata();
  const { width, height, channels, space, depth } = header;
  checkSize({ width, height, channels, bytes: bytes.length }, refuse);
  if ((header.pages ?? 1) > 1 || (format === 'png' && framesOf(bytes, format) > 1)) {
    throw refuse('must hold exactly one frame', 'save the frame you want as a file of its own');
  }
  if (!['b-w', 'srgb', 'grey16', 'rgb16'].includes(space)) {
    throw refuse(`must be grey or RGB, not ${space}`, 'convert it to RGB first');
  }
  if (depth !== 'uchar' && depth !== 'ushort') {
    throw refuse('must hold unsigned samples of 8 or 16 bits, or floats', 'convert its samples to 32-bit float');
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
  return {
    width,
    height,
    planes,
    alpha: tiff ? tiff.hasAlpha(space === 'srgb' || space === 'rgb16', channels) : header.hasAlpha,
    depth: depth === 'uchar' ? 8 : 16,
    sample: 'uint',
    orientation: header.orientation ?? 1,
    metadata: keptMetadata(header),
  };
}

function keptMetadata({ icc, exif }: Metadata): ImageMetadata {
  return { ...(icc ? { icc } : {}), ...(exif ? { exif: uprightExif(exif) } : {}) };
}
