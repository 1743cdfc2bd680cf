/**
 * GHT-QPM and GHT-ADMM on the kernels. X is never stored: each pass over the patches turns one set of codes into candidates
 * for the next, those with |x| ≥ lo, and H_S then only has to find the S-th largest candidate.
 *
 * A pass also measures the codes it reads, so the error of Zᵏ is known once pass k + 1 is done: a step selects Zᵏ from the
 * candidates that are there, and passes over it.
 */
import type { Codes } from '../../codes/codes.js';
import type { StepReport } from '../../solvers/loop.js';
import type { Watch } from '../../solvers/work.js';
import type { ProblemMemory, Stream } from './memory.js';
import { CHUNK } from './memory.js';
import type { IterationName } from './module.js';
import { singularValues } from './shape.js';
import { BIN_SHIFT, BINS } from './tables.js';
import type { Team } from './team.js';

/** The least positive float32: with it as `lo` every nonzero is a candidate. */
const LEAST = 2 ** -149;
/** Chunks that are looked at to guess the first threshold. */
const SAMPLE = 8;
/** Room for candidates, of the S that are wanted: what comes close to them in steady state, and a little more. */
const ROOM = 1.04;
/** Candidates that are enough, where they are made again because there were too many. */
const ENOUGH = 1.01;
/** In the top bin of the histogram, more candidates than this are not sorted but made anew with a higher `lo`. */
const CROWD = 1 << 16;

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
  /** The threshold that made Zᵏ⁻¹ of the source, and the lowest candidate. */
  readonly threshold: number;
  readonly lo: number;
}

/** The iterative solvers of one loaded problem. */
export class Iterations {
  readonly #streams: readonly Stream[];
  readonly #sigma: Float32Array;
  #start: Stream;
  #state: State | undefined;
  #newest: Stream | undefined;
  #best: Stream | undefined;
  #q = 0;
  #rho = Number.NaN;
  #lastThreshold = 0;

  constructor(
    private readonly memory: ProblemMemory,
    private readonly team: Team,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    private readonly beyond: number,
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
    if (rho !== this.#rho) {
      this.#rho = rho;
      memory.floats(memory.tables.g, this.#sigma.length).set(this.#sigma.map((sigma) => sigma / (sigma * sigma + rho)));
    }
    if (!this.#state) {
      const lo = await this.#guess(S, algorithm.first, watch);
      await this.#pass(S, algorithm.first, algorithm.again, this.#start, 0, lo, watch);
    }
    const { threshold, kept } = await this.#select(S, algorithm.again, watch);
    const Z = (this.#state as unknown as State).candidates;
    const lo = this.#nextLowest(threshold);
    const error = await this.#pass(S, algorithm.next, algorithm.again, Z, threshold, lo, watch);
    this.#newest = Z;
    return {
      rmse: Math.sqrt((error + this.beyond) / memory.layout.P),
      threshold: kept > 0 ? threshold : Number.POSITIVE_INFINITY,
      kept,
    };
  }

  /** The threshold moves ever less: the next candidates start as far below it as it moved, and a little more. */
  #nextLowest(threshold: number): number {
    const moved = this.#lastThreshold > 0 ? threshold / this.#lastThreshold - 1 : 0.3;
    this.#lastThreshold = threshold;
    const margin = Math.min(0.5, Math.max(0.005, moved > 0 ? 0.3 * moved : -2 * moved));
    return Math.max(LEAST, threshold * (1 - margin));
  }

  /** One pass over all patches: measures the codes of `source` and makes candidates from them; gives ‖r‖² of all. */
  async #pass(
    S: number,
    name: IterationName,
    again: IterationName,
    source: Stream,
    threshold: number,
    lo: number,
    watch?: Watch,
  ): Promise<number> {
    const { memory, team } = this;
    const { P, L, chunks, scratches } = memory.layout;
    const repeated = this.#state?.source === source;
    const out = repeated
      ? (this.#state as State).candidates
      : (this.#streams.find((stream) => stream !== source && stream !== this.#best) as Stream);
    // A thread's share of the candidates, a few more than S, and one chunk that may have every coefficient.
    const fair = Math.ceil((ROOM * Math.min(S, L * P)) / scratches.length);
    memory.widen(out, Math.min(fair, L * P) + CHUNK * L);
    let lowest = lo;
    let outcomes = await team.run({ kind: 'iterate', name, source, out, q: this.#q, threshold, lo }, watch);
    const error = memory.doubles(memory.layout.errors, chunks).reduce((sum, value) => sum + value, 0);
    const histogram = this.#histogram();
    const crowded = histogram.reduce((sum, n) => sum + n, 0) > ROOM * S + CHUNK;
    if (crowded || outcomes.some(({ overflowed }) => overflowed)) {
      // The candidates alone are made again: only as many as are wanted where there were too many, and with enough room
      // for the thread whose patches are busiest. How they are summed later depends on how many there are, so this must not
      // depend on how many threads there are.
      const first = crowded ? this.#firstBin(histogram, ENOUGH * S) : 0;
      lowest = floatOf(bitsOf(lo) + first * 2 ** BIN_SHIFT);
      const counts = scratches.map((_, thread) =>
        this.#histogramOf(thread)
          .subarray(first)
          .reduce((sum, n) => sum + n, 0),
      );
      memory.widen(out, Math.max(...counts) + CHUNK * L);
      outcomes = await team.run(
        { kind: 'iterate', name: again, source, out, q: this.#q, threshold, lo: lowest },
        watch,
      );
    }
    out.used = outcomes.map(({ written }) => written);
    this.#state = { source, candidates: out, threshold, lo: lowest };
    return error;
  }

  /** The threshold that keeps the S largest candidates; they are made again where they start too high or too low. */
  async #select(S: number, again: IterationName, watch?: Watch): Promise<{ threshold: number; kept: number }> {
    if (S === 0) return { threshold: Number.MAX_VALUE, kept: 0 };
    for (;;) {
      const { source, candidates, threshold, lo } = this.#state as State;
      const histogram = this.#histogram();
      const total = candidates.used.reduce((sum, used) => sum + used, 0);
      if (total < S && lo <= LEAST) return { threshold: 0, kept: total };
      if (total < S) {
        await this.#pass(S, again, again, source, threshold, Math.max(LEAST, lo * 0.7), watch);
        continue;
      }
      const bin = this.#firstBin(histogram, S);
      const above = histogram.subarray(bin + 1).reduce((sum, n) => sum + n, 0);
      const last = bin === BINS - 1;
      if (last && histogram[bin] > CROWD) {
        // S or more lie an octave above the lowest.
        await this.#pass(S, again, again, source, threshold, 2 * lo, watch);
        continue;
      }
      const low = bitsOf(lo) + bin * 2 ** BIN_SHIFT;
      const high = last ? bitsOf(Number.POSITIVE_INFINITY) : low + 2 ** BIN_SHIFT;
      return { threshold: await this.#cut(S - above, histogram[bin], low, high), kept: S };
    }
  }

  #histogramOf(thread: number): Uint32Array {
    const { scratches, scratch } = this.memory.layout;
    return this.memory.words(scratches[thread] + scratch.histogram, BINS);
  }

  /** The candidates' histogram, over all threads. */
  #histogram(): Uint32Array {
    const sum = new Uint32Array(BINS);
    this.memory.layout.scratches.forEach((_, thread) => {
      const own = this.#histogramOf(thread);
      for (let bin = 0; bin < BINS; bin++) sum[bin] += own[bin];
    });
    return sum;
  }

  /** The highest bin from which on there are at least so many candidates; 0 if there are not. */
  #firstBin(histogram: Uint32Array, wanted: number): number {
    let bin = BINS - 1;
    for (let count = histogram[bin]; count < wanted && bin > 0; ) count += histogram[--bin];
    return bin;
  }

  /** The `wanted`-th largest of the candidates whose bits lie from `low` up to `high`; ties beyond it are set to zero. */
  async #cut(wanted: number, count: number, low: number, high: number): Promise<number> {
    const { memory } = this;
    const { candidates } = this.#state as State;
    const room = this.#room(count + 1);
    const outcomes = await this.team.run({ kind: 'collect', stream: candidates, out: room, low, high });
    const inside = new Uint32Array(count);
    let at = 0;
    outcomes.forEach(({ written }, thread) => {
      inside.set(memory.words(room[thread], written), at);
      at += written;
    });
    inside.sort();
    const bits = inside[count - wanted];
    const larger = count - (inside.lastIndexOf(bits) + 1);
    const equal = inside.lastIndexOf(bits) - inside.indexOf(bits) + 1;
    if (larger + equal > wanted) this.#cutTies(candidates, bits, wanted - larger);
    return floatOf(bits);
  }

  #rooms: number[] = [];
  #roomSize = 0;
  /** Space for so many words for each thread. */
  #room(words: number): number[] {
    if (words > this.#roomSize) {
      this.#roomSize = 2 * words;
      this.#rooms = this.memory.layout.scratches.map(() => this.memory.take(4 * this.#roomSize));
    }
    return this.#rooms;
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
    const job = { kind: 'iterate', name, source: this.#start, out, q: this.#q, threshold: 0, lo: LEAST, step } as const;
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
