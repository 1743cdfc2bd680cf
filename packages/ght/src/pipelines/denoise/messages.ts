/** What the passes of denoising send: their arguments and answers, with the checks that restore their types. */
import type { Extent, PlanesFrame } from '../../denoisers/frame.js';
import type { Size } from '../../image/rectangle.js';
import type { JpegInfo, NoiseModel } from '../../noise/model.js';
import {
  type Check,
  finite,
  flag,
  listOf,
  nullable,
  number,
  numbers,
  oneOf,
  optional,
  record,
  refuse,
  whole,
} from '../check.js';
import type { Bands } from './bands.js';
import { bandingSearches } from './defects.js';
import type { ImageRange } from './findings.js';
import type { Known } from './parts.js';

/** The argument of the passes over the half image. */
export interface CoarseArgument {
  readonly known: Known;
  readonly framed: PlanesFrame;
  readonly step: Size;
}

/** The argument of the passes that read the image after the coarse scale. */
export interface ScalesArgument {
  readonly known: Known;
  readonly coarse?: CoarseArgument;
}

/** The argument of the last pass. */
export interface FineArgument extends ScalesArgument {
  readonly framed: PlanesFrame;
  readonly step: Size;
  /** Whether the result differs from the input. */
  readonly changed: boolean;
  /** Whether the model for colour pictures is used. */
  readonly colour: boolean;
}

/** The largest side of a tile. */
const LARGEST_SIDE = 2 ** 31;
/** Coefficients of an 8×8 block. */
const FREQUENCIES = 64;

/** The answer of `range`. */
export const checkRange: Check<ImageRange> = record<ImageRange>({
  least: finite,
  most: finite,
  channels: whole(1, 2 ** 16),
  copies: flag,
});

const impulseRule: Check<NonNullable<Known['defects']['impulses'][number]>> = record({
  levels: listOf(record({ sign: oneOf(1, -1), value: number, share: number })),
  signs: listOf(oneOf(1, -1)),
  floors: listOf(number),
});

const offsets = listOf(nullable(numbers()));

const defects: Check<Known['defects']> = record<Known['defects']>({
  impulses: listOf(nullable(impulseRule)),
  rowOffsets: offsets,
  columnOffsets: offsets,
  banding: record({ rows: number, columns: number, search: oneOf(...bandingSearches) }),
});

const deviations = listOf(listOf(numbers(FREQUENCIES)));

const models: { readonly [Kind in NoiseModel['kind']]: Check<Extract<NoiseModel, { readonly kind: Kind }>> } = {
  white: record({ kind: oneOf('white'), sigma: listOf(number) }),
  'signal-dependent': record({
    kind: oneOf('signal-dependent'),
    planes: listOf(record({ gain: number, sigma: number, offset: number })),
  }),
  coloured: record({ kind: oneOf('coloured'), brightness: listOf(number), deviations }),
};
const kinds = ['white', 'signal-dependent', 'coloured'] as const;

const noiseModel: Check<NoiseModel> = (value, name) => {
  const { kind } = record<{ kind: NoiseModel['kind'] }>({ kind: oneOf(...kinds) })(value, name);
  return models[kind](value, name);
};

/** A table of quantisation steps, which may be of any type. */
const table: Check<ArrayLike<number>> = (value, name) => {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) throw refuse(name, 'must be a table of numbers', value);
  const steps = Array.from(value as ArrayLike<number>);
  if (steps.length !== FREQUENCIES) throw refuse(name, `must have ${FREQUENCIES} steps`, steps.length);
  for (const step of steps) number(step, name);
  return value as ArrayLike<number>;
};

const pair: Check<readonly [number, number]> = (value, name) => {
  const [first, second] = listOf(finite, 2)(value, name);
  return [first, second];
};

const jpeg: Check<JpegInfo> = record<JpegInfo>({
  luma: table,
  chroma: optional(table),
  subsampling: optional(pair),
  origin: optional(pair),
});

/** The answer of `reestimate`. */
export const checkEstimate: Check<Known['estimate']> = record<Known['estimate']>({
  model: noiseModel,
  confidence: number,
  confidenceReason: optional(oneOf('no-flat-area')),
  isDrawn: optional(flag),
  levels: optional(listOf(record({ middle: number, finest: number, coarsest: number, confidence: number }))),
  coarse: optional(models.coloured),
  jpeg: optional(jpeg),
  jpegQuality: optional(number),
});

/** The answer of `estimate`. */
export const checkNoise: Check<Known> = record<Known>({
  range: checkRange,
  peak: finite,
  defects,
  estimate: checkEstimate,
  bands: optional(
    record<Bands>({
      mix: optional(record<NonNullable<Bands['mix']>>({ M: numbers(), offset: numbers() })),
      left: listOf(number),
    }),
  ),
});

const extent: Check<Extent> = record<Extent>({ sum: number, least: number, most: number });

/** The answer of `coarse-extents`: the extents of each plane, block by block. */
export const checkExtents: Check<Extent[][]> = listOf(listOf(extent));

/** The answer of `extents`. */
export const checkMeasured: Check<{ readonly extents: Extent[][]; readonly impulses: number }> = record({
  extents: checkExtents,
  impulses: whole(),
});

/** How planes enter a denoiser. */
export const checkFrame: Check<PlanesFrame> = record<PlanesFrame>({
  frame: record<PlanesFrame['frame']>({
    centres: listOf(number),
    scales: listOf(number),
    noise: optional(record({ brightness: listOf(number), deviations })),
  }),
  noisy: listOf(flag),
});

/** The size of an image or of its parts. */
export const checkSize: Check<Size> = record<Size>({ width: whole(1, LARGEST_SIDE), height: whole(1, LARGEST_SIDE) });

/** The argument of `estimate`. */
export const checkEstimateArgument: Check<{ readonly range: ImageRange; readonly peak: number }> = record({
  range: checkRange,
  peak: finite,
});

/** The argument of `coarse-extents`. */
export const checkKnownArgument: Check<{ readonly known: Known }> = record({ known: checkNoise });

/** The argument of `coarse`. */
export const checkCoarseArgument: Check<CoarseArgument> = record<CoarseArgument>({
  known: checkNoise,
  framed: checkFrame,
  step: checkSize,
});

/** The argument of `reestimate` and `extents`. */
export const checkScalesArgument: Check<{ readonly known: Known; readonly coarse?: CoarseArgument }> = record<{
  readonly known: Known;
  readonly coarse?: CoarseArgument;
}>({ known: checkNoise, coarse: optional(checkCoarseArgument) });

/** The argument of `denoise`. */
export const checkFineArgument: Check<FineArgument> = record<FineArgument>({
  known: checkNoise,
  framed: checkFrame,
  step: checkSize,
  changed: flag,
  colour: flag,
  coarse: optional(checkCoarseArgument),
});
