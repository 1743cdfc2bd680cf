/**
 * Tiled TIFF, BigTIFF and COG, read window by window: by geotiff where it gives the samples as they are stored, else by sharp (JPEG
 * tiles, palettes, white as zero), so that the samples are those of the untiled reader in every case. Striped files are read by rows.
 */
import { open, stat } from 'node:fs/promises';
import type { GeoTIFF, GeoTIFFImage } from 'geotiff';
import { InputError, ResourceError, type Samples } from 'ght';
import { asSamples, type ImageMetadata, type RasterSamples } from 'ght-images';
import {
  checkClaim,
  IncompleteInstallation,
  intact,
  openBySharp,
  type Refuse,
  readTiffTags,
  type SharpImage,
  type TiffTags,
} from 'ght-images/node';
import type { Picture, Rectangle } from '../picture.js';
import type { Source } from '../source.js';
import { FileRanges } from './fileRanges.js';
import { abortable, checkAddress, isAddress, refusingFor, request, type SourceOptions } from './sourceOptions.js';
import { checkWindow } from './windows.js';

/** The most bytes of a tile or strip, which is decoded as a whole. */
const MOST_TILE_BYTES = 2 ** 28;
/** The size of the strips that a single one is split into. */
const STRIP_BYTES = 2 ** 20;
const UNCOMPRESSED = 1;
/** The most pages that are looked at: a damaged chain of them may run in a circle. */
const MOST_PAGES = 4096;

const kinds: Readonly<Record<number, Picture['sample']>> = { 1: 'uint', 2: 'int', 3: 'float' };
const depths = { uint: [8, 16, 32], int: [8, 16, 32], float: [16, 32, 64] } as const;
/** None, LZW, Deflate, PackBits, LERC, Zstandard: geotiff decodes these to the bits that were encoded. */
const lossless: readonly number[] = [1, 5, 8, 32946, 32773, 34887, 50000];

/** A TIFF that is a source once it is known to be tiled and upright. */
export interface OpenTiff extends Source {
  /** Whether windows are read as quickly as they should be: it consists of tiles. */
  readonly tiled: boolean;
  /** How sharp reads it, where geotiff does not give the samples as they are. */
  readonly sharp?: SharpImage;
  /** Which way is up, as in EXIF; a source must be upright, which is 1. */
  readonly orientation: number;
}

/** Opens a tiled TIFF; a striped or turned one is refused. */
export async function tiffSource(name: string, options: SourceOptions = {}): Promise<Source> {
  const tiff = await openTiff(name, options);
  if (tiff.tiled && tiff.orientation === 1) return tiff;
  await tiff.close();
  const rule = tiff.tiled ? 'must be upright' : 'must be tiled';
  throw refusingFor(name, options)(
    rule,
    'save it again as a tiled TIFF, for example with vips copy in.tif out.tif[tile]',
  );
}

/** Opens a TIFF of any kind. Several pages are refused, but not smaller ones after the first: overviews, thumbnails and labels. */
export async function openTiff(name: string, options: SourceOptions = {}): Promise<OpenTiff> {
  checkAddress(name, options);
  const refuse = refusingFor(name, options);
  const { bytes, version } = isAddress(name) ? await addressFacts(name, options) : await fileFacts(name, refuse);
  const { GeoTIFF, fromUrl } = await loadGeotiff();
  const { signal } = options;
  return abortable(async () => {
    const ranges = isAddress(name) ? undefined : await intact(FileRanges.open(name), 'tiff', refuse);
    try {
      const opening = ranges ? GeoTIFF.fromSource(ranges, undefined, signal) : fromUrl(name, {}, signal);
      const file = await intact(opening, 'tiff', refuse);
      const tiff = await intact(describe(file, name, { bytes, version }, refuse), 'tiff', refuse);
      signal?.throwIfAborted();
      return { ...tiff, close: async () => ranges?.close() };
    } catch (error) {
      await ranges?.close();
      throw error;
    }
  }, signal);
}

function loadGeotiff() {
  return import('geotiff').catch((reason: unknown) => {
    throw new IncompleteInstallation('geotiff, which reads TIFF files', reason);
  });
}

interface FileFacts {
  /** The length of the file. */
  readonly bytes: number;
  /** What tells its content from another one. */
  readonly version: string;
}

/** The length and the time of a file. */
export async function fileFacts(path: string, refuse: Refuse): Promise<FileFacts> {
  const { size, mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw refuse('must be an existing file', 'check the path', InputError, { cause });
  });
  return { bytes: size, version: `${size}-${mtimeMs}` };
}

/** The length and the ETag at an address whose server answers with ranges. */
async function addressFacts(name: string, options: SourceOptions): Promise<FileFacts> {
  const response = await request(name, { Range: 'bytes=0-15' }, options);
  await response.body?.cancel();
  const bytes = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]);
  if (response.status !== 206 || !(bytes > 0)) {
    throw refusingFor(name, options)('must be on a server that answers with ranges', 'fetch the file first');
  }
  const version = response.headers.get('etag') ?? `${bytes}-${response.headers.get('last-modified') ?? ''}`;
  return { bytes, version };
}

async function describe(
  file: GeoTIFF,
  name: string,
  facts: FileFacts,
  refuse: Refuse,
): Promise<Omit<OpenTiff, 'close'>> {
  const image = await file.getImage(0);
  const [width, height, channels] = [image.getWidth(), image.getHeight(), image.getSamplesPerPixel()];
  checkClaim({ width, height, channels, bytes: facts.bytes }, refuse);
  await checkPages(file, { width, height }, refuse);
  const tags = await readTiffTags(image.getFileDirectory(), 1, refuse);
  const orientation = await tags.orientation();
  const common = { version: facts.version, tiled: image.isTiled, orientation };
  const exact = exactPicture(image, tags);
  if (!exact) {
    if (isAddress(name)) {
      throw refuse(
        `must have samples that are read by ranges, not ${tags.compression.name} or a palette`,
        'fetch it first',
      );
    }
    return { ...common, chunk: tileOf(image), ...(await bySharp(name, facts.bytes, tags, refuse)) };
  }
  if (!image.isTiled && tags.compression.code === UNCOMPRESSED) await splitStrip(image);
  await checkTiles(image, facts.bytes, refuse);
  const icc = await tags.icc().catch(() => undefined);
  const picture = { width, height, ...exact, metadata: metadataFor(tags.metadata, icc) };
  return {
    ...common,
    chunk: tileOf(image),
    picture,
    read: (window, signal) => readBy(window, picture, refuse, signal, () => rasters(image, window, signal)),
  };
}

/** What the samples are, where geotiff gives them as they are; undefined where sharp has to. */
function exactPicture(image: GeoTIFFImage, tags: TiffTags) {
  const { photometric, compression, hasAlpha } = tags;
  const sample = kinds[image.getSampleFormat()];
  const depth = image.getBitsPerSample();
  const known = sample !== undefined && (depths[sample] as readonly number[]).includes(depth);
  if (!known || !lossless.includes(compression.code) || (photometric !== 1 && photometric !== 2)) return undefined;
  const count = image.getSamplesPerPixel();
  const alpha = hasAlpha(photometric === 2, count);
  return {
    ...{ channels: count - (alpha ? 1 : 0), alpha, sample },
    // Floats of 16 bits come, and are written, as floats of 32 bits.
    depth: (sample === 'float' && depth === 16 ? 32 : depth) as Picture['depth'],
  };
}

function metadataFor(metadata: ImageMetadata, icc: Uint8Array | undefined): ImageMetadata {
  return { ...metadata, ...(icc && { icc }) };
}

/** Refuses further pictures of the same size or larger. A pointer to nowhere after the first page is followed by nobody. */
async function checkPages(
  file: GeoTIFF,
  first: { readonly width: number; readonly height: number },
  refuse: Refuse,
): Promise<void> {
  for (let index = 1; index < MOST_PAGES; index++) {
    const page = await file.getImage(index).catch(() => undefined);
    if (!page) return;
    if (page.getWidth() >= first.width && page.getHeight() >= first.height) break;
  }
  throw refuse('must hold exactly one page', 'save the page you want as a file of its own');
}

function tileOf(image: GeoTIFFImage): Source['chunk'] {
  return { width: image.getTileWidth(), height: image.getTileHeight() };
}

/**
 * Lets geotiff take the one strip of an image, as ImageJ writes it, for many: it decodes strips as a whole, but rows that are not
 * compressed need no other rows.
 */
async function splitStrip(image: GeoTIFFImage): Promise<void> {
  const directory = image.getFileDirectory();
  const height = image.getHeight();
  const [offsetsTag, rowsTag, countsTag] = [273, 278, 279];
  const offsets = Array.from((await directory.loadValue(offsetsTag)) as ArrayLike<unknown>, Number);
  const counts = Array.from((await directory.loadValue(countsTag)) as ArrayLike<unknown>, Number);
  const strips = image.planarConfiguration === 2 ? image.getSamplesPerPixel() : 1;
  const rowBytes = (image.getWidth() * image.getBytesPerPixel()) / strips;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  if (image.getTileHeight() < height || rows >= height || offsets.length !== strips) return;
  if (counts.some((count) => count < rowBytes * height)) throw new Error('the strip ends before its last row');
  const places: number[] = [];
  const lengths: number[] = [];
  for (const offset of offsets) {
    for (let row = 0; row < height; row += rows) {
      places.push(offset + row * rowBytes);
      lengths.push(Math.min(rows, height - row) * rowBytes);
    }
  }
  for (const tag of [offsetsTag, countsTag]) directory.deferredArrays.delete(tag);
  directory.actualizedFields.set(offsetsTag, places).set(rowsTag, rows).set(countsTag, lengths);
}

/** Refuses files that are cut short or sparse, and tiles that would not fit in memory. */
async function checkTiles(image: GeoTIFFImage, bytes: number, refuse: Refuse): Promise<void> {
  const planar = image.planarConfiguration === 2;
  const channels = image.getSamplesPerPixel();
  const sampleBytes = image.getBitsPerSample() / 8;
  const [wide, tall] = [image.getTileWidth(), image.getTileHeight()];
  const size = wide * tall * sampleBytes * (planar ? 1 : channels);
  if (!(size > 0 && size <= MOST_TILE_BYTES)) {
    const rule = `must have tiles or strips of at most ${MOST_TILE_BYTES} bytes, not ${size}`;
    throw refuse(rule, 'save it again with smaller ones', ResourceError);
  }
  const across = Math.ceil(image.getWidth() / wide) * Math.ceil(image.getHeight() / tall);
  const directory = image.getFileDirectory();
  const kind = image.isTiled ? 'Tile' : 'Strip';
  const counts: ArrayLike<unknown> = (await directory.loadValue(`${kind}ByteCounts`)) ?? [];
  const offsets: ArrayLike<unknown> = (await directory.loadValue(`${kind}Offsets`)) ?? [];
  for (let i = 0; i < across * (planar ? channels : 1); i++) {
    const [count, offset] = [Number(counts[i] ?? 0), Number(offsets[i] ?? 0)];
    // Sparse files leave out what is empty, and do not say what it is empty of.
    if (count === 0) throw refuse('must hold every strip and tile of its image', 'save it again in full, not sparse');
    if (offset + count > bytes) throw new Error('the file ends before its last tile');
  }
}

async function rasters(image: GeoTIFFImage, window: Rectangle, signal?: AbortSignal): Promise<Samples[]> {
  const { left, top, width, height } = window;
  const channels = await image.readRasters({ window: [left, top, left + width, top + height], signal });
  return Array.from(channels, (channel) => asSamples(channel as RasterSamples));
}

async function bySharp(name: string, bytes: number, tags: TiffTags, refuse: Refuse) {
  const file = { source: name, format: 'tiff', head: new Uint8Array(0), bytes } as const;
  const sharp = await openBySharp(file, refuse, checkClaim, { index: 0, tags });
  const picture = pictureOf(sharp);
  const read: Source['read'] = (window, signal) =>
    readBy(window, picture, refuse, signal, () => sharp.read({ ...window }));
  return { picture, read, sharp };
}

/** What is known about a picture that sharp reads. */
export function pictureOf({ width, height, channels, alpha, sample, depth, metadata }: SharpImage): Picture {
  return { width, height, channels: channels - (alpha ? 1 : 0), alpha, sample, depth, metadata };
}

async function readBy(
  window: Rectangle,
  picture: Picture,
  refuse: Refuse,
  signal: AbortSignal | undefined,
  read: () => Promise<Samples[]>,
): Promise<Samples[]> {
  checkWindow(window, picture);
  return abortable(() => intact(read(), 'tiff', refuse), signal);
}

/** The first bytes of a file. */
export async function headOf(path: string, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(length);
    const { bytesRead } = await file.read(head, 0, length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
