import { type Image, OptionError } from 'ght';
import { writeNpy } from 'ght/npy';
import type { Axes } from '../axes.js';
import { encodeBmp } from '../bmp.js';
import type { Bytes } from '../bytes.js';
import { profileFits } from '../exif.js';
import { encodeFits } from '../fits.js';
import {
  formatNames,
  formatOfName,
  type ImageFile,
  type ImageFormat,
  type ImageMetadata,
  imageExtensions,
} from '../image-file.js';
import { describeFile, exifFor } from '../metadata/describe.js';
import { coloursIn, notKept } from '../metadata/not-kept.js';
import { encodeNetpbm } from '../netpbm.js';
import { type Raster, type RasterSamples, toRaster } from '../raster.js';
import { encodePng } from './encode-png.js';
import { encodeTiff, memoryFile, TiffPages } from './encode-tiff.js';
import { encodeExrFile } from './exr.js';
import { type Output, writeTogether } from './files.js';
import { loadSharp } from './packages.js';

/** How an image is encoded. */
export interface EncodeOptions {
  /** The quality of a JPEG, from 1 to 100. @default 95 */
  readonly jpegQuality?: number;
}

/**
 * Writes an image in the format its name asks for, with the depth and the metadata of `like`. What the format cannot
 * hold is refused as by `checkFormat`; integers are rounded to the nearest and clamped to their range here and only
 * here. The file appears whole or not at all.
 *
 * PNG, TIFF (deflate), WebP, BMP, EXR and `.npy` are lossless. JPEG has quality 95 and full colour resolution (4:4:4). WebP has no
 * grey, so grey becomes three equal channels there. In `.npy` alpha is the last channel. What of the metadata a format cannot hold is left
 * out: `notKept` of `ght-images` says what.
 */
export async function writeImage(path: string, image: Image, like: ImageFile, parameter = 'output'): Promise<void> {
  await writeTogether([await imageOutput(path, image, like, parameter)]);
}

/** The same, not yet written: to be written together with others. */
export async function imageOutput(
  path: string,
  image: Image,
  like: ImageFile,
  parameter = 'output',
  options: EncodeOptions = {},
): Promise<Output> {
  const format = checkFormat(path, image, like, parameter);
  const lost = notKept(format, image.planes.length, like.metadata);
  return { path, bytes: await encodeImage(image, format, like, options), parameter, notKept: lost };
}

/** The bytes of a file of a format that holds such an image, as `checkHolds` says, with all that `writeImage` keeps. */
export function encodeImage(
  image: Image,
  format: ImageFormat,
  like: ImageFile,
  options: EncodeOptions = {},
): Promise<Uint8Array> {
  return encode(toRaster(image, like.sample, like.depth), format, like, options);
}

/** The longest side, where a format has a limit that an image within the pixel limit can pass. */
const longestSide: Partial<Record<ImageFormat, number>> = { jpeg: 65535, webp: 16383, avif: 16384 };

/**
 * The format of an output name, or an OptionError if that format cannot hold such an image: the depth of `like`, its
 * alpha, its number of channels, its size. Call it before the work, with `like.image` for the image.
 */
export function checkFormat(path: string, image: Image, like: ImageFile, parameter = 'output'): ImageFormat {
  const format = formatOfName(path);
  if (format === undefined) {
    const rule = `must end in ${imageExtensions.join(', ')}`;
    throw new OptionError(parameter, rule, path, 'choose one of these extensions');
  }
  checkHolds(format, image, like, parameter, path);
  return format;
}

/** Refuses a format that cannot hold such an image with an OptionError about `value`, which requests it. */
export function checkHolds(format: ImageFormat, image: Image, like: ImageFile, parameter: string, value: string): void {
  const refuse = (rule: string, remedy: string) => new OptionError(parameter, rule, value, remedy);
  const name = formatNames[format];
  const premultiplied = like.metadata?.premultiplied === true;
  if (image.alpha && premultiplied && format !== 'exr' && format !== 'npy') {
    throw refuse(`must name a format that holds premultiplied alpha, which ${name} does not`, 'use .exr or .npy');
  }
  if (format === 'tiff' || format === 'npy' || (format === 'fits' && !image.alpha)) return;
  if (format === 'fits')
    throw refuse(`must name a format that holds alpha, which ${name} does not`, 'use .tiff or .npy');
  if (format === 'gif' || format === 'heic') {
    throw refuse(`must name a format that is written, which ${name} is not`, 'use .png or .tiff');
  }
  const ofFloats = format === 'pfm' || format === 'exr';
  if (ofFloats && !(like.sample === 'float' && like.depth <= 32)) {
    const kind = like.sample === 'float' ? '64-bit floats' : 'integers';
    throw refuse(`must name a format that holds ${kind}, which ${name} does not`, 'use .tiff or .npy');
  }
  if (format === 'exr' && image.alpha && !premultiplied && !like.metadata?.exrChannels) {
    throw refuse('must name a format that holds straight alpha, which EXR does not', 'use .tiff');
  }
  if (like.sample === 'float' && !ofFloats) {
    throw refuse(`must name a format that holds floats, which ${name} does not`, 'use .tiff or .npy');
  }
  if (like.sample === 'int' || (like.sample === 'uint' && like.depth === 32)) {
    const kind = like.sample === 'int' ? 'signed samples' : '32-bit samples';
    throw refuse(`must name a format that holds ${kind}, which ${name} does not`, 'use .tiff or .npy');
  }
  if (like.depth === 16 && format !== 'png' && format !== 'ppm') {
    throw refuse(`must name a format that holds 16 bits, which ${name} does not`, 'use .png or .tiff');
  }
  if (image.alpha && (format === 'jpeg' || format === 'ppm' || format === 'pfm')) {
    throw refuse(`must name a format that holds alpha, which ${name} does not`, 'use .png, .webp or .tiff');
  }
  if (image.planes.length !== 1 && image.planes.length !== 3) {
    const rule = `must name a format that holds ${image.planes.length} channels, which ${name} does not`;
    throw refuse(rule, 'use .tiff or .npy');
  }
  const most = longestSide[format] ?? Number.POSITIVE_INFINITY;
  if (Math.max(image.width, image.height) > most) {
    const rule = `must name a format that holds ${image.width}×${image.height} pixels, as ${name} ends at ${most} per side`;
    throw refuse(rule, 'use .png or .tiff');
  }
}

async function encode(
  raster: Raster,
  format: ImageFormat,
  like: ImageFile,
  { jpegQuality = 95 }: EncodeOptions,
): Promise<Uint8Array> {
  const { channels, alpha, depth } = raster;
  const metadata = metadataFor(format, channels - (alpha ? 1 : 0), like);
  if (format === 'npy') return encodeNpy(raster, metadata.axes ?? 'HW');
  if (format === 'tiff') return encodeTiff(raster, metadata);
  if (format === 'bmp') return encodeBmp(raster, metadata.resolution);
  if (format === 'fits') return encodeFits(raster, metadata.fits);
  if (format === 'exr') return encodeExrFile(raster, metadata.exrChannels);
  if (format === 'ppm' || format === 'pfm') return encodeNetpbm(raster, metadata.white);

  const deep = depth === 16;
  const grey = channels - (alpha ? 1 : 0) === 1;
  const space = grey ? (deep ? 'grey16' : 'b-w') : deep ? 'rgb16' : 'srgb';
  const sharp = await loadSharp();
  if (format === 'avif') return encodeAvif(raster, metadata);
  if (format === 'gif' || format === 'heic') {
    throw new OptionError('format', 'must be one that is written', formatNames[format], 'use PNG or TIFF');
  }
  const pipeline = sharp(await encodePng(raster), { limitInputPixels: false, sequentialRead: true }).toColourspace(
    space,
  );
  const encoder =
    format === 'png'
      ? pipeline.png({ adaptiveFiltering: true })
      : format === 'jpeg'
        ? pipeline.jpeg({ quality: jpegQuality, chromaSubsampling: '4:4:4' })
        : pipeline.webp({ lossless: true, exact: true });
  return describeFile((await encoder.toBuffer()) as Uint8Array as Bytes, format, raster, metadata);
}

/** A lossless AVIF. Its metadata reach the encoder in a PNG. */
async function encodeAvif(raster: Raster, metadata: ImageMetadata): Promise<Uint8Array> {
  const { icc, xmp } = metadata;
  const exif = exifFor('avif', metadata);
  const png = await describeFile((await encodePng(raster)) as Uint8Array as Bytes, 'png', raster, { icc, exif, xmp });
  const sharp = await loadSharp();
  const pipeline = sharp(png, { limitInputPixels: false }).toColourspace(raster.channels < 3 ? 'b-w' : 'srgb');
  const kept = pipeline.keepIccProfile().keepXmp();
  // Where there is no EXIF, the encoder would make one with a resolution of 72 dpi.
  return (exif ? kept.keepExif() : kept).avif({ lossless: true }).toBuffer();
}

/** The metadata that a result with this many colours keeps. */
export function metadataFor(format: ImageFormat, colours: number, { metadata = {} }: ImageFile): ImageMetadata {
  const { icc, ...rest } = metadata;
  return icc && profileFits(icc, coloursIn(format, colours)) ? { ...rest, icc } : rest;
}

const arrayTypes = {
  uint: { 8: 'u1', 16: 'u2', 32: 'u4', 64: 'u4' },
  int: { 8: 'i1', 16: 'i2', 32: 'i4', 64: 'i4' },
  float: { 8: 'f4', 16: 'f4', 32: 'f4', 64: 'f8' },
} as const;

/** A `.npy` in the order of the input, or H×W and H×W×C. */
function encodeNpy(raster: Raster, axes: Axes): Uint8Array {
  const { width, height, channels, sample, depth } = raster;
  const type = arrayTypes[sample][depth];
  const data = raster.rows(0, height);
  if (axes !== 'CHW') {
    const shape = channels === 1 && axes !== 'HWC' ? [height, width] : [height, width, channels];
    return writeNpy({ type, shape, data });
  }
  const planar = data.slice();
  const size = width * height;
  for (let i = 0, at = 0; i < size; i++) {
    for (let c = 0; c < channels; c++) planar[c * size + i] = data[at++];
  }
  return writeNpy({ type, shape: [channels, height, width], data: planar });
}

/** A file of several pages, to which results are added one by one. */
export interface PagesOutput {
  /** Adds a result with the depth, profile and resolution of `like`. */
  add(image: Image, like: ImageFile): Promise<void>;
  /** The file, not yet written. */
  finish(): Promise<Output>;
}

/**
 * Begins a file of several pages: a TIFF or, if its name or `format` says so, an array of N×H×W or N×H×W×C. `whole` says
 * that all pages of the input are written: only then the description, which counts them, is kept.
 */
export function pagesOutput(
  path: string,
  whole: boolean,
  parameter = 'output',
  format = formatOfName(path),
): PagesOutput {
  return format === 'npy' ? arrayOfPages(path, parameter) : tiffOfPages(path, whole, parameter);
}

function tiffOfPages(path: string, whole: boolean, parameter: string): PagesOutput {
  const file = memoryFile();
  const pages = new TiffPages(file.write);
  let count = 0;
  const lost = new Set<string>();
  const add = (image: Image, like: ImageFile) => {
    for (const part of notKept('tiff', image.planes.length, like.metadata, whole)) lost.add(part);
    const metadata = metadataFor('tiff', image.planes.length, like);
    const { description: _, imageJ: __, ...others } = metadata;
    return pages.write(count++, toRaster(image, like.sample, like.depth), whole ? metadata : others);
  };
  const finish = async () => {
    await pages.finish();
    return { path, bytes: file.bytes(), parameter, notKept: [...lost] };
  };
  return { add, finish };
}

function arrayOfPages(path: string, parameter: string): PagesOutput {
  const pages: Raster[] = [];
  const lost = new Set<string>();
  const shapeOf = ({ height, width, channels }: Raster) => [height, width, ...(channels === 1 ? [] : [channels])];
  const kindOf = (page: Raster) => `${shapeOf(page).join('×')} of ${arrayTypes[page.sample][page.depth]}`;
  const add = async (image: Image, like: ImageFile) => {
    const page = toRaster(image, like.sample, like.depth);
    if (pages.length > 0 && kindOf(page) !== kindOf(pages[0])) {
      const rule = `must get pages of one size and type for an array, ${kindOf(pages[0])}`;
      throw new OptionError(parameter, rule, kindOf(page), 'use .tiff');
    }
    for (const part of notKept('npy', image.planes.length, like.metadata)) lost.add(part);
    pages.push(page);
  };
  const finish = async () => {
    const [first] = pages;
    const size = first.height * first.width * first.channels;
    const Samples = first.rows(0, 0).constructor as new (length: number) => RasterSamples;
    const all = new Samples(size * pages.length);
    for (const [i, page] of pages.entries()) all.set(page.rows(0, page.height), i * size);
    const shape = [pages.length, ...shapeOf(first)];
    const bytes = writeNpy({ type: arrayTypes[first.sample][first.depth], shape, data: all });
    return { path, bytes, parameter, notKept: [...lost] };
  };
  return { add, finish };
}
