/**
 * Coefficients that were rounded to multiples of a step form a comb. How likely a comb is, against coefficients that were not.
 *
 * A coefficient c of a decoded block is kq + e: a multiple of the step and an error e of deviation σ, because the decoder
 * rounds samples. Nothing is learnt from k = 0, where small coefficients of any picture lie. For |c| > q/2 let r be the
 * distance to the nearest tooth. Without a comb r is spread evenly over the q units between two teeth (a density that falls
 * off and bends upwards, as that of coefficients does, has even less near a tooth). So
 *
 *     w_q(c) = log( (1 − ε) q p(r) + ε )
 *
 * is the logarithm of a likelihood ratio; ε is the share of outliers, and p a mixture of two normal densities, one of deviation
 * σ, one of √8 σ: in a block that varies along one axis only, all 8 rows have the same error. Its sum over the blocks is the
 * evidence for q at one frequency; averaged over the steps that q may be, with half of the weight on "no comb", and added up
 * over frequencies, it is still the logarithm of a likelihood ratio. That is T, and without a comb T exceeds t with a
 * probability of at most exp(−t) (Markov's inequality), however many coefficients there are.
 *
 * That holds as far as r is spread evenly, which it is not in pictures of few grey levels or whose parts repeat: there T is
 * large wherever blocks are cut. So grids are compared as well, by the evidence per coefficient.
 */

/** Bins of a histogram per unit of magnitude. */
const BINS_PER_UNIT = 4;
/** Bins of a histogram; at frequency 0, where magnitudes are up to 1024, four times as many. */
const BINS = 256 * BINS_PER_UNIT;
/** The largest step that is looked for. */
const LARGEST_STEP = 128;
/** The largest step that adds to T: down to quality 15 or so enough frequencies have a smaller one. */
const LARGEST_SCORED = 48;
/** ε: the share of coefficients that no comb explains. */
const OUTLIERS = 0.05;
/** Coefficients that count as unexplained beside those that are there, so that few of them do not make a large mean. */
const FEW = 16;
/** The share of errors that are alike in all rows or columns, and how much larger that makes them. */
const COHERENT = 0.25;
const COHERENCE = Math.sqrt(8);

/** The logarithm of the likelihood ratio of a coefficient at distance r from a tooth. */
function weightAt(distance: number, step: number, sigma: number): number {
  const normal = (deviation: number) => {
    let density = 0;
    for (const tooth of [-step, 0, step]) density += Math.exp(-((distance - tooth) ** 2) / (2 * deviation ** 2));
    return density / (deviation * Math.sqrt(2 * Math.PI));
  };
  const comb = (1 - COHERENT) * normal(sigma) + COHERENT * normal(COHERENCE * sigma);
  return Math.log((1 - OUTLIERS) * step * comb + OUTLIERS);
}

/** Combs of all steps under errors of one deviation. */
export interface Combs {
  /** `weights[q][b]`: w_q of the magnitudes of bin b. */
  readonly weights: readonly Float64Array[];
  /** `expected[q]`: the mean of w_q over coefficients that are on the comb. */
  readonly expected: Float64Array;
  /** Bins up to this are of no use: their magnitudes may be errors, whatever the step. */
  readonly nearZero: number;
}

const made = new Map<number, Combs>();

/** The combs for errors of deviation σ; they are made once. */
export function combsOf(sigma: number): Combs {
  const combs = made.get(sigma) ?? makeCombs(sigma);
  made.set(sigma, combs);
  return combs;
}

function makeCombs(sigma: number): Combs {
  const weights: Float64Array[] = [];
  const expected = new Float64Array(LARGEST_STEP + 1);
  for (let q = 0; q <= LARGEST_STEP; q++) {
    const period = Float64Array.from({ length: BINS_PER_UNIT * q }, (_, b) => {
      const magnitude = b / BINS_PER_UNIT;
      return weightAt(magnitude - q * Math.round(magnitude / q), q, sigma);
    });
    weights.push(Float64Array.from({ length: q < 2 ? 0 : BINS }, (_, b) => period[b % period.length]));
    expected[q] = period.reduce((sum, w) => sum + (Math.exp(w) * w) / period.length, 0);
  }
  return { weights, expected, nearZero: 5 * sigma * BINS_PER_UNIT };
}

/** What the coefficients of one frequency say. */
export interface StepFound {
  /** The most likely step; 1 where none is likelier than no comb. */
  readonly step: number;
  /** The sum of w for that step. */
  readonly evidence: number;
  /** What that sum would be if all these coefficients were on the comb, but for the errors of decoding. */
  readonly expected: number;
  /** What the frequency adds to T. */
  readonly share: number;
  /** The coefficients that are not near 0. */
  readonly count: number;
}

/** What all frequencies say together. */
export interface Score {
  readonly T: number;
  /** The evidence per coefficient that is not near 0: nearly all of them must be explained for it to be large. */
  readonly mean: number;
}

/** Magnitudes of the coefficients of many blocks, by frequency. */
export class Histograms {
  readonly #counts = Array.from({ length: 64 }, (_, f) => new Uint32Array(f === 0 ? 4 * BINS + 1 : BINS));
  readonly #filled = new Int32Array(4 * BINS + 1);
  readonly #amounts = new Float64Array(4 * BINS + 1);
  readonly #totals = new Float64Array(LARGEST_STEP + 1);

  /** Forgets all blocks. */
  clear(): void {
    for (const counts of this.#counts) counts.fill(0);
  }

  /**
   * Counts the coefficients of one block, unless it varies by less than about a grey level: all its samples were rounded the
   * same way then, and what decoding left is no noise.
   */
  add(block: Float64Array): void {
    let energy = 0;
    for (let f = 1; f < 64; f++) energy += block[f] ** 2;
    if (energy < 64) return;
    for (let f = 0; f < 64; f++) {
      const counts = this.#counts[f];
      const bin = Math.round(BINS_PER_UNIT * Math.abs(block[f]));
      if (bin < counts.length) counts[bin]++;
    }
  }

  /** The step of a frequency, up to the largest that may be. */
  step(f: number, { weights, expected, nearZero }: Combs, largest = LARGEST_STEP): StepFound {
    const counts = this.#counts[f];
    const [filled, amounts, totals] = [this.#filled, this.#amounts, this.#totals.fill(0)];
    let [bins, count] = [0, 0];
    for (let b = Math.ceil(nearZero); b < counts.length; b++) {
      if (counts[b] === 0) continue;
      filled[bins] = b;
      amounts[bins++] = counts[b];
      count += counts[b];
    }
    let [step, evidence, beyond] = [1, 0, 0];
    let [first, rest] = [0, count];
    for (let q = 2; q <= largest; q++) {
      const period = BINS_PER_UNIT * q;
      const ofStep = weights[q];
      let total = 0;
      while (first < bins && 2 * filled[first] <= period) rest -= amounts[first++];
      if (first === bins) break;
      if (f > 0) for (let i = first; i < bins; i++) total += amounts[i] * ofStep[filled[i]];
      else for (let i = first; i < bins; i++) total += amounts[i] * ofStep[filled[i] % period];
      totals[q] = total;
      if (total > evidence) [step, evidence, beyond] = [q, total, rest];
    }
    let mean = 0;
    for (let q = 2; q <= largest; q++) mean += Math.exp(totals[q] - evidence) / (largest - 1);
    const share = evidence + Math.log(0.5 * Math.exp(-evidence) + 0.5 * mean);
    return { step, evidence, expected: beyond * expected[step], share, count };
  }

  /**
   * T. Frequency 0 is left out, and 4 half waves each way with it: their coefficients are eighths of integers in any picture
   * of integers, and the more so the fewer grey levels it has.
   */
  score(combs: Combs): Score {
    let [T, evidence, count] = [0, 0, 0];
    for (let f = 0; f < 64; f++) {
      if ((((f & 7) | (f >> 3)) & 3) === 0) continue;
      const found = this.step(f, combs, LARGEST_SCORED);
      T += found.share;
      evidence += found.evidence;
      count += found.count;
    }
    return { T, mean: evidence / (count + FEW) };
  }
}
