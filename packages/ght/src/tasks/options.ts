import type { Budget } from '../budget/budget.js';
import type { Codes } from '../codes/codes.js';
import type { EngineName } from '../engines/engines.js';
import { checkEngineName } from '../engines/engines.js';
import { knownOptions, notNegative, OptionError, oneOf, positive, wholeNumber, yesOrNo } from '../errors.js';
import type { SolverEntry, SolverName } from '../solvers/catalogue.js';
import { solverCatalogue, solverNames } from '../solvers/catalogue.js';
import type { Effort } from '../solvers/joint-omp.js';

/**
 * The penalty ρ: a number counts in units of ‖D‖₂², which makes a value mean the same for every dictionary, however it is
 * scaled; `{ absolute }` is the paper's ρ as it stands in the formulas.
 */
export type Penalty =
  | number
  | {
      /** ρ as it stands in the formulas, above 0. */
      readonly absolute: number;
    };

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
  /**
   * How much joint OMP does for a smaller error at the same budget; the others have no such choice. 1: one pursuit per patch.
   * 2: three more pursuits per patch, each without one of its first atoms. 3: and atoms are swapped, added and dropped until
   * nothing helps. @default 1
   */
  readonly effort?: Effort;
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

/** Options with everything checked and filled in. */
export interface Settings {
  readonly solver: SolverName;
  /** Undefined for the default, which depends on the dictionary. */
  readonly budget: Budget | undefined;
  /** Null for a solver without a penalty. */
  readonly rho: Penalty | null;
  readonly effort: Effort;
  readonly refit: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly initial: Codes | undefined;
  readonly engine: EngineName;
  readonly threads: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** What stands in for an option that is not given; the ρ of each solver is in {@link solverCatalogue}. */
export const solverDefaults = {
  solver: 'admm',
  budget: { perPatch: 10 },
  effort: 1,
  refit: false,
  maxIterations: 100,
  tolerance: 1e-5,
} as const;

/** The paper's ρ, absolute. */
const PAPER_RHO = { absolute: 0.1 };

const optionNames: readonly string[] = [
  ...['solver', 'budget', 'rho', 'effort', 'refit', 'maxIterations', 'tolerance'],
  ...['preset', 'initial', 'engine', 'threads', 'signal', 'onProgress'],
];

/** Checks the options of a solve, `others` being the names a task adds to them, and fills in the defaults. */
export function settle(options: SolveOptions, others: readonly string[] = []): Settings {
  knownOptions(options, [...optionNames, ...others]);
  const solver = oneOf('solver', options.solver ?? solverDefaults.solver, solverNames);
  const entry: SolverEntry = solverCatalogue[solver];
  if (options.preset !== undefined) oneOf('preset', options.preset, ['paper']);
  const engine = checkEngineName(options.engine);
  if (options.threads !== undefined) checkThreads(options.threads);
  if (entry.rho === null && options.rho !== undefined) {
    throw new OptionError('rho', `must be left out for ${solver}, which has no penalty`, options.rho, 'remove it');
  }
  if (entry.method !== 'allotment' && options.effort !== undefined) {
    throw new OptionError('effort', `must be left out for ${solver}`, options.effort, 'only joint-omp has one');
  }
  if (!entry.startsFromCodes && options.initial !== undefined) {
    const able = solverNames.filter((name) => solverCatalogue[name].startsFromCodes).join(' and ');
    throw new OptionError('initial', `must be left out for ${solver}`, 'codes', `only ${able} can start from codes`);
  }
  const rho = entry.rho === null ? null : (options.rho ?? (options.preset === 'paper' ? PAPER_RHO : entry.rho));
  if (rho !== null) positive('rho', typeof rho === 'object' ? rho.absolute : rho, 'use a value such as 0.1');
  const { budget, initial, threads, signal, onProgress } = options;
  return {
    ...{ solver, budget, rho, initial, engine, threads, signal, onProgress },
    effort: wholeNumber('effort', options.effort ?? solverDefaults.effort, 1, 3, 'use 1, 2 or 3') as Effort,
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

/** Checks how many threads are asked for. */
export function checkThreads(threads: number): void {
  wholeNumber('threads', threads, 1, 64, 'use the number of cores');
}

/** The budget asked for, or the default: no more atoms per patch than there are. */
export function budgetFor({ budget }: Pick<Settings, 'budget'>, L: number): Budget {
  return budget ?? { perPatch: Math.min(solverDefaults.budget.perPatch, L) };
}
