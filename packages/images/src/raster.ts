import type { Image, Samples } from 'ght';

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
  readonly sample: 'uint' | 'float';
  /** Bits of a sample. */
  readonly depth: 8 | 16 | 32 | 64;
  /** The samples of the rows from `first` to before `last`, made anew: a large image is not there a second time. */
  rows(first: number, last: number): Samples;
}

/**
 * The samples of an image at the depth of a file. Only here are integers made: rounded to the nearest and clamped to
 * 0..255 or 0..65535. Floats are kept as they are, at most rounded to float32.
 */
export function toRaster(image: Image, sample: Raster['sample'], depth: Raster['depth']): Raster {
  const { width, height, planes, alpha } = image;
  const all = alpha ? [...planes, alpha] : planes;
  const channels = all.length;
  const most = depth === 8 ? 255 : 65535;
  const rows = (first: number, last: number) => {
    const size = (last - first) * width * channels;
    const samples = emptySamples(sample, depth, size);
    all.forEach((plane, channel) => {
      for (let pixel = first * width, at = channel; at < size; pixel++, at += channels) {
        const value = plane[pixel];
        samples[at] = sample === 'float' ? value : Math.min(Math.max(Math.round(value), 0), most);
      }
    });
    return samples;
  };
  return { width, height, channels, alpha: alpha !== undefined, sample, depth, rows };
}

function emptySamples(sample: Raster['sample'], depth: Raster['depth'], size: number): Samples {
  if (sample === 'float') return depth === 64 ? new Float64Array(size) : new Float32Array(size);
  return depth === 8 ? new Uint8Array(size) : new Uint16Array(size);
}

/** The channels of interleaved samples, one plane each and as narrow as they are. */
export function toPlanes(samples: Samples, channels: number): Samples[] {
  if (channels === 1) return [samples];
  return Array.from({ length: channels }, (_, channel) => {
    const plane = samples.slice(0, samples.length / channels);
    for (let pixel = 0, at = channel; pixel < plane.length; pixel++, at += channels) plane[pixel] = samples[at];
    return plane;
  });
}
