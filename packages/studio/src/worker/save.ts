/** Files of results, in the format that was chosen, with what the opened file said besides its samples. */
import type { Image } from 'ght';
import { writeNpy } from 'ght/npy';
import {
  type Bytes,
  describeFile,
  describingFields,
  encodeDirectory,
  type ImageMetadata,
  piped,
  profileFits,
  type Raster,
  takeDifferences,
  toRaster,
} from 'ght-images';
import { FileError, type OpenedImage } from '../image/decoded.js';
import { encodePng } from '../image/png.js';
import type { FileFormat, SavedFile } from './protocol.js';

/** The quality of a JPEG or WebP, of 1: what was lost cannot be seen. */
const QUALITY = 0.95;

/** An image as a file, at the depth of the opened file as far as the format has it. */
export async function imageFile(image: Image, opened: OpenedImage, format: FileFormat): Promise<SavedFile> {
  const metadata = fitting(opened.metadata ?? {}, image);
  const { sample } = opened;
  if (format === 'npy' || (sample === 'float' && format !== 'tiff')) return npyFile(image);
  if (format === 'tiff') {
    const bytes = await tiffFile(toRaster(image, sample, opened.depth), metadata);
    return { bytes, extension: 'tif', type: 'image/tiff' };
  }
  const size = { width: image.width, height: image.height, alpha: image.alpha !== undefined };
  if (format === 'png') {
    const bytes = await describeFile(encodePng(image, opened.depth === 16 ? 16 : 8), format, size, metadata);
    return { bytes, extension: 'png', type: 'image/png' };
  }
  const bytes = await describeFile(await byCanvas(image, `image/${format}`), format, size, metadata);
  return format === 'jpeg'
    ? { bytes, extension: 'jpg', type: 'image/jpeg' }
    : { bytes, extension: 'webp', type: 'image/webp' };
}

/** A profile of grey on colours, or the reverse, would be invalid. */
function fitting({ icc, ...others }: ImageMetadata, { planes }: Image): ImageMetadata {
  return icc && profileFits(icc, planes.length) ? { ...others, icc } : others;
}

function npyFile(image: Image): SavedFile {
  const { width, height, channels, rows } = toRaster({ ...image, alpha: undefined }, 'float', 32);
  const bytes = writeNpy({ type: 'f4', shape: [height, width, channels], data: rows(0, height) });
  return { bytes, extension: 'npy', type: 'application/octet-stream' };
}

/** 8 bits per sample by the encoder of the browser. The samples reach it as they are: the profile says what they mean. */
async function byCanvas(image: Image, type: string): Promise<Bytes> {
  const { width, height, planes, alpha, peak } = image;
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  const scale = 255 / peak;
  for (let c = 0; c < 3; c++) {
    const plane = planes[planes.length === 3 ? c : 0];
    for (let i = 0, at = c; i < plane.length; i++, at += 4) pixels[at] = plane[i] * scale;
  }
  if (alpha) for (let i = 0; i < alpha.length; i++) pixels[4 * i + 3] = alpha[i] * scale;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new FileError('The picture is too large for a canvas of this browser. Save it as PNG or TIFF.');
  context.putImageData(new ImageData(pixels, width, height), 0, 0);
  const blob = await canvas.convertToBlob({ type, quality: QUALITY });
  if (blob.type !== type) throw new FileError(`This browser does not write ${type.slice(6)} files. Save a PNG.`);
  return new Uint8Array(await blob.arrayBuffer());
}

/** Strips near this size keep readers small. */
const STRIP_BYTES = 2 ** 18;

/** A lossless TIFF of one page. */
async function tiffFile(raster: Raster, metadata: ImageMetadata): Promise<Bytes> {
  const { width, height, channels, depth, sample } = raster;
  const rows = Math.max(1, Math.floor((8 * STRIP_BYTES) / (width * channels * depth)));
  const strips: Bytes[] = [];
  for (let y = 0; y < height; y += rows) {
    const strip = raster.rows(y, Math.min(height, y + rows));
    if (sample !== 'float') takeDifferences(strip, width * channels, channels);
    const { buffer, byteOffset, byteLength } = strip;
    strips.push(
      await piped(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength), new CompressionStream('deflate')),
    );
  }
  const lengths = strips.map(({ length }) => length);
  let end = 8;
  const offsets = lengths.map((length) => {
    end += length;
    return end - length;
  });
  end += end % 2;
  const { directory } = encodeDirectory(
    [...describingFields(raster, metadata), [273, 'long', offsets], [278, 'long', [rows]], [279, 'long', lengths]],
    end,
  );
  const file = new Uint8Array(end + directory.length);
  file.set([0x49, 0x49, 42, 0]);
  new DataView(file.buffer).setUint32(4, end, true);
  strips.forEach((strip, i) => void file.set(strip, offsets[i]));
  file.set(directory, end);
  return file;
}
