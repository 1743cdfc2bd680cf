/**
 * GHT-QPM and GHT-ADMM on the kernels. X is never stored: each pass over the patches turns one set of codes into candidates
 * for the next, those with |x| ≥ lo, and H_S then only has to find the S-th largest candidate.
 *
 * A step is propose, select, commit: candidates for Zᵏ, the threshold that leaves S of them, and what is left as the new
 * codes. A pass also measures the codes it reads, so the pass that commits Zᵏ proposes the candidates for Zᵏ⁺¹ as well.
 */
import { bitsOf } from '../../../math/float-bits.js';
import { nthLargest, quotas } from '../../../sparse/budget/rank.js';
import { type Codes, emptyCodes } from '../../../sparse/codes/codes.js';
import type { IterativeSolver } from '../../../sparse/solvers/catalogue.js';
import type { StepReport } from '../../../sparse/solvers/loop.js';
import type { Watch } from '../../../work.js';
import type { IterationTerms } from '../../engine.js';
import type { IterativeSolvers } from '../../loaded-problem.js';
import { singularValues } from '../../shape.js';
import type { IterationName } from '../kernels/iterate.js';
import { CHUNK } from './problem-memory.js';
import { type Outcomes, type Shards, type Streams, sum } from './shards.js';

/** The least positive float32: with it as `lo` every nonzero is a candidate. */
const LEAST_FLOAT32 = 2 ** -149;
/** Chunks that are looked at to guess the first threshold. */
const SAMPLED_CHUNKS = 8;
/** Capacity for candidates, as a multiple of S: what is close to the threshold in steady state, and a little more. */
const CAPACITY_FACTOR = 1.04;
/** How far from where it is expected the threshold of a growing budget may be, about. */
const GROWTH_MARGIN = 0.015;
/** Atoms per patch from which on it is quicker to pack all candidates than to pick them one by one. */
const PACKING_ATOMS_PER_PATCH = 13;
/** How often candidates are made again to have about as many as wanted; equal values may leave no such number. */
const MAX_TRIES = 8;

/** The iterations of one algorithm: the first, all others, and the repetition of one with another `lo`. */
interface Algorithm {
  readonly first: IterationName;
  readonly next: IterationName;
  readonly again: IterationName;
}
const ALGORITHMS: Readonly<Record<IterativeSolver, Algorithm>> = {
  qpm: { first: 'qpm', next: 'qpm', again: 'qpm' },
  admm: { first: 'admmStart', next: 'admm', again: 'admmAgain' },
};

/** Where the iterations stand: candidates for Zᵏ, and all that is needed to make them again with another `lo`. */
interface State {
  readonly source: Streams;
  readonly candidates: Streams;
  /** The threshold that made Zᵏ⁻¹ of the source, the lowest candidate, and what the next threshold should not reach. */
  readonly threshold: number;
  readonly lo: number;
  readonly hi: number;
  /** How many there are in each thread's region of each shard, and whether all of them fitted. */
  readonly counts: Counts;
  readonly complete: boolean;
  /** Of those, how many lie below `hi`: their bits are in the near buffer. Undefined if it was too small. */
  readonly near: Counts | undefined;
}

/** A number per shard and thread. */
type Counts = readonly (readonly number[])[];

/** What H_S keeps of the candidates. */
interface Selected {
  readonly threshold: number;
  readonly kept: number;
  /** Of the candidates equal to the threshold, how many survive, and how many do not. */
  readonly ties: number;
  readonly surplus: number;
}

/** The iterative solvers of one loaded problem. */
export class GlobalSolvers implements IterativeSolvers {
  readonly #streams: readonly Streams[];
  readonly #sigma: Float32Array;
  #start: Streams;
  #state: State | undefined;
  #newest: Streams | undefined;
  #best: Streams | undefined;
  #q: readonly number[] | undefined;
  #rho = Number.NaN;
  /** What the last iteration kept: undefined until there is a threshold. */
  #last: { readonly S: number; readonly threshold: number } | undefined;
  #many = false;

  constructor(
    private readonly shards: Shards,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    private readonly outsideRange: number,
  ) {
    // Three: the codes that are read, the candidates that are written, and the best codes so far.
    this.#streams = [shards.streams(), shards.streams(), shards.streams()];
    this.#start = this.#streams[0];
    this.#sigma = singularValues(shards.shape);
  }

  reset(Z0 = emptyCodes(this.shards.shape.L, this.shards.P)): void {
    this.#state = undefined;
    this.#newest = undefined;
    this.#best = undefined;
    this.#last = undefined;
    this.#start = this.#streams[0];
    this.shards.write(this.#start, Z0);
  }

  /** One iteration, and the candidates for the one after it. */
  async iterate(
    solver: IterativeSolver,
    S: number,
    rho: number,
    watch?: Watch,
    next: IterationTerms = { S, rho },
  ): Promise<StepReport> {
    const { P } = this.shards;
    const algorithm = ALGORITHMS[solver];
    if (solver === 'admm') this.#q ??= this.shards.take(({ R4, P }) => 4 * R4 * P);
    this.#many = S > PACKING_ATOMS_PER_PATCH * P;
    if (!this.#state) this.#penalise(rho);
    if (rho !== this.#rho) throw new Error(`an iteration with ρ = ${this.#rho} was begun, but ${rho} is asked for`);
    await this.#propose(S, algorithm, watch);
    const selected = this.#select(S);
    this.#penalise(next.rho);
    const error = await this.#commit(S, next.S, selected, algorithm, watch);
    return {
      rmse: Math.sqrt((error + this.outsideRange) / P),
      threshold: S > 0 ? selected.threshold : Number.POSITIVE_INFINITY,
      kept: selected.kept,
    };
  }

  /** The newest codes are the result. */
  keep(): void {
    this.#best = this.#newest;
  }

  /** The codes that were kept. */
  codes(): Codes {
    return this.#best ? this.shards.read(this.#best) : emptyCodes(this.shards.shape.L, this.shards.P);
  }

  /** Sets the ρ of the next pass. Where the last pass had another, its dual variable U = Λ/ρ is rescaled. */
  #penalise(rho: number): void {
    const rescaling = this.#state ? this.#rho / rho : 1;
    const g = this.#sigma.map((sigma) => sigma / (sigma * sigma + rho));
    const dualSigma = this.#sigma.map((sigma) => sigma * rescaling);
    for (const { tables, floats } of this.shards.memories) {
      floats(tables.g, g.length).set(g);
      floats(tables.dualSigma, g.length).set(dualSigma);
    }
    this.#rho = rho;
  }

  /** Candidates for Zᵏ: those that the last commit made, or the first ones; S of them or a few more. */
  async #propose(S: number, algorithm: Algorithm, watch?: Watch): Promise<void> {
    if (!this.#state) {
      const lo = await this.#guess(S, algorithm.first, watch);
      await this.#pass(S, algorithm, algorithm.first, this.#start, 0, { lo, hi: 0 }, watch);
    }
    // The budget may have changed since they were made.
    if (S > 0) await this.#adjust(S, algorithm, watch);
  }

  /** The S-th largest of the candidates of all threads and shards. */
  #select(S: number): Selected {
    if (S === 0) return { threshold: Number.MAX_VALUE, kept: 0, ties: 0, surplus: 0 };
    const { candidates, counts, near } = this.#standing();
    const total = sum(counts.flat());
    if (total < S) return { threshold: 0, kept: total, ties: 0, surplus: 0 };
    // Candidates below hi are in the near buffer too. If the S-th largest is one of them, there are only those to count.
    const above = near ? total - sum(near.flat()) : S;
    const [parts, rank] =
      near && above < S
        ? [this.#parts((shard) => this.#nearBuffers[shard].out, near), S - above]
        : [this.#parts((shard) => candidates[shard].values, counts), S];
    const { threshold, larger, equal } = nthLargest(parts, rank);
    const ties = rank - larger;
    return { threshold, kept: S, ties, surplus: equal - ties };
  }

  /** Makes the selection the new codes and measures them: ‖r‖² of all. The same pass makes the candidates for the next budget. */
  async #commit(S: number, next: number, selected: Selected, algorithm: Algorithm, watch?: Watch): Promise<number> {
    const { threshold, ties, surplus } = selected;
    const Z = this.#standing().candidates;
    if (surplus > 0) this.#cutTies(Z, threshold, ties);
    const expected = this.#expect(S, threshold, next);
    const error = await this.#pass(next, algorithm, algorithm.next, Z, threshold, expected, watch);
    this.#newest = Z;
    return error;
  }

  #standing(): State {
    if (!this.#state) throw new Error('an iteration was asked for before the problem was reset');
    return this.#state;
  }

  /**
   * Where the next threshold will be. With the same budget it moves ever less, so within what it moved last, and a little more. Where
   * the budget grows, its inverse rises about as the budget does.
   */
  #expect(S: number, threshold: number, next: number): { lo: number; hi: number } {
    const last = this.#last;
    this.#last = threshold > 0 ? { S, threshold } : undefined;
    if (last && next > S && S > last.S && last.S > 0) {
      const rise = ((threshold / last.threshold - 1) * (next - S)) / (S - last.S);
      const expected = threshold / Math.min(2, Math.max(0.8, 1 - rise));
      return { lo: Math.max(LEAST_FLOAT32, expected * (1 - GROWTH_MARGIN)), hi: expected * (1 + GROWTH_MARGIN) };
    }
    const known = last !== undefined;
    const moved = last ? threshold / last.threshold - 1 : 0;
    const [behind, ahead] = [Math.max(0.004, 0.3 * Math.abs(moved)), Math.max(0.004, 2 * Math.abs(moved))];
    const down = known ? Math.min(0.5, moved > 0 ? behind : ahead) : 0.1;
    return {
      lo: Math.max(LEAST_FLOAT32, threshold * (1 - down)),
      hi: known ? threshold * (1 + (moved > 0 ? ahead : behind)) : 0,
    };
  }

  /** One pass over all patches: measures the codes of `source` and makes candidates from them; returns ‖r‖² of all. */
  async #pass(
    S: number,
    algorithm: Algorithm,
    name: IterationName,
    source: Streams,
    threshold: number,
    { lo, hi }: { readonly lo: number; readonly hi: number },
    watch?: Watch,
  ): Promise<number> {
    const { P, shape, threads, memories } = this.shards;
    const candidates = this.#streams.find((streams) => streams !== source && streams !== this.#best) as Streams;
    for (const [shard, memory] of memories.entries()) {
      // A thread's share of the candidates, a few more than S, and one chunk that may have every coefficient.
      const expected = Math.min(S, shape.L * P) * (memory.layout.P / P);
      memory.widen(candidates[shard], Math.ceil((CAPACITY_FACTOR * expected) / threads) + CHUNK * shape.L);
    }
    await this.#make(name, { source, candidates, threshold, lo, hi }, watch);
    const error = this.shards.error();
    await this.#adjust(S, algorithm, watch);
    return error;
  }

  async #make(name: IterationName, made: Omit<State, 'counts' | 'complete' | 'near'>, watch?: Watch): Promise<void> {
    const { source, candidates, threshold, lo, hi } = made;
    const high = bitsOf(Math.max(lo, hi));
    const outcomes = await this.shards.run((shard) => {
      const out = candidates[shard];
      const near = { ...this.#nearBuffer(shard, Math.ceil(out.capacity / 8)), high };
      const [from, q] = [source[shard], this.#q?.[shard] ?? 0];
      return { kind: 'iterate', name, source: from, out, q, threshold, lo, many: this.#many, near };
    }, watch);
    const all = outcomes.flat();
    this.#state = {
      ...made,
      counts: countsOf(outcomes, 'written'),
      complete: !all.some(({ overflowed }) => overflowed),
      near: all.some(({ nearOverflowed }) => nearOverflowed) ? undefined : countsOf(outcomes, 'near'),
    };
  }

  /**
   * Makes the candidates again until there are S or a few more, all of them in memory. The sums of the next iteration depend
   * on how many there are, so none of this may depend on how many threads and shards there are.
   */
  async #adjust(S: number, { again }: Algorithm, watch?: Watch): Promise<void> {
    let [tooLow, tooHigh] = [0, Number.POSITIVE_INFINITY];
    for (let tries = 0; ; tries++) {
      const state = this.#standing();
      const { lo, counts, candidates, complete } = state;
      const total = sum(counts.flat());
      const few = total < S && lo > LEAST_FLOAT32;
      const many = total > CAPACITY_FACTOR * S + CHUNK && tries < MAX_TRIES;
      if (!few && !many && complete) return;
      if (few) tooHigh = lo;
      if (many) tooLow = lo;
      let next = lo;
      if (!few && !many) {
        const { memories, shape } = this.shards;
        memories.forEach((memory, i) => void memory.widen(candidates[i], Math.max(...counts[i]) + CHUNK * shape.L));
      }
      // Prefer a surplus over all of them, if some are known to be enough.
      else if (few && tries >= MAX_TRIES) next = tooLow;
      else if (tooLow > 0 && tooHigh < Number.POSITIVE_INFINITY) next = Math.sqrt(tooLow * tooHigh);
      else if (few) next = lo * Math.min(0.98, Math.max(0.5, total / S));
      else next = lo * Math.min(2, (total / S) ** 0.6);
      await this.#make(again, { ...state, lo: Math.max(LEAST_FLOAT32, next) }, watch);
    }
  }

  /** The values in each thread's region of each shard. */
  #parts(regions: (shard: number) => readonly number[], counts: Counts): Float32Array[] {
    return this.shards.memories.flatMap(({ floats }, shard) =>
      counts[shard].map((count, thread) => floats(regions(shard)[thread], count)),
    );
  }

  readonly #nearBuffers: { readonly out: readonly number[]; readonly capacity: number }[] = [];
  /** Room for the bits of this many candidates in each thread of a shard. */
  #nearBuffer(shard: number, words: number): { readonly out: readonly number[]; readonly capacity: number } {
    if (words > (this.#nearBuffers[shard]?.capacity ?? 0)) {
      const memory = this.shards.memories[shard];
      this.#nearBuffers[shard] = { out: memory.layout.scratches.map(() => memory.take(4 * words)), capacity: words };
    }
    return this.#nearBuffers[shard];
  }

  /** Of the candidates equal to the threshold, keeps the first few in the order of the patches, which is that of chunks. */
  #cutTies(streams: Streams, threshold: number, keep: number): void {
    const parts = this.shards.memories.flatMap(({ layout, halves, words, floats }, shard) => {
      const counts = halves(streams[shard].counts, layout.P);
      const places = words(streams[shard].places, 2 * layout.chunks);
      return Array.from({ length: layout.chunks }, (_, chunk) =>
        floats(places[2 * chunk], sum(counts.subarray(chunk * CHUNK, (chunk + 1) * CHUNK))),
      );
    });
    const equal = parts.map((values) => {
      let count = 0;
      for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) === threshold) count++;
      return count;
    });
    quotas(equal, keep).forEach((quota, chunk) => {
      if (quota === equal[chunk]) return;
      const values = parts[chunk];
      let seen = 0;
      for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) === threshold && ++seen > quota) values[i] = 0;
    });
  }

  /** A lowest value for the first candidates: a little under the threshold of a sample of the patches. */
  async #guess(S: number, name: IterationName, watch?: Watch): Promise<number> {
    const { P, chunks, shape, memories } = this.shards;
    const { L } = shape;
    if (S >= L * P) return LEAST_FLOAT32;
    const step = Math.max(1, Math.floor(chunks / SAMPLED_CHUNKS));
    const out = this.#streams[1];
    const outcomes = await this.shards.run((shard) => {
      memories[shard].widen(out[shard], (Math.ceil(memories[shard].layout.chunks / step) + 1) * CHUNK * L);
      return {
        kind: 'iterate',
        name,
        source: this.#start[shard],
        out: out[shard],
        q: this.#q?.[shard] ?? 0,
        threshold: 0,
        lo: LEAST_FLOAT32,
        many: true,
        near: { ...this.#nearBuffer(shard, 8), high: bitsOf(LEAST_FLOAT32) },
        step,
      };
    }, watch);
    const counts = countsOf(outcomes, 'written');
    const patches = Math.min(P, Math.ceil(chunks / step) * CHUNK);
    const rank = Math.ceil((S * patches) / P);
    if (rank >= sum(counts.flat())) return LEAST_FLOAT32;
    const parts = this.#parts((shard) => out[shard].values, counts);
    const { threshold } = nthLargest(parts, Math.max(1, rank));
    return Math.max(LEAST_FLOAT32, threshold * (step === 1 ? 0.99 : 0.9));
  }
}

function countsOf(outcomes: Outcomes, of: 'written' | 'near'): Counts {
  return outcomes.map((shard) => shard.map((outcome) => outcome[of]));
}
