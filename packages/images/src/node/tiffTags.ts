/** What the directory of a TIFF page says beside its size: what the samples mean, and which pages are refused. */
import { describedResolution, imageJCount } from '../description.js';
import type { ImageMetadata } from '../imageFile.js';
import { unitOf, valid } from '../resolution.js';
import type { Refuse } from './decoded.js';

/** The tags of a page by name or number; a directory of geotiff is one. */
export interface TiffDirectory {
  /** The value of a tag, or undefined where the page has none. */
  loadValue(tag: string | number): Promise<unknown>;
}

/** What the tags of a page say. */
export interface TiffTags {
  /** The compression in a word, and its number. */
  readonly compression: { readonly name: string; readonly code: number };
  /** 0 and 1 for grey with white or black as zero, 2 for RGB, 3 for a palette, 6 for YCbCr. */
  readonly photometric: number;
  /** Whether the last of so many channels is opacity rather than one more band. */
  hasAlpha(colour: boolean, channels: number): boolean;
  /** The resolution and the description. */
  readonly metadata: ImageMetadata;
  /** Loads the ICC profile. */
  icc(): Promise<Uint8Array | undefined>;
  /** Loads the orientation; 1 is upright. */
  orientation(): Promise<number>;
}

// By its number: geotiff knows it under a name with a blank, which its types do not list.
const iccTag = 34675;
// White or black as zero, RGB, palette and YCbCr; the others are CMYK, Lab, masks and camera sensors.
const greyOrColour: readonly unknown[] = [0, 1, 2, 3, 6];
const otherColours: Readonly<Record<number, string>> = {
  ...{ 4: 'a mask', 5: 'CMYK', 8: 'CIE Lab', 9: 'ICC Lab', 10: 'ITU Lab', 32803: 'a camera sensor' },
  ...{ 32844: 'LogL', 32845: 'LogLuv', 34892: 'linear raw' },
};
const associatedAlpha = 1;
const straightAlpha = 2;

const compressions: Readonly<Record<number, string>> = {
  ...{ 1: 'none', 2: 'CCITT RLE', 3: 'CCITT T.4', 4: 'CCITT T.6', 5: 'LZW', 6: 'old-style JPEG', 7: 'JPEG' },
  ...{ 8: 'Deflate', 32946: 'Deflate', 32773: 'PackBits', 32766: 'NeXT', 32809: 'ThunderScan' },
  ...{ 34661: 'JBIG', 34676: 'SGI LogLuv', 34677: 'SGI LogLuv 24', 34712: 'JPEG 2000', 34887: 'LERC' },
  ...{ 34925: 'LZMA', 50000: 'Zstandard', 50001: 'WebP', 50002: 'JPEG XL', 52546: 'JPEG XL' },
};
/** Those that no decoder here reads. */
const unreadable: readonly number[] = [6, 32766, 32809, 34661, 34676, 34677, 34712, 34925, 50002, 52546];
/** Those that everybody reads, so that a failure has other reasons. */
export const commonCompressions: readonly string[] = ['none', 'LZW', 'JPEG', 'Deflate', 'PackBits'];

/** Reads the tags of one of so many pages. Colours and compressions that are not read are refused, and premultiplied alpha, as it could not be undone exactly. */
export async function readTiffTags(tags: TiffDirectory, pages: number, refuse: Refuse): Promise<TiffTags> {
  const code = Number((await tags.loadValue('Compression')) ?? 1);
  const name = compressions[code] ?? `number ${code}`;
  if (unreadable.includes(code)) {
    const rule = `must have a compression that is read here, not ${name}`;
    throw refuse(rule, 'save it with LZW, Deflate or no compression');
  }
  const photometric = Number(await tags.loadValue('PhotometricInterpretation'));
  if (!greyOrColour.includes(photometric)) {
    const other = otherColours[photometric];
    throw refuse(`must be grey or RGB${other ? `, not ${other}` : ''}`, 'convert it to RGB first');
  }
  const labels = numbersOf(await tags.loadValue('ExtraSamples'));
  if (labels.includes(associatedAlpha)) {
    throw refuse('must have straight alpha, not premultiplied', 'save it again with unassociated alpha');
  }
  // Damage to what is beside the samples is no reason to lose them.
  const metadata = await metadataOf(tags).catch((): ImageMetadata => ({}));
  if (imageJCount(metadata.description ?? '') > Math.max(1, pages)) {
    const rule = `must list its ${imageJCount(metadata.description ?? '')} images as pages, which ImageJ leaves out of large files`;
    throw refuse(rule, 'save it again in parts of less than 4 GiB');
  }
  return {
    compression: { name, code },
    photometric,
    // Many writers leave the fourth channel of RGB unlabelled; a second channel of grey is alpha only if it says so.
    hasAlpha: (colour, channels) => labels.at(-1) === straightAlpha || (colour && channels === 4),
    metadata,
    icc: async () => {
      const profile = await tags.loadValue(iccTag);
      return profile ? Uint8Array.from(profile as ArrayLike<number>) : undefined;
    },
    orientation: async () => Number((await tags.loadValue('Orientation')) ?? 1),
  };
}

function numbersOf(value: unknown): number[] {
  return Array.from((value ?? []) as ArrayLike<unknown>, Number);
}

async function metadataOf(tags: TiffDirectory): Promise<ImageMetadata> {
  const rational = async (name: 'XResolution' | 'YResolution') => {
    const value = await tags.loadValue(name);
    const [numerator, denominator] =
      ArrayBuffer.isView(value) || Array.isArray(value) ? (value as Uint32Array) : [0, 1];
    return numerator / denominator;
  };
  const unit = unitOf(Number((await tags.loadValue('ResolutionUnit')) ?? 2));
  const stored = valid({ x: await rational('XResolution'), y: await rational('YResolution'), unit });
  const text = await tags.loadValue('ImageDescription');
  const description = typeof text === 'string' ? text.replace(/\0+$/, '') : '';
  const resolution = describedResolution(description, stored);
  return { ...(resolution && { resolution }), ...(description !== '' && { description }) };
}
