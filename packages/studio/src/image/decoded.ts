import type { Image, JpegInfo, Samples } from 'ght';
import { fullScale, type ImageMetadata, rangeOf } from 'ght-images';

/** Samples as stored in a file: pixel by pixel, the channels of a pixel side by side, alpha last. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  readonly depth: 8 | 16 | 32;
  readonly sample: 'uint' | 'float';
  /** The EXIF or TIFF orientation still to be applied. @default 1, upright */
  readonly orientation?: number;
  readonly samples: Uint8Array | Uint8ClampedArray | Uint16Array | Float32Array | Float64Array;
  /** The white level that the file states. @default that of its samples */
  readonly peak?: number;
}

/** An image and the format of its file, so that it can be saved at the same depth. */
export interface OpenedImage {
  readonly image: Image;
  /** As people call it. */
  readonly format: string;
  /** Floats of 64 bits count as 32, which is the type of the result; until then they keep their digits. */
  readonly depth: 8 | 16 | 32;
  readonly sample: 'uint' | 'float';
  /** For a JPEG that is not reduced: its tables and its block grid, in the coordinates of the upright image. */
  readonly jpeg?: JpegInfo;
  /** The number of pages of its file. @default 1 */
  readonly pages?: number;
  /** What is saved again with a result. */
  readonly metadata?: ImageMetadata;
}

/** A file that cannot be opened: the reason and the remedy, for the user. Decoders leave out the file's name. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** As narrow as the file, since a large image has many samples; means need floats. */
function emptyPlane(samples: Raster['samples'], reduce: number, length: number): Samples {
  // Float32 would drop the last digits of a float64; far from zero these are the only ones that differ.
  if (samples instanceof Float64Array) return new Float64Array(length);
  if (reduce > 1 || samples instanceof Float32Array) return new Float32Array(length);
  return samples instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}

/**
 * The planes of a raster in the units of the file. With `reduce` n, every n×n block becomes its mean, so that an image too
 * large for a browser tab can still be opened.
 */
export function planesOf(raster: Raster, reduce = 1): Image {
  const { channels, samples, alpha } = raster;
  const width = Math.max(1, Math.floor(raster.width / reduce));
  const height = Math.max(1, Math.floor(raster.height / reduce));
  const all = Array.from({ length: channels }, () => emptyPlane(samples, reduce, width * height));
  const across = Math.min(reduce, raster.width);
  const down = Math.min(reduce, raster.height);
  all.forEach((plane, channel) => {
    if (reduce === 1) {
      for (let i = 0, from = channel; i < plane.length; i++, from += channels) plane[i] = samples[from];
      return;
    }
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        let sum = 0;
        for (let v = 0; v < down; v++) {
          const line = ((y * reduce + v) * raster.width + x * reduce) * channels + channel;
          for (let u = 0; u < across; u++) sum += samples[line + u * channels];
        }
        plane[at] = sum / (across * down);
      }
    }
  });
  const planes = alpha ? all.slice(0, -1) : all;
  const peak = raster.peak ?? fullScale(raster, () => rangeOf(planes));
  return { width, height, planes, peak, ...(alpha ? { alpha: all[channels - 1] } : {}) };
}
