/**
 * GHT-QPM and GHT-ADMM on a GPU. A step selects the codes Zᵏ among the candidates, and a pass over all patches then measures them
 * and makes the candidates for Zᵏ⁺¹. Steps are submitted in batches, and their state stays on the GPU: the host reads it after a
 * batch, while the GPU works on the next. If the window of a selection was missed, the host has the pass made again with a window of
 * all magnitudes, and the batch that was submitted ahead does nothing.
 */

import { EngineFailure } from '../../../errors.js';
import { bitsOf, floatOf } from '../../../math/float-bits.js';
import { type Codes, emptyCodes } from '../../../sparse/codes/codes.js';
import type { IterativeSolver } from '../../../sparse/solvers/catalogue.js';
import type { StepReport } from '../../../sparse/solvers/loop.js';
import type { Watch } from '../../../work.js';
import type { IterationTerms, Run } from '../../engine.js';
import type { IterativeSolvers } from '../../loaded-problem.js';
import type { Batch } from '../gpu.js';
import { SAVED, setOf } from '../kernels/layout.js';
import {
  budgetsAt,
  type Counting,
  HISTORY,
  historyAt,
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
const BATCH_ITERATIONS = 10;
const SMALL_PROBLEM = { coefficients: 2 ** 22, batch: HISTORY };
/** The first threshold is guessed from a sample: every 16th pair of tiles, or more of them, so that there are at least 128. */
const MAX_SAMPLE_STEP = 16;
const MIN_SAMPLED_PAIRS = 128;
/** The value of `best` while there are no best codes. */
const NONE = 0xffffffff;
/** The value of `tie` if all values that equal the threshold survive. */
const EVERYWHERE = 0xffffffff;

/**
 * The candidates with which a batch begins. Two kinds are there already. `made`: the last pass has made them. `selected`: the first
 * part of their selection is done as well, for the same budget. Three kinds have to be made first. `start`: from Z⁰. `restart`: from the
 * last codes with a dual variable of 0, after a change of the solver. `again`: from the last codes once more, with another window.
 */
type Candidates = 'start' | 'restart' | 'again' | 'made' | 'selected';

/** The words of the state by their names. */
type State = Record<StateWord, number>;

/** The state after a batch, and its history. */
interface Outcome {
  readonly state: State;
  readonly history: Uint32Array;
}

/** A batch that was submitted before the outcome of the one before was known. If that one halts or misses a window, it does nothing. */
interface Ahead {
  readonly solver: IterativeSolver;
  readonly terms: readonly IterationTerms[];
  readonly outcome: Promise<Outcome>;
}

/** The buffers of the iterations, which are allocated with the first. */
interface Memory {
  readonly sets: CodeSets;
  readonly common: Common;
}

/** The iterative solvers of one loaded problem. */
export class GlobalSolvers implements IterativeSolvers {
  readonly #counting: Counting;
  readonly #iterations = new Map<IterativeSolver, Iteration>();
  #memory: Memory | undefined;
  #Z0: Codes | undefined;
  /** The state as it was read last, and the ρ with which the candidates were made; undefined until the first iteration. */
  #state: State | undefined;
  #rho = Number.NaN;
  #solver: IterativeSolver | undefined;
  #ahead: Ahead | undefined;

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
    this.#ahead = undefined;
  }

  /** One iteration. */
  async iterate(
    solver: IterativeSolver,
    S: number,
    rho: number,
    watch?: Watch,
    next: IterationTerms = { S, rho },
  ): Promise<StepReport> {
    const rule = { tolerance: 0, least: 0, keeps: 0 };
    const [report] = await this.#steps(solver, [{ S, rho }, next], 1, rule, watch);
    return report;
  }

  /** A batch of iterations; the best of the run so far is kept. The next batch of the run is submitted as well. */
  async iterations(solver: IterativeSolver, run: Run, watch?: Watch): Promise<readonly StepReport[]> {
    const { first, most, terms, tolerance, least } = run;
    const { shape, P } = this.ranges;
    const batch = shape.L * P < SMALL_PROBLEM.coefficients ? SMALL_PROBLEM.batch : BATCH_ITERATIONS;
    const termsFrom = (k: number) =>
      Array.from({ length: Math.min(batch, first + most - k) + 1 }, (_, i) => terms(k + i));
    const rule = { tolerance, least, keeps: 1 };
    const later = most > batch ? termsFrom(first + batch) : undefined;
    return this.#steps(solver, termsFrom(first), first, rule, watch, later);
  }

  /** The newest codes are the result. */
  keep(): void {
    const state = this.#state;
    if (state) Object.assign(state, { best: state.k, bestT: state.T, bestTie: state.tie, saved: 0 });
  }

  /** The codes that were kept. */
  async codes(): Promise<Codes> {
    const { shape, P } = this.ranges;
    await this.#land();
    const { best = NONE, bestT = 0, bestTie = 0, saved = 0 } = this.#state ?? {};
    if (!this.#memory || best === NONE) return emptyCodes(shape.L, P);
    return this.#memory.sets.read({ set: saved ? SAVED : setOf(best), T: bestT, tie: bestTie });
  }

  /**
   * One step for all terms of the list but the last: with those, the pass of the last step makes the candidates of the step after it.
   * If `later` is given, a batch of steps with these terms is submitted too, so that the GPU has work while the host reads.
   */
  async #steps(
    solver: IterativeSolver,
    terms: readonly IterationTerms[],
    first: number,
    rule: { readonly tolerance: number; readonly least: number; readonly keeps: number },
    watch?: Watch,
    later?: readonly IterationTerms[],
  ): Promise<readonly StepReport[]> {
    const iteration = await this.#iterationOf(solver);
    const [{ S, rho }] = terms;
    const follows = first > 1 && this.#ahead?.solver === solver && isEqual(this.#ahead.terms, terms);
    if (!follows) await this.#land();
    const [known, same] = [this.#state, this.#solver === solver];
    if (known && same && rho !== this.#rho)
      throw new Error(`an iteration with ρ = ${this.#rho} was begun, but ${rho} is asked for`);
    const ahead = this.#ahead;
    // After an abort or a failure the state is unknown: the next call starts from Z⁰.
    [this.#state, this.#ahead] = [undefined, undefined];
    let state = known ?? (await this.#start(iteration, S, watch));
    let candidates: Candidates = !known ? 'start' : !same ? 'restart' : known.S === S ? 'selected' : 'made';
    // A batch that has ended early leaves no counts to select from.
    if (known && same && (known.halt || known.missed)) candidates = 'again';
    const end = state.k + terms.length - 1;
    if (!ahead) this.#begin(state, S, first, rule);
    let outcome = ahead?.outcome ?? this.#submit(iteration, candidates, state, terms, end, watch);
    if (later) this.#ahead = this.#submitAhead(iteration, later, end, watch);
    for (;;) {
      const { judged } = state;
      const { state: read, history } = await outcome;
      // A batch ahead was submitted with the watch of the call before.
      watch?.signal?.throwIfAborted();
      state = read;
      if (state.halt || state.missed) this.#ahead = undefined;
      if (state.halt || state.judged === end) {
        const made = state.judged - state.first + 1;
        [this.#state, this.#solver, this.#rho] = [state, solver, terms[made].rho];
        return Array.from({ length: made }, (_, i) => this.#report(terms[i].S, history.subarray(4 * i, 4 * i + 3)));
      }
      if (candidates === 'again' && state.judged === judged)
        throw new EngineFailure('no threshold was found among all magnitudes');
      state.missed = 0;
      candidates = 'again';
      outcome = this.#submit(iteration, candidates, state, terms, end, watch);
    }
  }

  /** Writes what is asked for into the state. */
  #begin(
    state: State,
    S: number,
    first: number,
    rule: { readonly tolerance: number; readonly least: number; readonly keeps: number },
  ): void {
    // A run starts without a best iterate of its own.
    const fresh = first === 1 ? { bestError: INFINITE, lastError: INFINITE } : {};
    const [patches, outside, tolerance] = [this.ranges.P, this.outsideRange, rule.tolerance].map(bitsOf);
    Object.assign(state, fresh, { ...rule, S, patches, outside, tolerance, halt: 0, missed: 0, first: state.k + 1 });
    state.least = state.k - (first - 1) + rule.least;
  }

  /** Submits the steps of a batch after those up to number `end`, for the case that none of those halts or misses its window. */
  #submitAhead(iteration: Iteration, terms: readonly IterationTerms[], end: number, watch?: Watch): Ahead {
    this.#writeTerms(terms);
    this.#write({ first: end + 1 });
    const batch = this.ranges.gpu.batch();
    for (let slot = 1; slot < terms.length; slot++) this.#step(iteration, batch, end + slot, slot);
    iteration.judge(batch, end + terms.length - 1);
    batch.submit();
    const outcome = this.#read(watch?.signal);
    // After an abort, nothing else handles its rejection.
    outcome.catch(() => undefined);
    return { solver: iteration.solver, terms, outcome };
  }

  /** Waits for a batch that was submitted ahead but is not the one asked for next, and takes over its state. */
  async #land(): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (!ahead || !this.#state) return;
    const { state } = await ahead.outcome;
    [this.#state, this.#rho] = [state, ahead.terms[state.judged - state.first + 1].rho];
  }

  /** Submits the steps after state.k up to number `end`. */
  #submit(
    iteration: Iteration,
    candidates: Candidates,
    state: State,
    terms: readonly IterationTerms[],
    end: number,
    watch?: Watch,
  ): Promise<Outcome> {
    this.#writeTerms(terms);
    const making = candidates !== 'selected' && candidates !== 'made';
    if (making) Object.assign(state, widestWindow(this.#counting));
    this.#write(state);
    if (candidates === 'start') this.#guess(iteration, state.S);
    const batch = this.ranges.gpu.batch();
    if (candidates === 'restart') iteration.clearDual(batch);
    if (candidates === 'restart' || candidates === 'again') iteration.clear(batch);
    if (making) iteration.pass(batch, state.k, state.k + 1 - state.first, candidates === 'again' ? 'again' : 'next');
    if (candidates !== 'selected') iteration.selectFirst(batch);
    for (let k = state.k + 1; k <= end; k++) this.#step(iteration, batch, k, k + 1 - state.first);
    iteration.judge(batch, end);
    batch.submit();
    return this.#read(watch?.signal);
  }

  /** Step k: selects Zᵏ, measures it, and makes the next candidates with the tables of a slot. */
  #step(iteration: Iteration, batch: Batch, k: number, slot: number): void {
    iteration.selectLast(batch, k);
    iteration.cutTies(batch, k);
    iteration.pass(batch, k, slot);
    iteration.selectFirst(batch);
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
    return { ...zero, S, best: NONE, T: LEAST, tie: EVERYWHERE, step: 1 };
  }

  /** Narrows the first window to what a sample of the patches tells. */
  #guess(iteration: Iteration, S: number): void {
    const { gpu, list } = this.ranges;
    const pairs = list.reduce((sum, range) => sum + pairsOf(range), 0);
    const step = Math.min(MAX_SAMPLE_STEP, Math.floor(pairs / MIN_SAMPLED_PAIRS));
    if (step < 2 || S === 0) return;
    const sampled = list.reduce((sum, range) => sum + Math.ceil(pairsOf(range) / step), 0);
    this.#write({ S: Math.max(1, Math.floor((S * sampled) / pairs)), step });
    const batch = gpu.batch();
    iteration.pass(batch, 0, 0, 'next', step);
    iteration.selectFirst(batch);
    iteration.selectLast(batch, 1, step);
    batch.submit();
    this.#write({ S });
  }

  /** Writes what the iterations of a batch are asked for: their tables, and their budgets. */
  #writeTerms(terms: readonly IterationTerms[]): void {
    const { scope, shape } = this.ranges;
    const { state, tables } = (this.#memory as Memory).common;
    const rhos = terms.map(({ rho }) => rho);
    scope.write(tables, tablesFor(shape, rhos));
    scope.write(
      state,
      Uint32Array.from(terms, ({ S }) => S),
      4 * budgetsAt,
    );
  }

  #write(words: Partial<State>): void {
    const { scope } = this.ranges;
    const { state } = (this.#memory as Memory).common;
    const names = Object.keys(words) as StateWord[];
    if (names.length === stateWords.length)
      scope.write(
        state,
        Uint32Array.from(stateWords, (name) => words[name] ?? 0),
      );
    else for (const name of names) scope.write(state, Uint32Array.of(words[name] ?? 0), 4 * stateWords.indexOf(name));
  }

  async #read(signal?: AbortSignal): Promise<Outcome> {
    const { state } = (this.#memory as Memory).common;
    const words = new Uint32Array(await this.ranges.gpu.read(state, 0, STATE_BYTES, signal));
    const read = Object.fromEntries(stateWords.map((name, i) => [name, words[i]])) as State;
    return { state: read, history: words.subarray(historyAt) };
  }
}

function isEqual(a: readonly IterationTerms[], b: readonly IterationTerms[]): boolean {
  return a.length === b.length && a.every(({ S, rho }, i) => S === b[i].S && rho === b[i].rho);
}
