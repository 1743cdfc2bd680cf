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
 * A pursuit is only followed as deep as it can matter: to begin with twice the average budget, and twice as deep again
 * for each patch whose allotment comes close to its end, until there is none.
 */
import type { Selection } from '../budget/select.js';
import { chooseLargest, survives } from '../budget/select.js';
import { countWorth, emptyWorth, worthwhile } from '../budget/worth.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Work } from '../work.js';
import { PATCHES_A_YIELD } from '../work.js';
import type { PatchSolver } from './patchwise.js';
import { pursuer } from './pursuit.js';

/** Atoms a pursuit goes beyond its allotment, so that a larger gain behind a smaller one is seen. */
const LOOKAHEAD = 4;

/** What the pursuits have found so far; kept between calls, so that another budget starts from here. */
export interface Paths {
  /** The gains of each patch, `row` entries apart. */
  readonly gains: Float64Array | Float32Array;
  readonly row: number;
  /** How deep each patch was allowed to be followed, and how deep it was: less if it is represented exactly by then. */
  readonly allowed: Int32Array;
  readonly followed: Int32Array;
}

/** How the budget was divided: the atoms of each patch, and the selection among the gains. */
export interface Allotment extends Selection {
  readonly counts: Int32Array;
}

/** What joint OMP may spend: S atoms in all, or as many as are worth a price (`budget/worth.ts`). */
export type Spending = number | { readonly price: number };

/** No path followed yet, for P patches over D. */
export function emptyPaths(D: Dictionary, P: number): Paths {
  const row = Math.min(D.N, D.L);
  return { gains: new Float64Array(P * row), row, allowed: new Int32Array(P), followed: new Int32Array(P) };
}

/** How deep each patch must be followed before S can be divided at all; 0 where it already was. */
export function firstDepths({ allowed, row }: Paths, S: Spending): Int32Array {
  // How many atoms are worth it shows only on the way; most patches of a photograph have few.
  const average = typeof S === 'number' ? Math.ceil(S / allowed.length) : LOOKAHEAD;
  const depth = Math.min(row, Math.max(LOOKAHEAD, 2 * average));
  return allowed.map((already) => (already < depth ? depth : 0));
}

/** How much deeper each patch must be followed because its allotment comes close to its end; undefined if none must. */
export function furtherDepths({ allowed, followed, row }: Paths, counts: Int32Array): Int32Array | undefined {
  const depths = allowed.map((depth, p) => {
    const ended = followed[p] < depth || followed[p] === row;
    return !ended && counts[p] > followed[p] - LOOKAHEAD ? Math.min(row, 2 * depth) : 0;
  });
  return depths.some((depth) => depth > 0) ? depths : undefined;
}

/** H_S over the enveloped gains of all patches, S being given or found. */
export function divide({ gains, row, followed }: Paths, S: Spending): Allotment {
  const P = followed.length;
  const envelopes = new Float64Array(followed.reduce((sum, depth) => sum + depth, 0));
  const pool = envelope(row);
  for (let p = 0, from = 0; p < P; p++) {
    pool(gains, p * row, followed[p], envelopes, from);
    from += followed[p];
  }
  const selection = typeof S === 'number' ? chooseLargest(envelopes, S) : selectWorthwhile(envelopes, S.price, P * row);
  const counts = new Int32Array(P);
  for (let p = 0, from = 0; p < P; p++) {
    // Within a patch the gains fall, so the first that is not kept ends it.
    while (counts[p] < followed[p] && survives(selection, envelopes[from + counts[p]], from + counts[p])) counts[p]++;
    from += followed[p];
  }
  return { ...selection, counts };
}

/** The gains that are worth the price, of as many candidates as there would be. */
function selectWorthwhile(gains: Float64Array, price: number, candidates: number): Selection {
  const worth = emptyWorth(candidates);
  for (let i = 0; i < gains.length; i++) if (gains[i] > 0) countWorth(worth, gains[i] / price);
  const threshold = worthwhile(worth, candidates).least * price || Number.MIN_VALUE;
  let kept = 0;
  for (let i = 0; i < gains.length; i++) if (gains[i] >= threshold) kept++;
  return { threshold, kept, tieEnd: gains.length };
}

/** A function that writes `length` gains to `out`, each run of rising ones replaced by its mean. */
function envelope(longest: number) {
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

/** Divides the budget over the patches of Y, following their paths as deep as that takes. */
export function* allot(D: Dictionary, Y: Float64Array, paths: Paths, S: Spending): Work<Allotment> {
  const pursue = pursuer(D, 'order-recursive');
  let depths: Int32Array | undefined = firstDepths(paths, S);
  for (;;) {
    for (let p = 0; p < depths.length; p++) {
      if (p % PATCHES_A_YIELD === 0) yield p / depths.length;
      if (depths[p] === 0) continue;
      const { count, errors } = pursue(Y, p * D.N, depths[p]);
      for (let k = 0; k < count; k++) paths.gains[p * paths.row + k] = errors[k] - errors[k + 1];
      paths.allowed[p] = depths[p];
      paths.followed[p] = count;
    }
    const allotment = divide(paths, S);
    depths = furtherDepths(paths, allotment.counts);
    if (!depths) return allotment;
  }
}

/** The codes under an allotment: every patch pursued again, as far as it was allotted. */
export function pursueAllotment(D: Dictionary, counts: Int32Array): PatchSolver {
  const pursue = pursuer(D, 'order-recursive');
  return (Y, from, x) => {
    const { count, support, errors, coefficients } = pursue(Y, from, counts[from / D.N]);
    coefficients().forEach((value, k) => {
      x[support[k]] = value;
    });
    return { errors: [errors[count]], kept: [count] };
  };
}
