import { callable, InputError, OptionError, oneOf, positive } from '../errors.js';
import { checkSamples, type Samples } from '../image/image.js';
import { largestFinite } from '../image/scale.js';
import { signalsIn } from '../image/signals.js';
import {
  type ConstraintOptions,
  constraintNames,
  isConstrained,
  resolveConstraints,
} from '../pipelines/solve/constraints.js';
import { budgetFor, resolveSolveOptions, type SolverOptions } from '../pipelines/solve/options.js';
import { type Solution, solveProblem } from '../pipelines/solve/solve.js';
import type { Codes } from '../sparse/codes/codes.js';
import { checkDictionary, type Dictionary } from '../sparse/dictionary/dictionary.js';
import { drive } from '../work.js';

/** The options of the general problem, besides those of every task. */
export interface SolveOptions extends SolverOptions, ConstraintOptions {
  /** Full scale of the signals, above 0, for tolerance and PSNR. @default the largest magnitude in Y */
  readonly peak?: number;
  /**
   * `float64`: only the engines `portable` and `reference` are used, which compute in float64. The others store signals and codes in
   * float32. `engine` in the result says which ran.
   *
   * @default that of the engine
   */
  readonly precision?: 'float64';
  /** The error that a `psnr` or `rmse` budget limits. @default the RMSE per patch */
  readonly errorOf?: (codes: Codes) => number | Promise<number>;
}

/**
 * The general problem: minimise ‖DZ − Y‖² with at most S nonzeros in all of Z, for any dictionary D (N×L) and any signals
 * Y (N×P, one after the other). Neither may change before the promise has settled, since they are not copied.
 *
 * @param Y - The signals, one after the other, each of N samples.
 *
 * @example
 * ```js
 * import { gaussianDictionary, nonzeros, solve } from 'ght';
 *
 * const D = gaussianDictionary(20, 40);
 * const Y = Float64Array.from({ length: 20 * 100 }, (_, i) => Math.sin(i * i)); // 100 signals of 20 samples
 * const { codes, rmse } = await solve(D, Y, { budget: { total: 500 } });
 * console.log(nonzeros(codes), rmse);
 * ```
 */
export async function solve(D: Dictionary, Y: Samples, options: SolveOptions = {}): Promise<Solution> {
  checkDictionary(D);
  checkSamples('Y', Y);
  if (Y.length === 0 || Y.length % D.N !== 0) {
    const rule = `must be signals of ${D.N} samples each, as the dictionary has rows`;
    throw new InputError('Y', rule, `${Y.length} samples`, 'give Y as N×P with the N of the dictionary');
  }
  const usual = isConstrained(options) ? 'joint-omp' : undefined;
  const own = resolveSolveOptions(options, ['peak', 'errorOf', 'precision', ...constraintNames], usual);
  const { constraints, samples } = resolveConstraints(options, Y, D.N, own);
  if (options.precision !== undefined) oneOf('precision', options.precision, ['float64']);
  const settings = { ...own, constraints, precision: options.precision };
  if (typeof options.budget === 'object' && options.budget !== null && 'largestInteger' in options.budget) {
    const { largestInteger } = options.budget;
    const rule = 'must be left out for signals, which are not rounded';
    throw new OptionError('budget.largestInteger', rule, largestInteger, 'remove it');
  }
  const { errorOf } = options;
  callable('errorOf', errorOf, 'give a function of the codes, or leave it out');
  const where = (i: number) => `Y sample (row ${i % D.N}, signal ${Math.floor(i / D.N)})`;
  const most = await drive(largestFinite(samples, where), settings);
  // All-zero signals have no scale, and any scale will do.
  const peak = positive('peak', options.peak ?? (most || 1), 'give the full scale of the signals, such as 255');
  return solveProblem({
    D,
    Y: signalsIn(samples, D.N),
    peak,
    most,
    budget: budgetFor(settings, D.L),
    settings,
    errorOf,
  });
}
