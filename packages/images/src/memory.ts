/** The memory that a run on an image takes. */
import {
  type DenoiseQuality,
  denoiseMemoryEstimate,
  memoryEstimate,
  type NoiseModel,
  type RepresentOptions,
} from 'ght';

/** The size of an image, and how wide its samples are. */
export interface Pixels {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** The channels that are worked on. */
  readonly channels: number;
  /** Bytes that all samples take, alpha among them. */
  readonly bytes: number;
}

/** What the noise is, as far as the memory depends on it. */
export type NoiseKind = NoiseModel['kind'];

/** Copies of all samples in float64, about, that denoising makes beside its passes, by what the noise is. */
const COPIES: Readonly<Record<NoiseKind, number>> = {
  /** None but the axes of colour. */
  white: 0,
  /** The samples whose noise was made even, and those that come back from there. */
  'signal-dependent': 2,
  /** The samples that are written over at two scales, and those of half the size. */
  coloured: 1.25,
};

/** Bytes that representing an image takes at its peak, about, the image among them. */
export function representMemory({ width, height, channels, bytes }: Pixels, options: RepresentOptions): number {
  return bytes + memoryEstimate(width, height, channels, options);
}

/** The same for denoising by groups, with the file that is made of the result, before and after compression. */
export function denoiseMemory(pixels: Pixels, quality: DenoiseQuality | undefined, kind: NoiseKind): number {
  const { width, height, channels, bytes } = pixels;
  const copies = (channels === 3 && kind !== 'coloured' ? 1 : 0) + COPIES[kind];
  return 3 * bytes + 8 * copies * width * height * channels + denoiseMemoryEstimate(width, height, channels, quality);
}
