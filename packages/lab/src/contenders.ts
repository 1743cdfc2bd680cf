import type { Solution, SolveOptions, SolverName } from 'ght';
import { isIterative, isPatchwise, solverCatalogue, solverNames } from 'ght';
import type { Run, Setting } from './setting.js';

/** The global solvers of the paper, the one beyond it, and the patch-wise ones, in the order of every table and legend. */
export const contenders = solverNames;

/** The two algorithms of the paper, which iterate over all patches together. */
export const paperSolvers = solverNames.filter(isIterative);

/** The patch-wise algorithms that the paper compares with. */
export const competitors = solverNames.filter(isPatchwise);

/** The five algorithms of the paper's tables, in the order of its rows. */
export const tabled = [...competitors, ...paperSolvers];

/** The paper's penalty, for both algorithms and all experiments. */
export const PAPER_RHO = 0.1;

/**
 * How a solver is run on natural patches and on synthetic signals. ρ = 0.1 as the paper has it, with one exception: with
 * that value GHT-ADMM ends far above its best on natural patches (experiment `rho` shows it), so there it has the
 * library's default. The stopping rule is the paper's, 1e-5 for signals whose full scale is 1, and no more than 100 iterations.
 */
export function optionsOf(solver: SolverName, signals: 'natural' | 'synthetic'): SolveOptions {
  const common = { solver, maxIterations: 100, tolerance: 1e-5 };
  if (solver === 'qpm') return { ...common, rho: { absolute: PAPER_RHO } };
  if (solver === 'admm') return signals === 'synthetic' ? { ...common, rho: { absolute: PAPER_RHO } } : common;
  return common;
}

/** The run that a solution stands for. */
export function runOf({ solver, rmse, iterations, history }: Solution, s: number): Run {
  return { solver, s, rmse, iterations, seconds: (history.at(-1)?.ms ?? 0) / 1000 };
}

/** About how long a solver takes with s atoms per patch, to pace the progress. */
export function weightOf(solver: SolverName, s: number): number {
  const { base, perAtom } = solverCatalogue[solver].effort;
  return base + perAtom * s;
}

/** What every solve of a setting shares. */
export function shared({ threads }: Setting): Pick<SolveOptions, 'threads'> {
  return { threads };
}
