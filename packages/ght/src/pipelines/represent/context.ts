/** What the passes of representing an image work on. */

import type { Samples } from '../../image/image.js';
import type { PartedImage } from '../../image/parted-image.js';
import type { Rectangle, Size } from '../../image/rectangle.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { Scratch } from '../plan.js';
import type { Solution } from '../solve/solve.js';
import type { Range, SampleRange } from './messages.js';
import type { RepresentOptions } from './options.js';
import { type ImageProblem, imageProblem } from './problem.js';

/** An image that is represented, where its parts are kept, and where the result goes. */
export interface RepresentContext {
  readonly image: PartedImage;
  /** The number of planes. */
  readonly planes: number;
  readonly options: RepresentOptions;
  /** The full scale and the largest sample, if the type of the samples tells them. */
  readonly range?: Range;
  /** The full scale of an image with this range. */
  peakOf(range: SampleRange): number;
  /** How the image is divided; undefined for a whole image, which is one part. */
  readonly parts?: PartDivision;
  /** What a whole image keeps from pass to pass. */
  readonly whole?: WholeRepresentation;
  /** Keeps what runs of patches have followed, and their codes, between passes. */
  readonly scratch: Scratch;
  /** Where codes are kept, if they are. */
  readonly codes?: CodesOutput;
  readonly output: PictureOutput;
}

/** The side of a square of pixels that is worked on at once; what is written consists of whole chunks. */
export interface PartDivision {
  readonly side: number;
  readonly chunk: Size;
}

/** A whole image in memory: its axes, its solution, and the weights of overlapping patches by their numbers of atoms. */
export interface WholeRepresentation {
  axes?: readonly Samples[];
  solution?: Solution;
  problem?: ImageProblem;
  readonly weigh?: (counts: Int32Array) => Float64Array | undefined;
}

/** Receives the codes in bands of whole rows of patches. */
export interface CodesOutput {
  begin(layout: CodesBands): Promise<void>;
  write(band: { readonly plane: number; readonly row: number }, codes: Codes, layout: CodesBands): Promise<void>;
}

/** How the codes of an image are divided. */
export interface CodesBands {
  readonly problem: ImageProblem;
  /** Rows of patches in a band. */
  readonly rows: number;
}

/** Receives the picture that the codes show. */
export interface PictureOutput {
  write(at: Rectangle, planes: readonly Samples[], signal?: AbortSignal): Promise<void>;
  finish(signal?: AbortSignal): Promise<void>;
}

/** The problem of an image; that of a whole image is kept. */
export function problemOf({ image, planes, options, whole }: RepresentContext, [peak, most]: Range): ImageProblem {
  const problem = whole?.problem ?? imageProblem(image, planes, options, peak, most);
  if (whole) whole.problem = problem;
  return problem;
}
