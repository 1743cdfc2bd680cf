import { allOf, type Signals } from '../image/signals.js';
import { type Codes, emptyCodes } from '../sparse/codes/codes.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';
import { aiht } from '../sparse/solvers/aiht.js';
import type { IterativeSolver, PatchwiseSolver } from '../sparse/solvers/catalogue.js';
import { cosamp } from '../sparse/solvers/cosamp.js';
import { allot, type Effort, emptyPaths, pursueAllotment, type Spending } from '../sparse/solvers/joint-omp.js';
import type { StepReport } from '../sparse/solvers/loop.js';
import { omp } from '../sparse/solvers/omp.js';
import { type AtomLimits, type PatchSolver, sweep, withLimits } from '../sparse/solvers/patchwise.js';
import { refit } from '../sparse/solvers/refit.js';
import type { PatchStop } from '../sparse/solvers/stopping.js';
import { swapped } from '../sparse/solvers/swaps.js';
import { drive, type Watch } from '../work.js';
import type { EngineInfo, Loaded } from './engine.js';

const patchSolvers: Readonly<Record<PatchwiseSolver, (D: Dictionary, s: number, stop: PatchStop) => PatchSolver>> = {
  omp,
  aiht,
  cosamp,
};

/** The part that the engines in plain TypeScript share: everything that works patch by patch, as in the solvers' files. */
export abstract class PlainProblem implements Loaded {
  readonly Y: Float64Array;
  readonly P: number;
  protected result: Codes;
  readonly #paths;

  constructor(
    readonly D: Dictionary,
    signals: Signals,
    readonly info: EngineInfo,
  ) {
    this.Y = allOf(signals);
    this.P = signals.P;
    this.result = emptyCodes(D.L, this.P);
    this.#paths = emptyPaths(D, this.P);
  }

  abstract reset(Z0?: Codes): void;
  abstract iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch): Promise<StepReport>;
  abstract keep(): void;

  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<StepReport[]> {
    const { D } = this;
    return this.#sweep(
      withLimits(limits, D.N, (s) => patchSolvers[solver](D, s, stop)),
      watch,
    );
  }

  async jointOmp(S: Spending, watch?: Watch, effort: Effort = 1): Promise<StepReport[]> {
    const allotment = await drive(allot(this.D, this.Y, this.#paths, S, effort), watch);
    const [report] = await this.#sweep(pursueAllotment(this.D, allotment), watch);
    const { threshold } = allotment;
    if (effort < 3 || threshold === 0 || threshold === Number.POSITIVE_INFINITY) return [{ ...report, threshold }];
    const better = await drive(swapped(this.D, this.Y, this.result, report.kept, threshold), watch);
    this.result = better.codes;
    return [{ rmse: Math.sqrt(better.error / this.P), threshold: better.lambda, kept: better.codes.values.length }];
  }

  async refit(watch?: Watch): Promise<number> {
    const { codes, error } = await drive(refit(this.D, this.Y, this.result), watch);
    this.result = codes;
    return Math.sqrt(error / this.P);
  }

  async codes(): Promise<Codes> {
    return this.result;
  }

  dispose(): void {}

  async #sweep(solve: PatchSolver, watch?: Watch): Promise<StepReport[]> {
    const { codes, errors, kept } = await drive(sweep(this.Y, this.D.N, this.D.L, solve), watch);
    this.result = codes;
    return errors.map((error, k) => ({ rmse: Math.sqrt(error / this.P), threshold: null, kept: kept[k] }));
  }
}
