import { ParameterError, positive } from '../errors.js';
import { checkNumbers, checkScale } from './magnitude.js';

/** Samples of one channel or of many patches; float64 inside, float32 accepted. */
export type Samples = Float32Array | Float64Array;

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

/** Refuses an image that no task could work on, naming what is wrong and where: sizes, and the first NaN, infinity or number out of range. */
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
    checkNumbers(plane, (i) => `image pixel (x ${i % width}, y ${Math.floor(i / width)}, channel ${channel})`);
  });
  checkScale('image', planes);
}
