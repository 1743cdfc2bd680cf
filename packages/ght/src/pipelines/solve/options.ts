import { checkEngineName, type EngineName } from '../../engines/engines.js';
import { boolean, kindOf, knownOptions, notNegative, OptionError, oneOf, positive, wholeNumber } from '../../errors.js';
import type { Budget } from '../../sparse/budget/budget.js';
import type { Codes } from '../../sparse/codes/codes.js';
import type { SolverEntry, SolverName } from '../../sparse/solvers/catalogue.js';
import { isPatchwise, solverCatalogue, solverNames } from '../../sparse/solvers/catalogue.js';
import type { Constraints } from '../../sparse/solvers/constraints.js';
import type { Effort } from '../../sparse/solvers/joint-omp.js';
import type { RisingPenalty } from '../../sparse/solvers/penalty.js';

/**
 * The penalty ρ. A number is in units of ‖D‖₂², so that it means the same for every dictionary, whatever its scale.
 * `{ from, to }`, in the same units, rises by the same factor from iteration to iteration. `{ absolute }` is the paper's ρ, as
 * in the formulas.
 */
export type Penalty =
  | number
  | RisingPenalty
  | {
      /** ρ as in the formulas, above 0. */
      readonly absolute: number;
    };

/**
 * The options of every task that solves. All are optional; {@link solverDefaults} holds the defaults. Data given to a task
 * must not change before its promise has settled.
 */
export interface SolverOptions {
  /** The algorithm. @default 'admm'; of `represent` 'joint-omp', unless `preset` is given */
  readonly solver?: SolverName;
  /**
   * The number of nonzeros that may be used. Patch-wise solvers use ⌊S/P⌋ in every patch.
   *
   * @default { perPatch: 10 }, or all atoms of a smaller dictionary
   */
  readonly budget?: Budget;
  /**
   * Whether a patch-wise solver spends all of S: in addition to ⌊S/P⌋ atoms for every patch, one more for each of the S mod P patches
   * with the largest residual. Every patch is solved twice. The other solvers always spend all of S.
   *
   * @default false
   */
  readonly spread?: boolean;
  /**
   * ρ of GHT-QPM and GHT-ADMM; the others have none. A constant one, as in the paper, is a number such as 0.15. If the budget does not
   * grow, the default is 0.05 for GHT-QPM and `{ from: 0.002, to: 0.2 }` for GHT-ADMM.
   *
   * @default { from: 0.05, to: 1 } for GHT-QPM, { from: 0.02, to: 0.2 } for GHT-ADMM
   */
  readonly rho?: Penalty;
  /**
   * The share of the budget S with which GHT-QPM and GHT-ADMM begin, above 0 and up to 1: from there the budget grows to S over 85% of
   * the iterations, at most 300 of them, so that the largest coefficients are chosen first. `false` is the whole budget in every
   * iteration, as in the paper, and better at recovering exactly sparse signals. The other solvers have none, and a run from `initial`
   * codes keeps to them.
   *
   * @default 0.02; false with `preset` or `initial`
   */
  readonly growth?: number | false;
  /**
   * How much work joint OMP does for a smaller error at the same budget, from 1 to 3; the other solvers ignore it. 1: one pursuit
   * per patch. 2: three more pursuits per patch, each without one of its first atoms. 3: in addition, atoms are swapped, added and
   * dropped until nothing helps.
   *
   * @default 1
   */
  readonly effort?: Effort;
  /** Whether to end with least squares on the final support. OMP and joint OMP always do. @default false */
  readonly refit?: boolean;
  /** The largest number of iterations, at least 1. @default 300 where the budget grows, otherwise 100 */
  readonly maxIterations?: number;
  /**
   * Stops when two successive RMSE (patch-wise: the errors of one patch) differ by less than this times the peak; 0 never
   * stops early.
   *
   * @default 1e-5
   */
  readonly tolerance?: number;
  /**
   * `paper` sets the options of the paper: ρ = 0.1 absolute, the whole budget in every iteration, at most 100 iterations, Z⁰ = Λ⁰ = 0, a
   * tolerance of 1e-5 of the peak, no refit. Options given as well take precedence.
   */
  readonly preset?: 'paper';
  /** The initial codes Z⁰ of GHT-QPM and GHT-ADMM. @default all zero */
  readonly initial?: Codes;
  /** The engine. @default 'auto', the fastest that can run here */
  readonly engine?: EngineName;
  /** Threads of the wasm engine, from 1 to 64. @default the number of cores, fewer for small problems */
  readonly threads?: number;
  /**
   * The address of the script of the threads, which is the file `ght/worker` of the package, for a bundler or a host that does not have
   * it where the library expects it. @default the file in the package
   */
  readonly worker?: string | URL;
  /** Stops the computation; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called now and then with the progress. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The progress of a task. */
export interface Progress {
  /**
   * The fraction done of the largest number of iterations (or of the patches), from 0 to 1, never falling. A search for a
   * target starts over with every budget it tries.
   */
  readonly fraction: number;
  /** The last iteration that was finished, for iterative solvers. */
  readonly k?: number;
  /** The RMSE per patch of that iteration. */
  readonly rmse?: number;
  /** The budget being tried; only during a search for a target. */
  readonly trying?: number;
}

/** Checked options with the defaults filled in. */
export interface Settings {
  readonly solver: SolverName;
  /** Undefined for the default, which depends on the dictionary. */
  readonly budget: Budget | undefined;
  /** Null for a solver without a penalty. */
  readonly rho: Penalty | null;
  readonly growth: number | false;
  readonly spread: boolean;
  readonly effort: Effort;
  readonly refit: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly initial: Codes | undefined;
  /** Additional rules for the codes; absent for none. */
  readonly constraints?: Constraints;
  /** About where the price λ of joint OMP lies; absent if that is not known. */
  readonly expectedPrice?: number;
  /** Whether only engines that compute in float64 are used. */
  readonly precision?: 'float64';
  readonly engine: EngineName;
  readonly threads: number | undefined;
  readonly worker: string | URL | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The default options of `solve`; those of a penalty and of a budget that grows are in {@link solverCatalogue}. */
export const solverDefaults = {
  solver: 'admm',
  budget: { perPatch: 10 },
  spread: false,
  effort: 1,
  refit: false,
  maxIterations: 100,
  tolerance: 1e-5,
} as const;

/** The paper's ρ, absolute. */
const PAPER_RHO = { absolute: 0.1 };

const optionNames: readonly string[] = [
  ...['solver', 'budget', 'spread', 'rho', 'growth', 'effort', 'refit', 'maxIterations', 'tolerance'],
  ...['preset', 'initial', 'engine', 'threads', 'worker', 'signal', 'onProgress'],
];

/**
 * Checks the options of a solve and fills in the defaults. `others` are the names of options that a task adds, `usual` is its
 * solver if none is given.
 */
export function resolveSolveOptions(
  options: SolverOptions,
  others: readonly string[] = [],
  usual: SolverName = solverDefaults.solver,
): Settings {
  knownOptions(options, [...optionNames, ...others]);
  const solver = oneOf('solver', options.solver ?? (options.preset ? solverDefaults.solver : usual), solverNames);
  const entry: SolverEntry = solverCatalogue[solver];
  if (options.preset !== undefined) oneOf('preset', options.preset, ['paper']);
  const engine = checkEngineName(options.engine);
  checkThreads(options);
  if (entry.rho === null && options.rho !== undefined) {
    const remedy = 'remove it, or choose the solver qpm or admm';
    throw new OptionError('rho', `must be left out for ${solver}, which has no penalty`, options.rho, remedy);
  }
  if (entry.method !== 'allotment' && options.effort !== undefined) {
    throw new OptionError('effort', `must be left out for ${solver}`, options.effort, 'only joint-omp has one');
  }
  if (!entry.startsFromCodes && options.initial !== undefined) {
    const able = solverNames.filter((name) => solverCatalogue[name].startsFromCodes).join(' and ');
    throw new OptionError('initial', `must be left out for ${solver}`, 'codes', `only ${able} can start from codes`);
  }
  const growth = checkGrowth(entry, options);
  const growing = (options.preset === undefined && growth !== false && entry.growing) || undefined;
  const usualRho = options.preset === 'paper' ? PAPER_RHO : (growing?.rho ?? entry.rho);
  const rho = entry.rho === null ? null : (options.rho ?? usualRho);
  if (rho !== null) checkPenalty(rho);
  const { budget, initial, threads, worker, signal, onProgress } = options;
  return {
    ...{
      solver,
      budget,
      rho,
      growth,
      initial,
      engine,
      threads,
      worker,
      signal,
      onProgress,
    },
    spread: checkSpread(solver, options.spread),
    effort: wholeNumber('effort', options.effort ?? solverDefaults.effort, 1, 3, 'use 1, 2 or 3') as Effort,
    refit: boolean('refit', options.refit ?? solverDefaults.refit, 'use true for least squares at the end'),
    maxIterations: wholeNumber(
      'maxIterations',
      options.maxIterations ?? growing?.maxIterations ?? solverDefaults.maxIterations,
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

/** The share of the budget with which a run begins. */
function checkGrowth(entry: SolverEntry, { growth, preset, initial }: SolverOptions): number | false {
  if (entry.growing === null && growth !== undefined) {
    const remedy = 'remove it, or choose the solver qpm or admm';
    throw new OptionError('growth', 'must be left out for solvers other than qpm and admm', growth, remedy);
  }
  if (growth === undefined) return (preset === undefined && initial === undefined && entry.growing?.growth) || false;
  if (growth === false) return false;
  if (!(typeof growth === 'number' && growth > 0 && growth <= 1)) {
    const rule = 'must be above 0 and at most 1, or false';
    throw new OptionError('growth', rule, growth, 'use a value such as 0.02, or false for the whole budget at once');
  }
  if (initial === undefined) return growth;
  const rule = 'must be left out with initial codes, which it would drop';
  throw new OptionError('growth', rule, growth, 'remove one of the two');
}

function checkPenalty(rho: Penalty): void {
  if (typeof rho !== 'object' || 'absolute' in rho) {
    positive('rho', typeof rho === 'object' ? rho.absolute : rho, 'use a value such as 0.1');
    return;
  }
  positive('rho.from', rho.from, 'use a value such as 0.005');
  positive('rho.to', rho.to, 'use a value such as 0.3');
  if (rho.to < rho.from)
    throw new OptionError('rho.to', 'must not be below the value it rises from', rho.to, 'exchange the two');
}

function checkSpread(solver: SolverName, given: boolean = solverDefaults.spread): boolean {
  const spread = boolean('spread', given, 'use true to spend all of the budget');
  if (!spread || isPatchwise(solver)) return spread;
  const rule = `must be left out for ${solver}, which spends the whole budget`;
  throw new OptionError('spread', rule, spread, 'remove it, or choose a patch-wise solver');
}

/** Checks how many threads are asked for, and the address of their script. */
export function checkThreads({ threads, worker }: Pick<SolverOptions, 'threads' | 'worker'>): void {
  if (threads !== undefined) wholeNumber('threads', threads, 1, 64, 'use the number of cores');
  if (worker === undefined || typeof worker === 'string' || worker instanceof URL) return;
  throw new OptionError('worker', 'must be an address', kindOf(worker), 'give a URL or a string');
}

/** The budget given, or the default, limited to the number of atoms. */
export function budgetFor({ budget }: Pick<Settings, 'budget'>, L: number): Budget {
  return budget ?? { perPatch: Math.min(solverDefaults.budget.perPatch, L) };
}
