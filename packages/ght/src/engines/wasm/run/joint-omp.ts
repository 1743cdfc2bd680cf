/**
 * Joint OMP on the kernels, in one pass over the patches (solvers/joint-omp.ts is its page, kernels/paths.ts its kernels).
 *
 * λ is estimated from a sample, then from a larger one, each time within a narrower bracket. The pass over all patches
 * follows every path once, at the lower end of the bracket, and gathers the prices of the few atoms that are bought inside
 * it; the exact λ is one of them. If it is not, the pass is repeated with another bracket.
 */
import type { Rank } from '../../../budget/rank.js';
import { nthLargest } from '../../../budget/rank.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import { chooseWorthwhile, isSettled, RESTARTS } from '../../../solvers/joint-omp.js';
import { cutFor, LEAST_GAIN, MOST_MOVES, PriceSearch } from '../../../solvers/swaps.js';
import { passes, type Watch, watchOver } from '../../../work.js';
import type { Bracket, Sample, Selected, Tries } from './followed-paths.js';
import { ALL_TIES, FollowedPaths } from './followed-paths.js';
import { CHUNK } from './problem-memory.js';
import type { Shards, Streams } from './shards.js';
import { sum, total } from './shards.js';

/** Patches of the samples. One is taken only if there are several times as many patches. */
const SAMPLES = [128, 1024];
const SEVERAL = 6;
/** Half the width of a bracket times √(patches of the sample): two and a half standard deviations of λ, as measured. */
const DEVIATION = 4;
/** How often a bracket is moved before whole paths are followed. */
const MOVES = 3;
/** Better paths move λ by less than this factor, as measured. */
const NEARBY = 0.9;
/** Room for the codes of a local search, of the atoms that are expected. */
const ROOM = 1.15;
/** Steps of a bracket in which offers are counted. */
const STEPS = 1024;

const OPEN: Bracket = { low: 0, mid: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY };
const ONCE: Tries = { restarts: 0, lambda: 0 };

/** The codes that were found, their price and how many atoms they have. */
interface Found {
  readonly codes: Streams;
  readonly threshold: number;
  readonly kept: number;
}

/** Joint OMP on one loaded problem. */
export class JointOmp {
  readonly #paths: FollowedPaths;
  #prices: readonly number[] | undefined;

  constructor(private readonly shards: Shards) {
    this.#paths = new FollowedPaths(shards);
  }

  /** Finds the codes, with the room of `out`; gives them, λ and the number of atoms. */
  async run(S: Spending, effort: Effort, out: Streams, watch?: Watch): Promise<Found> {
    const { P } = this.shards;
    const { row } = this.#paths;
    // How far the work is after each part: the first paths, the restarts, the codes, the swaps.
    const [paths, restarts, codes] = [
      [0.8, 0.8, 1],
      [0.15, 0.9, 1],
      [0.05, 0.3, 0.35],
    ][effort - 1];
    const estimated = paths / 4;
    let bracket = OPEN;
    let done = 0;
    for (const n of SAMPLES.filter((n) => P >= SEVERAL * n)) {
      // A rough estimate needs no whole paths.
      const deep = typeof S === 'number' && bracket === OPEN ? 4 * Math.ceil(S / P) + 4 : row;
      const sample = this.#sample(n, deep);
      const { threshold } = await this.#settle(S, sample, bracket, ONCE, watchOver(watch, done, done + estimated / 2));
      done += estimated / 2;
      bracket = this.#around(threshold, S, sample.patches);
    }
    const all = this.#sample(P, row);
    let settled = await this.#settle(S, all, bracket, ONCE, watchOver(watch, done, paths));
    const lambda = settled.threshold;
    const improvable = lambda > 0 && lambda < Number.POSITIVE_INFINITY;
    if (effort > 1 && improvable) {
      const high = typeof S === 'number' ? lambda / NEARBY : Number.POSITIVE_INFINITY;
      const near = { low: lambda * NEARBY, mid: lambda, high };
      settled = await this.#settle(S, all, near, { restarts: RESTARTS, lambda }, watchOver(watch, paths, restarts));
    }
    const kept = await this.#paths.commit(settled, out, watchOver(watch, restarts, codes));
    const found = { codes: out, threshold: settled.threshold, kept };
    return effort === 3 && improvable ? this.#swap(found, watchOver(watch, codes, 1)) : found;
  }

  /** Better codes with as many atoms: solvers/swaps.ts. */
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
      each((shard) => Math.ceil(ROOM * S * share(shard)) + 2 * CHUNK * this.#paths.row);
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
    return { codes: source, threshold: price.lambda, kept };
  }

  #sample(n: number, deep: number): Sample {
    const { P, chunks } = this.shards;
    const step = Math.max(1, Math.floor(chunks / n));
    const each = Math.min(CHUNK, n === P ? CHUNK : Math.ceil(n / chunks));
    let patches = 0;
    for (let chunk = 0; chunk < chunks; chunk += step) patches += Math.min(each, P - chunk * CHUNK);
    return { step, each, patches, atMost: Math.min(deep, this.#paths.row) };
  }

  /** A bracket around the λ of a sample. How many atoms are worth a price is found from the prices of all of them. */
  #around(lambda: number, S: Spending, patches: number): Bracket {
    const width = Math.min(0.5, DEVIATION / Math.sqrt(patches));
    if (typeof S === 'number')
      return lambda > 0 ? { low: lambda * (1 - width), mid: lambda, high: lambda / (1 - width) } : OPEN;
    const mid = Math.min(lambda, S.price * Math.log(patches * this.#paths.row));
    return { ...OPEN, low: mid * (1 - width), mid };
  }

  /** Follows the paths of a sample within a bracket, moved as long as λ is not in it, and finds λ. */
  async #settle(S: Spending, sample: Sample, first: Bracket, tries: Tries, watch?: Watch): Promise<Selected> {
    const { P } = this.shards;
    const share = typeof S === 'number' ? Math.ceil((S * sample.patches) / P) : S;
    const most = sample.patches * sample.atMost;
    const expected = typeof share === 'number' ? Math.min(share, most) : most / 4;
    const pass = passes(watch, 0.9);
    let bracket = first;
    for (let moves = 0; ; moves++) {
      await this.#paths.follow(sample, bracket, tries, expected, pass);
      const selected = this.#select(share, sample, bracket);
      if (typeof selected !== 'string') return selected;
      if (moves === MOVES) bracket = OPEN;
      else if (selected === 'above') bracket = { low: bracket.high, mid: bracket.high, high: Number.POSITIVE_INFINITY };
      else
        bracket = {
          low: bracket.low / 4,
          mid: bracket.low / 2,
          high: typeof S === 'number' ? bracket.low : bracket.high,
        };
    }
  }

  /** H_S among the offers, or on which side of the bracket λ lies. */
  #select(S: Spending, { patches }: Sample, bracket: Bracket): Selected | 'above' | 'below' {
    const { low } = bracket;
    const { offers, sure } = this.#paths;
    if (typeof S !== 'number') {
      const candidates = patches * this.#paths.row;
      const chosen = chooseWorthwhile(offers, S.price, candidates);
      return isSettled(chosen, S, low, candidates) ? { ...chosen, ties: ALL_TIES, surplus: 0 } : 'below';
    }
    const offered = sum(offers.map(({ length }) => length));
    const rank = S - sure;
    if (S === 0) return { threshold: Number.POSITIVE_INFINITY, kept: 0, ties: 0, surplus: 0 };
    if (rank < 1) return 'above';
    if (rank > offered && low > 0) return 'below';
    if (rank >= offered && low === 0) return { threshold: 0, kept: sure + offered, ties: ALL_TIES, surplus: 0 };
    const { threshold, larger, equal } = nthOffer(offers, rank, bracket);
    return { threshold, kept: S, ties: rank - larger, surplus: equal - (rank - larger) };
  }
}

/** The n-th largest of the offers in a bracket. They are counted in steps of it, and only those of one step compared. */
function nthOffer(parts: readonly Float64Array[], n: number, { low, high }: Bracket): Rank {
  if (high === Number.POSITIVE_INFINITY) return nthLargest(parts, n);
  const stepOf = (price: number) =>
    Math.max(0, Math.min(STEPS - 1, Math.floor((STEPS * (price - low)) / (high - low))));
  const counts = new Int32Array(STEPS);
  for (const part of parts) for (let i = 0; i < part.length; i++) counts[stepOf(part[i])]++;
  let step = STEPS - 1;
  let above = 0;
  for (; above + counts[step] < n; step--) above += counts[step];
  const within = parts.map((part) => part.filter((price) => stepOf(price) === step));
  const { threshold, larger, equal } = nthLargest(within, n - above);
  return { threshold, larger: above + larger, equal };
}
