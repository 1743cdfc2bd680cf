import { ParameterError, positive } from '../errors.js';

/** Samples of one channel: computed with in float64, kept as narrow as they came. */
export type Samples = Uint8Array | Uint16Array | Float32Array | Float64Array;

/**
 * An image as planes, one array a channel, row by row, in the units of its file: nothing is scaled or clipped on the way
 * in or out. Grey is one plane, colour three (R, G, B); any other number of planes is a stack of bands.
 */
export interface Image {
  readonly width: number;
  readonly height: number;
  /** The channels that are represented. */
  readonly planes: readonly Samples[];
  /** Opacity, kept apart: no task reads or changes it. */
  readonly alpha?: Samples;
  /** The value that counts as full scale, for PSNR and tolerances: 255 for 8-bit samples. */
  readonly peak: number;
}

/** Magnitudes beyond this are refused as infinities are: their sums and differences would be. */
const GREATEST = 1e300;

/** Refuses the first sample that is NaN, infinite or next to it, `where` naming it. */
export function refuseBadNumber(samples: Samples, where: (index: number) => string): void {
  const bad = samples.findIndex((value) => !(Math.abs(value) <= GREATEST));
  if (bad < 0) return;
  const value = samples[bad];
  if (Number.isFinite(value)) {
    throw new ParameterError(where(bad), `must be at most ${GREATEST} in magnitude`, value, 'scale the samples');
  }
  throw new ParameterError(where(bad), 'must be a finite number', value, 'replace NaN and infinities first');
}

/** Refuses an image that no task could work on, naming what is wrong and where: sizes, and the first NaN or infinity. */
export function checkImage(image: Image): void {
  const { width, height, planes } = image;
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) {
    throw new ParameterError(
      'image',
      'must have at least one pixel',
      `${width}×${height}`,
      'give an image with pixels',
    );
  }
  if (planes.length === 0) {
    throw new ParameterError(
      'image.planes',
      'must hold at least one channel',
      planes.length,
      'give grey or RGB planes',
    );
  }
  positive('image.peak', image.peak, 'give the largest value the samples can take, such as 255 or 1');
  planes.forEach((plane, channel) => {
    if (plane.length !== width * height) {
      const rule = `must hold width × height = ${width * height} samples`;
      throw new ParameterError(`image.planes[${channel}]`, rule, plane.length, 'give every channel in full');
    }
    refuseBadNumber(plane, (i) => `image pixel (x ${i % width}, y ${Math.floor(i / width)}, channel ${channel})`);
  });
}
