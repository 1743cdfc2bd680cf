/** What the passes of a restoration send: their arguments and answers, with the checks that restore their types. */
import type { Extent, PlanesFrame } from '../../denoisers/frame.js';
import type { Size } from '../../image/rectangle.js';
import type { BlurEstimate } from '../../operators/blind/estimate.js';
import type { FoundReduction } from '../../operators/find-reduction.js';
import type { LoopStep } from '../../operators/loop.js';
import { type Check, finite, flag, listOf, number, oneOf, optional, positive, record, whole } from '../check.js';
import { checkEstimate, checkExtents, checkFrame, checkSize } from '../denoise/messages.js';
import type { Findings, MissingExtent, RestorationWarning } from './findings.js';

/** What is known about an image once it was read. */
export interface KnownImage extends Findings {
  /** The unit of the loop, in units of the image. */
  readonly unit: number;
  /** The size of the picture that the loop works on, and the number of its planes. */
  readonly picture: Size;
  readonly channels: number;
}

/** The argument of `start` and `excess`. */
export interface StepArgument {
  readonly known: KnownImage;
  /** The number of the step after which the picture is read, or before which it is made. */
  readonly k: number;
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

const checkBlur: Check<BlurEstimate> = (value, name) => {
  const { kind } = record({ kind: oneOf('gaussian', 'disk', 'motion'), confidence: finite })(value, name);
  if (kind === 'gaussian') return record({ kind: oneOf(kind), sigma: positive, confidence: finite })(value, name);
  if (kind === 'disk') return record({ kind: oneOf(kind), radius: positive, confidence: finite })(value, name);
  return record({ kind: oneOf(kind), length: positive, angle: finite, confidence: finite })(value, name);
};

const checkWarning: Check<RestorationWarning> = (value, name) => {
  const reasons = oneOf('image-sharp', 'kernel-misfit', 'mask-inverted');
  const { reason } = record({ reason: reasons })(value, name);
  if (reason === 'image-sharp') return { reason };
  if (reason === 'mask-inverted') return record({ reason: oneOf(reason), share: finite })(value, name);
  return record({ reason: oneOf(reason), before: finite, sigma: finite })(value, name);
};

const checkReduction: Check<FoundReduction> = record<FoundReduction>({
  kind: oneOf('bicubic', 'area', 'mixed', 'gaussian', 'points'),
  width: optional(positive),
  share: optional(finite),
  confidence: finite,
  reason: optional(oneOf('too-little-detail', 'noise-removed')),
});

/** The answer of `read`. */
export const checkKnown: Check<KnownImage> = record<KnownImage>({
  sigma: finite,
  estimated: flag,
  jpegQuality: optional(finite),
  blur: optional(checkBlur),
  reduction: optional(checkReduction),
  noise: optional(checkEstimate),
  missing: optional(record<MissingExtent>({ count: whole(1), share: finite, widest: whole(1) })),
  warnings: listOf(checkWarning),
  unit: positive,
  picture: checkSize,
  channels: whole(1, 2 ** 16),
});

const step: Check<LoopStep> = record<LoopStep>({ k: whole(1), sigma: finite, rho: finite, shrink: finite });

export const checkStepArgument: Check<StepArgument> = record<StepArgument>({ known: checkKnown, k: whole(0) });

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
