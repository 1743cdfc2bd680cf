/** Pictures that sharp decodes, whole or window by window, without changing a sample: no profile is applied and no depth changed. */
import type { Samples } from 'ght';
import type { Metadata, Region, SharpOptions } from 'sharp';
import { asPlain, startsWith } from '../bytes.js';
import { framesOf } from '../chunks.js';
import type { Declared } from '../decoded.js';
import { exifResolution, uprightExif } from '../exif.js';
import type { ImageMetadata } from '../image-file.js';
import { resourcesIn } from '../metadata/iptc.js';
import { PHOTOSHOP } from '../metadata/jpeg-segments.js';
import { readMetadata } from '../metadata/read.js';
import { readGifMetadata } from '../metadata/read-gif.js';
import { toPlanes } from '../raster.js';
import type { Refuse } from '../refuse.js';
import { cmykConverted, isInkProfile } from '../tiff/tags.js';
import { inkToRgb } from './cmyk.js';
import { loadSharp } from './packages.js';

/** The formats that sharp decodes here. */
export type SharpFormat = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif' | 'heic';

/** A file for sharp. */
export interface SharpFile {
  /** The whole file, or its path. */
  readonly source: Buffer | string;
  /** Decided by the content. */
  readonly format: SharpFormat;
  /** The beginning of the file at least: what a PNG or JPEG says before its samples. */
  readonly head: Uint8Array;
  /** The length of the file. */
  readonly bytes: number;
  /** The frame of a GIF, counted from 0. @default 0 */
  readonly page?: number;
}

/** A picture whose header has been read. */
export interface SharpImage {
  /** Pixels per row, as stored. */
  readonly width: number;
  /** Number of rows, as stored. */
  readonly height: number;
  /** Samples per pixel. */
  readonly channels: number;
  /** Whether the last of them is opacity. */
  readonly alpha: boolean;
  /** Bits of a sample. */
  readonly depth: 8 | 16;
  /** What a sample is. */
  readonly sample: 'uint';
  /** The EXIF or TIFF orientation; 1 is upright. */
  readonly orientation: number;
  /** What is written back unchanged. */
  readonly metadata: ImageMetadata;
  /** How sharp is to open the file. */
  readonly input: SharpOptions;
  /** The colour space it has: asking for it keeps sharp from converting, 16 bits to 8 above all. */
  readonly space: 'b-w' | 'srgb' | 'grey16' | 'rgb16';
  /** The channels of the whole picture or of a window, opacity last. */
  read(window?: Region): Promise<Samples[]>;
}

const spaces: readonly unknown[] = ['b-w', 'srgb', 'grey16', 'rgb16'];

/** Reads the header. What could not be decoded exactly is refused, and sizes that `check` refuses. */
export async function openBySharp(
  { source, format, head, bytes, page = 0 }: SharpFile,
  refuse: Refuse,
  check: (declared: Declared, refuse: Refuse) => void,
): Promise<SharpImage> {
  const sharp = await loadSharp();
  const input = {
    failOn: 'warning',
    ignoreIcc: true,
    // The limit is checked below, where the message can name the size; more channels than five are bands.
    limitInputPixels: false,
    limitInputChannels: false,
    ...(format === 'gif' && { page }),
  } as const;
  const header = await sharp(source, input)
    .metadata()
    .catch((cause: unknown) => {
      throw format === 'heic' ? withoutHevc(refuse, cause) : cause;
    });
  const { width, height, channels, depth } = header;
  check({ width, height, channels, depth: depth === 'uchar' ? 8 : 16, bytes }, refuse);
  const frames = format === 'gif' ? 1 : Math.max(header.pages ?? 1, format === 'png' ? framesOf(head, format) : 1);
  if (frames > 1) throw refuse('must hold exactly one frame', 'save the frame you want as a file of its own');
  const isCmyk = format === 'jpeg' && header.space === 'cmyk';
  // Only the profile says which colours the inks make.
  if (isCmyk) return readCmyk({ source, head, bytes }, refuse, check);
  if (!spaces.includes(header.space)) {
    throw refuse(`must be grey or RGB, not ${header.space}`, 'convert it to RGB first');
  }
  const space = header.space as SharpImage['space'];
  if (depth !== 'uchar' && depth !== 'ushort') {
    throw refuse('must hold integers of 8, 16 or 32 bits, or floats', 'convert its samples to 32-bit float');
  }

  const raw = async (window?: Region, channel?: 'alpha') => {
    const opened = sharp(source, input);
    const pipeline = (window ? opened.extract(window) : opened).toColourspace(space).raw({ depth });
    const { data, info } = await (channel ? pipeline.extractChannel(channel) : pipeline).toUint8Array();
    // Not as the Buffer that it may be, whose slices are no copies.
    const samples =
      depth === 'uchar'
        ? new Uint8Array(data.buffer, data.byteOffset, data.length)
        : new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    return toPlanes(samples, info.channels);
  };
  return {
    ...{ width, height, channels, input, space, sample: 'uint' },
    alpha: header.hasAlpha,
    depth: depth === 'uchar' ? 8 : 16,
    // The decoder turns the others.
    orientation: isHeif(format) ? 1 : (header.orientation ?? 1),
    metadata: { ...fromSharp(header), ...(await described(head, format, header.exif)) },
    async read(window) {
      const planes = await raw(window).catch((cause: unknown) => {
        throw format === 'heic' ? withoutHevc(refuse, cause) : cause;
      });
      // Of 8-bit grey with alpha, sharp gives out the grey only.
      if (planes.length < channels) planes.push(...(await raw(window, 'alpha')));
      return planes;
    },
  };
}

/** What lies behind the samples, and is not in the head of a file that is read from the disk. */
function fromSharp({ icc, exif, xmp, iptc }: Metadata): ImageMetadata {
  const records = iptc && resourcesIn(startsWith(iptc, PHOTOSHOP) ? iptc.subarray(PHOTOSHOP.length) : iptc).iptc;
  return {
    ...(icc && { icc: Uint8Array.from(icc) }),
    ...(exif && { exif: uprightExif(exif) }),
    ...(xmp && { xmp: Uint8Array.from(xmp) }),
    ...(records && { iptc: Uint8Array.from(records) }),
  };
}

const isHeif = (format: SharpFormat) => format === 'avif' || format === 'heic';

/** What the file says in its own way. */
async function described(head: Uint8Array, format: SharpFormat, exif?: Uint8Array): Promise<ImageMetadata> {
  if (format === 'png' || format === 'jpeg' || format === 'webp') return readMetadata(head, format);
  if (format === 'gif') return readGifMetadata(asPlain(head));
  const resolution = exif && exifResolution(exif);
  return resolution ? { resolution } : {};
}

/** How many frames a GIF has. */
export async function framesOfGif(bytes: Buffer): Promise<number> {
  const sharp = await loadSharp();
  return (await sharp(bytes, { limitInputPixels: false }).metadata()).pages ?? 1;
}

/** HEIC is read where the decoder of the host has HEVC, which the usual one is not allowed to contain. */
function withoutHevc(refuse: Refuse, cause: unknown): Error {
  const rule = 'must not be HEIC, whose coding (HEVC) the installed decoder lacks';
  const remedy = 'convert it to PNG or TIFF, for example with heif-convert, or with sips on a Mac';
  return refuse(rule, remedy, undefined, { cause });
}

/** A JPEG in four inks as sRGB, by its profile: the samples are not those of the file, which is said. */
async function readCmyk(
  { source, head, bytes }: Omit<SharpFile, 'format'>,
  refuse: Refuse,
  check: (declared: Declared, refuse: Refuse) => void,
): Promise<SharpImage> {
  const sharp = await loadSharp();
  const { icc, notRead = [], ...metadata } = await readMetadata(head, 'jpeg');
  const byProfile = icc !== undefined && isInkProfile(icc);
  const input = { failOn: 'warning', limitInputPixels: false, ignoreIcc: !byProfile } as const;
  const { width, height, orientation = 1 } = await sharp(source, input).metadata();
  check({ width, height, channels: 4, depth: 8, bytes }, refuse);
  return {
    ...{ width, height, channels: 3, alpha: false, depth: 8, sample: 'uint', orientation, input, space: 'srgb' },
    metadata: { ...metadata, notRead: [cmykConverted(byProfile), ...notRead] },
    async read(window) {
      const opened = sharp(source, input);
      return inkToRgb(window ? opened.extract(window) : opened);
    },
  };
}
