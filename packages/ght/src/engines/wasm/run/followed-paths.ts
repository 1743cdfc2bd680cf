/** The paths of joint OMP, followed at a price: what each patch has there, and the prices of the atoms in a bracket around it. */
import { quotas } from '../../../sparse/budget/rank.js';
import type { Bracket, Sample, Tries } from '../../../sparse/solvers/bracket.js';
import type { Watch } from '../../../work.js';
import type { Followed } from '../../engine.js';
import { BOUNDS } from '../kernels/paths.js';
import type { PathsJob } from './patch-jobs.js';
import { CHUNK } from './problem-memory.js';
import { type Outcomes, type Shards, type Streams, total } from './shards.js';

/** What H_S keeps: the atoms above the threshold, and this many of those at it. */
export interface Selected {
  readonly threshold: number;
  readonly kept: number;
  readonly ties: number;
  /** How many at the threshold are not kept. */
  readonly surplus: number;
}

/** Capacity for codes and for offers, as a multiple of the expected number of atoms. */
const CAPACITY_FACTOR = { codes: 1.15, offers: 0.4 };
/** Half-words of a patch's bounds. */
const HALVES = BOUNDS.bytes / 2;
/** More than any chunk has. */
export const ALL_TIES = 2 ** 31 - 1;

/** Paths that were followed, of one loaded problem. */
export class FollowedPaths {
  /** The codes at the price in the middle. */
  draft: Streams;
  readonly #bounds: readonly number[];
  readonly #ties: readonly number[];
  readonly #offers: PathsJob['offers'][];
  #outcomes: Outcomes = [];

  constructor(private readonly shards: Shards) {
    this.draft = shards.streams();
    this.#bounds = shards.take(({ P }) => BOUNDS.bytes * P);
    this.#ties = shards.take(({ chunks }) => 4 * chunks);
    this.#offers = shards.take(({ chunks }) => 8 * chunks).map((places) => ({ places, out: [], capacity: 0 }));
  }

  /** Atoms of a path at most. */
  get row(): number {
    return Math.min(this.shards.shape.N, this.shards.shape.L);
  }

  /** Atoms above the bracket. */
  get sure(): number {
    return total(this.#outcomes, 'sure');
  }

  /** The prices of the atoms in the bracket, in any order. */
  get offers(): Float64Array[] {
    return this.shards.memories.flatMap(({ doubles }, shard) =>
      this.#outcomes[shard].map(({ near }, thread) => doubles(this.#offers[shard].out[thread], near)),
    );
  }

  /** Follows the paths of a sample within a bracket; `expected` is about how many atoms they have at its middle. */
  async follow(
    { step, each, patches }: Sample,
    atMost: number,
    bracket: Bracket,
    tries: Tries,
    expected: number,
    pass: () => Watch | undefined,
  ): Promise<void> {
    const { shards } = this;
    const most = patches * atMost;
    const whole = bracket.high === Number.POSITIVE_INFINITY;
    const codes = bracket.mid === Number.POSITIVE_INFINITY ? 0 : CAPACITY_FACTOR.codes * expected;
    const offers = whole ? (bracket.low === 0 ? most : 2 * expected) : CAPACITY_FACTOR.offers * expected;
    const chunk = CHUNK * this.row;
    // A thread's share of them in each shard. The atoms may lie elsewhere, and then it is too small.
    const capacities = shards.memories.map(({ layout }) => {
      const share = layout.P / shards.P / shards.threads;
      return { codes: codes * share, offers: offers * share };
    });
    for (;;) {
      for (const [shard, capacity] of capacities.entries()) {
        shards.memories[shard].widen(this.draft[shard], Math.ceil(capacity.codes) + 2 * chunk);
        this.#widenOffers(shard, Math.ceil(capacity.offers) + 2 * chunk);
      }
      this.#outcomes = await shards.run((shard) => {
        const own = { bounds: this.#bounds[shard], out: this.draft[shard], offers: this.#offers[shard] };
        return { kind: 'paths', step, each, atMost, ...bracket, ...tries, ...own };
      }, pass());
      const short = this.#outcomes.map((threads) => threads.some(({ overflowed }) => overflowed));
      if (!short.includes(true)) return;
      for (const [shard, capacity] of capacities.entries()) {
        if (!short[shard]) continue;
        capacity.codes = 2 * Math.max(capacity.codes, chunk);
        capacity.offers = 2 * Math.max(capacity.offers, chunk);
      }
    }
  }

  /** What `restore` needs in order to go on from here. Only for a problem of one shard whose paths were all followed. */
  save(): Followed {
    const [{ layout, halves, words, doubles }] = this.shards.memories;
    const bounds = halves(this.#bounds[0], HALVES * layout.P).slice();
    const places = words(this.#offers[0].places, 2 * layout.chunks);
    const offers = new Float64Array(total(this.#outcomes, 'near'));
    for (let chunk = 0, end = 0; chunk < layout.chunks; chunk++) {
      const own = doubles(places[2 * chunk], (places[2 * chunk + 1] - places[2 * chunk]) / 8);
      offers.set(own, end);
      end += own.length;
    }
    return { sure: this.sure, offers, bounds, draft: this.shards.memories[0].pack(this.draft[0]) };
  }

  /** Puts paths back that were followed before. */
  restore({ sure, offers, bounds, draft }: Followed): void {
    const [memory] = this.shards.memories;
    const { P, chunks } = memory.layout;
    memory.halves(this.#bounds[0], HALVES * P).set(bounds);
    memory.unpack(this.draft[0], draft);
    this.#widenOffers(0, offers.length);
    const [begin] = this.#offers[0].out;
    memory.doubles(begin, offers.length).set(offers);
    const places = memory.words(this.#offers[0].places, 2 * chunks);
    for (let chunk = 0, end = begin; chunk < chunks; chunk++) {
      places[2 * chunk] = end;
      // A patch has as many offers as atoms between its two bounds.
      for (let p = chunk * CHUNK; p < Math.min(P, (chunk + 1) * CHUNK); p++) {
        end += 8 * (bounds[HALVES * p + 1] - bounds[HALVES * p]);
      }
      places[2 * chunk + 1] = end;
    }
    const all = { written: draft.values.length, near: offers.length, sure, overflowed: false, nearOverflowed: false };
    this.#outcomes = [[all]];
  }

  #widenOffers(shard: number, capacity: number): void {
    if (capacity <= this.#offers[shard].capacity) return;
    const memory = this.shards.memories[shard];
    const out = memory.layout.scratches.map(() => memory.take(8 * capacity, 'anything'));
    this.#offers[shard] = { ...this.#offers[shard], out, capacity };
  }

  /** Writes the codes that were selected, and the errors of all chunks; returns the number of their atoms. */
  async commit(selected: Omit<Selected, 'kept'>, out: Streams, watch?: Watch): Promise<number> {
    this.#placeTies(selected);
    for (const [shard, memory] of this.shards.memories.entries()) {
      const most = Math.max(...this.#outcomes[shard].map(({ written, near }) => written + near));
      memory.widen(out[shard], most + CHUNK);
    }
    const { threshold } = selected;
    const outcomes = await this.shards.run((shard) => {
      const [bounds, ties, offers] = [this.#bounds[shard], this.#ties[shard], this.#offers[shard]];
      return { kind: 'commit', threshold, bounds, ties, offers, source: this.draft[shard], out: out[shard] };
    }, watch);
    return total(outcomes, 'written');
  }

  /** Of the atoms at the threshold the first are kept, in the order of the patches: how many in each chunk. */
  #placeTies({ threshold, ties, surplus }: Omit<Selected, 'kept'>): void {
    const { memories } = this.shards;
    const quota = memories.map(({ layout, words }, shard) => words(this.#ties[shard], layout.chunks).fill(ALL_TIES));
    if (surplus === 0) return;
    const equal = memories.flatMap(({ layout, words, doubles }, shard) => {
      const places = words(this.#offers[shard].places, 2 * layout.chunks);
      return Array.from({ length: layout.chunks }, (_, chunk) => {
        const [from, end] = [places[2 * chunk], places[2 * chunk + 1]];
        return doubles(from, (end - from) / 8).reduce((count, price) => count + (price === threshold ? 1 : 0), 0);
      });
    });
    const kept = quotas(equal, ties);
    for (const [shard, { layout }] of memories.entries()) {
      quota[shard].set(kept.slice(layout.firstChunk, layout.firstChunk + layout.chunks));
    }
  }
}
