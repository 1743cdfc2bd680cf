import type { ImageMetadata, SampleDepth, SampleKind } from 'ght-images';

export type { Rectangle } from 'ght';

/** What is known about an image that may be too large for memory. Plain data, so that it can be sent to another machine. */
export interface Picture {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Planes without opacity: 1 for grey, 3 for colour, any other number for bands. */
  readonly channels: number;
  /** Whether there is a plane of opacity, which comes last and is never changed. */
  readonly alpha: boolean;
  /** What a sample is. */
  readonly sample: SampleKind;
  /** Bits of a sample. */
  readonly depth: SampleDepth;
  /** What is written back unchanged. */
  readonly metadata?: ImageMetadata;
}
