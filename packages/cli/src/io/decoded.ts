import type { ParameterError } from 'ght';
import type { ImageMetadata } from './imageFile.js';
import type { Planes } from './raster.js';

/** The channels of a file as they are stored: alpha last, orientation not yet applied. */
export interface Decoded extends Planes {
  readonly alpha: boolean;
  readonly depth: 8 | 16 | 32 | 64;
  readonly sample: 'uint' | 'float';
  /** The EXIF or TIFF orientation, 1 for upright. */
  readonly orientation: number;
  readonly metadata: ImageMetadata;
}

/** Makes the error for the file being read, from the rule it breaks and the remedy. */
export type Refuse = (rule: string, remedy: string) => ParameterError;

/** The most pixels an image may have: sharp's own limit, 16383². */
export const pixelLimit = 0x3fff ** 2;

/** Refuses sizes beyond the limit before anything of that size is allocated, and empty images. */
export function checkSize(width: number, height: number, refuse: Refuse): void {
  if (!(width > 0 && height > 0)) throw refuse(`must have pixels, not ${width}×${height}`, 'give another image');
  if (width * height > pixelLimit) {
    throw refuse(`must have at most ${pixelLimit} pixels, not ${width}×${height}`, 'cut it into tiles');
  }
}
