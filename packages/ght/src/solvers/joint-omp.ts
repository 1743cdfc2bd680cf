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
import { selectLargest, survives } from '../budget/select.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { PatchSolver } from './patchwise.js';
import { pursuer } from './pursuit.js';
import type { Work } from './work.js';
import { PATCHES_A_YIELD } from './work.js';

/** Atoms a pursuit goes beyond its allotment, so that a larger gain behind a smaller one is seen. */
const LOOKAHEAD = 4;

/** What the pursuits have found so far; kept between calls, so that another budget starts from here. */
export interface Paths {
  /** e_p(0), e_p(1), … of each patch, as deep as it was followed. */
  readonly errors: Float64Array[];
  /** How deep it was allowed to go; a shorter `errors` means that the patch is represented exactly. */
  readonly depth: Int32Array;
}

/** How the budget was divided. */
export interface Allotment extends Selection {
  /** Atoms for each patch. */
  readonly counts: Int32Array;
  /** ‖DZ − Y‖² that results. */
  readonly error: number;
}

/** No path followed yet, for P patches. */
export function emptyPaths(P: number): Paths {
  return { errors: new Array(P), depth: new Int32Array(P) };
}

/** Divides the budget S over the patches of Y, following their paths as deep as that takes. */
export function* allot(D: Dictionary, Y: Float64Array, paths: Paths, S: number): Work<Allotment> {
  const P = paths.depth.length;
  const deepest = Math.min(D.N, D.L);
  const pursue = pursuer(D, 'order-recursive');
  const first = Math.min(deepest, Math.max(LOOKAHEAD, 2 * Math.ceil(S / P)));
  let open: { p: number; to: number }[] = [];
  for (let p = 0; p < P; p++) if (paths.depth[p] < first) open.push({ p, to: first });
  for (;;) {
    for (let i = 0; i < open.length; i++) {
      if (i % PATCHES_A_YIELD === 0) yield i / open.length;
      const { p, to } = open[i];
      const { count, errors } = pursue(Y, p * D.N, to);
      paths.errors[p] = errors.slice(0, count + 1);
      paths.depth[p] = to;
    }
    const allotment = divide(paths, S);
    open = [];
    for (let p = 0; p < P; p++) {
      const followed = paths.errors[p].length - 1;
      const ended = followed < paths.depth[p] || followed === deepest;
      if (!ended && allotment.counts[p] > followed - LOOKAHEAD) {
        open.push({ p, to: Math.min(deepest, 2 * paths.depth[p]) });
      }
    }
    if (open.length === 0) return allotment;
  }
}

/** H_S over the enveloped gains of all patches. */
function divide(paths: Paths, S: number): Allotment {
  const length = paths.errors.reduce((sum, errors) => sum + errors.length - 1, 0);
  const gains = new Float64Array(length);
  let from = 0;
  for (const errors of paths.errors) {
    envelope(errors, gains, from);
    from += errors.length - 1;
  }
  const selection = selectLargest(gains, S);
  const counts = new Int32Array(paths.errors.length);
  let error = 0;
  let i = 0;
  paths.errors.forEach((errors, p) => {
    for (let k = 1; k < errors.length; k++, i++) if (survives(selection, gains[i], i)) counts[p]++;
    error += errors[counts[p]];
  });
  return { ...selection, counts, error };
}

/** Writes the gains of one path to `gains[from…]`, each run of rising ones replaced by its mean. */
function envelope(errors: Float64Array, gains: Float64Array, from: number): void {
  // Pool adjacent violators: blocks of (start, mean), the means falling.
  const starts: number[] = [];
  const means: number[] = [];
  for (let k = 0; k < errors.length - 1; k++) {
    let start = k;
    let mean = errors[k] - errors[k + 1];
    while (means.length > 0 && means[means.length - 1] < mean) {
      start = starts.pop() as number;
      means.pop();
      mean = (errors[start] - errors[k + 1]) / (k + 1 - start);
    }
    starts.push(start);
    means.push(mean);
  }
  starts.push(errors.length - 1);
  means.forEach((mean, block) => {
    gains.fill(mean, from + starts[block], from + starts[block + 1]);
  });
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
