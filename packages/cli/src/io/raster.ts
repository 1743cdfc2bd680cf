import type { Image } from 'ght';

/** Samples as files hold them: pixel by pixel, the channels of a pixel side by side, alpha last. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  readonly samples: Uint8Array | Uint16Array | Float32Array | Float64Array;
}

/**
 * The samples of an image at the depth of a file. Only here are integers made: rounded to the nearest and clamped to
 * 0..255 or 0..65535. Floats are kept as they are, at most rounded to float32.
 */
export function toRaster(image: Image, sample: 'uint' | 'float', depth: 8 | 16 | 32 | 64): Raster {
  const { width, height, planes, alpha } = image;
  const all = alpha ? [...planes, alpha] : planes;
  const channels = all.length;
  const size = width * height * channels;
  const samples = emptySamples(sample, depth, size);
  const most = depth === 8 ? 255 : 65535;
  all.forEach((plane, channel) => {
    for (let pixel = 0, at = channel; at < size; pixel++, at += channels) {
      const value = plane[pixel];
      samples[at] = sample === 'float' ? value : Math.min(Math.max(Math.round(value), 0), most);
    }
  });
  return { width, height, channels, alpha: alpha !== undefined, samples };
}

function emptySamples(sample: 'uint' | 'float', depth: number, size: number): Raster['samples'] {
  if (sample === 'float') return depth === 64 ? new Float64Array(size) : new Float32Array(size);
  return depth === 8 ? new Uint8Array(size) : new Uint16Array(size);
}

/** The channels of interleaved samples, one plane each. */
export function toPlanes(samples: ArrayLike<number>, channels: number): Float64Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float64Array(samples.length / channels);
    for (let pixel = 0, at = channel; pixel < plane.length; pixel++, at += channels) plane[pixel] = samples[at];
    return plane;
  });
}

/** Planes of one size. */
export interface Planes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Float64Array[];
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
    const turned = new Float64Array(plane.length);
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
