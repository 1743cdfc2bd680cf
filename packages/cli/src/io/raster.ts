import type { Image, Samples } from 'ght';

/** Samples as files hold them: pixel by pixel, the channels of a pixel side by side, alpha last. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  readonly sample: 'uint' | 'float';
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

/** Planes of one size. */
export interface Planes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Samples[];
}

/**
 * The planes turned as an EXIF or TIFF orientation asks: 2 to 4 mirror, 5 to 8 also exchange rows and columns. Anything
 * else leaves them as they are, which is what viewers do with an invalid tag.
 */
export function upright(stored: Planes, orientation: number): Planes {
  if (!(orientation >= 2 && orientation <= 8)) return stored;
  const { width, height } = stored;
  const exchanged = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const turnedWidth = exchanged ? height : width;
  const turnedHeight = exchanged ? width : height;
  const planes = stored.planes.map((plane) => {
    const turned = plane.slice();
    for (let y = 0, at = 0; y < turnedHeight; y++) {
      for (let x = 0; x < turnedWidth; x++, at++) {
        const column = exchanged ? y : x;
        const row = exchanged ? x : y;
        turned[at] = plane[(fromBottom ? height - 1 - row : row) * width + (fromRight ? width - 1 - column : column)];
      }
    }
    return turned;
  });
  return { width: turnedWidth, height: turnedHeight, planes };
}
