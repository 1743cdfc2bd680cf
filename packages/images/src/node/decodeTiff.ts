import type { GeoTIFFImage } from 'geotiff';
import { describedResolution, imageJCount } from '../description.js';
import type { ImageMetadata, SampleDepth, SampleKind } from '../imageFile.js';
import { asSamples, type RasterSamples } from '../raster.js';
import { unitOf, valid } from '../resolution.js';
import { checkSize, type Decoded, type Refuse } from './decoded.js';
import { loadGeotiff } from './geotiff.js';
import { countDirectories } from './tiffPages.js';

/** A TIFF whose pages are looked at one by one. */
export interface Tiff {
  /** How many there are. */
  readonly pages: number;
  /** What the directory of a page says that sharp does not pass on. */
  page(index: number): Promise<TiffPage>;
}

/** One page of a TIFF. */
export interface TiffPage {
  /** Whether the last of so many channels is opacity rather than one more band. */
  hasAlpha(colour: boolean, channels: number): boolean;
  /** The resolution and the description. */
  readonly metadata: ImageMetadata;
  /** How its samples are compressed, in a word. */
  readonly compression: string;
  /** Reads what sharp gives only in part: floats, signed and 32-bit integers, and grey with further bands. */
  readonly decodeBands?: () => Promise<Decoded>;
}

// By its number: geotiff knows it under a name with a blank, which its types do not list.
const iccTag = 34675;
const kinds: Readonly<Record<number, SampleKind>> = { 1: 'uint', 2: 'int', 3: 'float' };
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

/** Opens a TIFF. */
export async function openTiff(bytes: Buffer, refuse: Refuse): Promise<Tiff> {
  const { fromArrayBuffer } = await loadGeotiff();
  const { buffer } = bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const file = await fromArrayBuffer(buffer as ArrayBuffer);
  // A first page that is whole may be followed by a pointer to nowhere, which nobody follows.
  const secondPage = await file.getImage(1).then(
    () => true,
    () => false,
  );
  const pages = secondPage ? Math.max(2, countDirectories(bytes)) : 1;
  return { pages, page: async (index) => openPage(await file.getImage(index), bytes.length, pages, refuse) };
}

/** Reads the directory of a page; premultiplied alpha is refused, as it could not be undone exactly. */
async function openPage(image: GeoTIFFImage, bytes: number, pages: number, refuse: Refuse): Promise<TiffPage> {
  const tags = image.getFileDirectory();
  const code = Number((await tags.loadValue('Compression')) ?? 1);
  const compression = compressions[code] ?? `number ${code}`;
  if (unreadable.includes(code)) {
    const rule = `must have a compression that is read here, not ${compression}`;
    throw refuse(rule, 'save it with LZW, Deflate or no compression');
  }
  const photometric = Number(await tags.loadValue('PhotometricInterpretation'));
  if (!greyOrColour.includes(photometric)) {
    const name = otherColours[photometric];
    throw refuse(`must be grey or RGB${name ? `, not ${name}` : ''}`, 'convert it to RGB first');
  }
  const labels = Array.from<number, number>((await tags.loadValue('ExtraSamples')) ?? [], Number);
  if (labels.includes(associatedAlpha)) {
    throw refuse('must have straight alpha, not premultiplied', 'save it again with unassociated alpha');
  }
  // Many writers leave the fourth channel of RGB unlabelled; a second channel of grey is alpha only if it says so.
  const hasAlpha = (colour: boolean, channels: number) => labels.at(-1) === straightAlpha || (colour && channels === 4);
  // Damage to what is beside the samples is no reason to lose them.
  const metadata = await metadataOf(tags).catch((): ImageMetadata => ({}));
  if (imageJCount(metadata.description ?? '') > Math.max(1, pages)) {
    const rule = `must list its ${imageJCount(metadata.description ?? '')} images as pages, which ImageJ leaves out of large files`;
    throw refuse(rule, 'save it again in parts of less than 4 GiB');
  }
  const [depth, bands] = [image.getBitsPerSample(), image.getSamplesPerPixel()];
  const sample = kinds[image.getSampleFormat()];
  const grey = photometric === 0 || photometric === 1;
  const stack = sample === 'uint' && (depth === 8 || depth === 16) && grey && bands > 1;
  const wide = sample === 'float' || sample === 'int' || (sample === 'uint' && depth === 32);
  if (!wide && !stack) return { hasAlpha, metadata, compression };

  const decodeBands = async (): Promise<Decoded> => {
    const [width, height] = [image.getWidth(), image.getHeight()];
    checkSize({ width, height, channels: bands, bytes }, refuse);
    if (sample === 'float' ? ![16, 32, 64].includes(depth) : ![8, 16, 32].includes(depth)) {
      const rule = sample === 'float' ? 'floats of 16, 32 or 64 bits' : 'integers of 8, 16 or 32 bits';
      throw refuse(`must hold ${rule}, not ${depth}`, 'convert its samples to 32-bit float');
    }
    if (photometric !== 1 && photometric !== 2) {
      throw refuse('must be RGB, or grey with black as zero', 'convert it to one of these');
    }
    const counts = await tags.loadValue(image.isTiled ? 'TileByteCounts' : 'StripByteCounts');
    // Sparse files leave out what is empty, and do not say what it is empty of.
    if (Array.from<number, number>(counts ?? [], Number).includes(0)) {
      throw refuse('must hold every strip and tile of its image', 'save it again in full, not sparse');
    }
    const profile: ArrayLike<number> | undefined = await tags.loadValue(iccTag);
    const channels = await image.readRasters();
    return {
      width,
      height,
      // Of these formats and depths geotiff makes the arrays that there are; of 16-bit floats those of 32 bits.
      planes: Array.from(channels, (channel) => asSamples(channel as RasterSamples)),
      alpha: hasAlpha(photometric === 2, bands),
      depth: sample === 'float' && depth === 16 ? 32 : (depth as SampleDepth),
      sample,
      orientation: Number((await tags.loadValue('Orientation')) ?? 1),
      metadata: { ...metadata, ...(profile ? { icc: Uint8Array.from(profile) } : {}) },
    };
  };
  return { hasAlpha, metadata, compression, decodeBands };
}

async function metadataOf(tags: ReturnType<GeoTIFFImage['getFileDirectory']>): Promise<ImageMetadata> {
  const rational = async (name: 'XResolution' | 'YResolution') => {
    // Its type is that of other fields: a number that is no quotient.
    const value: unknown = await tags.loadValue(name);
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
