/** What the passes of representing an image send: their arguments and answers, with the checks that restore their types. */

import type { Energies, Followed } from '../../engines/engine.js';
import type { Squares } from '../../measures/error.js';
import type { Codes } from '../../sparse/codes/codes.js';
import { solverNames } from '../../sparse/solvers/catalogue.js';
import type { RisingPenalty } from '../../sparse/solvers/penalty.js';
import {
  arrayOf,
  type Check,
  finite,
  listOf,
  nullable,
  number,
  numbers,
  oneOf,
  optional,
  record,
  refuse,
  whole,
} from '../check.js';
import type { Solution } from '../solve/solve.js';

/** The full scale and the largest sample, as all passes get it: [peak, most]. */
export type Range = Float64Array;

/** How paths are followed: [low, mid, high, restarts, λ]. Numbers that may be infinite are sent in typed arrays. */
export type Prices = Float64Array;

/** The argument about the paths: which pass followed them, and how. */
export interface FollowArgument {
  readonly range: Range;
  readonly pass: number;
  readonly prices: Prices;
}

/** The argument about the codes: [λ], the run of patches in which the last atoms at λ are kept, and how many there. */
export interface CommitArgument extends FollowArgument {
  readonly threshold: Float64Array;
  readonly lastRun: number;
  readonly ties: number;
}

/** The offers of a run of patches, counted by a digit: the buckets that are not empty. */
export interface Counted {
  readonly buckets: Uint32Array;
  readonly counts: Uint32Array;
}

/** The answer of `follow`. */
export interface FollowAnswer extends Counted, Energies {
  readonly sure: number;
  readonly offered: number;
}

/** What is known about a solution, without its codes. */
export type SolvedResult = Omit<Solution, 'codes' | 'engine'>;

/** The codes of a run, as they are stored. */
export type RunCodes = Pick<Codes, 'indptr' | 'indices' | 'values'>;

const range: Check<Range> = (value, name) => {
  const [peak, most] = numbers(2)(value, name);
  if (peak > 0 && peak < Number.POSITIVE_INFINITY && most >= 0 && most < Number.POSITIVE_INFINITY)
    return value as Range;
  throw refuse(name, 'must be a full scale above 0 and a largest sample', `${peak} and ${most}`);
};

/** The answer of `picture`. */
export const checkSquares: Check<Squares> = record<Squares>({ unit: number, squares: numbers() });

/** The range of the samples of a part. */
export interface SampleRange {
  readonly least: number;
  readonly greatest: number;
  /** The largest magnitude in the axes in which the image is represented. */
  readonly most: number;
}

/** The answer of `range`. */
export const checkSampleRange: Check<SampleRange> = record<SampleRange>({
  least: finite,
  greatest: finite,
  most: finite,
});

/** What the arguments of all passes but `range` and `finish` have. */
export const checkRangeArgument: Check<{ readonly range: Range }> = record({ range });

const paths = { range, pass: whole(0, 2 ** 20), prices: numbers(5) };

/** The argument of `follow`. */
export const checkFollow: Check<FollowArgument> = record<FollowArgument>(paths);

/** The argument of `rank`: the digits found so far. */
export const checkRank: Check<FollowArgument & { readonly prefix: number[] }> = record({
  ...paths,
  prefix: listOf(whole(0, 2 ** 32)),
});

/** The argument of `commit` and of the passes after it. */
export const checkCommit: Check<CommitArgument> = record<CommitArgument>({
  ...paths,
  threshold: numbers(1),
  lastRun: whole(),
  ties: whole(),
});

/** The argument of the passes after the codes are found, which recompute codes that were lost. */
export interface SolvedArgument {
  readonly range: Range;
  /** How joint OMP in parts made the codes; absent if they were made in one place. */
  readonly commit?: CommitArgument;
}

/** The argument of `codes` and `picture`. */
export const checkSolvedArgument: Check<SolvedArgument> = record<SolvedArgument>({
  range,
  commit: optional(checkCommit),
});

const buckets = { buckets: arrayOf<Uint32Array>(Uint32Array), counts: arrayOf<Uint32Array>(Uint32Array) };

/** The answer of `rank`. */
export const checkCounted: Check<Counted> = record<Counted>(buckets);

/** The answer of `follow`. */
export const checkFollowed: Check<FollowAnswer> = record<FollowAnswer>({
  ...buckets,
  sure: whole(),
  offered: whole(),
  all: numbers(),
  within: numbers(),
});

/** The answer of `commit`. */
export const checkCommitted: Check<{ readonly errors: Float64Array; readonly nonzeros: number }> = record({
  errors: numbers(),
  nonzeros: whole(),
});

const rising: Check<RisingPenalty> = record<RisingPenalty>({ from: number, to: number });
const rho: Check<number | RisingPenalty> = (value, name) => {
  return typeof value === 'number' ? number(value, name) : rising(value, name);
};

/** The answer of `solve`. */
export const checkSolved: Check<SolvedResult> = record<SolvedResult>({
  solver: oneOf(...solverNames),
  budget: number,
  nonzeros: whole(),
  rmse: number,
  rho: nullable(rho),
  iterations: whole(),
  stopReason: oneOf('converged', 'max-iterations', 'complete', 'diverged'),
  history: listOf(record({ k: whole(), rmse: number, threshold: nullable(number), kept: whole(), ms: number })),
});

/** What a run has followed, as it is stored. */
export const checkFollowedRun: Check<Followed> = record<Followed>({
  sure: whole(),
  offers: arrayOf<Float64Array>(Float64Array),
  bounds: arrayOf<Uint16Array>(Uint16Array),
  draft: record<Followed['draft']>({
    counts: arrayOf<Uint16Array>(Uint16Array),
    values: arrayOf<Float32Array>(Float32Array),
    indices: (value, name) => (value instanceof Uint8Array ? value : arrayOf<Uint16Array>(Uint16Array)(value, name)),
  }),
});

/** The codes of this many patches in the scratch. */
export function checkRunCodes(patches: number): Check<RunCodes> {
  const check = record<RunCodes>({
    indptr: arrayOf<Int32Array>(Int32Array, patches + 1),
    indices: arrayOf<Int32Array>(Int32Array),
    values: arrayOf<Float64Array>(Float64Array),
  });
  return (value, name) => {
    const codes = check(value, name);
    const entries = codes.indptr[patches];
    if (codes.indices.length >= entries && codes.values.length >= entries) return codes;
    throw refuse(name, `must have ${entries} entries`, codes.indices.length);
  };
}
