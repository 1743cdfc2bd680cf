import { totalmem } from 'node:os';
import { type Image, InputError, isGhtError, OptionError, ResourceError, readJpegInfo } from 'ght';
import type { NpyArray } from 'ght/npy';
import { fromArray, parseArray } from '../arrays.js';
import type { Axes } from '../axes.js';
import type { Declared, Decoded } from '../decoded.js';
import { foreignOf } from '../foreign.js';
import { formatOfContent, type ImageFile, type ImageFormat } from '../image-file.js';
import { pixelLimit } from '../limits.js';
import { fullScale, rangeOf } from '../range.js';
import type { Refuse } from '../refuse.js';
import { turned } from '../resolution.js';
import { upright } from '../upright.js';
import { arrayIn } from './array-in.js';
import { openPages, type Pages } from './decode.js';
import { checkSize } from './decoded.js';
import { readBytes } from './files.js';

/** What is known of a file that the file itself does not say. */
export interface ReadOptions {
  /** The order of the dimensions of a `.npy` of three. @default 'HWC' where no other order makes sense */
  readonly axes?: Exclude<Axes, 'HW'>;
  /** The name of the array in an `.npz` or `.mat` of several. @default the only one */
  readonly array?: string;
  /** The white level, such as 4095 for 12 bits in 16. @default 255 or 65535, or the range of other samples */
  readonly peak?: number;
  /** What errors call bytes that come from no file. @default 'bytes' */
  readonly name?: string;
  /** What errors call the image. @default 'file' */
  readonly parameter?: string;
}

/** A file of one or more images. */
export interface ImagePages {
  /** How many there are; 1 for all but a TIFF and an array of N×H×W. */
  readonly count: number;
  /** Decided by the content of the file, never by its name. */
  readonly format: ImageFormat;
  /** Reads one of them, counted from 0. */
  page(index: number): Promise<ImageFile>;
}

/**
 * Reads an image file by its path, or its bytes: PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP and PPM of 8 bits, PNG, TIFF and PPM of 16 bits, TIFF, PFM, FITS and EXR of
 * floats, TIFF of signed and 32-bit integers, and arrays of these types and shape H×W, H×W×C or C×H×W in `.npy`, `.npz` and MAT-files of level 5, whatever the name of the file. Samples
 * come exactly as they are stored, turned upright if the file has an orientation; alpha is kept apart. CMYK and CIE Lab are converted to sRGB,
 * which is the first entry of `notRead` in the metadata. A `.npy` has no alpha: all its channels are planes. Floats of 16 bits come, and are written, as floats of 32 bits.
 *
 * Everything that could not be read so is refused with an InputError: several pages,
 * arrays whose axes are not clear, premultiplied alpha, damaged and truncated files. NaN and infinities pass.
 * What is too large for the limits or for the memory is refused with a ResourceError.
 *
 * @example
 * ```js
 * import { denoise } from 'ght';
 * import { readImage, writeImage } from 'ght-images/node';
 *
 * const file = await readImage('noisy.png');
 * const { image } = await denoise(file.image);
 * await writeImage('clean.png', image, file);
 * ```
 */
export async function readImage(source: string | Uint8Array, options: ReadOptions = {}): Promise<ImageFile> {
  const pages = await openImage(source, options);
  if (pages.count > 1) {
    const remedy = 'save the page you want as a file of its own';
    throw refusing(nameOf(source, options), options.parameter ?? 'file')('must hold exactly one page', remedy);
  }
  return pages.page(0);
}

/** Opens a file of any number of pages; each is refused as `readImage` does. */
export async function openImage(source: string | Uint8Array, options: ReadOptions = {}): Promise<ImagePages> {
  const { parameter = 'file' } = options;
  const refuse = refusing(nameOf(source, options), parameter);
  const isWanted = (head: Uint8Array) => {
    if (options.axes !== 'NHW') refuseLargeArray(head, refuse);
    return isKnown(head);
  };
  const content = typeof source === 'string' ? await readBytes(source, parameter, { isWanted }) : Buffer.from(source);
  const bytes = await intact(arrayIn(content, options.array, refuse), 'npz', refuse);
  // Some raw files of cameras begin like a TIFF.
  const format = foreignOf(bytes) ? undefined : formatOfContent(bytes);
  if (format === undefined) {
    const foreign = foreignOf(bytes);
    const formats = 'PNG, JPEG, TIFF, WebP, AVIF, GIF, BMP, PPM, PFM, FITS, EXR or .npy';
    throw refuse(
      `must be a ${formats} file${foreign ? `, not ${foreign.name}` : ''}`,
      foreign?.remedy ?? 'convert it to one of these formats',
    );
  }
  const pages = await intact(open(bytes, format, refuse, options.axes), format, refuse);
  const page = async (index: number) => {
    const decoded = await intact(pages.decode(index), format, refuse);
    const file = fileOf(decoded, format, options.peak);
    const jpeg = format === 'jpeg' ? readJpegInfo(bytes, decoded.orientation) : undefined;
    return { ...file, ...(jpeg && { jpeg }) };
  };
  return { count: pages.count, format, page };
}

/** The lengths in the header of a `.npy`; undefined if the file is no `.npy` of two or three dimensions. */
function shapeIn(head: Uint8Array): number[] | undefined {
  if (formatOfContent(head) !== 'npy') return undefined;
  const [, ...shape] = /'shape': \((\d+), (\d+)(?:, (\d+))?\)/.exec(Buffer.from(head).toString('latin1')) ?? [];
  return shape.length === 0 ? undefined : shape.filter((length) => length !== undefined).map(Number);
}

/** Refuses an array of one image by the shape at its beginning, before gigabytes of it are read; all else is left to the reader. */
function refuseLargeArray(head: Uint8Array, refuse: Refuse): void {
  const shape = shapeIn(head);
  if (!shape) return;
  // The order of the axes may be open: the least that any order could mean are the products without the longest side.
  const sides = shape.toSorted((a, b) => a - b);
  if (sides[0] * sides[1] <= pixelLimit) return;
  const rule = `must have at most ${pixelLimit} pixels, not ${shape.join('×')}`;
  throw refuse(rule, 'crop it', ResourceError);
}

/** Whether a file begins like one of the formats that are read. */
const isKnown = (head: Uint8Array) => formatOfContent(head) !== undefined;

async function open(bytes: Buffer, format: ImageFormat, refuse: Refuse, axes: ReadOptions['axes']): Promise<Pages> {
  if (format !== 'npy') return openPages(bytes, format, refuse);
  const array = parseArray(bytes, refuse);
  const check = (declared: Declared) => checkSize(declared, refuse);
  if (axes !== 'NHW' || array.shape.length !== 3) {
    return { count: 1, decode: async () => fromArray(array, axes, refuse, check) };
  }
  const [count, ...shape] = array.shape;
  if (count === 0) throw refuse('must have at least one page', 'give another array');
  const size = shape[0] * shape[1];
  const decode = async (page: number) => {
    const data = array.data.slice(page * size, (page + 1) * size);
    return { ...fromArray({ type: array.type, shape, data }, undefined, refuse, check), metadata: { axes } };
  };
  return { count, decode };
}

/** What a decoder throws, as an error about the file. */
export function intact<T>(work: Promise<T>, format: string, refuse: Refuse): Promise<T> {
  return work.catch((cause: unknown) => {
    if (isGhtError(cause)) throw cause;
    if (cause instanceof RangeError && /allocation failed/.test(cause.message)) {
      const remedy = 'close other programs, or cut it into tiles';
      throw refuse('must fit in the memory that is free', remedy, ResourceError, { cause });
    }
    const rule = `must be an intact ${format.toUpperCase()} file (${firstLine(cause)})`;
    throw refuse(rule, 'fetch or save it again', InputError, { cause });
  });
}

/** The upright image of what was decoded, with how its file holds it. */
export function fileOf(decoded: Decoded, format: ImageFormat, white: number | undefined): ImageFile {
  const { width, height, planes: channels, depth, sample, orientation } = decoded;
  const planes = decoded.alpha ? channels.slice(0, -1) : channels;
  const peak = white ?? decoded.peak ?? fullScale(decoded, () => rangeOf(planes));
  if (!(peak > 0 && Number.isFinite(peak))) {
    throw new OptionError('peak', 'must be a finite number above 0', peak, 'give the white level');
  }
  const stored: Image = { width, height, planes, peak, ...(decoded.alpha ? { alpha: channels.at(-1) } : {}) };
  const { resolution, description, imageJ, ...metadata } = decoded.metadata;
  return {
    ...{ image: upright(stored, orientation), format, depth, sample },
    metadata: {
      ...metadata,
      ...(resolution && { resolution: turned(resolution, orientation) }),
      // A description may state the size of the image as it is stored.
      ...(description !== undefined && orientation === 1 && { description }),
      ...(imageJ && orientation === 1 && { imageJ }),
    },
  };
}

/** Reads the array of a `.npy` file of at most this many bytes, whatever the name of the file. */
export async function readArray(path: string, parameter = 'ARRAY', most?: number): Promise<NpyArray> {
  const refuse = refusing(path, parameter);
  const isWanted = (head: Uint8Array) => {
    const shape = shapeIn(head) ?? [];
    // It is computed with as float64, and the engine has a copy.
    if (16 * shape.reduce((product, length) => product * length, 1) > totalmem()) {
      const rule = `must fit in the memory of this machine, which ${shape.join('×')} numbers do not`;
      throw refuse(rule, 'divide it into smaller arrays', ResourceError);
    }
    return isKnown(head);
  };
  return parseArray(await readBytes(path, parameter, { isWanted, most }), refuse);
}

function nameOf(source: string | Uint8Array, { name = 'bytes' }: ReadOptions): string {
  return typeof source === 'string' ? source : name;
}

/** Makes the errors about a file that `parameter` names. */
export function refusing(path: string, parameter: string): Refuse {
  return (rule, remedy, Kind = InputError, options) => new Kind(parameter, rule, path, remedy, options);
}

/** What a decoder says of a file it cannot read; not every decoder throws an Error. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/[\n\r]/, 1)[0].trim() || 'unknown damage';
}
