/** The passes of joint OMP: they find the price λ of the last atom within the budget, and make the codes at that price. */
import type { Solution } from 'ght';
import {
  type ChunkRun,
  count,
  type Energies,
  emptyHistogram,
  FLOAT64_DIGITS,
  isFound,
  magnitudeOf,
  moved,
  narrow,
  nearby,
  ONCE,
  type PartedProblem,
  partsReport,
  type RankSearch,
  RESTARTS,
  rankIn,
  rankSearch,
} from 'ght/parts';
import { pass, told } from './pass.js';
import type { Data, Pass } from './plan.js';
import type { FollowArgument, Opened, Prices, Range, SettleArgument } from './represent-runs.js';
import { bracketIn, pricesOf, triesIn } from './represent-runs.js';

/** The approximate shares of the passes. */
const SHARES = { estimate: 0.01, follow: 0.7, rank: 0.003, settle: 0.12 } as const;

/** The offers of a run of patches, counted by a digit: the buckets that are not empty. */
export interface Counted {
  readonly buckets: Uint32Array;
  readonly counts: Uint32Array;
}

interface FollowAnswer extends Counted, Energies {
  readonly sure: number;
  readonly offered: number;
}

/** What the passes of a solver have found, and what the passes after them are told. */
export interface Solved {
  readonly argument: { readonly range: Range };
  readonly result: Omit<Solution, 'codes' | 'engine'>;
}

/** The passes of joint OMP. */
export async function* jointOmp(
  { problem, runs }: Opened,
  range: Range,
): AsyncGenerator<Pass, Solved, readonly Data[]> {
  const start = performance.now();
  const [estimate] = yield pass('estimate', SHARES.estimate, 1, { range });
  let found = yield* findPrice(problem, runs, range, pricesOf(bracketIn(estimate as Prices), ONCE), 0);
  const lambda = found.threshold;
  if (problem.settings.effort === 2 && lambda > 0 && lambda < Number.POSITIVE_INFINITY) {
    const prices = pricesOf(nearby(lambda, problem.S), { restarts: RESTARTS, lambda });
    found = yield* findPrice(problem, runs, range, prices, found.argument.pass + 1);
  }
  const { threshold, lastRun, ties, energies } = found;
  const argument: SettleArgument = { ...found.argument, threshold: Float64Array.of(threshold), lastRun, ties };
  const answers = yield pass('settle', SHARES.settle, runs.length, argument);
  const settled = told<{ errors: Float64Array; nonzeros: number }[]>(answers);
  const kept = settled.reduce((sum, each) => sum + each.nonzeros, 0);
  const errors = settled.map((each) => each.errors);
  const entry = { k: 1, ...partsReport(problem, energies, errors, threshold), kept, ms: performance.now() - start };
  const { solver } = problem.settings;
  const end = { rho: null, iterations: 1, stopReason: 'complete', history: [entry] } as const;
  return { argument, result: { solver, budget: problem.S, nonzeros: kept, rmse: entry.rmse, ...end } };
}

/** The passes that find λ from paths that are followed with these prices first. */
async function* findPrice(
  { S }: PartedProblem,
  runs: readonly ChunkRun[],
  range: Range,
  first: Prices,
  number: number,
): AsyncGenerator<Pass, Found, readonly Data[]> {
  let prices = first;
  for (let moves = 0; ; moves++) {
    const argument: FollowArgument = { range, pass: number + moves, prices };
    const name = `follow-${argument.pass}`;
    const share = moves === 0 && number === 0 ? SHARES.follow : 0;
    const answers = told<FollowAnswer[]>(yield { ...pass('follow', share, runs.length, argument), name });
    const [sure, offered] = [sumOf(answers, 'sure'), sumOf(answers, 'offered')];
    const bracket = bracketIn(prices);
    const rank = rankIn(bracket, S, sure, offered);
    const found = { argument, energies: answers, lastRun: runs.length, ties: 0 };
    if (rank === 'none') return { ...found, threshold: Number.POSITIVE_INFINITY };
    if (rank === 'all') return { ...found, threshold: 0 };
    if (rank === 'above' || rank === 'below') {
      prices = pricesOf(moved(bracket, rank, moves, S), triesIn(prices));
      continue;
    }
    let search = rankSearch(FLOAT64_DIGITS, rank);
    let parts: readonly Counted[] = answers;
    for (;;) {
      search = narrow(search, merged(search, parts));
      if (isFound(search)) break;
      const { prefix } = search;
      const next = `rank-${argument.pass}-${prefix.length}`;
      parts = told(yield { ...pass('rank', SHARES.rank, runs.length, { ...argument, prefix }), name: next });
    }
    const last = search.prefix[search.prefix.length - 1];
    return { ...found, threshold: magnitudeOf(search.prefix), ...lastOf(parts, last, rank - search.larger) };
  }
}

interface Found {
  readonly argument: FollowArgument;
  readonly energies: readonly Energies[];
  readonly threshold: number;
  readonly lastRun: number;
  readonly ties: number;
}

/** The run in which the last of the equal prices are kept, if so many of them are kept in all, and how many it keeps. */
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
export function counted(prices: Float64Array, search: RankSearch): Counted {
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

function sumOf(answers: readonly FollowAnswer[], of: 'sure' | 'offered'): number {
  return answers.reduce((sum, answer) => sum + answer[of], 0);
}
