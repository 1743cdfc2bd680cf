/** What the passes of representing an image send: their arguments and answers, with the checks that restore their types. */

import type { Followed } from '../../engines/engine.js';
import type { Squares } from '../../measures/error.js';
import type { Codes } from '../../sparse/codes/codes.js';
import { solverNames } from '../../sparse/solvers/catalogue.js';
import type { RisingPenalty } from '../../sparse/solvers/penalty.js';
import {
  arrayOf,
  type Check,
  type Checked,
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

/** The answer of `picture`: the squared errors, and the atoms of the patches that begin in the part. */
export interface PictureAnswer extends Squares {
  readonly nonzeros: number;
}

export const checkPicture: Check<PictureAnswer> = record<PictureAnswer>({
  ...{ unit: number, squares: numbers(), nonzeros: whole() },
});

/** The answer of `range`: the range of the samples of a part, and the largest magnitude in the axes in which it is represented. */
export const checkSampleRange = record({ least: finite, greatest: finite, most: finite });
export type SampleRange = Checked<typeof checkSampleRange>;

/** What the arguments of all passes but `range` and `finish` have. */
export const checkRangeArgument: Check<{ readonly range: Range }> = record({ range });

const paths = { range, pass: whole(0, 2 ** 20), prices: numbers(5) };

/** The argument of `follow`: which pass follows the paths, and how. */
export const checkFollow = record(paths);
export type FollowArgument = Checked<typeof checkFollow>;

/** The argument of `rank`: also the digits found so far. */
export const checkRank = record({ ...paths, prefix: listOf(whole(0, 2 ** 32)) });

/** The argument of `commit`: also [λ], the run of patches in which the last atoms at λ are kept, and how many there. */
export const checkCommit = record({ ...paths, threshold: numbers(1), lastRun: whole(), ties: whole() });
export type CommitArgument = Checked<typeof checkCommit>;

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

/** The answer of `rank`: the offers of a run of patches, counted by a digit, for the buckets that are not empty. */
export const checkCounted = record(buckets);
export type Counted = Checked<typeof checkCounted>;

/** The answer of `follow`: also the atoms above the bracket, those offered, and the energies. */
export const checkFollowed = record({ ...buckets, sure: whole(), offered: whole(), all: numbers(), within: numbers() });
export type FollowAnswer = Checked<typeof checkFollowed>;

/** The answer of `commit`. */
export const checkCommitted = record({ errors: numbers(), nonzeros: whole() });

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
