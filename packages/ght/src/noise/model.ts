/**
 * The noise of an image as data. There are three kinds, from the simplest to the noise of camera files:
 *
 * - white: the same deviation at every pixel and every frequency;
 * - signal-dependent: the variance grows with the signal, gain · (x − offset) + sigma²;
 * - coloured: a deviation for every frequency of an 8×8 block, per plane and per brightness. Photographs have such noise because
 *   of demosaicking, resizing and JPEG.
 *
 * Deviations are in the units of the image.
 */
import { OptionError, oneOf } from '../errors.js';
import { shifted } from '../image/scale.js';
import type { PoissonGaussian } from '../image/stabilise.js';

/** Noise with the same deviation everywhere. */
export interface WhiteNoise {
  /** Which of the three it is. */
  readonly kind: 'white';
  /** The deviation in each plane of the image. */
  readonly sigma: readonly number[];
}

/** Noise whose variance grows with the signal. */
export interface SignalNoise {
  /** Which of the three it is. */
  readonly kind: 'signal-dependent';
  /** Gain, deviation of the read noise, and sample value without signal, for each plane of the image. */
  readonly planes: readonly Required<PoissonGaussian>[];
}

/** Noise that depends on frequency and brightness. */
export interface ColouredNoise {
  /** Which of the three it is. */
  readonly kind: 'coloured';
  /**
   * The brightnesses at which the deviations are known, in increasing order. Brightness is the mean of a block of the first plane,
   * which is luma for RGB (√3 times the mean of R, G and B). Deviations are interpolated between them, and constant beyond them.
   */
  readonly brightness: readonly number[];
  /**
   * `deviations[c][b][8 * v + u]`: the deviation of the coefficient of the orthonormal 8×8 DCT with u half waves along a row and
   * v along a column, at brightness b of plane c. The planes are luma and two chromas for RGB, as `decorrelate` returns them, and
   * those of the image otherwise.
   */
  readonly deviations: readonly (readonly Float64Array[])[];
}

/** The noise of an image. */
export type NoiseModel = WhiteNoise | SignalNoise | ColouredNoise;

/** Quantisation tables and sampling of the JPEG that an image was: read from its file, or found in its pixels. */
export interface JpegInfo {
  /**
   * Steps of the luma coefficients, row by row: `luma[8 * v + u]` is the quantisation step of u half waves along a row and v
   * along a column.
   */
  readonly luma: ArrayLike<number>;
  /** Steps of the chroma coefficients; left out for a grey JPEG. */
  readonly chroma?: ArrayLike<number>;
  /** The number of pixels that one chroma sample covers along a row and along a column: [2, 2] for 4:2:0. @default [1, 1] */
  readonly subsampling?: readonly [horizontal: number, vertical: number];
  /** Where the grid of 8×8 blocks begins, in pixels from the upper left corner, each from 0 to 7. @default [0, 0] */
  readonly origin?: readonly [x: number, y: number];
}

/**
 * The largest number in a model of an image in usual units, whose samples are below 2^41. Larger noise leaves nothing of any
 * picture either, but its squares would overflow.
 */
export const MOST_NOISE = 2 ** 300;

/** value · 2^e, at most {@link MOST_NOISE} in magnitude. */
export function limited(value: number, e: number): number {
  return Math.max(-MOST_NOISE, Math.min(MOST_NOISE, shifted(value, e)));
}

/** The noise multiplied by 2^e, for an image in usual units: no number is beyond {@link MOST_NOISE}. */
export function limitedModel(noise: NoiseModel, e: number): NoiseModel {
  return mappedModel(noise, (value) => limited(value, e));
}

/** The noise in other units, into which `times` converts a deviation or a brightness. */
export function mappedModel(noise: NoiseModel, times: (value: number) => number): NoiseModel {
  switch (noise.kind) {
    case 'white':
      return { ...noise, sigma: noise.sigma.map(times) };
    case 'signal-dependent': {
      const planes = noise.planes.map(({ gain, sigma, offset }) => {
        return { gain: times(gain), sigma: times(sigma), offset: times(offset) };
      });
      return { ...noise, planes };
    }
    default:
      return mappedColour(noise, times);
  }
}

/** {@link mappedModel} for coloured noise. */
export function mappedColour(noise: ColouredNoise, times: (value: number) => number): ColouredNoise {
  const deviations = noise.deviations.map((rows) => rows.map((row) => row.map(times)));
  return { ...noise, brightness: noise.brightness.map(times), deviations };
}

/** Refuses invalid tables, sampling or origin of a JPEG. */
export function checkJpeg({ luma, chroma, subsampling = [1, 1], origin = [0, 0] }: JpegInfo): void {
  for (const [name, table] of Object.entries({ luma, chroma })) {
    if (name === 'chroma' && table === undefined) continue;
    const sound = table?.length === 64 && Array.from(table).every((step) => Number.isFinite(step) && step >= 0);
    if (!sound) {
      const remedy = 'give the quantisation table row by row';
      throw new OptionError(`jpeg.${name}`, 'must hold 64 steps of at least 0', table?.length, remedy);
    }
  }
  for (const each of subsampling) oneOf('jpeg.subsampling', String(each), ['1', '2', '4']);
  for (const each of origin) oneOf('jpeg.origin', String(each), ['0', '1', '2', '3', '4', '5', '6', '7']);
}
