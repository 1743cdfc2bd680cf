/**
 * GHT-QPM and GHT-ADMM on a GPU. A step selects the codes Zᵏ among the candidates, and a pass over all patches then measures them
 * and makes the candidates for Zᵏ⁺¹. Steps are submitted in batches, and their state stays on the GPU: the host reads it after a
 * batch. There it sees whether the window of a selection was missed; then the pass is made again with a window of all magnitudes.
 */
import { type Codes, emptyCodes } from '../../../codes/codes.js';
import { EngineFailure } from '../../../errors.js';
import type { IterativeSolver } from '../../../solvers/catalogue.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { Watch } from '../../../work.js';
import type { Run } from '../../engine.js';
import {
  type Counting,
  HISTORY,
  INFINITE,
  LEAST,
  STATE_BYTES,
  type StateWord,
  stateWords,
  widestWindow,
} from '../kernels/state.js';
import { CodeSets } from './code-sets.js';
import { type Common, commonBuffers, countingFor, Iteration, pairsOf, tablesFor } from './iteration.js';
import type { Ranges } from './ranges.js';

/** Iterations per submit: enough to keep the GPU busy, few enough to be aborted soon. Small problems take little time for many. */
const BATCH = 10;
const SMALL = { coefficients: 2 ** 22, batch: HISTORY };
/** A first threshold is guessed from a sample: one of at most 16 pairs of tiles, and at least 128 pairs. */
const SPARSEST = 16;
const LEAST_SAMPLE = 128;
/** No set of codes. */
const NONE = 3;
const EVERYWHERE = 0xffffffff;

/** The words of the state by their names. */
type State = Record<StateWord, number>;

/** The buffers of the iterations, which are allocated with the first. */
interface Memory {
  readonly sets: CodeSets;
  readonly common: Common;
}

/** The iterative solvers of one loaded problem. */
export class GlobalSolvers {
  readonly #counting: Counting;
  readonly #iterations = new Map<IterativeSolver, Iteration>();
  #memory: Memory | undefined;
  #Z0: Codes | undefined;
  /** The state as it was read last, and the ρ with which the candidates were made; undefined until the first iteration. */
  #state: State | undefined;
  #rho = Number.NaN;
  #solver: IterativeSolver | undefined;

  constructor(
    private readonly ranges: Ranges,
    /** ‖Y‖² outside the range of D, which no code can reach. */
    private readonly outsideRange: number,
    counting?: Counting,
  ) {
    this.#counting = counting ?? countingFor(ranges);
  }

  reset(Z0?: Codes): void {
    this.#Z0 = Z0;
    this.#state = undefined;
    this.#solver = undefined;
  }

  /** One iteration. */
  async iterate(solver: IterativeSolver, S: number, rho: number, next: number, watch?: Watch): Promise<StepReport> {
    const rule = { tolerance: 0, least: 0, keeps: 0 };
    const [report] = await this.#steps(solver, S, [rho, next], 1, rule, watch);
    return report;
  }

  /** A batch of iterations; the best of the run so far is kept. */
  iterations(solver: IterativeSolver, S: number, run: Run, watch?: Watch): Promise<readonly StepReport[]> {
    const { first, most, rho, tolerance, least } = run;
    const { shape, P } = this.ranges;
    const batch = shape.L * P < SMALL.coefficients ? SMALL.batch : BATCH;
    const rhos = Array.from({ length: Math.min(batch, most) + 1 }, (_, i) => rho(first + i));
    return this.#steps(solver, S, rhos, first, { tolerance, least, keeps: 1 }, watch);
  }

  /** The newest codes are the result. */
  keep(): void {
    const state = this.#state;
    if (state) Object.assign(state, { best: state.reads, bestT: state.T, bestTie: state.tie });
  }

  /** The codes that were kept. */
  async codes(): Promise<Codes> {
    const { shape, P } = this.ranges;
    const { best = NONE, bestT = 0, bestTie = 0 } = this.#state ?? {};
    if (!this.#memory || best === NONE) return emptyCodes(shape.L, P);
    return this.#memory.sets.read({ set: best, T: bestT, tie: bestTie });
  }

  /** Steps with the first ρ of the list and all after it but the last, with which the pass of the last step begins the next. */
  async #steps(
    solver: IterativeSolver,
    S: number,
    rhos: readonly number[],
    first: number,
    rule: { readonly tolerance: number; readonly least: number; readonly keeps: number },
    watch?: Watch,
  ): Promise<readonly StepReport[]> {
    const { gpu, room, shape, P } = this.ranges;
    const iteration = await this.#iterationOf(solver);
    const { common } = this.#memory as Memory;
    const [known, same] = [this.#state, this.#solver === solver];
    if (known && same && rhos[0] !== this.#rho)
      throw new Error(`an iteration with ρ = ${this.#rho} was begun, but ${rhos[0]} is asked for`);
    // After an abort or a failure nothing is known until the next reset.
    this.#state = undefined;
    room.write(common.tables, tablesFor(shape, rhos));
    let state = known ?? (await this.#start(iteration, S, watch));
    // The last batch has ended with the first part of a selection, for the same budget and for the window that was not missed.
    const selected = same && known?.S === S && known.missed === 0;
    // A run starts without a best iterate of its own.
    const fresh = first === 1 ? { bestError: INFINITE, lastError: INFINITE } : {};
    const [patches, outside, tolerance] = [P, this.outsideRange, rule.tolerance].map(bitsOf);
    Object.assign(state, fresh, { ...rule, S, patches, outside, tolerance, halt: 0, missed: 0, first: state.k + 1 });
    state.least = state.k - (first - 1) + rule.least;
    const end = state.k + rhos.length - 1;
    let [make, guessed]: ['next' | 'again' | undefined, boolean] = [known && same ? undefined : 'next', !known];
    for (;;) {
      if (make) Object.assign(state, widestWindow(this.#counting));
      this.#write(state);
      const batch = gpu.batch();
      if (make) {
        if (guessed) this.#guess(iteration, S);
        if (make === 'next' && !guessed) iteration.clearDual(batch);
        if (!guessed) iteration.clear(batch);
        iteration.pass(batch, state.k + 1 - state.first, make);
      }
      if (make || !selected) iteration.selectFirst(batch);
      for (let k = state.k + 1; k <= end; k++) {
        iteration.selectLast(batch);
        iteration.cutTies(batch);
        iteration.pass(batch, k + 1 - state.first);
        iteration.selectFirst(batch);
        iteration.judge(batch);
      }
      batch.submit();
      const before = state.judged;
      const { read, history } = await this.#read(watch?.signal);
      state = read;
      if (state.halt || state.judged === end) {
        const made = state.judged - state.first + 1;
        [this.#state, this.#solver, this.#rho] = [state, solver, rhos[made]];
        return Array.from({ length: made }, (_, i) => this.#report(S, history.subarray(4 * i, 4 * i + 3)));
      }
      if (make === 'again' && state.judged === before)
        throw new EngineFailure('webgpu', 'no threshold was found among all magnitudes');
      [make, guessed] = ['again', false];
      Object.assign(state, { missed: 0 });
    }
  }

  #report(S: number, [T, error, kept]: Uint32Array): StepReport {
    return {
      rmse: Math.sqrt((floatOf(error) + this.outsideRange) / this.ranges.P),
      threshold: S === 0 ? Number.POSITIVE_INFINITY : T <= LEAST ? 0 : floatOf(T),
      kept,
    };
  }

  async #iterationOf(solver: IterativeSolver): Promise<Iteration> {
    this.#memory ??= {
      sets: await CodeSets.of(this.ranges),
      common: await commonBuffers(this.ranges, this.#counting),
    };
    const { sets, common } = this.#memory;
    const known =
      this.#iterations.get(solver) ?? (await Iteration.of(solver, this.ranges, sets, common, this.#counting));
    this.#iterations.set(solver, known);
    return known;
  }

  /** Z⁰ in the first set, Λ⁰ = 0, nothing counted. */
  async #start(iteration: Iteration, S: number, watch?: Watch): Promise<State> {
    const { sets, common } = this.#memory as Memory;
    if (this.#Z0) await sets.write(0, this.#Z0, watch?.signal);
    else sets.clear(0);
    const batch = this.ranges.gpu.batch();
    for (const histogram of common.histograms) batch.clear(histogram);
    iteration.clearDual(batch);
    batch.submit();
    const zero = Object.fromEntries(stateWords.map((name) => [name, 0])) as State;
    return { ...zero, S, writes: 1, best: NONE, T: LEAST, tie: EVERYWHERE, step: 1 };
  }

  /** Narrows the first window to what a sample of the patches tells. */
  #guess(iteration: Iteration, S: number): void {
    const { gpu, list } = this.ranges;
    const pairs = list.reduce((sum, range) => sum + pairsOf(range), 0);
    const step = Math.min(SPARSEST, Math.floor(pairs / LEAST_SAMPLE));
    if (step < 2 || S === 0) return;
    const sampled = list.reduce((sum, range) => sum + Math.ceil(pairsOf(range) / step), 0);
    this.#write({ S: Math.max(1, Math.floor((S * sampled) / pairs)), step });
    const batch = gpu.batch();
    iteration.pass(batch, 0, 'next', step);
    iteration.selectFirst(batch);
    iteration.selectLast(batch, step);
    batch.submit();
    this.#write({ S });
  }

  #write(words: Partial<State>): void {
    const { room } = this.ranges;
    const { state } = (this.#memory as Memory).common;
    const names = Object.keys(words) as StateWord[];
    if (names.length === stateWords.length)
      room.write(
        state,
        Uint32Array.from(stateWords, (name) => words[name] ?? 0),
      );
    else for (const name of names) room.write(state, Uint32Array.of(words[name] ?? 0), 4 * stateWords.indexOf(name));
  }

  async #read(signal?: AbortSignal): Promise<{ read: State; history: Uint32Array }> {
    const { state } = (this.#memory as Memory).common;
    const words = new Uint32Array(await this.ranges.gpu.read(state, 0, STATE_BYTES, signal));
    const read = Object.fromEntries(stateWords.map((name, i) => [name, words[i]])) as State;
    return { read, history: words.subarray(stateWords.length) };
  }
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The bits of a float32. */
function bitsOf(value: number): number {
  float[0] = value;
  return word[0];
}

/** The float32 with these bits. */
function floatOf(bits: number): number {
  word[0] = bits;
  return float[0];
}
