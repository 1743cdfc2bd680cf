import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';

/** The course of a patch-wise solver on one patch: the squared error and the number of atoms after each iteration. */
export interface Descent {
  readonly errors: ArrayLike<number>;
  readonly kept: ArrayLike<number>;
}

/**
 * A patch-wise solver: finds the code of the patch that starts at `Y[from]`, writes it to `x` (L entries, initially zero),
 * and returns its course, which is valid until the next call.
 */
export type PatchSolver = (Y: Float64Array, from: number, x: Float64Array) => Descent;

/** The most atoms that patches may use: the same number for all, or one number per patch. */
export type AtomLimits = number | Int32Array;

/** A solver for patches with different limits: one solver per limit, chosen by the place of the patch. */
export function withLimits(limits: AtomLimits, N: number, solver: (s: number) => PatchSolver): PatchSolver {
  if (typeof limits === 'number') return solver(limits);
  const solvers = new Map([...new Set(limits)].map((s) => [s, solver(s)] as const));
  return (Y, from, x) => (solvers.get(limits[from / N]) as PatchSolver)(Y, from, x);
}

/** The codes of all patches, and how all went together. */
export interface Sweep {
  readonly codes: Codes;
  /** Sums over all patches after k = 1, 2, … iterations; a patch that ended earlier counts with its final values. */
  readonly errors: readonly number[];
  readonly kept: readonly number[];
}

/** Solves every patch separately and collects the codes. */
export function* sweep(Y: Float64Array, N: number, L: number, solve: PatchSolver): Work<Sweep> {
  const P = Y.length / N;
  const indptr = new Int32Array(P + 1);
  const indices: number[] = [];
  const values: number[] = [];
  const errors = [0];
  const kept = [0];
  let finishedError = 0;
  const x = new Float64Array(L);
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield p / P;
    x.fill(0);
    const descent = solve(Y, p * N, x);
    for (let k = errors.length; k < descent.errors.length; k++) {
      errors.push(finishedError);
      kept.push(indices.length);
    }
    let error = 0;
    let atoms = 0;
    if (descent.errors.length === 0) for (let n = 0; n < N; n++) error += Y[p * N + n] ** 2;
    for (let k = 0; k < errors.length; k++) {
      if (k < descent.errors.length) {
        error = descent.errors[k];
        atoms = descent.kept[k];
      }
      errors[k] += error;
      kept[k] += atoms;
    }
    finishedError += error;
    for (let l = 0; l < L; l++) {
      if (x[l] !== 0) {
        indices.push(l);
        values.push(x[l]);
      }
    }
    indptr[p + 1] = indices.length;
  }
  const codes = { L, P, indptr, indices: Int32Array.from(indices), values: Float64Array.from(values) };
  return { codes, errors, kept };
}
