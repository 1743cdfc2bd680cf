/**
 * Joint OMP on a GPU (sparse/solvers/joint-omp.ts is its page, sparse/solvers/bracket.ts how λ is expected from samples, kernels/follow.ts and
 * kernels/allotment.ts its kernels). The paths stay on the GPU; the price λ is found among them by counting. Their lengths differ
 * much, so most are followed by a kernel for short ones, and those that it could not finish by kernels for longer ones.
 */
import { bitsOf } from '../../../math/float-bits.js';
import { FLOAT32_DIGITS, isFound, magnitudeOf, narrow, quotas, rankSearch } from '../../../sparse/budget/rank.js';
import { emptyWorth, worthwhile } from '../../../sparse/budget/worth.js';
import { type Bracket, CHUNK, ONCE, rankIn, type Sample, type Tries } from '../../../sparse/solvers/bracket.js';
import { type Effort, isComplete, type Spending } from '../../../sparse/solvers/joint-omp.js';
import { estimateBracket, findPrice, type PathFollower, searchPrice } from '../../../sparse/solvers/price-search.js';
import { passes, type Watch, watchOver } from '../../../work.js';
import type { Buffers } from '../gpu.js';
import { ALLOTMENT_GROUP, allotKernel, type Counting, countKernel, envelopeKernel } from '../kernels/allotment.js';
import { allottedKernel } from '../kernels/fit.js';
import { followKernel } from '../kernels/follow.js';
import type { Pursuits } from './pursuits.js';
import type { Streams } from './streams.js';

/** What H_S keeps: the prices above the threshold, and this many of those at it. */
interface Selected {
  readonly threshold: number;
  readonly ties: number;
  /** How many at the threshold are not kept. */
  readonly surplus: number;
}

/** More than any chunk has. */
const ALL_TIES = 2 ** 31 - 1;
const NOTHING: Selected = { threshold: Number.POSITIVE_INFINITY, ties: 0, surplus: 0 };
/** Atoms per patch that are expected if the budget does not say. */
const USUAL_ATOMS_PER_PATCH = 8;

/** Lists of patches of a range on the GPU: their number, then the patches. Two are filled in turn. */
interface Own {
  readonly followed: GPUBuffer;
  readonly lists: readonly [GPUBuffer, GPUBuffer];
  readonly sample: GPUBuffer;
  readonly ties: GPUBuffer;
  readonly quotas: GPUBuffer;
}

/** Which patches: all of each range, or those of its sample. */
interface Chosen {
  readonly listed: boolean;
  /** How many of each range. */
  readonly counts: readonly number[];
}

/** Joint OMP on one loaded problem. */
export class JointOmp {
  #own: { readonly ranges: readonly Own[]; readonly histogram: GPUBuffer } | undefined;

  constructor(private readonly pursuits: Pursuits) {}

  /** Finds the codes and writes them to the streams; returns λ. */
  async run(S: Spending, effort: Effort, streams: Streams, watch?: Watch): Promise<number> {
    await this.#prepare();
    const { P, list } = this.pursuits.ranges;
    const all = { listed: false, counts: list.map((range) => range.P) };
    // How far the work is after each part: the first paths, the restarts.
    const [paths, restarts] = effort === 1 ? [0.8, 0.8] : [0.2, 0.9];
    const problem = { S, streams, expected: typeof S === 'number' ? S / P : USUAL_ATOMS_PER_PATCH };
    let selected = NOTHING;
    if (S !== 0) {
      const bracket = await this.#estimate(problem, watchOver(watch, 0, paths / 4));
      const follower = this.#follower(problem, all, P, this.row);
      selected = await searchPrice(follower, S, effort, bracket, watch, [paths / 4, paths, restarts]);
    } else await this.#forget();
    await this.#commit(problem, selected, watchOver(watch, restarts, 1));
    return selected.threshold;
  }

  /** Atoms of a path at most, as all engines count them. */
  private get row(): number {
    const { N, L } = this.pursuits.ranges.shape;
    return Math.min(N, L);
  }

  async #prepare() {
    const { ranges, gpu } = this.pursuits;
    this.#own ??= await gpu.allocated(() => ({
      histogram: ranges.scope.buffer(4 * 2 ** FLOAT32_DIGITS[0]),
      ranges: ranges.list.map(({ paddedP }) => {
        const list = () => ranges.scope.buffer(4 * (paddedP + 1));
        const perChunk = () => ranges.scope.buffer(4 * Math.ceil(paddedP / ALLOTMENT_GROUP));
        return {
          followed: ranges.scope.buffer(4 * paddedP),
          lists: [list(), list()] as const,
          sample: list(),
          ties: perChunk(),
          quotas: perChunk(),
        };
      }),
    }));
    return this.#own;
  }

  /** No path has an atom. */
  async #forget(): Promise<void> {
    const batch = this.pursuits.gpu.batch();
    for (const { followed } of (await this.#prepare()).ranges) batch.clear(followed);
    batch.submit();
  }

  /** The bracket in which λ is expected, from samples. */
  #estimate(problem: Problem, watch?: Watch): Promise<Bracket> {
    const { P } = this.pursuits.ranges;
    const priceOf = async (sample: Sample, share: Spending, deep: number, bracket: Bracket, part?: Watch) => {
      const chosen = await this.#sample(sample);
      const follower = this.#follower({ ...problem, S: share }, chosen, sample.patches, deep);
      return (await findPrice(follower, share, bracket, ONCE, part)).threshold;
    };
    return estimateBracket(P, problem.S, this.row, priceOf, watch);
  }

  /** Uploads the lists of a sample. */
  async #sample({ step, each }: Sample): Promise<Chosen> {
    const { ranges } = await this.#prepare();
    const { scope, list } = this.pursuits.ranges;
    const counts = list.map(({ first, P }, range) => {
      const patches = [];
      const apart = step * CHUNK;
      for (let chunk = apart * Math.floor(first / apart); chunk < first + P; chunk += apart) {
        const end = Math.min(chunk + each, first + P);
        for (let p = Math.max(chunk, first); p < end; p++) patches.push(p - first);
      }
      scope.write(ranges[range].sample, Uint32Array.from([patches.length, ...patches]));
      return patches.length;
    });
    return { listed: true, counts };
  }

  /** The paths of the chosen patches, with at most `deep` atoms. */
  #follower(problem: Problem, chosen: Chosen, patches: number, deep: number): PathFollower<Selected> {
    let signal: AbortSignal | undefined;
    return {
      follow: (bracket, tries, pass) => {
        const watch = pass();
        signal = watch?.signal;
        return this.#follow(problem, chosen, deep, bracket.low, tries, watch);
      },
      select: (bracket) => this.#select(problem, chosen, patches, bracket, signal),
    };
  }

  /** Follows the paths at a price. Those too long for a kernel are followed again by the next. */
  async #follow(
    { streams, expected }: Problem,
    chosen: Chosen,
    deep: number,
    price: number,
    { restarts, lambda }: Tries,
    watch?: Watch,
  ): Promise<void> {
    const { gpu, most } = this.pursuits;
    const { ranges } = await this.#prepare();
    const atMost = Math.min(deep, most);
    // Without a price paths have no end, and a sample is so small that a GPU works on all of it at once.
    const depths = price === 0 || chosen.listed ? [atMost] : this.pursuits.depthsFor(expected, atMost, false);
    const pass = passes(watch, 0.6);
    let [listed, counts] = [chosen.listed, chosen.counts];
    for (const [i, depth] of depths.entries()) {
      const batch = gpu.batch();
      for (const { lists } of ranges) batch.clear(lists[i % 2], 0, 4);
      batch.submit();
      const runs = ranges.map(({ followed, lists, sample }, range) => {
        const { atoms, values } = streams.list[range];
        const list = i > 0 ? lists[(i + 1) % 2] : sample;
        const prices = [bitsOf(price), bitsOf(restarts > 0 ? lambda : price)];
        return {
          range,
          count: counts[range],
          buffers: { list, atoms, gains: values, followed, unfinished: lists[i % 2] },
          task: [listed ? 1 : 0, streams.rows, atMost, restarts, ...prices],
        };
      });
      await this.pursuits.run({ make: followKernel, label: 'paths', depth, given: false }, runs, pass());
      if (depth === atMost) break;
      counts = await this.#lengths(
        ranges.map(({ lists }) => lists[i % 2]),
        watch?.signal,
      );
      if (counts.every((count) => count === 0)) break;
      listed = true;
    }
    await this.#onPatches(streams, chosen, envelopeKernel(), 'envelope', [bitsOf(price)]);
  }

  /** The lengths of lists. */
  async #lengths(lists: readonly GPUBuffer[], signal?: AbortSignal): Promise<number[]> {
    const { gpu } = this.pursuits;
    const lengths = await Promise.all(lists.map((list) => gpu.read(list, 0, 4, signal)));
    return lengths.map((length) => new Uint32Array(length)[0]);
  }

  /** Runs a kernel of the allotment, a thread per patch. */
  async #onPatches(
    streams: Streams,
    { listed, counts }: Chosen,
    code: string,
    label: string,
    task: readonly number[],
    more: (own: Own, range: number) => Buffers = () => ({}),
  ): Promise<void> {
    const { gpu } = this.pursuits;
    const { ranges } = await this.#prepare();
    const kernel = await gpu.kernel(code, label);
    for (const [range, own] of ranges.entries()) {
      const uniform = this.pursuits.task;
      const { followed, sample } = own;
      const paths = { followed, prices: streams.list[range].values, list: sample, task: uniform };
      this.pursuits.ranges.scope.write(uniform, Uint32Array.of(counts[range], listed ? 1 : 0, streams.rows, ...task));
      gpu.submit(kernel, kernel.bind({ ...paths, ...more(own, range) }), Math.ceil(counts[range] / ALLOTMENT_GROUP));
    }
  }

  /** The prices of the chosen patches, counted. */
  async #count(
    { streams }: Problem,
    chosen: Chosen,
    counting: Counting,
    key: number,
    { price = 0, signal }: { readonly price?: number; readonly signal?: AbortSignal },
  ): Promise<Uint32Array> {
    const { gpu } = this.pursuits;
    const { histogram } = await this.#prepare();
    gpu.batch().clear(histogram).submit();
    const task = [key, bitsOf(price)];
    const kernel = countKernel(counting);
    await this.#onPatches(streams, chosen, kernel, `count ${counting}`, task, () => ({ histogram }));
    const buckets = counting === 'worth' ? key + 1 : 2 ** FLOAT32_DIGITS[counting === 'first' ? 0 : 1];
    return new Uint32Array(await gpu.read(histogram, 0, 4 * buckets, signal));
  }

  /** H_S among the prices, or that λ lies below the bracket. */
  async #select(
    problem: Problem,
    chosen: Chosen,
    patches: number,
    bracket: Bracket,
    signal?: AbortSignal,
  ): Promise<Selected | 'below'> {
    const { S } = problem;
    if (typeof S !== 'number') {
      const candidates = patches * this.row;
      const top = emptyWorth(candidates).length - 1;
      const worth = await this.#count(problem, chosen, 'worth', top, { price: S.price, signal });
      const { S: kept, least } = worthwhile(worth, candidates);
      const threshold = least * S.price;
      const complete = isComplete({ threshold, kept, tieEnd: 0 }, S, bracket.low, candidates);
      return complete ? { threshold, ties: ALL_TIES, surplus: 0 } : 'below';
    }
    const first = await this.#count(problem, chosen, 'first', 0, { signal });
    // All prices are offers: those above the bracket need not be told apart to count them.
    const rank = rankIn(bracket, S, 0, total(first));
    if (rank === 'below') return rank;
    if (rank === 'none' || rank === 'above') return NOTHING;
    if (rank === 'all') return { threshold: 0, ties: ALL_TIES, surplus: 0 };
    let search = narrow(rankSearch(FLOAT32_DIGITS, rank), first);
    while (!isFound(search)) {
      search = narrow(search, await this.#count(problem, chosen, 'second', search.prefix[0], { signal }));
    }
    const { prefix, larger, equal } = search;
    return { threshold: magnitudeOf(prefix), ties: rank - larger, surplus: equal - (rank - larger) };
  }

  /** Writes the codes that were selected: as many atoms of each path as its patch gets. */
  async #commit({ streams, expected }: Problem, selected: Selected, watch?: Watch): Promise<void> {
    const { gpu, most, ranges: patches } = this.pursuits;
    const { ranges } = await this.#prepare();
    const all = { listed: false, counts: patches.list.map(({ P }) => P) };
    const depths = this.pursuits.depthsFor(expected, most, true);
    const allot = async (quotas: (range: number) => Uint32Array) => {
      const batch = gpu.batch();
      for (const [range, { lists, quotas: buffer }] of ranges.entries()) {
        batch.clear(lists[0], 0, 4);
        patches.scope.write(buffer, quotas(range));
      }
      batch.submit();
      const task = [bitsOf(selected.threshold), depths[0]];
      await this.#onPatches(streams, all, allotKernel(), 'allotment', task, (own, range) => ({
        counts: streams.list[range].counts,
        ties: own.ties,
        quotas: own.quotas,
        deep: own.lists[0],
      }));
    };
    const chunks = all.counts.map((count) => Math.ceil(count / ALLOTMENT_GROUP));
    await allot((range) => new Uint32Array(chunks[range]).fill(ALL_TIES));
    if (selected.surplus > 0) {
      const ties = await Promise.all(
        ranges.map((own, range) => gpu.read(own.ties, 0, 4 * chunks[range], watch?.signal)),
      );
      const kept = quotas(
        ties.flatMap((own) => [...new Uint32Array(own)]),
        selected.ties,
      );
      const begins = chunks.map((_, range) => chunks.slice(0, range).reduce((sum, count) => sum + count, 0));
      await allot((range) => Uint32Array.from(kept.slice(begins[range], begins[range] + chunks[range])));
    }
    // Read while the GPU is busy with the first codes.
    const deep = this.#lengths(
      ranges.map(({ lists }) => lists[0]),
      watch?.signal,
    );
    deep.catch(() => {});
    for (const [i, depth] of depths.entries()) {
      const counts = i === 0 ? all.counts : await deep;
      if (counts.every((count) => count === 0)) break;
      const runs = ranges.map(({ lists }, range) => {
        const { atoms, values, course, counts: sizes } = streams.list[range];
        return {
          range,
          count: counts[range],
          buffers: { list: lists[0], atoms, values, errors: course, counts: sizes },
          task: [i === 0 ? 0 : 1, i === 0 ? 0 : depths[i - 1] + 1, streams.rows],
        };
      });
      const part = watchOver(watch, i / depths.length, (i + 1) / depths.length);
      await this.pursuits.run({ make: allottedKernel, label: 'codes of an allotment', depth, given: true }, runs, part);
    }
  }
}

/** What is spent, where the paths and codes are, and how many atoms per patch are expected. */
interface Problem {
  readonly S: Spending;
  readonly streams: Streams;
  readonly expected: number;
}

function total(histogram: Uint32Array): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}
