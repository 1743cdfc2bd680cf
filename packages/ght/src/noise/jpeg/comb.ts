/**
 * Coefficients that were rounded to multiples of a step form a comb. This file measures how likely a comb is, compared with
 * coefficients that were not rounded.
 *
 * A coefficient c of a decoded block is kq + e: a multiple of the step and an error e of deviation σ, because the decoder
 * rounds samples. k = 0 contains no information, because small coefficients of any picture lie there. For |c| > q/2 let r be the
 * distance to the nearest tooth. Without a comb, r is spread evenly over the q units between two teeth (a decreasing convex
 * density, like that of coefficients, has even less near a tooth). So
 *
 *     w_q(c) = log( (1 − ε) q p(r) + ε )
 *
 * is the logarithm of a likelihood ratio. ε is the share of outliers, and p a mixture of two normal densities, one of deviation
 * σ, one of √8 σ: in a block that varies along one axis only, all 8 rows have the same error. The sum of w_q over the blocks is the
 * evidence for q at one frequency. Averaged over the possible steps q, with half of the weight on "no comb", and summed
 * over frequencies, it is still the logarithm of a likelihood ratio. This is T. Without a comb, T exceeds t with a
 * probability of at most exp(−t) (Markov's inequality), for any number of coefficients.
 *
 * This assumes that r is spread evenly. In pictures with few grey levels or repeated parts it is not, and T is large for every
 * grid. So grids are also compared by the evidence per coefficient.
 */

/** Bins of a histogram per unit of magnitude. */
const BINS_PER_UNIT = 4;
/** Bins of a histogram. Frequency 0, where magnitudes are up to 1024, has four times as many. */
const BINS = 256 * BINS_PER_UNIT;
/** The largest step that is searched. */
const LARGEST_STEP = 128;
/** The largest step that adds to T: down to a quality of about 15, enough frequencies have a smaller one. */
const LARGEST_SCORED = 48;
/** ε: the share of coefficients that no comb explains. */
const OUTLIERS = 0.05;
/** Unexplained coefficients that are added to the count, so that a few coefficients do not give a large mean. */
const PRIOR_COUNT = 16;
/** The share of errors that are the same in all rows or columns, and the factor by which they are larger. */
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

/** Combs of all steps, for errors of one deviation. */
export interface Combs {
  /** `weights[q][b]`: w_q of the magnitudes of bin b. */
  readonly weights: readonly Float64Array[];
  /** `expected[q]`: the mean of w_q over coefficients that are on the comb. */
  readonly expected: Float64Array;
  /** Bins below this are not used: their magnitudes may be errors, whatever the step. */
  readonly nearZero: number;
}

const made = new Map<number, Combs>();

/** The combs for errors of deviation σ; cached. */
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

/** The step found from the coefficients of one frequency. */
export interface StepFound {
  /** The most likely step; 1 if none is more likely than no comb. */
  readonly step: number;
  /** The sum of w for that step. */
  readonly evidence: number;
  /** The expected sum if all these coefficients were on the comb, with the errors of decoding. */
  readonly expected: number;
  /** The contribution of the frequency to T. */
  readonly share: number;
  /** The number of coefficients that are not near 0. */
  readonly count: number;
}

/** The evidence of all frequencies together. */
export interface Score {
  readonly T: number;
  /** The evidence per coefficient that is not near 0: it is large only if the combs explain nearly all of them. */
  readonly mean: number;
}

/** Magnitudes of the coefficients of many blocks, by frequency. */
export class Histograms {
  readonly #counts = Array.from({ length: 64 }, (_, f) => new Uint32Array(f === 0 ? 4 * BINS + 1 : BINS));
  readonly #filled = new Int32Array(4 * BINS + 1);
  readonly #amounts = new Float64Array(4 * BINS + 1);
  readonly #totals = new Float64Array(LARGEST_STEP + 1);

  /** Removes all blocks. */
  clear(): void {
    for (const counts of this.#counts) counts.fill(0);
  }

  /**
   * Counts the coefficients of one block. A block that varies by less than about a grey level is left out: all its samples were
   * rounded the same way, so the errors of decoding are not noise.
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

  /** The step of a frequency, at most `largest`. */
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
   * T and the mean evidence. Frequencies with 0 or 4 half waves along both axes are left out: their coefficients are eighths of
   * integers in any picture of integers, and even more regular if it has few grey levels.
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
    return { T, mean: evidence / (count + PRIOR_COUNT) };
  }
}
