/**
 * The properties of each solver, in one place: options, help texts, the lab and the studio read them here. The algorithm
 * itself is in the solver's own file.
 */

import type { RisingPenalty } from './penalty.js';

/** The properties of a solver. */
export interface SolverEntry {
  /** Its usual name. */
  readonly title: string;
  /**
   * How it solves the problem. `iterative`: all patches together, with one threshold per iteration. `allotment`: every patch is
   * pursued, then the budget is divided among all of them. `patchwise`: every patch separately, with ⌊S/P⌋ atoms each.
   */
  readonly method: 'iterative' | 'allotment' | 'patchwise';
  /** Whether all patches share one budget. */
  readonly joint: boolean;
  /**
   * The default ρ in units of ‖D‖₂², constant or rising, where the budget does not grow; null for a solver without a penalty. All
   * defaults are measured in docs/choosing.md.
   */
  readonly rho: number | RisingPenalty | null;
  /**
   * The defaults where the budget grows, as it does unless an option prevents it: the share of the budget with which a run begins,
   * ρ, and the largest number of iterations. Null for a solver without a global threshold.
   */
  readonly growing: {
    readonly growth: number;
    readonly rho: RisingPenalty;
    readonly maxIterations: number;
  } | null;
  /** Whether it can start from given codes. */
  readonly startsFromCodes: boolean;
  /** Approximate time on one core, in microseconds per patch: base + perAtom · s, for s atoms per 8×8 patch. */
  readonly effort: { readonly base: number; readonly perAtom: number };
  /**
   * How the price of an atom grows with L/N on a coherent dictionary, as an exponent. There X = KY has several coefficients
   * for one feature. See {@link atomPrice}.
   */
  readonly crowding: number;
}

/** All solvers: the two global ones of the paper, joint OMP, and the three patch-wise ones they are compared with. */
export const solverCatalogue = {
  qpm: {
    title: 'GHT-QPM',
    method: 'iterative',
    joint: true,
    rho: 0.05,
    growing: { growth: 0.02, rho: { from: 0.05, to: 1 }, maxIterations: 300 },
    startsFromCodes: true,
    crowding: 0.5,
    effort: { base: 18, perAtom: 0.2 },
  },
  admm: {
    title: 'GHT-ADMM',
    method: 'iterative',
    joint: true,
    rho: { from: 0.002, to: 0.2 },
    growing: { growth: 0.02, rho: { from: 0.02, to: 0.2 }, maxIterations: 300 },
    startsFromCodes: true,
    crowding: 0.8,
    effort: { base: 8, perAtom: 0.8 },
  },
  'joint-omp': {
    title: 'joint OMP',
    method: 'allotment',
    joint: true,
    rho: null,
    growing: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 1, perAtom: 0.4 },
  },
  omp: {
    title: 'OMP',
    method: 'patchwise',
    joint: false,
    rho: null,
    growing: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 1, perAtom: 0.15 },
  },
  aiht: {
    title: 'AIHT',
    method: 'patchwise',
    joint: false,
    rho: null,
    growing: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 0, perAtom: 2 },
  },
  cosamp: {
    title: 'CoSaMP',
    method: 'patchwise',
    joint: false,
    rho: null,
    growing: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 0, perAtom: 1.2 },
  },
} as const satisfies Record<string, SolverEntry>;

/** The name of a solver. */
export type SolverName = keyof typeof solverCatalogue;

type OfMethod<M> = {
  [Name in SolverName]: (typeof solverCatalogue)[Name]['method'] extends M ? Name : never;
}[SolverName];

/** The solvers that iterate over all patches together. */
export type IterativeSolver = OfMethod<'iterative'>;

/** The solvers that code every patch separately. */
export type PatchwiseSolver = OfMethod<'patchwise'>;

/** Whether a solver iterates over all patches together. */
export function isIterative(solver: SolverName): solver is IterativeSolver {
  return solverCatalogue[solver].method === 'iterative';
}

/** Whether a solver codes every patch separately. */
export function isPatchwise(solver: SolverName): solver is PatchwiseSolver {
  return solverCatalogue[solver].method === 'patchwise';
}

/** The names of all solvers. */
export const solverNames = Object.keys(solverCatalogue) as readonly SolverName[];

/** κ for an orthonormal dictionary, and for joint OMP with any dictionary. Measured, see docs/choosing.md. */
const KAPPA = 3.3;

/** κ of the threshold rule for a budget from σ: an atom must lower the squared error by κσ² ln(M/S). */
export function atomPrice(solver: SolverName, N: number, L: number): number {
  return KAPPA * Math.max(1, L / N) ** solverCatalogue[solver].crowding;
}
