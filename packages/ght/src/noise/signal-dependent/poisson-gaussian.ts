/**
 * Estimates gain and read noise from an image. var(y | x) = gain · (x − offset) + σ² is a line, and every block with little
 * texture is a point near it: its mean, and the variance of its high frequencies.
 *
 * In the DCT of an 8×8 block the noise of the low frequencies and that of the high ones are independent. So blocks are
 * chosen by their low frequencies, where texture shows first, and measured by their high ones, and the choice does not
 * bias the measurement. A first line is fitted to the least textured blocks of each brightness. Then all blocks whose low
 * frequencies agree with that line are taken, and the line is fitted to them by weighted least squares. This repeats until
 * the set of blocks no longer changes. If at least half of the blocks are flat, brightnesses without flat blocks are represented by their calmest.
 */

import { InputError, OptionError } from '../../errors.js';
import type { Image, Samples } from '../../image/image.js';
import { imageExponent, shifted, shiftedImage } from '../../image/scale.js';
import type { PoissonGaussian } from '../../image/stabilise.js';
import type { Work } from '../../work.js';
import { clippedAt } from '../clipped.js';
import { dct8x8 } from '../coloured/dct8.js';
import { quantile } from '../order.js';
import { aboveRounding } from '../white/sigma.js';

const SIDE = 8;
/** Frequencies (i, j) that are measured: both at least this. */
const HIGH = 4;
const MEASURED = (SIDE - HIGH) ** 2;
/** Frequencies that show texture: 0 < i + j ≤ this, except those that are measured. */
const LOW = 6;
const TEXTURE = ((LOW + 1) * (LOW + 2)) / 2 - 1;
/** z: the number of deviations above the texture of pure noise up to which a block is used. */
const DEVIATIONS = 1;
/** A block with this many times the variance of the line has fine texture; pure noise exceeds it once in a thousand. */
const OUTLIER = 2.4;
/** The most blocks examined, approximately. */
const LOOKED_AT = 2 ** 15;
/** For the first line: the number of brightness classes, and the fraction of each with the least texture. */
const CLASSES = 24;
const CALMEST = 0.1;
/** The smallest number of blocks that are used in each part of the range of brightness. */
const FEWEST_CALM = 16;
/** They are only added if at least this share of all blocks is flat. In a picture that is textured everywhere they are texture. */
const GROUND = 0.5;
const ROUNDS = 8;
/** The shortest side of an image that shows how its noise depends on the signal. */
const SMALLEST = 32;
/** The brightnesses of blocks that count as dark and as bright, as quantiles. */
const ENDS = { dark: 0.05, bright: 0.95 } as const;
/**
 * Noise grows with the signal if its deviation in bright areas is at least this multiple of that in dark ones, at least this share of the
 * blocks agrees with the line and shows this growth itself, and the image has at least this side: otherwise texture could be taken for
 * noise, or the line of one brightness for that of all. On 34
 * photographs with white noise of deviation 5 or 15 none passes, with gain 1 or 4 on top of σ = 2, 27 and 31 pass.
 */
const GROWING = { ratio: 1.3, share: 0.02, seen: 1.02, side: 192 } as const;

/** A block: its mean, its texture and the variance of its noise. */
interface Block {
  readonly mean: number;
  readonly texture: number;
  readonly variance: number;
}

/** A plane, its size, and the marks of its areas without noise. */
interface Plane {
  readonly samples: Samples;
  readonly width: number;
  readonly height: number;
  readonly constant: Uint8Array | undefined;
}

/** var = slope · mean + level. */
interface Line {
  readonly slope: number;
  readonly level: number;
}

/** The line of a plane relative to its offset, and what speaks for it. */
interface PlaneLine extends Line {
  /** The offset. */
  readonly zero: number;
  /** The share of blocks that agree with the line. */
  readonly share: number;
  /** The deviation in bright areas as a multiple of that in dark ones, by the line. */
  readonly growth: number;
  /** The same within the blocks that agree with the line, which may be of almost one brightness. */
  readonly seen: number;
}

/**
 * Gain, σ and offset of Poisson–Gaussian noise in each plane, in the units of the samples. The offset is the sample value at
 * zero signal. If it is not given, it is 0 if the noise allows that, and otherwise the value at which the line has no
 * variance: a line alone cannot separate an offset from read noise, and for denoising only the line matters. The result is
 * deterministic. In a plane of one brightness gain and σ cannot be separated, only their sum is known. Clipped samples are
 * ignored.
 *
 * Measured on Set12 and a quarter of BSD68 (0 to 255) with such noise: the deviation √(gain·x + σ²) over the range of x
 * is found within 2 to 5% root mean square for gain 1 to 8 with σ from 0 to 10, and within 8% at gain 0.5 with σ = 2,
 * where the photographs' own texture is as large. The gain alone is within 2 to 6% there (10% at 0.5); the smaller part
 * of a sum is less certain: σ = 5 with a gain of 2 within 16 to 27%, a gain of 0.1 with σ = 10 within 70%.
 */
export function* poissonGaussianEstimate(
  image: Image,
  offset?: number,
  constant?: Uint8Array,
): Work<Required<PoissonGaussian>[]> {
  const { width, height } = image;
  if (offset !== undefined && !Number.isFinite(offset)) {
    throw new OptionError('offset', 'must be a finite number', offset, 'give the value of no signal, such as 0');
  }
  if (width < SMALLEST || height < SMALLEST) {
    const rule = `must be at least ${SMALLEST}×${SMALLEST} pixels to show how its noise depends on the signal`;
    throw new InputError('image', rule, `${width}×${height}`, 'give a larger image, or gain and sigma themselves');
  }
  return yield* planeLines(image, offset, constant, () => true);
}

/** Gain, σ and offset of each plane if the noise grows with the signal in all of them; undefined if it does not. */
export function* growingNoise(
  image: Image,
  constant: Uint8Array | undefined,
): Work<Required<PoissonGaussian>[] | undefined> {
  if (Math.min(image.width, image.height) < GROWING.side) return undefined;
  const planes = yield* planeLines(image, undefined, constant, ({ growth, share, seen }) => {
    return growth >= GROWING.ratio && share >= GROWING.share && seen >= GROWING.seen;
  });
  return planes.length === image.planes.length ? planes : undefined;
}

/** The parameters of the planes before the first one whose line is not as wanted. */
function* planeLines(
  image: Image,
  offset: number | undefined,
  constant: Uint8Array | undefined,
  isWanted: (line: PlaneLine) => boolean,
): Work<Required<PoissonGaussian>[]> {
  const { width, height } = image;
  const e = yield* imageExponent(image);
  const { planes } = e === 0 ? image : yield* shiftedImage(image, -e);
  const lines = [];
  for (const samples of planes) {
    const line = yield* lineOf({ samples, width, height, constant }, offset && shifted(offset, -e));
    if (!isWanted(line)) break;
    const sigma = yield* aboveRounding(samples, Math.sqrt(line.level));
    lines.push({ gain: shifted(line.slope, e), sigma: shifted(sigma, e), offset: shifted(line.zero, e) });
  }
  return lines;
}

/** The line of a plane relative to the offset; if none is given, to an estimated one. */
function* lineOf(plane: Plane, offset: number | undefined): Work<PlaneLine> {
  const blocks = yield* blocksOf(plane, offset ?? 0);
  const { zero, ...line } = yield* lineThrough(blocks, offset);
  const shift = zero - (offset ?? 0);
  const shiftedBlocks = shift === 0 ? blocks : blocks.map((block) => ({ ...block, mean: block.mean - shift }));
  const calm = agreeing(shiftedBlocks, line);
  const share = calm.length / blocks.length;
  const growth = growthOver(shiftedBlocks, line);
  // Each sorts all blocks of the image.
  yield 1;
  return { ...line, zero, share, growth, seen: growthOver(calm, line) };
}

/** The deviation in the bright ones of some blocks as a multiple of that in the dark ones. */
function growthOver(blocks: readonly Block[], line: Line): number {
  if (blocks.length === 0) return 1;
  const means = Float64Array.from(blocks, ({ mean }) => mean);
  const [dark, bright] = [ENDS.dark, ENDS.bright].map((q) => at(line, quantile(means, q)));
  return bright > 0 ? Math.sqrt(bright / dark) : 1;
}

function* lineThrough(blocks: readonly Block[], offset: number | undefined): Work<Line & { readonly zero: number }> {
  const line = yield* fitLine(blocks);
  if (offset !== undefined || line.slope === 0 || line.level > 0) return { ...line, zero: offset ?? 0 };
  // The line is negative at 0. Relative to the darkest block it need not be.
  const darkest = blocks.reduce((least, { mean }) => Math.min(least, mean), Number.POSITIVE_INFINITY);
  const fromThere = blocks.map((block) => ({ ...block, mean: block.mean - darkest }));
  const { slope, level } = yield* fitLine(fromThere);
  const zero = slope > 0 ? darkest - level / slope : 0;
  return zero > 0 ? { slope, level: 0, zero } : { ...line, zero: 0 };
}

/** Fits the line, round by round, to the blocks that agree with it, and to some of each brightness where too few do. */
function* fitLine(blocks: readonly Block[]): Work<Line> {
  const classes = classesOf(blocks);
  let line = weighted(calmest(blocks), { slope: 0, level: 1 });
  let taken = 0;
  for (let round = 0; round < ROUNDS; round++) {
    yield round / ROUNDS;
    const calm = agreeing(blocks, line);
    if (calm.length < 64) break;
    line = weighted(calm.length < GROUND * blocks.length ? calm : [...calm, ...missing(classes, line)], line);
    if (calm.length === taken) break;
    taken = calm.length;
  }
  return line;
}

/** The blocks whose texture and variance agree with the noise of the line. */
function agreeing(blocks: readonly Block[], line: Line): Block[] {
  const limit = TEXTURE + DEVIATIONS * Math.sqrt(2 * TEXTURE);
  return blocks.filter(({ mean, texture, variance }) => {
    const noise = at(line, mean);
    return texture <= limit * noise && variance <= OUTLIER * noise;
  });
}

function at({ slope, level }: Line, mean: number): number {
  return slope * Math.max(0, mean) + level;
}

/** The blocks with the least texture in each brightness class. */
function calmest(blocks: readonly Block[]): Block[] {
  const sorted = [...blocks].sort((a, b) => a.mean - b.mean);
  const size = Math.ceil(sorted.length / CLASSES);
  const calm: Block[] = [];
  for (let from = 0; from < sorted.length; from += size) {
    const some = sorted.slice(from, from + size).sort((a, b) => a.texture - b.texture);
    calm.push(...some.slice(0, Math.ceil(CALMEST * some.length)));
  }
  return calm;
}

/** The blocks in equal parts of the range of brightness, each sorted by texture. */
function classesOf(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const [dark, bright] = blocks.reduce(
    ([least, most], { mean }) => [Math.min(least, mean), Math.max(most, mean)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const classes = Array.from({ length: CLASSES }, (): Block[] => []);
  for (const block of blocks) {
    const c = Math.floor((CLASSES * (block.mean - dark)) / (bright - dark));
    classes[Math.max(0, Math.min(CLASSES - 1, c || 0))].push(block);
  }
  return classes.map((some) => some.sort((a, b) => a.texture - b.texture));
}

/**
 * The calmest blocks of each class in which fewer agree with the line. Next to a dark ground with thousands of blocks, a few bright
 * objects may have none that is flat; their high frequencies show the noise all the same.
 */
function missing(classes: readonly (readonly Block[])[], line: Line): Block[] {
  return classes.flatMap((some) => {
    const enough = Math.min(FEWEST_CALM, Math.ceil(some.length / 4));
    return agreeing(some, line).length >= enough ? [] : some.slice(0, enough);
  });
}

/**
 * Least squares of variance against mean. A measured variance v has deviation v √(2/MEASURED), so its weight is 1/v²,
 * with v from the line of the previous round, starting from `line`, for a few rounds. Neither coefficient may be negative.
 */
function weighted(blocks: readonly Block[], line: Line): Line {
  let fitted = line;
  for (let repeat = 0; repeat < 6; repeat++) {
    const floor = 1e-9 * blocks.reduce((most, { variance }) => Math.max(most, variance), 0);
    let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
    for (const { mean: x, variance: y } of blocks) {
      const weight = 1 / (at(fitted, x) + floor || 1) ** 2;
      w += weight;
      wx += weight * x;
      wy += weight * y;
      wxx += weight * x * x;
      wxy += weight * x * y;
    }
    const determinant = w * wxx - wx * wx;
    const slope = determinant > 1e-12 * w * wxx ? (w * wxy - wx * wy) / determinant : 0;
    const level = (wy - slope * wx) / w;
    if (slope <= 0) fitted = { slope: 0, level: wy / w };
    else if (level < 0) fitted = { slope: Math.max(0, wxy / wxx), level: 0 };
    else fitted = { slope, level };
  }
  return fitted;
}

/** The blocks of a plane without clipped samples (all blocks, if almost all are clipped); their means are relative to the offset. */
function* blocksOf({ samples, width, height, constant }: Plane, offset: number): Work<Block[]> {
  const [columns, rows] = [width - SIDE + 1, height - SIDE + 1];
  const step = Math.max(1, Math.ceil(Math.sqrt((columns * rows) / LOOKED_AT)));
  const { least, most } = yield* clippedAt(samples);
  const all: Block[] = [];
  const free: Block[] = [];
  const block = new Float64Array(SIDE * SIDE);
  for (let y = 0; y < rows; y += step) {
    yield y / rows;
    for (let x = 0; x < columns; x += step) {
      let clipped = false;
      for (let i = 0; i < block.length; i++) {
        const from = (y + (i >> 3)) * width + x + (i & 7);
        const value = samples[from];
        if (value === least || value === most || constant?.[from] === 1) clipped = true;
        block[i] = value - offset;
      }
      const measured = measure(block);
      all.push(measured);
      if (!clipped) free.push(measured);
    }
  }
  return free.length < 256 ? all : free;
}

/** A block of samples, which is overwritten by its DCT. */
function measure(block: Float64Array): Block {
  dct8x8(block);
  const mean = block[0] / SIDE;
  let texture = 0;
  let variance = 0;
  for (let i = 0; i < SIDE; i++) {
    for (let j = 0; j < SIDE; j++) {
      const measured = i >= HIGH && j >= HIGH;
      const value = block[i * SIDE + j];
      if (measured) variance += (value * value) / MEASURED;
      else if (i + j > 0 && i + j <= LOW) texture += value * value;
    }
  }
  return { mean, texture, variance };
}
