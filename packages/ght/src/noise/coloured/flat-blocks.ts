/**
 * The variance of the noise at every frequency, from the flattest blocks of one brightness, and a measure of how flat they are.
 *
 * The 63 frequencies are divided into two halves like a chessboard (u + v even, u + v odd). With S(f) the current variance, blocks
 * are ranked by their energy in one half,
 *
 *     t = Σ y(f)² / S(f)      over f of that half
 *
 * and the new S(f) of the *other* half is the mean of y(f)² over the blocks of lowest t: 5% of them but at least 150 (12% and 60 in
 * a JPEG), and at most a quarter. Ranking and measurement use different frequencies, so the selection does not bias the noise
 * towards lower values. Texture fills both halves, so textured blocks are left out. There are three rounds; S(f) starts at the
 * 10% quantiles of the squares. In t, no S(f) counts as less than 0.001 of the mean of S.
 *
 *     R = mean of y(f)² over the next blocks in rank / mean of y(f)² over the chosen,      f at middle radius
 *
 * again in the half that is not used for ranking. The next blocks are up to twice as many as the chosen, and R is the mean over both
 * halves. With noise alone all blocks are alike and R is about 1. If the chosen blocks contain texture, the next ones contain more
 * of it, and R is 1.4 to 10.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';
import { ranked } from '../order.js';
import type { Sampling } from './blocks.js';
import { dct8x8 } from './dct8.js';
import { FREQUENCIES, HALVES, MIDDLE_HALVES, meanOver, REFERENCE, SIDE } from './frequencies.js';

const ROUNDS = 3;
/** S(f) starts at this quantile of the squares, over at most this many blocks. */
const START = { quantile: 0.1, blocks: 1024 } as const;
/** R uses up to this many times as many blocks as were chosen, including those. */
const NEXT = 3;
/** The value of R where there is no next block: the amount of texture is unknown. */
const UNKNOWN_RATIO = 9;
/** The smallest variance of a frequency, as a share of the mean: an empty frequency must not dominate the ranking. */
const LEAST_SHARE = 1e-3;
/** Blocks that are transformed between two yields: about a millisecond. */
const BLOCKS_PER_YIELD = 1024;

/** A plane in units of its own: y = (sample − mean) · scale. */
export interface CentredPlane {
  readonly samples: Samples;
  readonly width: number;
  readonly mean: number;
  readonly scale: number;
}

/** What is measured on the flattest blocks of a bin. */
export interface Flattest {
  /** The variance at every frequency, in the units of the centred plane; 0 for the mean of the block. */
  readonly variance: Float64Array;
  /** R: about 1 for noise, 1.4 and more for texture. */
  readonly ratio: number;
  /** The mean of y(f)² of every block of the bin at 3 ≤ r < 5, where structure shows that noise does not hide. */
  readonly energies: Float64Array;
}

/**
 * Measures the blocks of `plane` that begin at the indices `at`, of which there is at least one. `squares` has room for their
 * coefficients, 64 each.
 */
export function* flattest(
  plane: CentredPlane,
  at: Int32Array,
  sampling: Sampling,
  squares: Float64Array,
): Work<Flattest> {
  yield* squareCoefficients(plane, at, squares);
  const count = at.length;
  const chosen = Math.min(Math.max(sampling.least, Math.floor(sampling.share * count)), Math.ceil(count / 4));
  const looked = Math.min(count, NEXT * chosen);
  const ranks = [new Float64Array(count), new Float64Array(count)] as const;
  const scratch = new Float64Array(count);
  let variance = startOf(squares, count);
  for (let round = 1; ; round++) {
    rankBlocks(squares, weightsOf(variance), ranks);
    yield round / ROUNDS;
    const isLast = round === ROUNDS;
    variance = new Float64Array(FREQUENCIES);
    let ratio = 0;
    for (const half of [0, 1] as const) {
      const measured = 1 - half;
      const { mean, next } = meansOfLowest(squares, ranks[half], chosen, isLast ? looked : chosen, scratch);
      for (const f of HALVES[measured]) variance[f] = mean[f];
      const middle = MIDDLE_HALVES[measured];
      ratio += ratioOf(meanOver(next, middle), meanOver(mean, middle), looked > chosen) / 2;
      yield round / ROUNDS;
    }
    if (isLast) return { variance, ratio, energies: energiesOf(squares, count) };
  }
}

function ratioOf(next: number, chosen: number, isKnown: boolean): number {
  if (!isKnown) return UNKNOWN_RATIO;
  if (chosen > 0) return next / chosen;
  return next > 0 ? Number.POSITIVE_INFINITY : 1;
}

/** y(f)² of every block, into `squares`. */
function* squareCoefficients(
  { samples, width, mean, scale }: CentredPlane,
  at: Int32Array,
  squares: Float64Array,
): Work<void> {
  const block = new Float64Array(FREQUENCIES);
  for (let n = 0; n < at.length; n++) {
    if (n % BLOCKS_PER_YIELD === 0) yield n / at.length;
    for (let v = 0, i = 0, from = at[n]; v < SIDE; v++, from += width) {
      for (let u = 0; u < SIDE; u++, i++) block[i] = (samples[from + u] - mean) * scale;
    }
    dct8x8(block);
    for (let i = 0, to = n * FREQUENCIES; i < FREQUENCIES; i++, to++) squares[to] = block[i] * block[i];
  }
}

/** The energy of every block at reference frequencies. */
function energiesOf(squares: Float64Array, count: number): Float64Array {
  return new Float64Array(count).map((_, n) => {
    let sum = 0;
    for (const f of REFERENCE) sum += squares[n * FREQUENCIES + f];
    return sum / REFERENCE.length;
  });
}

/** The quantile of the squares at every frequency. */
function startOf(squares: Float64Array, count: number): Float64Array {
  const used = Math.min(count, START.blocks);
  const rank = Math.floor(START.quantile * (used - 1));
  const column = new Float64Array(used);
  const start = new Float64Array(FREQUENCIES);
  for (let f = 1; f < FREQUENCIES; f++) {
    for (let i = 0; i < used; i++) column[i] = squares[Math.floor((i * count) / used) * FREQUENCIES + f];
    start[f] = ranked(column, rank);
  }
  return start;
}

/** 1 / S(f), and 0 for the mean of the block. If all S(f) are 0, every frequency has the same weight. */
function weightsOf(variance: Float64Array): Float64Array {
  let sum = 0;
  for (let f = 1; f < FREQUENCIES; f++) sum += variance[f];
  const least = (LEAST_SHARE * sum) / (FREQUENCIES - 1);
  const weights = variance.map((value) => (least > 0 ? 1 / Math.max(value, least) : 1));
  weights[0] = 0;
  return weights;
}

/** t of every block in both halves. */
function rankBlocks(squares: Float64Array, weights: Float64Array, [even, odd]: readonly Float64Array[]): void {
  for (let n = 0, i = 0; n < even.length; n++) {
    let evenSum = 0;
    let oddSum = 0;
    // Two rows at a time: u + v is even for even u in the first row, and for odd u in the second.
    for (let f = 0; f < FREQUENCIES; f += 2 * SIDE) {
      for (let u = 0; u < SIDE; u += 2, i += 2) {
        evenSum += squares[i] * weights[f + u];
        oddSum += squares[i + 1] * weights[f + u + 1];
      }
      for (let u = SIDE; u < 2 * SIDE; u += 2, i += 2) {
        oddSum += squares[i] * weights[f + u];
        evenSum += squares[i + 1] * weights[f + u + 1];
      }
    }
    even[n] = evenSum;
    odd[n] = oddSum;
  }
}

/** The mean squares of the `chosen` blocks of lowest rank, and of the next ones up to `looked`. Equal ranks keep the order of blocks. */
function meansOfLowest(
  squares: Float64Array,
  rank: Float64Array,
  chosen: number,
  looked: number,
  scratch: Float64Array,
): { readonly mean: Float64Array; readonly next: Float64Array } {
  scratch.set(rank);
  const last = ranked(scratch, looked - 1);
  const limit = ranked(scratch, chosen - 1, 0, looked);
  let [ties, lastTies] = [chosen, looked];
  for (let n = 0; n < rank.length; n++) {
    if (rank[n] < limit) ties--;
    if (rank[n] < last) lastTies--;
  }
  const mean = new Float64Array(FREQUENCIES);
  const next = new Float64Array(FREQUENCIES);
  for (let n = 0; n < rank.length; n++) {
    const t = rank[n];
    if (t > last || (t === last && lastTies-- <= 0)) continue;
    const sum = t < limit || (t === limit && ties-- > 0) ? mean : next;
    for (let f = 0, i = n * FREQUENCIES; f < FREQUENCIES; f++, i++) sum[f] += squares[i];
  }
  for (let f = 0; f < FREQUENCIES; f++) {
    mean[f] /= chosen;
    next[f] /= Math.max(1, looked - chosen);
  }
  return { mean, next };
}
