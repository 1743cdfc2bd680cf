import type { Image, JpegInfo } from 'ght';
import type { Axes } from './axes.js';
import { startsWith } from './bytes.js';
import { heifOf } from './heif.js';
import type { Resolution } from './resolution.js';
import type { ImageJMetadata } from './stack/imagej.js';

/** The formats that are read; all but GIF and HEIC are written too. */
export type ImageFormat =
  | 'png'
  | 'jpeg'
  | 'tiff'
  | 'webp'
  | 'avif'
  | 'gif'
  | 'heic'
  | 'bmp'
  | 'ppm'
  | 'pfm'
  | 'fits'
  | 'exr'
  | 'npy';

/** What accompanies the samples and is written back unchanged. */
export interface ImageMetadata {
  /** The ICC profile. It is never applied: it only says what the samples mean. */
  readonly icc?: Uint8Array;
  /** The EXIF block from its TIFF header on, its orientation already set to 1 because the pixels are upright. */
  readonly exif?: Uint8Array;
  /** The XMP packet: XML about what the image shows and how it was made. */
  readonly xmp?: Uint8Array;
  /** The IPTC records of news agencies and archives, without the resources of Photoshop around them. */
  readonly iptc?: Uint8Array;
  /** How large a pixel is. */
  readonly resolution?: Resolution;
  /** The description of a TIFF, such as those of ImageJ and OME; only TIFF holds it, and only if all pages are written. */
  readonly description?: string;
  /** The private tags of ImageJ: labels, ranges, lookup tables and overlays. Kept with the description. */
  readonly imageJ?: ImageJMetadata;
  /** The `name` and `omero` of an OME-Zarr: what viewers call it, and how they show its channels. Only Zarr holds them. */
  readonly ome?: { readonly name?: string; readonly omero?: object };
  /** Of one plane of 8 bits: the colours that ImageJ shows its samples with, all reds, all greens, all blues, 16 bits each. */
  readonly lookup?: readonly number[];
  /** Whether three planes are bands and not red, green and blue: of a TIFF that calls them grey, as microscopes write it. */
  readonly bands?: true;
  /** The order of the dimensions of a `.npy`. */
  readonly axes?: Axes;
  /** Of a PNG: its texts, its time and what it says of colours, chunks with their lengths and checksums. Only PNG holds them. */
  readonly pngChunks?: Uint8Array;
  /** The white level of a PPM that is not that of its type, such as 4095; other PPM have it too. */
  readonly white?: number;
  /** Of a FITS: the lines of its header that do not say how samples are stored. Only FITS holds them. */
  readonly fits?: readonly string[];
  /** Of an EXR: the names of its channels, in the order of the planes, opacity last. Only EXR holds them. */
  readonly exrChannels?: readonly string[];
  /** Whether the colours are multiplied by the opacity, as in an EXR that is not opaque everywhere. Only EXR and `.npy` hold such colours. */
  readonly premultiplied?: true;
  /** What else the file holds and no output can keep, in words, such as `comment`. */
  readonly notRead?: readonly string[];
}

/** What the samples of a file are: whole numbers, unsigned or signed, or floats. */
export type SampleKind = 'uint' | 'int' | 'float';

/** Bits of a sample. */
export type SampleDepth = 8 | 16 | 32 | 64;

/** An image and how its file holds it, so that the result can be written the same way. */
export interface ImageFile {
  /**
   * Upright, with samples exactly as in the file.
   * Its peak is 255 or 65535; for floats, and for signed and 32-bit integers, the range of the data.
   */
  readonly image: Image;
  /** Decided by the content of the file, never by its name. */
  readonly format: ImageFormat;
  /** Bits per sample; 1-, 2- and 4-bit samples and palettes count as the 8 bits they expand to. */
  readonly depth: SampleDepth;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** What is written back unchanged. */
  readonly metadata?: ImageMetadata;
  /** Of a JPEG: its tables and its grid, as they lie in the upright image; left out if they could not be read. */
  readonly jpeg?: JpegInfo;
}

const formats: Readonly<Record<string, ImageFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.tif': 'tiff',
  '.tiff': 'tiff',
  '.webp': 'webp',
  '.avif': 'avif',
  '.bmp': 'bmp',
  '.ppm': 'ppm',
  '.pgm': 'ppm',
  '.pnm': 'ppm',
  '.pfm': 'pfm',
  '.fits': 'fits',
  '.fit': 'fits',
  '.fts': 'fits',
  '.exr': 'exr',
  '.npy': 'npy',
};

/** How people call the formats. */
export const formatNames: Readonly<Record<ImageFormat, string>> = {
  png: 'PNG',
  jpeg: 'JPEG',
  tiff: 'TIFF',
  webp: 'WebP',
  avif: 'AVIF',
  gif: 'GIF',
  heic: 'HEIC',
  bmp: 'BMP',
  ppm: 'PPM',
  pfm: 'PFM',
  fits: 'FITS',
  exr: 'EXR',
  npy: '.npy',
};

/** The extensions of the formats that are written. */
export const imageExtensions: readonly string[] = Object.keys(formats);

/** The extensions of the formats that are read. */
export const readExtensions: readonly string[] = [...imageExtensions, '.gif', '.heic', '.npz', '.mat'];

/** The format in which a file of this name is written, or undefined for an extension that is none of `imageExtensions`. */
export function formatOfName(path: string): ImageFormat | undefined {
  return formats[/[^/\\](\.[^./\\]*)$/.exec(path)?.[1].toLowerCase() ?? ''];
}

/** Whether bytes are a MAT-file of level 5. */
export function isMat(bytes: Uint8Array): boolean {
  return startsWith(bytes, 'MATLAB 5.0 MAT-file');
}

/** The format of a file's bytes by their signature, or undefined for any other content. */
export function formatOfContent(bytes: Uint8Array): ImageFormat | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.slice(0, 4))) return 'tiff';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  if (head.startsWith('BM') && bytes.length > 26) return 'bmp';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (/^P[1-7][\s#]/.test(head)) return 'ppm';
  if (/^P[fF]\s/.test(head)) return 'pfm';
  if (head.startsWith('SIMPLE  =')) return 'fits';
  if (head.startsWith('v/1\x01')) return 'exr';
  // An `.npz` and a MAT-file have arrays, of which one is read like a `.npy`.
  if (head.startsWith('\x93NUMPY') || head.startsWith('PK\x03\x04') || isMat(bytes)) return 'npy';
  return heifOf(bytes);
}
