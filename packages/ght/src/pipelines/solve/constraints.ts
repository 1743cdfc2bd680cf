/** The options of `solve` that add rules for the codes, checked. */

import { boolean, InputError, kindOf, OptionError } from '../../errors.js';
import { checkSamples, type Samples } from '../../image/image.js';
import type { Constraints } from '../../sparse/solvers/constraints.js';
import { weighted } from '../../sparse/solvers/weighted.js';
import type { Settings } from './options.js';

/** Additional rules for the codes of `solve`, for joint OMP and OMP. They run on the engines `portable` and `reference`. */
export interface ConstraintOptions {
  /**
   * Whether no coefficient may be below zero. Every signal is pursued with nonnegative least squares; without a limit on the atoms the
   * result is that of NNLS.
   *
   * @default false
   */
  readonly nonnegative?: boolean;
  /**
   * A weight of at least 0 for every sample, in the order of Y: minimises Σ ‖w∘(Dx − y)‖², which `rmse` then measures. Samples of weight 0
   * are missing, and may be anything. `'finite'`: 1, and 0 for every sample of Y that is NaN or infinite.
   *
   * @default all 1
   */
  readonly weights?: Samples | 'finite';
  /**
   * The number of the group of each signal: signals of a group use the same atoms (simultaneous OMP). The budget still counts
   * every nonzero.
   *
   * @default every signal by itself
   */
  readonly groups?: ArrayLike<number>;
}

/** The names of these options. */
export const constraintNames = ['nonnegative', 'weights', 'groups'] as const;

/** Whether any of the options is given. */
export function isConstrained(options: ConstraintOptions): boolean {
  return constraintNames.some((name) => options[name] !== undefined && options[name] !== false);
}

/** A weight that is larger could overflow in squares of squares. */
const MOST_WEIGHT = 1e12;

/** The rules that the options ask for, and the samples to pursue: weighted, if there are weights. */
export function resolveConstraints(
  options: ConstraintOptions,
  Y: Samples,
  N: number,
  settings: Settings,
): { readonly constraints: Constraints; readonly samples: Samples } {
  const nonnegative = boolean('nonnegative', options.nonnegative ?? false, 'use true for coefficients above zero');
  const weights = options.weights === undefined ? undefined : weightsOf(options.weights, Y);
  const groups = options.groups === undefined ? undefined : groupsOf(options.groups, Y.length / N);
  refuseCombinations(options, settings);
  return {
    constraints: { nonnegative, weights, groups },
    samples: weights ? weighted(Y, weights) : Y,
  };
}

function weightsOf(given: Samples | 'finite', Y: Samples): Float64Array {
  if (given === 'finite') return Float64Array.from(Y, (value) => (Number.isFinite(value) ? 1 : 0));
  checkSamples('weights', given);
  if (given.length !== Y.length) {
    const remedy = 'give one for each, in the same order';
    throw new InputError('weights', `must be as many as the ${Y.length} samples of Y`, given.length, remedy);
  }
  const bad = given.findIndex((weight) => !(weight >= 0 && weight <= MOST_WEIGHT));
  if (bad < 0) return Float64Array.from(given);
  throw new InputError(`weights[${bad}]`, `must be from 0 to ${MOST_WEIGHT}`, given[bad], 'use 1 for a usual sample');
}

function groupsOf(given: ArrayLike<number>, P: number): Int32Array {
  const length = typeof given === 'object' && given !== null ? given.length : undefined;
  if (length !== P) {
    const remedy = 'give the number of the group of each signal';
    throw new InputError('groups', `must be as many as the ${P} signals`, length ?? kindOf(given), remedy);
  }
  return Int32Array.from(given, (group, p) => {
    if (Number.isInteger(group) && group >= 0 && group < P) return group;
    const remedy = 'number the groups from 0';
    throw new InputError(`groups[${p}]`, `must be a whole number from 0 to ${P - 1}`, group, remedy);
  });
}

function refuseCombinations(options: ConstraintOptions, { solver, effort, refit, spread, budget }: Settings): void {
  const name = constraintNames.find((each) => options[each] !== undefined && options[each] !== false);
  if (name === undefined) return;
  const refuse = (option: string, value: unknown, remedy: string) => {
    throw new OptionError(option, `cannot be combined with ${name}`, value, remedy);
  };
  if (solver !== 'joint-omp' && solver !== 'omp') refuse('solver', solver, 'use joint-omp or omp');
  if (refit) refuse('refit', refit, 'leave it out: the pursuits end with a fit');
  const { groups, weights, nonnegative } = options;
  if (groups && (weights || nonnegative)) refuse('groups', 'groups', 'give one of the two');
  if (effort > (groups ? 1 : 2)) refuse('effort', effort, groups ? 'use 1' : 'use 1 or 2');
  if (spread && (weights || groups)) refuse('spread', spread, 'use the solver joint-omp, which spends all of S');
  const refused = weights ? ['psnr', 'sigma'] : groups ? ['sigma'] : [];
  for (const kind of refused)
    if (typeof budget === 'object' && kind in budget) refuse(`budget.${kind}`, budget, 'use perPatch, total or rmse');
}
