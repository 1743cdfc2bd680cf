/**
 * What is to be known about each solver, in one place: options, help texts, the lab and the studio read it here. How a solver
 * computes is on its own page.
 */

/** What is to be known about a solver. */
export interface SolverEntry {
  /** How the field writes its name. */
  readonly title: string;
  /**
   * How it goes about the problem. `iterative`: all patches together, one threshold per iteration. `allotment`: every patch is
   * pursued, then the budget is divided over all of them. `patchwise`: every patch by itself, with ⌊S/P⌋ atoms each.
   */
  readonly method: 'iterative' | 'allotment' | 'patchwise';
  /** Whether one budget is shared by all patches. */
  readonly joint: boolean;
  /** The default ρ in units of ‖D‖₂², as measured in docs/choosing.md; null for a solver without a penalty. */
  readonly rho: number | null;
  /** Whether it can start from given codes. */
  readonly startsFromCodes: boolean;
  /** About how long it takes on one core, in microseconds per patch: base + perAtom · s, for s atoms per patch of 8×8. */
  readonly effort: { readonly base: number; readonly perAtom: number };
  /**
   * How the price of an atom grows with L/N on a coherent dictionary, as an exponent: X = KY has several coefficients for one
   * feature there. See {@link atomPrice}.
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
    startsFromCodes: true,
    crowding: 0.5,
    effort: { base: 18, perAtom: 0.2 },
  },
  admm: {
    title: 'GHT-ADMM',
    method: 'iterative',
    joint: true,
    rho: 0.15,
    startsFromCodes: true,
    crowding: 0.8,
    effort: { base: 8, perAtom: 0.8 },
  },
  'joint-omp': {
    title: 'joint OMP',
    method: 'allotment',
    joint: true,
    rho: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 1, perAtom: 0.4 },
  },
  omp: {
    title: 'OMP',
    method: 'patchwise',
    joint: false,
    rho: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 1, perAtom: 0.15 },
  },
  aiht: {
    title: 'AIHT',
    method: 'patchwise',
    joint: false,
    rho: null,
    startsFromCodes: false,
    crowding: 0,
    effort: { base: 0, perAtom: 2 },
  },
  cosamp: {
    title: 'CoSaMP',
    method: 'patchwise',
    joint: false,
    rho: null,
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

/** The solvers that code every patch by itself. */
export type PatchwiseSolver = OfMethod<'patchwise'>;

/** Whether a solver iterates over all patches together. */
export function isIterative(solver: SolverName): solver is IterativeSolver {
  return solverCatalogue[solver].method === 'iterative';
}

/** Whether a solver codes every patch by itself. */
export function isPatchwise(solver: SolverName): solver is PatchwiseSolver {
  return solverCatalogue[solver].method === 'patchwise';
}

/** The names of all solvers. */
export const solverNames = Object.keys(solverCatalogue) as readonly SolverName[];

/** κ for an orthonormal dictionary, and for joint OMP on any: measured, see docs/choosing.md. */
const KAPPA = 3.3;

/** κ of the threshold rule for a budget from σ, by which an atom must gain κσ² ln(M/S). */
export function atomPrice(solver: SolverName, N: number, L: number): number {
  return KAPPA * Math.max(1, L / N) ** solverCatalogue[solver].crowding;
}
