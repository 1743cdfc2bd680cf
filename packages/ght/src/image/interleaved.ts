import { boolean, InputError, kindOf, knownOptions, OptionError, oneOf, positive, wholeNumber } from '../errors.js';
import { checkSamples, checkShape, type Image, type Samples } from './image.js';

/** Pixels as a canvas and most decoders hold them: the channels of a pixel side by side. An `ImageData` is one. */
export interface Interleaved<Data extends Samples = Samples> {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Samples of a pixel. @default as many as the length of the data says, up to 4 */
  readonly channels?: number;
  /**
   * What the bytes of a `Uint8Array` are, by the names that sharp has for its raw samples: integers of 8 or 16 bits, or floats of 32 or 64
   * bits, in the order of bytes of the machine. @default the type of the data
   */
  readonly depth?: string;
  /** The samples, row by row. */
  readonly data: Data;
}

/** Options of {@link fromInterleaved}. */
export interface FromInterleavedOptions {
  /** Whether the last channel is opacity, to be kept apart. @default true for two and for four channels */
  readonly alpha?: boolean;
  /** The value that counts as full scale. @default 255 for 8-bit samples, 65535 for 16-bit ones; floats need it */
  readonly peak?: number;
}

/** The arrays that samples can be written to, by name. */
interface Arrays {
  readonly Uint8ClampedArray: Uint8ClampedArray<ArrayBuffer>;
  readonly Uint8Array: Uint8Array<ArrayBuffer>;
  readonly Uint16Array: Uint16Array<ArrayBuffer>;
  readonly Float32Array: Float32Array<ArrayBuffer>;
  readonly Float64Array: Float64Array<ArrayBuffer>;
}

/** Options of {@link toInterleaved}. */
export interface ToInterleavedOptions<Name extends keyof Arrays> {
  /** The array to write to. Integers are rounded to the nearest and clamped. @default 'Uint8ClampedArray' */
  readonly array?: Name;
  /**
   * Samples of a pixel. 4 are red, green, blue and opacity, as a canvas wants them: grey is repeated, and an image without
   * alpha is opaque. 3 and 1 leave alpha out. @default the planes of the image, and its alpha
   */
  readonly channels?: number;
  /** The value that full scale gets: samples are multiplied by it over the peak of the image. @default the image's peak */
  readonly peak?: number;
}

const arrays = { Uint8ClampedArray, Uint8Array, Uint16Array, Float32Array, Float64Array } as const;
const names = Object.keys(arrays) as (keyof Arrays)[];
/** The greatest integer that an array holds; none of the floats has one. */
const greatest: ReadonlyMap<keyof Arrays, number> = new Map<keyof Arrays, number>([
  ['Uint8ClampedArray', 255],
  ['Uint8Array', 255],
  ['Uint16Array', 65535],
]);

/** The arrays of the depths of raw samples. */
const depths = { uchar: Uint8Array, ushort: Uint16Array, float: Float32Array, double: Float64Array } as const;

/** The samples that bytes are. */
function samplesIn(data: Samples, depth: string | undefined): Samples {
  if (depth === undefined) return data;
  const Type = depths[oneOf('pixels.depth', depth, Object.keys(depths) as (keyof typeof depths)[])];
  if (data.BYTES_PER_ELEMENT === Type.BYTES_PER_ELEMENT) return data;
  if (data.BYTES_PER_ELEMENT > 1 || data.byteLength % Type.BYTES_PER_ELEMENT !== 0) {
    const rule = `must be bytes of samples of the depth ${depth}`;
    throw new InputError('pixels.data', rule, `${kindOf(data)} of ${data.length}`, 'leave depth out, or correct it');
  }
  // Copied, because the bytes may begin at any address.
  return new Type(new Uint8Array(data).buffer);
}

/** The most channels that are taken from the length of the data: colour and opacity. */
const MOST_CHANNELS = 4;

/**
 * An image from interleaved samples, such as the `ImageData` of a canvas, or `{ ...info, data }` of raw samples of sharp. Samples are
 * copied and never changed.
 *
 * @example
 * ```js
 * import { fromInterleaved } from 'ght';
 *
 * const pixels = { width: 2, height: 1, data: new Uint8ClampedArray([255, 0, 0, 255, 0, 0, 255, 255]) }; // an ImageData
 * const { planes, alpha } = fromInterleaved(pixels);
 * console.log(planes.length, alpha.length); // 3 planes, and the opacity of 2 pixels
 * ```
 */
export function fromInterleaved(pixels: Interleaved, options: FromInterleavedOptions = {}): Image {
  knownOptions(options, ['alpha', 'peak']);
  const { width, height } = pixels;
  checkSamples('pixels.data', pixels.data);
  const data = samplesIn(pixels.data, pixels.depth);
  const channels = pixels.channels ?? data.length / (width * height);
  if (pixels.channels !== undefined) {
    wholeNumber('pixels.channels', channels, 1, Number.MAX_SAFE_INTEGER, 'give the samples of a pixel, such as 3');
  }
  const fits = channels * width * height === data.length && Number.isInteger(channels);
  if (!(fits && channels > 0 && width > 0 && height > 0)) {
    const each = pixels.channels === undefined ? 'one length' : `${channels} samples`;
    const rule = `must hold width × height = ${width}×${height} pixels of ${each}`;
    const remedy =
      "give every channel of every pixel; for bytes of 16-bit samples or floats, also depth: 'ushort' or 'float'";
    throw new InputError('pixels.data', rule, `${data.length} samples`, remedy);
  }
  if (pixels.channels === undefined && channels > MOST_CHANNELS) {
    const rule = `must have at most ${MOST_CHANNELS} samples per pixel if channels is not given`;
    const remedy = "give channels; for bytes of 16-bit samples or floats, also depth: 'ushort' or 'float'";
    throw new InputError('pixels.data', rule, `${channels} per pixel`, remedy);
  }
  const remedy = 'say whether the last channel is opacity: true or false';
  const hasAlpha = boolean('alpha', options.alpha ?? (channels === 2 || channels === 4), remedy);
  if (hasAlpha && channels === 1) {
    throw new OptionError(
      'alpha',
      'must be false for one channel',
      true,
      'give at least one colour in addition to opacity',
    );
  }
  const name = kindOf(data) as keyof Arrays;
  const peak = options.peak ?? greatest.get(name);
  if (peak === undefined) {
    const rule = 'must be given for floats';
    throw new OptionError('peak', rule, undefined, 'give the value that is white, such as 1 or 255');
  }
  positive('peak', peak, 'give the value that is white, such as 255');
  const planes = Array.from({ length: channels }, (_, channel) => {
    const plane = new arrays[name](width * height);
    for (let pixel = 0, at = channel; pixel < plane.length; pixel++, at += channels) plane[pixel] = data[at];
    return plane;
  });
  const alpha = hasAlpha ? planes.pop() : undefined;
  return { width, height, planes, peak, ...(alpha && { alpha }) };
}

/**
 * The samples of an image, interleaved: `new ImageData(toInterleaved(image, { channels: 4, peak: 255 }).data, image.width)`
 * is what a canvas shows, and `sharp(data, { raw: { width, height, channels } })` writes files. Integers are rounded to the nearest and clamped here; floats are given as they are.
 *
 * @example
 * ```js
 * import { toInterleaved } from 'ght';
 *
 * const image = { width: 2, height: 1, planes: [Float32Array.of(0, 255)], peak: 255 };
 * console.log(toInterleaved(image, { channels: 4 }).data); // 0, 0, 0, 255, 255, 255, 255, 255
 * ```
 */
export function toInterleaved<Name extends keyof Arrays = 'Uint8ClampedArray'>(
  image: Image,
  options: ToInterleavedOptions<Name> = {},
): Interleaved<Arrays[Name]> & { readonly channels: 1 | 2 | 3 | 4 } {
  knownOptions(options, ['array', 'channels', 'peak']);
  checkShape(image);
  const { width, height } = image;
  const name = oneOf('array', options.array ?? 'Uint8ClampedArray', names);
  const most = greatest.get(name);
  const peak = positive('peak', options.peak ?? image.peak, 'give the value that full scale gets, such as 255');
  if (most !== undefined && peak > most) {
    const remedy = `give peak: ${most} to scale the samples, or a wider array`;
    throw new OptionError('peak', `must be at most ${most} for a ${name}`, peak, remedy);
  }
  const all = channelsOf(image, options.channels);
  const scale = peak / image.peak;
  const data = new arrays[name](width * height * all.length);
  all.forEach((plane, channel) => {
    for (let pixel = 0, at = channel; at < data.length; pixel++, at += all.length) {
      const value = plane === undefined ? peak : plane[pixel] * scale;
      data[at] = most === undefined ? value : Math.min(Math.max(Math.round(value), 0), most);
    }
  });
  // One or three planes, as in every image that is a picture, and alpha.
  return { width, height, channels: all.length as 1 | 2 | 3 | 4, data: data as Arrays[Name] };
}

/** The planes that the channels of a pixel come from; undefined stands for opaque. */
function channelsOf({ planes, alpha }: Image, channels: number | undefined): (Samples | undefined)[] {
  const own = alpha ? [...planes, alpha] : [...planes];
  if (channels === undefined || channels === own.length) return own;
  wholeNumber('channels', channels, 1, Number.MAX_SAFE_INTEGER, 'give the samples of a pixel, such as 4');
  const colour = planes.length === 1 && channels >= 3 ? [planes[0], planes[0], planes[0]] : planes;
  if (channels === colour.length) return [...colour];
  if (channels === colour.length + 1) return [...colour, alpha];
  const remedy = 'give 4 for a canvas, or leave channels out';
  throw new OptionError('channels', `must suit an image of ${planes.length} planes`, channels, remedy);
}
