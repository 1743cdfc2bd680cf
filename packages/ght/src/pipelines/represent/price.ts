/** The passes of joint OMP: they find the price λ of the last atom within the budget, and make the codes at that price. */

import type { Energies } from '../../engines/engine.js';
import {
  count,
  emptyHistogram,
  FLOAT64_DIGITS,
  isFound,
  magnitudeOf,
  narrow,
  type RankSearch,
  rankSearch,
} from '../../sparse/budget/rank.js';
import { nonzeros } from '../../sparse/codes/codes.js';
import { type Bracket, rankIn, type Tries } from '../../sparse/solvers/bracket.js';
import { type PathFollower, searchPrice } from '../../sparse/solvers/price-search.js';
import { type Checked, numbers } from '../check.js';
import { definePass, type Perform } from '../plan.js';
import { problemOf, type RepresentContext } from './context.js';
import {
  type CommitArgument,
  type Counted,
  checkCommit,
  checkCommitted,
  checkCounted,
  checkFollow,
  checkFollowed,
  checkRangeArgument,
  checkRank,
  type FollowAnswer,
  type FollowArgument,
  type Range,
  type SolvedArgument,
  type SolvedResult,
} from './messages.js';
import { budgetOf, estimatedBracket, type ImageProblem, partsReport } from './problem.js';
import { bracketIn, commit, follow, followedBy, pricesOf, runCount } from './runs.js';

/** The approximate shares of the passes. */
const SHARES = { bracket: 0.01, follow: 0.7, rank: 0.003, commit: 0.12 } as const;

export const bracketPass = definePass<RepresentContext, { readonly range: Range }, Float64Array>({
  ...{ name: 'bracket', argument: checkRangeArgument, answer: numbers(3) },
  async work(context, { argument, signal }) {
    const { low, mid, high } = await estimatedBracket(problemOf(context, argument.range), context.images, signal);
    return Float64Array.of(low, mid, high);
  },
});

export const followPass = definePass<RepresentContext, FollowArgument, FollowAnswer>({
  ...{ name: 'follow', argument: checkFollow, answer: checkFollowed },
  async work(context, job) {
    const { followed, energies } = await follow(context, job);
    const { sure, offers } = followed;
    return { sure, offered: offers.length, ...counted(offers, rankSearch(FLOAT64_DIGITS, 1)), ...energies };
  },
});

export const rankPass = definePass<RepresentContext, Checked<typeof checkRank>, Counted>({
  ...{ name: 'rank', argument: checkRank, answer: checkCounted },
  async work(context, job) {
    const { offers } = await followedBy(context, job);
    return counted(offers, { ...rankSearch(FLOAT64_DIGITS, 1), prefix: job.argument.prefix });
  },
});

export const commitPass = definePass<RepresentContext, CommitArgument, Checked<typeof checkCommitted>>({
  ...{ name: 'commit', argument: checkCommit, answer: checkCommitted },
  async work(context, job) {
    const { codes, errors } = await commit(context, job);
    return { errors, nonzeros: nonzeros(codes) };
  },
});

/** Solves a problem with a fixed budget by joint OMP in parts. */
export async function solveInParts(
  context: RepresentContext,
  problem: ImageProblem,
  range: Range,
  perform: Perform<RepresentContext>,
): Promise<{ readonly argument: SolvedArgument; readonly result: SolvedResult }> {
  const start = performance.now();
  const parts = runCount(context, problem);
  const [bracket] = await perform(bracketPass, { range }, { parts: 1, share: SHARES.bracket });
  const { solver, effort } = problem.settings;
  const paths = new PathsInParts(problem, range, parts, perform);
  const found = await searchPrice(paths, budgetOf(problem), effort, bracketIn(bracket));
  const { threshold, lastRun, ties, energies } = found;
  const argument = { ...found.argument, threshold: Float64Array.of(threshold), lastRun, ties };
  const committed = await perform(commitPass, argument, { parts, share: SHARES.commit });
  const kept = committed.reduce((sum, each) => sum + each.nonzeros, 0);
  const errors = committed.map((each) => each.errors);
  const entry = { k: 1, ...partsReport(problem, energies, errors, threshold), kept, ms: performance.now() - start };
  const end = { rho: null, iterations: 1, stopReason: 'complete', history: [entry] } as const;
  const result = { solver, budget: budgetOf(problem), nonzeros: kept, rmse: entry.rmse, ...end };
  return { argument: { range, commit: argument }, result };
}

/** λ, and what `commit` and the report need. */
interface Found {
  readonly argument: FollowArgument;
  readonly energies: readonly Energies[];
  readonly threshold: number;
  /** The run in which the last atoms at λ are kept, and how many there. */
  readonly lastRun: number;
  readonly ties: number;
}

/** Paths that are followed by passes over runs of patches. */
class PathsInParts implements PathFollower<Found> {
  #passes = 0;
  #argument: FollowArgument | undefined;
  #answers: readonly FollowAnswer[] = [];

  constructor(
    private readonly problem: ImageProblem,
    private readonly range: Range,
    private readonly parts: number,
    private readonly perform: Perform<RepresentContext>,
  ) {}

  async follow(bracket: Bracket, tries: Tries): Promise<void> {
    const pass = this.#passes++;
    this.#argument = { range: this.range, pass, prices: pricesOf(bracket, tries) };
    const options = { parts: this.parts, share: pass === 0 ? SHARES.follow : 0, name: `follow-${pass}` };
    this.#answers = await this.perform(followPass, this.#argument, options);
  }

  async select(bracket: Bracket): Promise<Found | 'above' | 'below'> {
    const argument = this.#argument as FollowArgument;
    const answers = this.#answers;
    const sum = (of: 'sure' | 'offered') => answers.reduce((all, answer) => all + answer[of], 0);
    const rank = rankIn(bracket, budgetOf(this.problem), sum('sure'), sum('offered'));
    if (rank === 'above' || rank === 'below') return rank;
    const found = { argument, energies: answers, lastRun: this.parts, ties: 0 };
    if (rank === 'none') return { ...found, threshold: Number.POSITIVE_INFINITY };
    if (rank === 'all') return { ...found, threshold: 0 };
    let search = rankSearch(FLOAT64_DIGITS, rank);
    let counts: readonly Counted[] = answers;
    for (;;) {
      search = narrow(search, merged(search, counts));
      if (isFound(search)) break;
      const { prefix } = search;
      const options = { parts: this.parts, share: SHARES.rank, name: `rank-${argument.pass}-${prefix.length}` };
      counts = await this.perform(rankPass, { ...argument, prefix: [...prefix] }, options);
    }
    const last = search.prefix[search.prefix.length - 1];
    return { ...found, threshold: magnitudeOf(search.prefix), ...lastOf(counts, last, rank - search.larger) };
  }
}

/** The run in which the last of the equal prices are kept, if this many of them are kept in all, and how many it keeps. */
function lastOf(parts: readonly Counted[], bucket: number, keep: number): { lastRun: number; ties: number } {
  let left = keep;
  for (const [run, { buckets, counts }] of parts.entries()) {
    const equal = counts[buckets.indexOf(bucket)] ?? 0;
    if (equal >= left) return { lastRun: run, ties: left };
    left -= equal;
  }
  throw new Error(`${left} of the prices at the threshold are missing`);
}

/** The prices that begin with the digits found, counted by the next digit. */
function counted(prices: Float64Array, search: RankSearch): Counted {
  const histogram = emptyHistogram(search);
  count(prices, search.prefix, histogram);
  const buckets = Uint32Array.from(histogram.keys()).filter((bucket) => histogram[bucket] > 0);
  return { buckets, counts: buckets.map((bucket) => histogram[bucket]) };
}

function merged(search: RankSearch, parts: readonly Counted[]): Float64Array {
  const histogram = new Float64Array(emptyHistogram(search).length);
  for (const { buckets, counts } of parts) {
    for (let i = 0; i < buckets.length; i++) histogram[buckets[i]] += counts[i];
  }
  return histogram;
}
