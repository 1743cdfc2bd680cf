/**
 * Which TIFF pages are read, and how their samples are stored. Everything that is not listed here is refused by name: a decoder that
 * guesses gives wrong pixels.
 */
import { ResourceError } from 'ght';
import type { SampleDepth, SampleKind } from '../image-file.js';
import type { Refuse } from '../refuse.js';
import { isImageJ } from '../stack/imagej.js';
import type { TiffDirectory } from './directory.js';
import { photometrics, readTiffTags, type TiffTags, tag } from './tags.js';

/** How blocks are compressed, by the names that the codecs have. */
export type TiffCompression = 'none' | 'lzw' | 'deflate' | 'packbits' | 'zstd' | 'lerc' | 'jpeg' | 'webp' | 'ccitt';

const compressions: Readonly<Record<number, TiffCompression>> = {
  ...{ 1: 'none', 2: 'ccitt', 3: 'ccitt', 4: 'ccitt', 5: 'lzw', 7: 'jpeg', 8: 'deflate', 32946: 'deflate' },
  ...{ 32773: 'packbits', 34887: 'lerc', 50000: 'zstd', 50001: 'webp' },
};
const otherCompressions: Readonly<Record<number, string>> = {
  ...{ 6: 'old-style JPEG', 32766: 'NeXT', 32809: 'ThunderScan', 34661: 'JBIG', 34676: 'SGI LogLuv' },
  ...{ 34677: 'SGI LogLuv 24', 34712: 'JPEG 2000', 34925: 'LZMA', 50002: 'JPEG XL', 52546: 'JPEG XL' },
};
/** Those that give bytes; differences (predictors) are taken before these only, as libtiff does. */
const predicted: readonly TiffCompression[] = ['lzw', 'deflate', 'zstd'];

const sampleKinds: Readonly<Record<number, SampleKind>> = { 1: 'uint', 2: 'int', 3: 'float', 4: 'uint' };
const depths: Readonly<Record<SampleKind, readonly number[]>> = {
  ...{ uint: [1, 2, 4, 8, 16, 32], int: [8, 16, 32], float: [16, 32, 64] },
};

/** The most bytes of a tile or strip, which is decoded as a whole. */
const MOST_BLOCK_BYTES = 2 ** 28;

/** No tile or strip begins before this byte. */
const HEADER_BYTES = 8;

/** A page: what its samples are, and where and how they are stored. */
export interface TiffPage extends Pick<TiffTags, 'photometric' | 'alpha' | 'metadata' | 'orientation' | 'inkProfile'> {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Samples per pixel as stored; a palette has one. */
  readonly stored: number;
  /** Samples per pixel as read; a palette has three, and so have four inks. */
  readonly channels: number;
  /** Bits of a sample as stored. */
  readonly bits: number;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** Bits of a sample as read: at least 8, and 32 for floats of 16 bits. */
  readonly depth: SampleDepth;
  /** How its blocks are compressed. */
  readonly compression: TiffCompression;
  /** The number of the compression in the file. */
  readonly code: number;
  /** 1: none, 2: differences of neighbours in a row, 3: differences of the bytes of floats. */
  readonly predictor: number;
  /** Whether the bits of a byte are stored in reverse. */
  readonly reversed: boolean;
  /** Whether numbers and samples begin with their lowest byte. */
  readonly littleEndian: boolean;
  /** Whether each channel has blocks of its own, those of the second after those of the first. */
  readonly planar: boolean;
  /** Whether blocks are tiles, which all have the same size; strips end with the image. */
  readonly tiled: boolean;
  /** The size of a block. */
  readonly block: { readonly width: number; readonly height: number };
  /** Blocks per row and per column of the image. */
  readonly grid: { readonly columns: number; readonly rows: number };
  /** The place of each block in the file. */
  readonly offsets: Float64Array;
  /** The length of each block in the file. */
  readonly counts: Float64Array;
  /** The colours of a palette: all reds, all greens, all blues, 16 bits each. */
  readonly palette?: Float64Array;
  /** Tables that the JPEG blocks share. */
  readonly jpegTables?: Uint8Array;
  /** What the LERC blocks are compressed with in addition: 0 nothing, 1 deflate, 2 Zstandard. */
  readonly lercCompression: number;
  /** The options of CCITT compression. */
  readonly faxOptions: number;
}

/** What a page announces before anything of that size is read. */
export type Announced = Pick<TiffPage, 'width' | 'height' | 'channels' | 'depth'>;

/** The file that a page is in. */
export interface TiffFacts {
  /** Its length. */
  readonly bytes: number;
  /** Its number of pages. */
  readonly pages: number;
  /** Whether numbers and samples begin with their lowest byte. */
  readonly littleEndian: boolean;
}

/** Reads what a page is. Kinds that are not read here are refused, and sizes that `check` refuses. */
export async function readTiffPage(
  directory: TiffDirectory,
  { bytes, pages, littleEndian }: TiffFacts,
  refuse: Refuse,
  check: (announced: Announced) => void,
): Promise<TiffPage> {
  const code = await directory.number(tag.compression, 1);
  const compression = compressions[code];
  if (compression === undefined) {
    const rule = `must have a compression that is read here, not ${otherCompressions[code] ?? `number ${code}`}`;
    throw refuse(rule, 'save it with LZW, Deflate or no compression');
  }
  const tags = await readTiffTags(directory, { pages, littleEndian }, refuse);
  const { photometric, metadata, orientation, alpha, inkProfile } = tags;
  const [width, height] = [await directory.number(tag.width, 0), await directory.number(tag.height, 0)];
  const stored = await directory.number(tag.samplesPerPixel, 1);
  const { sample, bits } = await readSampleType(directory, refuse);
  const planar = stored > 1 && (await directory.number(tag.planar, 1)) === 2;
  const predictor = await directory.number(tag.predictor, 1);
  const reversed = (await directory.number(tag.fillOrder, 1)) === 2;
  const variant = { photometric, alpha, compression, stored, bits, sample, planar, predictor, reversed, littleEndian };
  const unsupported = unsupportedVariant(variant);
  if (unsupported) {
    const remedy = 'save it as plain grey or RGB, with LZW, Deflate or no compression';
    throw refuse(`must be a kind of TIFF that is read here, not ${unsupported}`, remedy);
  }
  const palette = photometric === photometrics.palette ? await readPalette(directory, bits) : undefined;
  const lookup =
    palette && bits === 8 && isImageJ(metadata.description ?? '') && isGradual(palette) ? palette : undefined;
  const paletted = palette !== undefined && !lookup;
  const channels = paletted ? 3 : photometric === photometrics.inks ? stored - 1 : stored;
  const depth = Math.max(bits, sample === 'float' ? 32 : 8) as SampleDepth;
  check({ width, height, channels, depth });
  const page = {
    ...{ ...variant, width, height, channels, depth, orientation, code },
    ...(lookup && { photometric: photometrics.blackIsZero }),
    metadata: lookup ? { ...metadata, lookup: [...lookup] } : metadata,
    alpha: alpha && !paletted,
    ...(await readBlocks(directory, { width, height, parts: planar ? stored : 1 })),
    ...(paletted && { palette }),
    ...(inkProfile && { inkProfile }),
    ...(compression === 'jpeg' && { jpegTables: await directory.bytes(tag.jpegTables) }),
    lercCompression: compression === 'lerc' ? ((await directory.numbers(tag.lerc))?.[1] ?? 0) : 0,
    faxOptions: await directory.number(code === 3 ? tag.t4Options : tag.t6Options, 0),
  };
  checkBlocks(page, bytes, refuse);
  return page;
}

async function readSampleType(directory: TiffDirectory, refuse: Refuse) {
  const bits = await same(directory, tag.bits, 1, 'bits per sample');
  const sample = sampleKinds[await same(directory, tag.sampleFormat, 1, 'formats of samples')];
  if (sample === undefined) throw refuse('must hold real numbers, not complex ones', 'save their real part');
  if (!depths[sample].includes(bits)) {
    const rule = sample === 'float' ? 'floats of 16, 32 or 64 bits' : 'integers of 8, 16 or 32 bits';
    throw refuse(`must hold ${rule}, not ${bits}`, 'convert its samples to 32-bit float');
  }
  return { sample, bits };
}

/** What a page is, if it is not read; undefined for all kinds that are. */
function unsupportedVariant(
  page: Pick<
    TiffPage,
    | 'photometric'
    | 'alpha'
    | 'compression'
    | 'stored'
    | 'bits'
    | 'sample'
    | 'planar'
    | 'predictor'
    | 'reversed'
    | 'littleEndian'
  >,
): string | undefined {
  const { photometric, alpha, compression, stored, bits, sample, planar, predictor, reversed, littleEndian } = page;
  const plain = sample === 'uint';
  if (!(Number.isInteger(stored) && stored > 0 && stored <= 0xffff)) return `one of ${stored} channels`;
  if (bits < 8 && stored > 1) return `several channels of ${bits} bits`;
  if (photometric === photometrics.rgb && stored < 3) return `RGB with ${stored} channel${stored > 1 ? 's' : ''}`;
  if (photometric === photometrics.whiteIsZero && !(plain && bits <= 16 && stored === 1)) {
    return 'one with white as zero and other samples than unsigned integers of up to 16 bits in one channel';
  }
  if (photometric === photometrics.palette && !(plain && bits <= 8 && stored === 1)) {
    return 'a palette with other samples than integers of up to 8 bits in one channel';
  }
  if (photometric === photometrics.yCbCr && !(compression === 'jpeg' && stored === 3 && !planar)) {
    return 'YCbCr without JPEG compression';
  }
  const colours = stored - Number(alpha);
  const isLab = photometric === photometrics.lab || photometric === photometrics.iccLab;
  if (photometric === photometrics.inks && !(plain && bits === 8 && colours === 4)) {
    return `CMYK with ${colours} inks of ${bits} bits`;
  }
  if (isLab && !(plain && (bits === 8 || bits === 16) && colours === 3)) {
    return `CIE Lab with ${colours} channels of ${bits} bits${plain ? '' : ` (${sample})`}`;
  }
  // Decoders of pictures convert colours of their own accord.
  if ((isLab || photometric === photometrics.inks) && (compression === 'jpeg' || compression === 'webp')) {
    return `${isLab ? 'CIE Lab' : 'CMYK'} with ${compression} compression`;
  }
  if (predictor !== 1) {
    if (![2, 3].includes(predictor)) return `one with predictor ${predictor}`;
    // Some programs apply it all the same, so that such a file has two readings.
    if (!predicted.includes(compression)) return `${compression} compression with a predictor`;
    if (predictor === 2 && bits < 8) return `${bits}-bit samples with a predictor`;
    if (predictor === 3 && sample !== 'float') return 'integers with the predictor of floats';
    // libtiff writes these with the bytes of each sample reversed, unlike the specification, and reads them otherwise.
    if (predictor === 3 && !littleEndian) return 'big-endian with the predictor of floats';
  }
  if (reversed && compression !== 'none' && compression !== 'ccitt') return `${compression} with reversed bits`;
  if (compression === 'jpeg' && !(plain && bits === 8 && (planar || stored === 1 || stored === 3))) {
    return `JPEG compression of ${stored} channels of ${bits} bits`;
  }
  if (compression === 'webp' && !(plain && bits === 8 && !planar && (stored === 3 || stored === 4))) {
    return `WebP compression of ${stored} channels of ${bits} bits`;
  }
  if (compression === 'ccitt' && !(bits === 1 && plain && photometric <= photometrics.blackIsZero)) {
    return `CCITT compression of ${bits}-bit samples`;
  }
  if (compression === 'lerc' && (bits < 8 || (bits === 16 && sample === 'float')))
    return `LERC compression of ${bits}-bit samples`;
  if (compression === 'lerc' && !littleEndian && bits > 8) return 'big-endian with LERC compression';
  return undefined;
}

/** The value of a tag that has one for each channel, all of them equal. */
async function same(directory: TiffDirectory, number: number, otherwise: number, what: string): Promise<number> {
  const [first = otherwise, ...others] = (await directory.numbers(number)) ?? [];
  if (others.some((other) => other !== first)) throw new Error(`its channels have different ${what}`);
  return first;
}

async function readPalette(directory: TiffDirectory, bits: number): Promise<Float64Array> {
  const palette = await directory.numbers(tag.palette);
  if (palette?.length !== 3 * 2 ** bits) throw new Error('its palette is incomplete');
  return palette;
}

/** The largest difference of two neighbours in a lookup table, of 65535. */
const MOST_STEP = 32 * 257;

/**
 * Whether a palette is a lookup table that ImageJ shows a grey image with, such as fire: then the indices are the samples. The palette of a
 * colour picture has colours in any order. The ends of a table may be marks.
 */
function isGradual(palette: Float64Array): boolean {
  const size = palette.length / 3;
  return palette.every((value, i) => {
    const index = i % size;
    return index < 2 || index > size - 2 || Math.abs(value - palette[i - 1]) <= MOST_STEP;
  });
}

async function readBlocks(
  directory: TiffDirectory,
  { width, height, parts }: { readonly width: number; readonly height: number; readonly parts: number },
) {
  const tiled = directory.has(tag.tileWidth);
  const strip = Math.min(await directory.number(tag.rowsPerStrip, height), height);
  const block = tiled
    ? { width: await directory.number(tag.tileWidth, 0), height: await directory.number(tag.tileHeight, 0) }
    : { width, height: strip };
  if (!(block.width > 0 && block.height > 0)) throw new Error('its tiles or strips have no pixels');
  const grid = { columns: Math.ceil(width / block.width), rows: Math.ceil(height / block.height) };
  const [places, lengths] = tiled
    ? ([tag.tileOffsets, tag.tileCounts] as const)
    : ([tag.stripOffsets, tag.stripCounts] as const);
  const offsets = (await directory.numbers(places)) ?? new Float64Array(0);
  const counts = (await directory.numbers(lengths)) ?? new Float64Array(0);
  const blocks = grid.columns * grid.rows * parts;
  if (offsets.length < blocks || counts.length < blocks)
    throw new Error(`it lists ${Math.min(offsets.length, counts.length)} tiles or strips, not ${blocks}`);
  return { tiled, block, grid, offsets, counts };
}

/** Bytes of a row of a block, uncompressed. */
export function rowBytes(page: Pick<TiffPage, 'block' | 'bits' | 'stored' | 'planar'>): number {
  const { block, bits, stored, planar } = page;
  return Math.ceil((block.width * bits * (planar ? 1 : stored)) / 8);
}

/** Refuses files that are cut short or sparse, and blocks that would not fit in memory. */
function checkBlocks(page: TiffPage, bytes: number, refuse: Refuse): void {
  const { block, grid, offsets, counts, planar, stored } = page;
  const size = rowBytes(page) * block.height;
  if (!(size <= MOST_BLOCK_BYTES)) {
    const rule = `must have tiles or strips of at most ${MOST_BLOCK_BYTES} bytes, not ${size}`;
    throw refuse(rule, 'save it again with smaller ones', ResourceError);
  }
  const blocks = grid.columns * grid.rows * (planar ? stored : 1);
  for (let i = 0; i < blocks; i++) {
    // Sparse files leave out what is empty, and do not say what it is empty of. The header has the place of what is missing.
    if (counts[i] === 0 || offsets[i] < HEADER_BYTES)
      throw refuse('must hold every strip and tile of its image', 'save it again in full, not sparse');
    if (!(offsets[i] + counts[i] <= bytes)) throw new Error('the file ends before its last tile or strip');
    if (page.compression === 'none' && counts[i] < rowBytes(page) * rowsOf(page, i)) {
      throw new Error(`tile or strip ${i} is shorter than its pixels`);
    }
  }
}

/** The rows of a block that are stored: tiles are whole, strips end with the image. */
export function rowsOf(
  { block, grid, height, tiled }: Pick<TiffPage, 'block' | 'grid' | 'height' | 'tiled'>,
  index: number,
): number {
  const row = Math.floor((index % (grid.columns * grid.rows)) / grid.columns);
  return tiled ? block.height : Math.min(block.height, height - row * block.height);
}
