import type { Signals } from '../image/signals.js';
import type { Matrix } from '../math/matrix.js';
import type { Selection } from '../sparse/budget/select.js';
import { type Codes, codesFromDense, denseFromCodes } from '../sparse/codes/codes.js';
import { type Dictionary, synthesize } from '../sparse/dictionary/dictionary.js';
import { admmStep } from '../sparse/solvers/admm.js';
import type { IterativeSolver } from '../sparse/solvers/catalogue.js';
import type { Constraints } from '../sparse/solvers/constraints.js';
import type { StepReport } from '../sparse/solvers/loop.js';
import { correlations, factor, qpmStep } from '../sparse/solvers/qpm.js';
import { drive, type Watch } from '../work.js';
import type { Engine } from './engine.js';
import { PlainProblem } from './plain.js';
import { plainColour } from './plain-colour.js';
import { plainLearned } from './plain-learned.js';
import { plainRecipes } from './plain-recipes.js';

/** The paper as written, in float64: cached Cholesky, two substitutions, dense X, Z and Λ. Other engines are tested against it. */
export const referenceEngine: Engine = {
  name: 'reference',
  range: Number.POSITIVE_INFINITY,
  plain: true,
  probe: async () => ({ available: true }),
  // Y; W, X, Z and Λ, the copies of a selection, and two sets of codes.
  problemBytes: ({ N, L, P, S }) => 8 * N * P + 4.2 * 8 * L * P + 2 * 12 * S,
  async load(D, signals, { constraints } = {}) {
    await signals.prepare?.(0, signals.P);
    return new Reference(D, signals, constraints);
  },
  ...plainRecipes('reference'),
  ...plainLearned('reference'),
  ...plainColour('reference'),
};

class Reference extends PlainProblem {
  readonly #W: Float64Array;
  readonly #X: Float64Array;
  readonly #Z: Float64Array;
  readonly #Lambda: Float64Array;
  #factor: { rho: number; C: Matrix } | undefined;

  constructor(D: Dictionary, signals: Signals, constraints?: Constraints) {
    super(D, signals, { name: 'reference', threads: 1 }, constraints);
    this.#W = correlations(D, this.Y, this.P);
    this.#X = new Float64Array(D.L * this.P);
    this.#Z = new Float64Array(D.L * this.P);
    this.#Lambda = new Float64Array(D.L * this.P);
  }

  override reset(Z0?: Codes): void {
    if (Z0) this.#Z.set(denseFromCodes(Z0));
    else this.#Z.fill(0);
    this.#Lambda.fill(0);
  }

  override async iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch): Promise<StepReport> {
    const C = this.#C(rho);
    const step =
      solver === 'qpm'
        ? qpmStep(C, this.#W, this.#X, this.#Z, rho, S)
        : admmStep(C, this.#W, this.#X, this.#Z, this.#Lambda, rho, S);
    return this.#report(await drive(step, watch));
  }

  override keep(): void {
    this.result = codesFromDense(this.#Z, this.D.L, this.P);
  }

  /** The Cholesky factor, computed once for each ρ. */
  #C(rho: number): Matrix {
    if (this.#factor?.rho !== rho) this.#factor = { rho, C: factor(this.D, rho) };
    return this.#factor.C;
  }

  /** Measures Z after the solver's step has made it from X. */
  #report({ threshold, kept }: Selection): StepReport {
    const { N, L } = this.D;
    const Dz = new Float64Array(N);
    let error = 0;
    for (let p = 0; p < this.P; p++) {
      synthesize(this.D, this.#Z, p * L, Dz, 0);
      for (let n = 0; n < N; n++) error += (Dz[n] - this.Y[p * N + n]) ** 2;
    }
    return { rmse: Math.sqrt(error / this.P), threshold, kept };
  }
}
