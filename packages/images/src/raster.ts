import type { Image, Samples } from 'ght';
import type { SampleDepth, SampleKind } from './image-file.js';

/** Samples as they are in a file. */
export type RasterSamples =
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Samples as files hold them: pixel by pixel, the channels of a pixel side by side, alpha last. */
export interface Raster {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Samples of a pixel. */
  readonly channels: number;
  /** Whether the last of them is opacity. */
  readonly alpha: boolean;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** Bits of a sample. */
  readonly depth: SampleDepth;
  /** The samples of the rows from `first` to before `last`, made on request, so that a large image is not in memory twice. */
  rows(first: number, last: number): RasterSamples;
}

/** A raster whose rows may have to be read first. */
export interface LazyRaster extends Omit<Raster, 'rows'> {
  /** The samples of the rows from `first` to before `last`, which may be changed. */
  rows(first: number, last: number): RasterSamples | Promise<RasterSamples>;
}

/**
 * The samples of an image at the depth of a file. Only here are integers made: rounded to the nearest and clamped to
 * the range of their type. Floats are kept as they are, at most rounded to float32.
 */
export function toRaster(image: Image, sample: Raster['sample'], depth: Raster['depth']): Raster {
  const { width, height, planes, alpha } = image;
  const all = alpha ? [...planes, alpha] : planes;
  const channels = all.length;
  const [least, most] = sample === 'int' ? [-(2 ** (depth - 1)), 2 ** (depth - 1) - 1] : [0, 2 ** depth - 1];
  const rows = (first: number, last: number) => {
    const size = (last - first) * width * channels;
    const samples = new arrays[sample][depth](size);
    all.forEach((plane, channel) => {
      for (let pixel = first * width, at = channel; at < size; pixel++, at += channels) {
        const value = plane[pixel];
        samples[at] = sample === 'float' ? value : Math.min(Math.max(Math.round(value), least), most);
      }
    });
    return samples;
  };
  return { width, height, channels, alpha: alpha !== undefined, sample, depth, rows };
}

/** What holds the samples of a file; the kinds that there are no files of stand for the next that there are. */
const arrays = {
  uint: { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: Uint32Array },
  int: { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: Int32Array },
  float: { 8: Float32Array, 16: Float32Array, 32: Float32Array, 64: Float64Array },
} as const;

/** The channels of interleaved samples, one plane each and as narrow as they are. */
export function toPlanes(samples: RasterSamples, channels: number): Samples[] {
  if (channels === 1) return [asSamples(samples)];
  return Array.from({ length: channels }, (_, channel) => {
    const plane = asSamples(samples.slice(0, samples.length / channels));
    for (let pixel = 0, at = channel; pixel < plane.length; pixel++, at += channels) plane[pixel] = samples[at];
    return plane;
  });
}

/** Signed and 32-bit integers as the floats that hold them exactly: the library computes with those. */
export function asSamples(samples: RasterSamples): Samples {
  if (samples instanceof Int8Array || samples instanceof Int16Array) return Float32Array.from(samples);
  if (samples instanceof Int32Array || samples instanceof Uint32Array) return Float64Array.from(samples);
  return samples;
}
