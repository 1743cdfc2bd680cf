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
import type { Stack } from './session.js';

/** The quality of a JPEG or WebP, of 1: what was lost cannot be seen. */
const QUALITY = 0.95;

/** An image as a file, at the depth of the opened file as far as the format has it. */
export async function imageFile(image: Image, opened: OpenedImage, format: FileFormat): Promise<SavedFile> {
  const { pages = 1, sample } = opened;
  const all = fitting(opened.metadata ?? {}, image);
  const metadata = pages > 1 ? ofOnePage(all) : all;
  if (format === 'npy' || (sample === 'float' && format !== 'tiff')) return npyFile(image);
  if (format === 'tiff') {
    return asTiff(await tiffFile([{ raster: toRaster(image, sample, opened.depth), metadata }]));
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

/** The denoised pages of a stack as a TIFF, which says of them what its own file says. */
export async function stackFile({ pages, denoised }: Stack, opened: OpenedImage): Promise<SavedFile> {
  const all = Array.from({ length: pages }, (_, at) => {
    const image = denoised.get(at);
    if (!image) throw new Error(`page ${at + 1} is not denoised yet`);
    const metadata = fitting(opened.metadata ?? {}, image);
    return { raster: toRaster(image, opened.sample, opened.depth), metadata: at > 0 ? ofOnePage(metadata) : metadata };
  });
  return asTiff(await tiffFile(all));
}

const asTiff = (bytes: Bytes): SavedFile => ({ bytes, extension: 'tif', type: 'image/tiff' });

/** Without what is true of a whole stack only. */
function ofOnePage({ description: _, imageJ: __, ...others }: ImageMetadata): ImageMetadata {
  return others;
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

/** A page of a TIFF. */
interface Page {
  readonly raster: Raster;
  readonly metadata: ImageMetadata;
}

/** A lossless TIFF. */
async function tiffFile(pages: readonly Page[]): Promise<Bytes> {
  const parts: Bytes[] = [Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0)];
  let end = 8;
  // Where the place of the next directory is noted.
  let link = { part: parts[0], at: 4 };
  const append = (part: Bytes) => {
    parts.push(part);
    end += part.length;
  };
  for (const { raster, metadata } of pages) {
    const offsets: number[] = [];
    const lengths: number[] = [];
    const { height } = raster;
    const rows = rowsOf(raster);
    for (let y = 0; y < height; y += rows) {
      const strip = await stripOf(raster, y, Math.min(height, y + rows));
      offsets.push(end);
      lengths.push(strip.length);
      append(strip);
    }
    if (end % 2 === 1) append(new Uint8Array(1));
    new DataView(link.part.buffer).setUint32(link.at, end, true);
    const places = [[273, 'long', offsets] as const, [278, 'long', [rows]] as const, [279, 'long', lengths] as const];
    const { directory, next } = encodeDirectory([...describingFields(raster, metadata), ...places], end);
    link = { part: directory, at: next };
    append(directory);
    if (end % 2 === 1) append(new Uint8Array(1));
  }
  const file = new Uint8Array(end);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

function rowsOf({ width, channels, depth }: Raster): number {
  return Math.max(1, Math.floor((8 * STRIP_BYTES) / (width * channels * depth)));
}

async function stripOf({ width, channels, sample, rows }: Raster, from: number, to: number): Promise<Bytes> {
  const strip = rows(from, to);
  if (sample !== 'float') takeDifferences(strip, width * channels, channels);
  const { buffer, byteOffset, byteLength } = strip;
  return piped(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength), new CompressionStream('deflate'));
}
