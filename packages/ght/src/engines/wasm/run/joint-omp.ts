/**
 * Joint OMP on the kernels, in one pass over the patches (sparse/solvers/joint-omp.ts is its page, sparse/solvers/bracket.ts how λ is found,
 * kernels/paths.ts its kernels).
 */
import { nthLargest, type Rank } from '../../../sparse/budget/rank.js';
import { aroundExpected, type Bracket, CHUNK, ONCE, rankIn, type Sample } from '../../../sparse/solvers/bracket.js';
import { chooseWorthwhile, type Effort, isComplete, type Spending } from '../../../sparse/solvers/joint-omp.js';
import {
  estimateBracket,
  findPrice,
  isInside,
  type PathFollower,
  searchPrice,
} from '../../../sparse/solvers/price-search.js';
import { cutFor, LEAST_GAIN, MOST_MOVES, PriceSearch } from '../../../sparse/solvers/swaps.js';
import { passes, type Watch, watchOver } from '../../../work.js';
import { ALL_TIES, FollowedPaths, type Selected } from './followed-paths.js';
import { type Shards, type Streams, sum, total } from './shards.js';

/** Capacity for the codes of a local search, as a multiple of the expected number of atoms. */
const CAPACITY_FACTOR = 1.15;
/** Steps of a bracket in which offers are counted. */
const OFFER_BINS = 1024;

/** The codes that were found, their price and how many atoms they have. */
interface Found {
  readonly codes: Streams;
  readonly threshold: number;
  readonly kept: number;
  /** Whether the errors of all chunks are those of these codes. */
  readonly measured: boolean;
}

/** Joint OMP on one loaded problem. */
export class JointOmp {
  readonly #paths: FollowedPaths;
  #prices: readonly number[] | undefined;

  constructor(private readonly shards: Shards) {
    this.#paths = new FollowedPaths(shards);
  }

  /** Finds the codes, in the memory of `out`, with λ where it is `expected` if that is known; returns them, λ and the number of atoms. */
  async run(S: Spending, effort: Effort, out: Streams, watch?: Watch, expected = 0): Promise<Found> {
    const { P } = this.shards;
    const { row } = this.#paths;
    // How far the work is after each part: the first paths, the restarts, the codes, the swaps.
    const [paths, restarts, codes] = [
      [0.8, 0.8, 1],
      [0.15, 0.9, 1],
      [0.05, 0.3, 0.35],
    ][effort - 1];
    const bracket =
      S !== 0 && isInside(expected)
        ? aroundExpected(expected, S, row)
        : await estimateBracket(
            P,
            S,
            row,
            (sample, share, deep, first, part) => samplePrice(this.#paths, share, sample, deep, first, part),
            watchOver(watch, 0, paths / 4),
          );
    const all = { step: 1, each: CHUNK, patches: P };
    const follower = followerOf(this.#paths, S, all, row);
    const selected = await searchPrice(follower, S, effort, bracket, watch, [paths / 4, paths, restarts]);
    const improvable = isInside(selected.threshold);
    const kept = await this.#paths.commit(selected, out, watchOver(watch, restarts, codes));
    const found = { codes: out, threshold: selected.threshold, kept, measured: true };
    return effort === 3 && improvable ? this.#swap(found, watchOver(watch, codes, 1)) : found;
  }

  /** Better codes with as many atoms: sparse/solvers/swaps.ts. */
  async #swap({ codes, threshold, kept: S }: Found, watch?: Watch): Promise<Found> {
    const { memories, P, threads } = this.shards;
    this.#prices ??= this.shards.take(({ P }) => 8 * P);
    const places = this.#prices;
    const prices = () => memories.map(({ layout, floats }, shard) => floats(places[shard], 2 * layout.P));
    const forget = () => prices().forEach((own) => void own.fill(-1));
    forget();
    const price = new PriceSearch(S, threshold);
    const least = LEAST_GAIN * threshold;
    let source = codes;
    let kept = S;
    const pass = passes(watch, 0.5);
    const search = async (moves: number, lambda: number) => {
      const out = source === codes ? this.#paths.draft : codes;
      const each = (capacity: (shard: number) => number) =>
        memories.forEach((memory, shard) => void memory.widen(out[shard], capacity(shard)));
      const share = (shard: number) => memories[shard].layout.P / P / threads;
      each((shard) => Math.ceil(CAPACITY_FACTOR * S * share(shard)) + 2 * CHUNK * this.#paths.row);
      for (;;) {
        const outcomes = await this.shards.run((shard) => {
          const own = { source: source[shard], out: out[shard], prices: places[shard] };
          return { kind: 'swap', ...own, moves, lambda, least };
        }, pass());
        kept = total(outcomes, 'written');
        if (!outcomes.flat().some(({ overflowed }) => overflowed)) break;
        each((shard) => 2 * out[shard].capacity);
        // The prices are those of codes that had no room.
        forget();
      }
      source = out;
    };
    do await search(MOST_MOVES, price.lambda);
    while (!price.isFound(kept));
    const losses = () => {
      const all = new Float32Array(P);
      for (const [shard, own] of prices().entries()) {
        const { first } = memories[shard];
        for (let i = 0; i < own.length; i += 2) all[first + i / 2] = own[i];
      }
      return all;
    };
    while (kept > S) await search(0, cutFor(losses(), kept - S));
    // The other streams are free again.
    if (source !== codes) this.#paths.draft = codes;
    return { codes: source, threshold: price.lambda, kept, measured: false };
  }
}

/** λ of a sample, with at most `deep` atoms per patch; S is the share of the sample. */
export async function samplePrice(
  paths: FollowedPaths,
  S: Spending,
  sample: Sample,
  deep: number,
  bracket: Bracket,
  watch?: Watch,
): Promise<number> {
  return (await findPrice(followerOf(paths, S, sample, deep), S, bracket, ONCE, watch)).threshold;
}

/** The paths of a sample, with at most `deep` atoms per patch. */
function followerOf(paths: FollowedPaths, S: Spending, sample: Sample, deep: number): PathFollower<Selected> {
  const most = sample.patches * deep;
  const expected = typeof S === 'number' ? Math.min(S, most) : most / 4;
  return {
    follow: (bracket, tries, pass) => paths.follow(sample, deep, bracket, tries, expected, pass),
    select: async (bracket) => select(paths, S, sample, bracket),
  };
}

/** H_S among the offers, or on which side of the bracket λ lies. */
function select(
  { offers, sure, row }: FollowedPaths,
  S: Spending,
  { patches }: Sample,
  bracket: Bracket,
): Selected | 'above' | 'below' {
  if (typeof S !== 'number') {
    const candidates = patches * row;
    const chosen = chooseWorthwhile(offers, S.price, candidates);
    return isComplete(chosen, S, bracket.low, candidates) ? { ...chosen, ties: ALL_TIES, surplus: 0 } : 'below';
  }
  const offered = sum(offers.map(({ length }) => length));
  const rank = rankIn(bracket, S, sure, offered);
  if (rank === 'above' || rank === 'below') return rank;
  if (rank === 'none') return { threshold: Number.POSITIVE_INFINITY, kept: 0, ties: 0, surplus: 0 };
  if (rank === 'all') return { threshold: 0, kept: sure + offered, ties: ALL_TIES, surplus: 0 };
  const { threshold, larger, equal } = nthOffer(offers, rank, bracket);
  return { threshold, kept: S, ties: rank - larger, surplus: equal - (rank - larger) };
}

/** The n-th largest of the offers in a bracket. They are counted in steps of it, and only those of one step compared. */
function nthOffer(parts: readonly Float64Array[], n: number, { low, high }: Bracket): Rank {
  if (high === Number.POSITIVE_INFINITY) return nthLargest(parts, n);
  const stepOf = (price: number) =>
    Math.max(0, Math.min(OFFER_BINS - 1, Math.floor((OFFER_BINS * (price - low)) / (high - low))));
  const counts = new Int32Array(OFFER_BINS);
  for (const part of parts) for (let i = 0; i < part.length; i++) counts[stepOf(part[i])]++;
  let step = OFFER_BINS - 1;
  let above = 0;
  for (; above + counts[step] < n; step--) above += counts[step];
  const within = parts.map((part) => part.filter((price) => stepOf(price) === step));
  const { threshold, larger, equal } = nthLargest(within, n - above);
  return { threshold, larger: above + larger, equal };
}
