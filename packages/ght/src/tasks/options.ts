import type { Budget } from '../budget/budget.js';
import type { Codes } from '../codes/codes.js';
import { knownOptions, notNegative, oneOf, ParameterError, positive, wholeNumber, yesOrNo } from '../errors.js';

/** The solvers: two global ones of the paper, joint OMP, and the three patch-wise ones it is compared with. */
export const solverNames = ['qpm', 'admm', 'joint-omp', 'omp', 'aiht', 'cosamp'] as const;

/** The name of a solver. */
export type SolverName = (typeof solverNames)[number];

/** How the field writes the name of each solver. */
export const solverTitles: Readonly<Record<SolverName, string>> = {
  qpm: 'GHT-QPM',
  admm: 'GHT-ADMM',
  'joint-omp': 'joint OMP',
  omp: 'OMP',
  aiht: 'AIHT',
  cosamp: 'CoSaMP',
};

/** Whether a solver is one of the paper's two, which have a penalty ρ and go on from codes they are given. */
export function hasPenalty(solver: SolverName): solver is 'qpm' | 'admm' {
  return solver === 'qpm' || solver === 'admm';
}

/** The names of the engines one can ask for; `auto` takes the fastest there is. */
export const engineNames = ['auto', 'wasm', 'portable', 'reference'] as const;

/** The name of an engine, or `auto`. */
export type EngineName = (typeof engineNames)[number];

/**
 * The penalty ρ: a number counts in units of ‖D‖₂², which makes a value mean the same for every dictionary, however it is
 * scaled; `{ absolute }` is the paper's ρ as it stands in the formulas.
 */
export type Penalty = number | { readonly absolute: number };

/**
 * What every task that solves takes. All are optional; {@link solverDefaults} holds what stands in for them. Nothing that is
 * given to a task, here or beside, may change before its promise has settled.
 */
export interface SolveOptions {
  /** Which algorithm; `admm` unless told. */
  readonly solver?: SolverName;
  /** What may be spent; 10 atoms an average patch unless told (or all, of a smaller dictionary). Patch-wise solvers get ⌊S/P⌋ for every patch. */
  readonly budget?: Budget;
  /** ρ of GHT-QPM and GHT-ADMM; the others have none. */
  readonly rho?: Penalty;
  /** Least squares on the final support; false unless told. (OMP and joint OMP end that way by themselves.) */
  readonly refit?: boolean;
  /** The most iterations; 100 unless told. */
  readonly maxIterations?: number;
  /** Stop when successive RMSE (patch-wise: the error of a patch) differ by less than this times the peak; 0 never. */
  readonly tolerance?: number;
  /** `paper`: the paper's ρ = 0.1 absolute, Z⁰ = Λ⁰ = 0, stop at 1e-5 of the peak, no refit. Options given beside it win. */
  readonly preset?: 'paper';
  /** Z⁰ of GHT-QPM and GHT-ADMM; zero unless told. */
  readonly initial?: Codes;
  /** Where it is computed; the fastest engine that can hold the problem unless told. */
  readonly engine?: EngineName;
  /** Threads of the wasm engine; as many as there are cores, where the problem is large enough, unless told. */
  readonly threads?: number;
  /** Stops the computation; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the work is. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far a task is. */
export interface Progress {
  /**
   * Of the iterations (or patches) that may be needed at most, those done: from 0 to 1, never falling. A search for a target
   * starts over with every budget it tries.
   */
  readonly fraction: number;
  /** The iteration that was finished last, for iterative solvers. */
  readonly k?: number;
  /** Its RMSE a patch. */
  readonly rmse?: number;
  /** Only while a target is searched for: the budget that is being tried. */
  readonly trying?: number;
}

/** Options with everything filled in. */
export interface Settings {
  readonly solver: SolverName;
  /** Undefined for the default, which depends on the dictionary. */
  readonly budget: Budget | undefined;
  readonly rho: Penalty;
  readonly refit: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** What stands in for an option that is not given; ρ was measured, see docs/choosing.md. */
export const solverDefaults = {
  solver: 'admm',
  budget: { perPatch: 10 },
  rho: { qpm: 0.05, admm: 0.15 },
  refit: false,
  maxIterations: 100,
  tolerance: 1e-5,
} as const;

/**
 * κ of the threshold rule for a budget from σ, by which an atom must gain κσ² ln(M/S). Measured, see docs/choosing.md:
 * 3.3 for orthonormal dictionaries and for joint OMP on any. On a coherent one X = KY has several coefficients for one
 * feature, and the best price was found to grow with L/N, for ADMM more than for QPM.
 */
export function atomPrice(solver: SolverName, N: number, L: number): number {
  const gathering = { qpm: 0.5, admm: 0.8, 'joint-omp': 0, omp: 0, aiht: 0, cosamp: 0 }[solver];
  return 3.3 * Math.max(1, L / N) ** gathering;
}

const optionNames: readonly string[] = [
  ...['solver', 'budget', 'rho', 'refit', 'maxIterations', 'tolerance'],
  ...['preset', 'initial', 'engine', 'threads', 'signal', 'onProgress'],
];

/** Checks the options of a solve, `others` being the names a task adds to them, and fills in the defaults. */
export function settle(options: SolveOptions, others: readonly string[] = []): Settings {
  knownOptions(options, [...optionNames, ...others]);
  const solver = oneOf('solver', options.solver ?? solverDefaults.solver, solverNames);
  if (options.preset !== undefined) oneOf('preset', options.preset, ['paper']);
  oneOf('engine', options.engine ?? 'auto', engineNames);
  if (options.threads !== undefined) wholeNumber('threads', options.threads, 1, 64, 'use the number of cores');
  if (!hasPenalty(solver) && options.rho !== undefined) {
    throw new ParameterError('rho', `must be left out for ${solver}, which has no penalty`, options.rho, 'remove it');
  }
  if (!hasPenalty(solver) && options.initial !== undefined) {
    throw new ParameterError(
      'initial',
      `must be left out for ${solver}`,
      'codes',
      'only qpm and admm can start from codes',
    );
  }
  const rho =
    options.rho ??
    (options.preset === 'paper' ? { absolute: 0.1 } : solverDefaults.rho[hasPenalty(solver) ? solver : 'admm']);
  positive('rho', typeof rho === 'object' ? rho.absolute : rho, 'use a value such as 0.1');
  return {
    solver,
    budget: options.budget,
    rho,
    refit: yesOrNo('refit', options.refit ?? solverDefaults.refit, 'use true for least squares at the end'),
    maxIterations: wholeNumber(
      'maxIterations',
      options.maxIterations ?? solverDefaults.maxIterations,
      1,
      1e9,
      'use a number such as 100',
    ),
    tolerance: notNegative(
      'tolerance',
      options.tolerance ?? solverDefaults.tolerance,
      'use a value such as 1e-5, or 0',
    ),
  };
}
