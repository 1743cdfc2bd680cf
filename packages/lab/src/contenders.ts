import { type Solution, type SolverName, type SolverOptions, solverCatalogue, solverNames } from 'ght';
import type { Run } from './setting.js';

/** The global solvers of the paper, joint OMP, and the patch-wise ones, in the order of every table and legend. */
export const contenders = solverNames;

/** The two algorithms of the paper, which iterate over all patches together. */
export const paperSolvers = ['qpm', 'admm'] as const satisfies readonly SolverName[];

/** The name of one of them. */
export type PaperSolver = (typeof paperSolvers)[number];

/** The patch-wise algorithms that the paper compares with. */
export const competitors = solverNames.filter((name) => solverCatalogue[name].method === 'patchwise');

/** The five algorithms of the paper's tables, in the order of its rows. */
export const tabled = [...competitors, ...paperSolvers];

/** The paper's penalty, for both algorithms and all experiments. */
export const PAPER_RHO = 0.1;

/** The best constant penalty of GHT-ADMM on natural patches, in units of ‖D‖₂² (docs/choosing.md). */
export const NATURAL_RHO = 0.15;

/**
 * The options of a solver on natural patches and on synthetic signals. ρ is constant, and 0.1 as in the paper, with one exception:
 * with that value GHT-ADMM ends far above its best on natural patches (see the experiment `rho`), so there it has the best
 * constant one. The stopping rule is the paper's, 1e-5 for signals whose full scale is 1, and at most 100 iterations.
 */
export function optionsOf(solver: SolverName, signals: 'natural' | 'synthetic'): SolverOptions {
  const common = { solver, maxIterations: 100, tolerance: 1e-5 };
  const whole = { ...common, growth: false } as const;
  if (solver === 'qpm') return { ...whole, rho: { absolute: PAPER_RHO } };
  if (solver === 'admm') return { ...whole, rho: signals === 'synthetic' ? { absolute: PAPER_RHO } : NATURAL_RHO };
  return common;
}

/** The run that produced a solution. */
export function runOf({ solver, rmse, iterations, history }: Solution, s: number): Run {
  return { solver, s, rmse, iterations, seconds: (history.at(-1)?.ms ?? 0) / 1000 };
}

/** Approximate time of a solver with s atoms per patch, to weight the progress. */
export function weightOf(solver: SolverName, s: number): number {
  const { base, perAtom } = solverCatalogue[solver].effort;
  return base + perAtom * s;
}

/** The name of a solver in tables and texts. */
export function titleOf(solver: SolverName): string {
  return solverCatalogue[solver].title;
}
