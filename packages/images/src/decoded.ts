/** What a decoder gives, and what a file announces before it is decoded. */
import type { ImageMetadata, SampleDepth, SampleKind } from './image-file.js';
import type { Planes } from './upright.js';

/** The channels of a file as they are stored: alpha last, orientation not yet applied. */
export interface Decoded extends Omit<Planes, 'alpha'> {
  /** Whether the last plane is opacity. */
  readonly alpha: boolean;
  /** Bits of a sample. */
  readonly depth: SampleDepth;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** The EXIF or TIFF orientation, 1 for upright. */
  readonly orientation: number;
  /** What is written back unchanged. */
  readonly metadata: ImageMetadata;
  /** The white level that the file states. @default that of its samples */
  readonly peak?: number;
}

/** What a file says of its image before anything of that size is decoded. */
export interface Declared {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Samples per pixel. */
  readonly channels: number;
  /** Bits of a sample. */
  readonly depth: number;
  /** The length of the file. */
  readonly bytes: number;
}
