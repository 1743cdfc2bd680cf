/** What the passes of a restoration send: their arguments and answers, with the checks that restore their types. */
import type { Extent, PlanesFrame } from '../../denoisers/frame.js';
import type { Size } from '../../image/rectangle.js';
import type { FoundReduction } from '../../operators/find-reduction.js';
import type { LoopStep } from '../../operators/loop.js';
import { type Check, finite, flag, number, oneOf, optional, positive, record, whole } from '../check.js';
import { checkEstimate, checkExtents, checkFrame, checkSize } from '../denoise/messages.js';
import type { FoundInput } from './problem.js';

/** What is known about an image once it was read. */
export interface KnownImage {
  /** The deviation of the noise, in units of the image, and whether it was estimated. */
  readonly sigma: number;
  readonly estimated: boolean;
  /** The unit of the loop, in units of the image. */
  readonly unit: number;
  /** The size of the picture that the loop works on, and the number of its planes. */
  readonly picture: Size;
  readonly channels: number;
  /** What was found about the image, if something was looked for. */
  readonly found?: FoundInput;
}

/** The argument of `start`. */
export interface StartArgument {
  readonly known: KnownImage;
}

/** The argument of `data`. */
export interface DataArgument {
  readonly known: KnownImage;
  readonly step: LoopStep;
  /** The step before it, whose dual is still to be updated. */
  readonly before?: LoopStep;
}

/** The answer of `data`. */
export interface DataAnswer {
  /** The extents of the plane that the prior denoises, block by block. */
  readonly extents: Extent[][];
  /** ‖x − z‖² of the plane in the step before; 0 if there is none. */
  readonly squares: number;
}

/** The argument of `prior`. */
export interface PriorArgument {
  readonly known: KnownImage;
  readonly k: number;
  readonly framed: PlanesFrame;
  /** The size of the parts. */
  readonly part: Size;
}

/** The argument of `result`. */
export interface ResultArgument {
  readonly known: KnownImage;
  readonly last: LoopStep;
}

const reduction: Check<FoundReduction> = record<FoundReduction>({
  kind: oneOf('bicubic', 'area', 'mixed', 'gaussian'),
  width: optional(positive),
  share: optional(finite),
  confidence: finite,
  reason: optional(oneOf('too-little-detail', 'noise-removed')),
});

const found: Check<FoundInput> = record<FoundInput>({
  sigma: finite,
  reduction: optional(reduction),
  noise: optional(checkEstimate),
});

/** The answer of `read`. */
export const checkKnown: Check<KnownImage> = record<KnownImage>({
  sigma: finite,
  estimated: flag,
  unit: positive,
  picture: checkSize,
  channels: whole(1, 2 ** 16),
  found: optional(found),
});

export const checkStartArgument: Check<StartArgument> = record<StartArgument>({ known: checkKnown });

const step: Check<LoopStep> = record<LoopStep>({ k: whole(1), sigma: finite, rho: finite, shrink: finite });

export const checkDataArgument: Check<DataArgument> = record<DataArgument>({
  known: checkKnown,
  step,
  before: optional(step),
});

export const checkDataAnswer: Check<DataAnswer> = record<DataAnswer>({ extents: checkExtents, squares: number });

export const checkPriorArgument: Check<PriorArgument> = record<PriorArgument>({
  known: checkKnown,
  k: whole(1),
  framed: checkFrame,
  part: checkSize,
});

export const checkResultArgument: Check<ResultArgument> = record<ResultArgument>({ known: checkKnown, last: step });
