/**
 * Joint OMP: the greedy answer to the joint problem. Every patch is pursued once, atom by atom (order-recursive choice),
 * and tells what each further atom would gain; then the budget S goes to the largest gains of all patches.
 *
 *     e_p(k) = ‖y_p − D x‖² after k atoms,     gain of the k-th atom = e_p(k − 1) − e_p(k)
 *
 * A small gain may stand before a large one that cannot be had without it. So each run of rising gains is replaced by its
 * mean, which makes them fall within a patch (the concave envelope of e_p(0) − e_p), and the choice is then once more a
 * global hard thresholding: H_S over the gains of all patches.
 *
 * Its threshold λ is the price of an atom: patch p gets the n atoms that are worth most at that price,
 *
 *     n_p(λ) = argmax_k Σ_{i≤k} (gainᵢ − λ)
 *
 * so a path need not be followed to its end. It is left once Σ(gain − λ) has fallen by more than PATIENCE · λ below its
 * maximum. λ is estimated from a sample of the patches first, and paths are followed at a price somewhat lower than that; if λ
 * turns out to be lower still, they are followed again.
 *
 * Restarts by exclusion (effort 2). One of its first atoms can lead a path astray. So, with λ known, every patch is pursued
 * again without the 2nd, the 3rd and the 4th of its n_p(λ) atoms, and of all four paths the one that is worth most stays,
 *
 *     max_k Σ_{i≤k} (gainᵢ − λ)
 *
 * Then S is divided again. (The 1st atom is almost always the mean of the patch: without it no path was better.)
 */

import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import { chooseLargest, type Selection, survives } from '../budget/select.js';
import { countWorth, emptyWorth, mayBeWorth, worthwhile } from '../budget/worth.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { PatchSolver } from './patchwise.js';
import { type Pursue, type Pursuit, pursuer } from './pursuit.js';

/**
 * How many prices a path may lose before it is left. A larger gain behind so much loss is hardly ever seen: of 65,536
 * patches of photographs at most 22 had another allotment with six prices, at 1 to 30 atoms per patch, and the RMSE was lower by 2 parts in a
 * million at most. With one and a half prices there was none, and it took 5% longer.
 */
export const PATIENCE = 1;

/**
 * How much is done for a smaller error at the same budget. 1: joint OMP. 2: and restarts by exclusion. 3: and swaps
 * (`swaps.ts`).
 */
export type Effort = 1 | 2 | 3;

/** How often a patch is pursued again. */
export const RESTARTS = 3;

/** Patches of the sample from which λ is estimated. */
const SAMPLED_PATCHES = 128;
/** Of the estimated λ, the price at which paths are followed. */
const MARGIN = 0.7;

/** What the pursuits have found so far; kept between calls, so that another budget starts from here. */
export interface Paths {
  /** The gains of each patch, `row` entries apart, and how many there are. */
  readonly gains: Float64Array;
  readonly row: number;
  readonly followed: Int32Array;
  /** The atom that each path was followed without, or −1. */
  readonly without: Int32Array;
  /** The price at which they were followed: gains above it are all known. */
  price: number;
}

/** How the budget was divided: the atoms of each patch, and the selection among the gains. */
export interface Allotment extends Selection {
  readonly counts: Int32Array;
  /** The atom that each patch is to be pursued without, or −1. */
  readonly without: Int32Array;
}

/** What joint OMP may spend: S atoms in all, or as many as are worth a price (`sparse/budget/worth.ts`). */
export type Spending = number | { readonly price: number };

/** No path followed yet, for P patches over D. */
export function emptyPaths(D: Dictionary, P: number): Paths {
  const row = Math.min(D.N, D.L);
  const without = new Int32Array(P).fill(-1);
  return {
    gains: new Float64Array(P * row),
    row,
    followed: new Int32Array(P),
    without,
    price: Number.POSITIVE_INFINITY,
  };
}

/** H_S over the enveloped gains of all patches, S being given or found. */
export function divide({ gains, row, followed, without }: Paths, S: Spending): Allotment {
  const P = followed.length;
  const envelopes = new Float64Array(followed.reduce((sum, depth) => sum + depth, 0));
  const pool = envelope(row);
  for (let p = 0, from = 0; p < P; p++) {
    pool(gains, p * row, followed[p], envelopes, from);
    from += followed[p];
  }
  const selection =
    typeof S === 'number' ? chooseLargest(envelopes, S) : chooseWorthwhile([envelopes], S.price, P * row);
  const counts = new Int32Array(P);
  for (let p = 0, from = 0; p < P; p++) {
    // Within a patch the gains fall, so the first that is not kept ends it.
    while (counts[p] < followed[p] && survives(selection, envelopes[from + counts[p]], from + counts[p])) counts[p]++;
    from += followed[p];
  }
  return { ...selection, counts, without };
}

/** The gains that are worth the price, of as many candidates as there would be. */
export function chooseWorthwhile(parts: readonly Float64Array[], price: number, candidates: number): Selection {
  const worth = emptyWorth(candidates);
  for (const gains of parts)
    for (let i = 0; i < gains.length; i++) if (gains[i] > 0) countWorth(worth, gains[i] / price);
  const threshold = worthwhile(worth, candidates).least * price || Number.MIN_VALUE;
  let kept = 0;
  for (const gains of parts) for (let i = 0; i < gains.length; i++) if (gains[i] >= threshold) kept++;
  return { threshold, kept, tieEnd: Number.POSITIVE_INFINITY };
}

/** Whether a selection among the gains above a price is that among all gains. */
export function isComplete({ threshold, kept }: Selection, S: Spending, price: number, candidates: number): boolean {
  if (price === 0 || S === 0) return true;
  return typeof S === 'number' ? threshold > price : !mayBeWorth(price / S.price, kept, candidates);
}

/** A function that writes `length` gains to `out`, each run of rising ones replaced by its mean. */
export function envelope(longest: number) {
  // Pool adjacent violators: each block's gains are its mean, and the means fall from block to block.
  const starts = new Int32Array(longest + 1);
  const sums = new Float64Array(longest);
  return (gains: ArrayLike<number>, from: number, length: number, out: Float64Array, outFrom: number): void => {
    let blocks = 0;
    for (let k = 0; k < length; k++) {
      let start = k;
      let sum = gains[from + k];
      while (blocks > 0 && sums[blocks - 1] / (start - starts[blocks - 1]) < sum / (k + 1 - start)) {
        blocks--;
        start = starts[blocks];
        sum += sums[blocks];
      }
      starts[blocks] = start;
      sums[blocks++] = sum;
    }
    starts[blocks] = length;
    for (let block = 0; block < blocks; block++) {
      const mean = sums[block] / (starts[block + 1] - starts[block]);
      for (let k = starts[block]; k < starts[block + 1]; k++) out[outFrom + k] = mean;
    }
  };
}

/** Divides the budget over the patches of Y, following their paths as far as that takes. */
export function* allot(
  D: Dictionary,
  Y: Float64Array,
  paths: Paths,
  S: Spending,
  effort: Effort = 1,
  pursue: Pursue = pursuer(D, 'order-recursive'),
): Work<Allotment> {
  const P = paths.followed.length;
  const first = yield* followAndDivide(D, Y, pursue, paths, S, yield* estimate(D, Y, pursue, P, S));
  const lambda = first.threshold;
  if (effort === 1 || lambda === 0 || lambda === Number.POSITIVE_INFINITY) return first;
  return yield* followAndDivide(D, Y, pursue, emptyPaths(D, P), S, lambda, lambda);
}

/** Follows paths with λ where it is expected, further if it is not there, and divides the budget; restarts are judged at `lambda`. */
function* followAndDivide(
  D: Dictionary,
  Y: Float64Array,
  pursue: Pursue,
  paths: Paths,
  S: Spending,
  expected: number,
  lambda?: number,
): Work<Allotment> {
  const P = paths.followed.length;
  const follow = follower(D, Y, pursue, paths);
  const first = MARGIN * expected;
  for (const price of [first, first / 4, 0]) {
    if (price < paths.price) {
      for (let p = 0; p < P; p++) {
        if (p % PATCHES_PER_YIELD === 0) yield p / P;
        follow(p, price, lambda);
      }
      paths.price = price;
    }
    const allotment = divide(paths, S);
    if (isComplete(allotment, S, paths.price, P * paths.row)) return allotment;
  }
  throw new Error('paths that were followed to their end suffice for every budget');
}

/** λ of a sample, whose paths are followed to their end. */
function* estimate(D: Dictionary, Y: Float64Array, pursue: Pursue, P: number, S: Spending): Work<number> {
  const n = Math.min(P, SAMPLED_PATCHES);
  const sample = emptyPaths(D, n);
  const follow = follower(D, Y, pursue, sample, (i) => Math.floor((i * P) / n));
  for (let p = 0; p < n; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield 0;
    follow(p, 0);
  }
  if (typeof S === 'number') return divide(sample, Math.ceil((S * n) / P)).threshold;
  // A gain of more than ln M prices is worth it in any case.
  return Math.min(divide(sample, S).threshold, S.price * Math.log(n * sample.row));
}

/** A function that follows path p at a price, which is that of patch `place(p)`; if λ is given, with restarts. */
function follower(
  { N }: Dictionary,
  Y: Float64Array,
  pursue: Pursue,
  { gains, row, followed, without }: Paths,
  place = (p: number) => p,
): (p: number, price: number, lambda?: number) => void {
  return (p, price, lambda) => {
    let best = -1;
    /** The path without an atom, which becomes the patch's own if it is worth more at λ than those before it. */
    const consider = (atom: number): Pursuit => {
      const path = pursue(Y, place(p) * N, price < Number.POSITIVE_INFINITY ? row : 0, {
        goOn: patient(price),
        without: atom,
      });
      const { count, errors } = path;
      const n = bestPrefix(errors, count, lambda ?? price);
      const worth = errors[0] - errors[n] - n * (lambda ?? price);
      if (worth > best) {
        best = worth;
        for (let k = 0; k < count; k++) gains[p * row + k] = errors[k] - errors[k + 1];
        followed[p] = count;
        without[p] = atom;
      }
      return path;
    };
    const { support, count, errors } = consider(-1);
    if (lambda === undefined) return;
    for (const atom of support.slice(1, Math.min(bestPrefix(errors, count, lambda), 1 + RESTARTS))) consider(atom);
  };
}

/** Says of each gain in turn whether to go on: until Σ(gain − price) is too far below the best it has been. */
function patient(price: number): (gain: number) => boolean {
  let lost = 0;
  return (gain) => {
    lost = Math.max(0, lost + price - gain);
    return lost <= PATIENCE * price;
  };
}

/** n(λ) of a path with these errors: argmax_k Σ_{i≤k} (gainᵢ − λ). */
function bestPrefix(errors: Float64Array, count: number, lambda: number): number {
  let n = 0;
  for (let k = 1; k <= count; k++) if (errors[k] + k * lambda < errors[n] + n * lambda) n = k;
  return n;
}

/** The codes under an allotment: every patch pursued again, as far as it was allotted. */
export function pursueAllotment(
  D: Dictionary,
  { counts, without }: Pick<Allotment, 'counts' | 'without'>,
  pursue: Pursue = pursuer(D, 'order-recursive'),
): PatchSolver {
  return (Y, from, x) => {
    const p = from / D.N;
    const { count, support, errors, coefficients } = pursue(Y, from, counts[p], { without: without[p] });
    const values = coefficients();
    for (const [k, value] of values.entries()) x[support[k]] = value;
    return { errors: [errors[count]], kept: [values.length] };
  };
}
