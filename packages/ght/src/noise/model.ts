/**
 * What the noise of an image is, as data. Three kinds, from the simplest to what camera files have:
 *
 * - white: the same deviation at every pixel and every frequency;
 * - signal-dependent: the variance grows with the signal, gain · (x − offset) + sigma²;
 * - coloured: a deviation for every frequency of an 8×8 block, per plane and per brightness. Demosaicking, resizing and JPEG
 *   make the noise of photographs so.
 *
 * Deviations are in the units of the image.
 */
import type { PoissonGaussian } from '../signal/stabilise.js';

/** Noise with the same deviation everywhere. */
export interface WhiteNoise {
  readonly kind: 'white';
  /** The deviation in each plane of the image. */
  readonly sigma: readonly number[];
}

/** Noise whose variance grows with the signal. */
export interface SignalNoise {
  readonly kind: 'signal-dependent';
  /** Gain, deviation of the read noise, and the value of no signal, of each plane of the image. */
  readonly planes: readonly Required<PoissonGaussian>[];
}

/** Noise that depends on frequency and brightness. */
export interface ColouredNoise {
  readonly kind: 'coloured';
  /**
   * The brightness at which the deviations are known, rising: the mean of a block of the first plane, luma for RGB (√3 times
   * the mean of R, G and B). Between them deviations are interpolated, beyond them they stay what they are.
   */
  readonly brightness: readonly number[];
  /**
   * `deviations[c][b][8 * v + u]`: the deviation of the coefficient of the orthonormal 8×8 DCT with u half waves along a row and
   * v along a column, at brightness b of plane c. The planes are luma and two chromas for RGB, as `decorrelate` makes them, and
   * those of the image otherwise.
   */
  readonly deviations: readonly (readonly Float64Array[])[];
}

/** The noise of an image. */
export type NoiseModel = WhiteNoise | SignalNoise | ColouredNoise;

/** What is known of the JPEG that an image was: read from its file, or found in its pixels. */
export interface JpegInfo {
  /**
   * Steps of the luma coefficients, row by row: `luma[8 * v + u]` is the quantisation step of u half waves along a row and v
   * along a column.
   */
  readonly luma: ArrayLike<number>;
  /** Steps of the chroma coefficients; left out for a grey JPEG. */
  readonly chroma?: ArrayLike<number>;
  /** How many pixels one chroma sample covers along a row and along a column: [2, 2] for 4:2:0. @default [1, 1] */
  readonly subsampling?: readonly [horizontal: number, vertical: number];
  /** Where the grid of 8×8 blocks begins, in pixels from the upper left corner, each from 0 to 7. @default [0, 0] */
  readonly origin?: readonly [x: number, y: number];
}
