/**
 * The same iterations in the form that needs the fewest operations, in plain TypeScript and float64. By the push-through
 * identity
 *
 *     X = Z + K(Y − DZ),      K = Dᵀ(DDᵀ + ρI)⁻¹
 *
 * so GHT-QPM needs no L×L system. The whole state of GHT-ADMM, with U = Λ/ρ and V = X + U, is one matrix: the entries of V
 * that H_S keeps are Z, and those it drops are U.
 *
 *     QPM    V ← Z + K(Y − DZ)
 *     ADMM   V ← Z + K(Y − D(Z − U))      Z − U is V with the sign of every dropped entry reversed
 *
 * When ρ changes, U is rescaled, since Λ stays.
 *
 * An iteration computes V, selects its S largest entries as the new Z, and measures the error of Z.
 *
 * `auto` needs this engine in two cases: on a host without WebAssembly or its SIMD (also if a policy forbids compiling it), and for
 * samples so far above the peak that float32 is too coarse, which `wasm` and `webgpu` use. The reference would give the same
 * result there, but takes up to four times as long for the iterations and stores four dense matrices instead of one.
 */

import type { Signals } from '../image/signals.js';
import { chooseLargest, type Selection } from '../sparse/budget/select.js';
import { type Codes, codesFromDense, emptyCodes } from '../sparse/codes/codes.js';
import { addPatch } from '../sparse/codes/reconstruct.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';
import { type LinearMap, resolvent, synthesis } from '../sparse/dictionary/resolvent.js';
import type { IterativeSolver } from '../sparse/solvers/catalogue.js';
import type { Constraints } from '../sparse/solvers/constraints.js';
import type { StepReport } from '../sparse/solvers/loop.js';
import { drive, PATCHES_PER_YIELD, type Watch, type Work } from '../work.js';
import type { Engine } from './engine.js';
import { PlainProblem } from './plain.js';
import { plainColour } from './plain-colour.js';
import { plainLearned } from './plain-learned.js';
import { plainRecipes } from './plain-recipes.js';

/** Runs on any JavaScript host; several times as fast as the reference, and equal to it up to rounding. */
export const portableEngine: Engine = {
  name: 'portable',
  range: Number.POSITIVE_INFINITY,
  plain: true,
  probe: async () => ({ available: true }),
  // Y; V, the most that a selection copies of it, and three sets of codes: the current, the next and the best.
  problemBytes: ({ N, L, P, S }) => 8 * N * P + 1.2 * 8 * L * P + 3 * 12 * S,
  async load(D, signals, { constraints } = {}) {
    await signals.prepare?.(0, signals.P);
    return new Portable(D, signals, constraints);
  },
  // There is no cheaper form of recipes in plain TypeScript: groups are found and filtered as written.
  ...plainRecipes('portable'),
  ...plainLearned('portable'),
  ...plainColour('portable'),
};

class Portable extends PlainProblem {
  readonly #V: Float64Array;
  #Z: Codes;
  readonly #D: LinearMap;
  #resolvent: { rho: number; K: LinearMap } | undefined;
  /** ρ of the last iteration, and what U is multiplied by in this one. */
  #lastRho: number | undefined;
  #rescaling = 1;

  constructor(D: Dictionary, signals: Signals, constraints?: Constraints) {
    super(D, signals, { name: 'portable', threads: 1 }, constraints);
    this.#V = new Float64Array(D.L * this.P);
    this.#Z = emptyCodes(D.L, this.P);
    this.#D = synthesis(D);
  }

  override reset(Z0: Codes = emptyCodes(this.D.L, this.P)): void {
    this.#Z = Z0;
    this.#lastRho = undefined;
    // U⁰ = 0: V holds Z⁰ alone.
    this.#V.fill(0);
    for (let p = 0; p < this.P; p++) this.#addCode(p, 1, this.#V, p * this.D.L);
  }

  override iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch): Promise<StepReport> {
    return drive(this.#step(S, rho, solver === 'qpm' ? this.#residual : this.#reflectedResidual), watch);
  }

  override keep(): void {
    this.result = this.#Z;
  }

  *#step(S: number, rho: number, residual: (p: number, r: Float64Array) => void): Work<StepReport> {
    this.#rescaling = this.#lastRho === undefined ? 1 : this.#lastRho / rho;
    this.#lastRho = rho;
    yield* this.#propose(rho, residual);
    const selection = chooseLargest(this.#V, S);
    const rmse = yield* this.#commit(selection);
    return { rmse, threshold: selection.threshold, kept: selection.kept };
  }

  /** V ← Z + K r with the residual r of the algorithm. */
  *#propose(rho: number, residual: (p: number, r: Float64Array) => void): Work<void> {
    const { N, L } = this.D;
    const V = this.#V;
    const K = this.#K(rho);
    const r = new Float64Array(N);
    for (let p = 0; p < this.P; p++) {
      if (p % PATCHES_PER_YIELD === 0) yield p / this.P;
      residual.call(this, p, r);
      K(r, 0, V, p * L);
      this.#addCode(p, 1, V, p * L);
    }
  }

  /** Z ← the selected entries of V; returns their error. */
  *#commit(selection: Selection): Work<number> {
    const { N, L } = this.D;
    this.#Z = codesFromDense(this.#V, L, this.P, selection);
    const r = new Float64Array(N);
    let error = 0;
    for (let p = 0; p < this.P; p++) {
      if (p % PATCHES_PER_YIELD === 0) yield 1;
      this.#residual(p, r);
      for (let n = 0; n < N; n++) error += r[n] * r[n];
    }
    return Math.sqrt(error / this.P);
  }

  /** r ← y − Dz. */
  #residual(p: number, r: Float64Array): void {
    const { N } = this.D;
    for (let n = 0; n < N; n++) r[n] = this.Y[p * N + n];
    addPatch(this.D, this.#Z, p, r, 0, -1);
  }

  /** r ← y − D(z − fu), where u = v − z and f rescales it. */
  #reflectedResidual(p: number, r: Float64Array): void {
    const { N, L } = this.D;
    const reflected = new Float64Array(L);
    for (let l = 0; l < L; l++) reflected[l] = -this.#rescaling * this.#V[p * L + l];
    this.#addCode(p, 1 + this.#rescaling, reflected, 0);
    this.#D(reflected, 0, r, 0);
    for (let n = 0; n < N; n++) r[n] = this.Y[p * N + n] - r[n];
  }

  /** out ← out + scale·z of patch p. */
  #addCode(p: number, scale: number, out: Float64Array, from: number): void {
    const { indptr, indices, values } = this.#Z;
    for (let i = indptr[p]; i < indptr[p + 1]; i++) out[from + indices[i]] += scale * values[i];
  }

  #K(rho: number): LinearMap {
    if (this.#resolvent?.rho !== rho) this.#resolvent = { rho, K: resolvent(this.D, rho) };
    return this.#resolvent.K;
  }
}
