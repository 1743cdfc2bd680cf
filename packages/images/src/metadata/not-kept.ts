/** What of the metadata of a file an output does not keep, so that nothing is lost in silence. */
import { isForPeople } from '../description.js';
import { profileFits } from '../exif.js';
import type { ImageFormat, ImageMetadata } from '../image-file.js';
import { chunkNames } from './describe-png.js';
import { notInPages } from './exif-fields.js';
import { mostInJpeg } from './jpeg-segments.js';

type Kind = 'icc' | 'exif' | 'xmp' | 'iptc' | 'resolution';

/** What each format has a place for. */
const held: Readonly<Record<ImageFormat | 'zarr', readonly Kind[]>> = {
  png: ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  jpeg: ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  webp: ['icc', 'exif', 'xmp', 'resolution'],
  avif: ['icc', 'exif', 'xmp', 'resolution'],
  tiff: ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
  bmp: ['resolution'],
  ...{ gif: [], heic: [], ppm: [], pfm: [], fits: [], exr: [], npy: [] },
  zarr: ['icc', 'exif', 'xmp', 'iptc', 'resolution'],
};

const names: Readonly<Record<Kind, string>> = {
  ...{ icc: 'colour profile', exif: 'EXIF', xmp: 'XMP', iptc: 'IPTC', resolution: 'resolution' },
};

/** How many samples of colour a pixel of the output has; 3 of grey in a WebP and AVIF. */
export function coloursIn(format: ImageFormat | 'zarr', colours: number): number {
  return format === 'webp' || format === 'avif' ? 3 : colours;
}

/**
 * What an output of this format does not keep of the metadata, in words, such as `IPTC`; empty if it keeps all. `colours` are the channels of
 * the result without opacity, and `whole` says whether all pages of the input are written.
 */
export function notKept(
  format: ImageFormat | 'zarr',
  colours: number,
  metadata: ImageMetadata = {},
  whole = true,
): string[] {
  const {
    icc,
    exif,
    xmp,
    description,
    imageJ,
    ome,
    resolution,
    pngChunks,
    white,
    fits,
    exrChannels,
    notRead = [],
  } = metadata;
  const inTiff = format === 'tiff' || format === 'zarr';
  const lost = new Set<string>();
  // Without a unit, only a ratio other than 1 says something.
  const says = (kind: Kind) => kind !== 'resolution' || resolution?.unit !== 'none' || resolution.x !== resolution.y;
  for (const kind of Object.keys(names) as Kind[]) {
    if (metadata[kind] && says(kind) && !held[format].includes(kind)) lost.add(names[kind]);
  }
  if (icc && !profileFits(icc, coloursIn(format, colours))) lost.add(names.icc);
  if (format === 'bmp' && resolution?.unit === 'none' && says('resolution')) lost.add(names.resolution);
  if (format === 'jpeg' && exif && exif.length > mostInJpeg.exif) lost.add('EXIF longer than a segment');
  if (format === 'jpeg' && xmp && xmp.length > mostInJpeg.xmp) lost.add('XMP longer than a segment');
  if (format === 'tiff' && exif) for (const part of notInPages(exif)) lost.add(part);
  const inExif = description !== undefined && isForPeople(description) && held[format].includes('exif');
  if (description !== undefined && !(whole && (inTiff || inExif))) lost.add('description');
  if (imageJ && (!inTiff || !whole)) lost.add('labels and ranges of ImageJ');
  if (ome && format !== 'zarr') lost.add('OME-Zarr display settings');
  if (pngChunks && format !== 'png') for (const part of chunkNames(pngChunks, icc !== undefined)) lost.add(part);
  if (white !== undefined && format !== 'ppm') lost.add(`white level ${white}`);
  if (fits && fits.length > 0 && format !== 'fits') lost.add('FITS header');
  const isNamed = exrChannels && !/^(R,G,B(,A)?|Y)$/.test(exrChannels.join());
  if (isNamed && format !== 'exr')
    lost.add(`channel name${exrChannels.length > 1 ? 's' : ''} ${exrChannels.join(', ')}`);
  for (const part of notRead) lost.add(part);
  return [...lost];
}
