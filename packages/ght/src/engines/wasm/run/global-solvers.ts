/**
 * GHT-QPM and GHT-ADMM on the kernels. X is never stored: each pass over the patches turns one set of codes into candidates
 * for the next, those with |x| ≥ lo, and H_S then only has to find the S-th largest candidate.
 *
 * A pass also measures the codes it reads, so the error of Zᵏ is known once pass k + 1 is done: a step selects Zᵏ from the
 * candidates that are there, and passes over it.
 */
import type { Codes } from '../../../codes/codes.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { Watch } from '../../../work.js';
import type { IterationName } from '../kernels/module.js';
import { singularValues } from '../kernels/shape.js';
import type { ProblemMemory, Stream } from './problem-memory.js';
import { CHUNK } from './problem-memory.js';
import type { Team } from './team.js';

/** The least positive float32: with it as `lo` every nonzero is a candidate. */
const LEAST = 2 ** -149;
/** Chunks that are looked at to guess the first threshold. */
const SAMPLE = 8;
/** Room for candidates, of the S that are wanted: what comes close to them in steady state, and a little more. */
const ROOM = 1.04;
/** Atoms a patch from which on it is quicker to pack all candidates than to pick them one by one. */
const MANY = 13;
/** How often candidates are made again to have about as many as wanted; equal values may leave no such number. */
const TRIES = 8;

/** The iterations of one algorithm: the first, all others, and the repetition of one with another `lo`. */
interface Algorithm {
  readonly first: IterationName;
  readonly next: IterationName;
  readonly again: IterationName;
}
const QPM: Algorithm = { first: 'qpm', next: 'qpm', again: 'qpm' };
const ADMM: Algorithm = { first: 'admmStart', next: 'admm', again: 'admmAgain' };

/** Where the iterations stand: candidates for Zᵏ, and all that is needed to make them again with another `lo`. */
interface State {
  readonly source: Stream;
  readonly candidates: Stream;
  /** The threshold that made Zᵏ⁻¹ of the source, the lowest candidate, and what the next threshold should not reach. */
  readonly threshold: number;
  readonly lo: number;
  readonly hi: number;
  /** How many there are in each thread's region, and whether all of them had room there. */
  readonly counts: readonly number[];
  readonly complete: boolean;
  /** Of those, how many lie below `hi`: their bits are in the near room. Undefined where it was too small. */
  readonly near: readonly number[] | undefined;
}

/** The iterative solvers of one loaded problem. */
export class GlobalSolvers {
  readonly #streams: readonly Stream[];
  readonly #sigma: Float32Array;
  #start: Stream;
  #state: State | undefined;
  #newest: Stream | undefined;
  #best: Stream | undefined;
  #q = 0;
  #rho = Number.NaN;
  #lastThreshold = 0;
  #many = false;

  constructor(
    private readonly memory: ProblemMemory,
    private readonly team: Team,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    private readonly outsideRange: number,
  ) {
    // Three: the codes that are read, the candidates that are written, and the best codes so far.
    this.#streams = [memory.stream(), memory.stream(), memory.stream()];
    this.#start = this.#streams[0];
    this.#sigma = singularValues(memory.shape);
  }

  reset(Z0: Codes): void {
    this.#state = undefined;
    this.#newest = undefined;
    this.#best = undefined;
    this.#lastThreshold = 0;
    this.#start = this.#streams[0];
    this.memory.write(this.#start, Z0);
  }

  qpm(S: number, rho: number, watch?: Watch): Promise<StepReport> {
    return this.#step(S, rho, QPM, watch);
  }

  admm(S: number, rho: number, watch?: Watch): Promise<StepReport> {
    const { R4, P } = this.memory.layout;
    if (this.#q === 0) this.#q = this.memory.take(4 * R4 * P);
    return this.#step(S, rho, ADMM, watch);
  }

  /** The newest codes are the result. */
  keep(): void {
    this.#best = this.#newest;
  }

  /** The codes that were kept, if any were. */
  codes(): Codes | undefined {
    return this.#best && this.memory.read(this.#best);
  }

  async #step(S: number, rho: number, algorithm: Algorithm, watch?: Watch): Promise<StepReport> {
    const { memory } = this;
    this.#many = S > MANY * memory.layout.P;
    if (rho !== this.#rho) {
      this.#rho = rho;
      memory.floats(memory.tables.g, this.#sigma.length).set(this.#sigma.map((sigma) => sigma / (sigma * sigma + rho)));
    }
    if (!this.#state) {
      const lo = await this.#guess(S, algorithm.first, watch);
      await this.#pass(S, algorithm, algorithm.first, this.#start, 0, { lo, hi: 0 }, watch);
    }
    const { threshold, kept } = await this.#select(S, algorithm, watch);
    const Z = this.#standing().candidates;
    const error = await this.#pass(S, algorithm, algorithm.next, Z, threshold, this.#expect(threshold), watch);
    this.#newest = Z;
    return {
      rmse: Math.sqrt((error + this.outsideRange) / memory.layout.P),
      threshold: S > 0 ? threshold : Number.POSITIVE_INFINITY,
      kept,
    };
  }

  #standing(): State {
    if (!this.#state) throw new Error('an iteration was asked for before the problem was reset');
    return this.#state;
  }

  /** Where the next threshold will be: it moves ever less, so within what it moved last, and a little more. */
  #expect(threshold: number): { lo: number; hi: number } {
    const moved = this.#lastThreshold > 0 ? threshold / this.#lastThreshold - 1 : 0;
    const known = this.#lastThreshold > 0;
    this.#lastThreshold = threshold;
    const [behind, ahead] = [Math.max(0.004, 0.3 * Math.abs(moved)), Math.max(0.004, 2 * Math.abs(moved))];
    const down = known ? Math.min(0.5, moved > 0 ? behind : ahead) : 0.1;
    return {
      lo: Math.max(LEAST, threshold * (1 - down)),
      hi: known ? threshold * (1 + (moved > 0 ? ahead : behind)) : 0,
    };
  }

  /** One pass over all patches: measures the codes of `source` and makes candidates from them; gives ‖r‖² of all. */
  async #pass(
    S: number,
    algorithm: Algorithm,
    name: IterationName,
    source: Stream,
    threshold: number,
    { lo, hi }: { readonly lo: number; readonly hi: number },
    watch?: Watch,
  ): Promise<number> {
    const { memory } = this;
    const { P, L, chunks, scratches, errors } = memory.layout;
    const candidates = this.#streams.find((stream) => stream !== source && stream !== this.#best) as Stream;
    // A thread's share of the candidates, a few more than S, and one chunk that may have every coefficient.
    memory.widen(candidates, Math.ceil((ROOM * Math.min(S, L * P)) / scratches.length) + CHUNK * L);
    await this.#make(name, { source, candidates, threshold, lo, hi }, watch);
    const error = memory.doubles(errors, chunks).reduce((sum, value) => sum + value, 0);
    await this.#adjust(S, algorithm, watch);
    return error;
  }

  async #make(name: IterationName, made: Omit<State, 'counts' | 'complete' | 'near'>, watch?: Watch): Promise<void> {
    const { source, candidates: out, threshold, lo, hi } = made;
    const room = this.#room(Math.ceil(out.capacity / 8));
    const near = { ...room, high: bitsOf(Math.max(lo, hi)) };
    const outcomes = await this.team.run(
      { kind: 'iterate', name, source, out, q: this.#q, threshold, lo, many: this.#many, near },
      watch,
    );
    this.#state = {
      ...made,
      counts: outcomes.map(({ written }) => written),
      complete: !outcomes.some(({ overflowed }) => overflowed),
      near: outcomes.some(({ nearOverflowed }) => nearOverflowed)
        ? undefined
        : outcomes.map(({ near: count }) => count),
    };
  }

  /**
   * Makes the candidates again until there are S or a few more, all of them in memory. The sums of the next iteration depend
   * on how many there are, so none of this may depend on how many threads there are.
   */
  async #adjust(S: number, { again }: Algorithm, watch?: Watch): Promise<void> {
    let [tooLow, tooHigh] = [0, Number.POSITIVE_INFINITY];
    for (let tries = 0; ; tries++) {
      const state = this.#standing();
      const { lo, counts, candidates, complete } = state;
      const total = counts.reduce((sum, count) => sum + count, 0);
      const few = total < S && lo > LEAST;
      const many = total > ROOM * S + CHUNK && tries < TRIES;
      if (!few && !many && complete) return;
      if (!few && !many) this.memory.widen(candidates, Math.max(...counts) + CHUNK * this.memory.layout.L);
      if (few) tooHigh = lo;
      if (many) tooLow = lo;
      let next = lo;
      if (few && tries >= TRIES) next = LEAST;
      else if (tooLow > 0 && tooHigh < Number.POSITIVE_INFINITY) next = Math.sqrt(tooLow * tooHigh);
      else if (few) next = lo * Math.min(0.98, Math.max(0.5, total / S));
      else if (many) next = lo * Math.min(2, (total / S) ** 0.6);
      await this.#make(again, { ...state, lo: Math.max(LEAST, next) }, watch);
    }
  }

  /** The threshold that keeps the S largest candidates. Ties beyond S are set to zero. */
  async #select(S: number, algorithm: Algorithm, watch?: Watch): Promise<{ threshold: number; kept: number }> {
    if (S === 0) return { threshold: Number.MAX_VALUE, kept: 0 };
    // The budget may have changed since they were made.
    await this.#adjust(S, algorithm, watch);
    const { candidates, counts } = this.#standing();
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total < S) return { threshold: 0, kept: total };
    const { bits, larger, equal } = this.#selectNearby(S, total) ?? this.#selectAnywhere(S);
    if (larger + equal > S) this.#cutTies(candidates, bits, S - larger);
    return { threshold: floatOf(bits), kept: S };
  }

  /** The S-th largest, if it lies where it was expected. */
  #selectNearby(S: number, total: number): Rank | undefined {
    const { near } = this.#standing();
    if (!near) return undefined;
    const inside = new Uint32Array(near.reduce((sum, count) => sum + count, 0));
    const above = total - inside.length;
    if (above >= S) return undefined;
    let at = 0;
    near.forEach((count, thread) => {
      inside.set(this.memory.words(this.#nearRoom.out[thread], count), at);
      at += count;
    });
    const { bits, larger, equal } = rankIn(inside, S - above);
    return { bits, larger: above + larger, equal };
  }

  /** The S-th largest of all candidates, by a histogram of their upper bits and a sort of the boundary bucket. */
  #selectAnywhere(S: number): Rank {
    const { candidates, counts } = this.#standing();
    const regions = counts.map((count, thread) => this.memory.words(candidates.values[thread], count));
    const histogram = new Uint32Array(2 ** 16);
    for (const region of regions) for (let i = 0; i < region.length; i++) histogram[(region[i] & 0x7fffffff) >>> 15]++;
    let bucket = histogram.length - 1;
    let above = 0;
    while (above + histogram[bucket] < S) above += histogram[bucket--];
    const boundary = new Uint32Array(histogram[bucket]);
    let n = 0;
    for (const region of regions) {
      for (let i = 0; i < region.length; i++) {
        const bits = region[i] & 0x7fffffff;
        if (bits >>> 15 === bucket) boundary[n++] = bits;
      }
    }
    const { bits, larger, equal } = rankIn(boundary, S - above);
    return { bits, larger: above + larger, equal };
  }

  #nearRoom: { out: readonly number[]; room: number } = { out: [], room: 0 };
  /** Room for the bits of so many candidates in each thread. */
  #room(words: number): { out: readonly number[]; room: number } {
    if (words > this.#nearRoom.room) {
      this.#nearRoom = { out: this.memory.layout.scratches.map(() => this.memory.take(4 * words)), room: words };
    }
    return this.#nearRoom;
  }

  /** Of the candidates with these bits, keeps the first few in the order of the patches. */
  #cutTies(stream: Stream, bits: number, keep: number): void {
    const { memory } = this;
    const { P, chunks } = memory.layout;
    const counts = memory.halves(stream.counts, P);
    const places = memory.words(stream.places, 2 * chunks);
    let seen = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      let length = 0;
      for (let p = chunk * CHUNK; p < Math.min(P, (chunk + 1) * CHUNK); p++) length += counts[p];
      const values = memory.words(places[2 * chunk], length);
      for (let i = 0; i < length; i++) if ((values[i] & 0x7fffffff) === bits && ++seen > keep) values[i] = 0;
    }
  }

  /** A lowest value for the first candidates: a little under the threshold of a sample of the patches. */
  async #guess(S: number, name: IterationName, watch?: Watch): Promise<number> {
    const { memory } = this;
    const { P, L, chunks } = memory.layout;
    if (S >= L * P) return LEAST;
    const step = Math.max(1, Math.floor(chunks / SAMPLE));
    const out = this.#streams[1];
    memory.widen(out, (Math.ceil(chunks / step) + 1) * CHUNK * L);
    const near = { ...this.#room(8), high: bitsOf(LEAST) };
    const job = {
      kind: 'iterate',
      name,
      source: this.#start,
      out,
      q: this.#q,
      threshold: 0,
      lo: LEAST,
      many: true,
      near,
      step,
    } as const;
    const outcomes = await this.team.run(job, watch);
    const all = new Float32Array(outcomes.reduce((sum, { written }) => sum + written, 0));
    let at = 0;
    outcomes.forEach(({ written }, thread) => {
      all.set(memory.floats(out.values[thread], written), at);
      at += written;
    });
    for (let i = 0; i < all.length; i++) all[i] = Math.abs(all[i]);
    all.sort();
    const patches = Math.min(P, Math.ceil(chunks / step) * CHUNK);
    const rank = Math.ceil((S * patches) / P);
    if (rank >= all.length) return LEAST;
    return Math.max(LEAST, all[all.length - Math.max(1, rank)] * (step === 1 ? 0.99 : 0.9));
  }
}

/** The bits of the n-th largest, and how many are larger and equal. */
interface Rank {
  readonly bits: number;
  readonly larger: number;
  readonly equal: number;
}

/** The n-th largest of some bits, which are put in order. */
function rankIn(values: Uint32Array, n: number): Rank {
  values.sort();
  const bits = values[values.length - n];
  const last = values.lastIndexOf(bits);
  return { bits, larger: values.length - 1 - last, equal: last - values.indexOf(bits) + 1 };
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);
function bitsOf(value: number): number {
  float[0] = value;
  return word[0];
}
function floatOf(bits: number): number {
  word[0] = bits;
  return float[0];
}
