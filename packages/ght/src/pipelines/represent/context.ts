/** What the passes of representing images work on. */

import type { Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import type { Rectangle, Size } from '../../image/rectangle.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { Scratch } from '../plan.js';
import type { Solution } from '../solve/solve.js';
import type { Range, SampleRange } from './messages.js';
import type { RepresentOptions } from './options.js';
import { type ImagePatches, type ImageProblem, imageProblem } from './problem.js';

/** The images that share one budget, often just one, where their parts are kept, and where the results go. */
export interface RepresentContext {
  readonly images: readonly RepresentedImage[];
  readonly options: RepresentOptions;
  /** The full scale and the largest sample, if they are known. */
  readonly range?: Range;
  /** The full scale of images with this range. */
  peakOf(range: SampleRange): number;
  /** How the images are divided; undefined for whole images, whose patches are solved in one part. */
  readonly parts?: PartDivision;
  /** What whole images keep from pass to pass. */
  readonly whole?: WholeRepresentation;
  /** Keeps what runs of patches have followed, and their codes, between passes. */
  readonly scratch: Scratch;
}

/** One of the images. */
export interface RepresentedImage {
  readonly image: PartedImage;
  /** The number of planes. */
  readonly planes: number;
  /** Where its codes are kept, if they are. */
  readonly codes?: CodesOutput;
  readonly output: PictureOutput;
}

/** The side of a square of pixels that is worked on at once; what is written consists of whole chunks, or is a whole image without one. */
export interface PartDivision {
  readonly side: number;
  readonly chunk?: Size;
}

/** Whole images in memory: their axes, their solution, and the weights of overlapping patches by their numbers of atoms. */
export interface WholeRepresentation {
  readonly axes: (readonly Samples[])[];
  solution?: Solution;
  problem?: ImageProblem;
  readonly weigh?: (counts: Int32Array) => Float64Array | undefined;
}

/** Receives the codes in bands of whole rows of patches. */
export interface CodesOutput {
  begin(layout: CodesBands): Promise<void>;
  write(band: { readonly plane: number; readonly row: number }, codes: Codes, layout: CodesBands): Promise<void>;
}

/** The codes of an image, and how they are divided. */
export interface CodesBands extends Pick<ImageProblem, 'dictionary' | 'peak'>, Omit<ImagePatches, 'first'> {
  /** Rows of patches in a band. */
  readonly rows: number;
}

/** Receives the picture that the codes show. */
export interface PictureOutput {
  write(at: Rectangle, planes: readonly Samples[], signal?: AbortSignal): Promise<void>;
  finish(signal?: AbortSignal): Promise<void>;
}

/** The problem of the images; that of whole images is kept. */
export function problemOf({ images, options, whole }: RepresentContext, [peak, most]: Range): ImageProblem {
  const problem = whole?.problem ?? imageProblem(images, options, peak, most);
  if (whole) whole.problem = problem;
  return problem;
}
