import { allOf, type Signals } from '../image/signals.js';
import { type Codes, emptyCodes } from '../sparse/codes/codes.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';
import { aiht } from '../sparse/solvers/aiht.js';
import type { IterativeSolver, PatchwiseSolver } from '../sparse/solvers/catalogue.js';
import { type Constraints, pursuerOf } from '../sparse/solvers/constraints.js';
import { cosamp } from '../sparse/solvers/cosamp.js';
import { allot, type Effort, emptyPaths, pursueAllotment, type Spending } from '../sparse/solvers/joint-omp.js';
import type { StepReport } from '../sparse/solvers/loop.js';
import { omp } from '../sparse/solvers/omp.js';
import { type AtomLimits, type PatchSolver, sweep, withLimits } from '../sparse/solvers/patchwise.js';
import type { AtomRule } from '../sparse/solvers/pursuit.js';
import { refit } from '../sparse/solvers/refit.js';
import { simultaneousOmp } from '../sparse/solvers/simultaneous.js';
import type { PatchStop } from '../sparse/solvers/stopping.js';
import { swapped } from '../sparse/solvers/swaps.js';
import { drive, type Watch } from '../work.js';
import type { EngineInfo, Loaded } from './engine.js';

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
    private readonly constraints: Constraints = {},
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
    const { D, constraints } = this;
    if (constraints.groups) return this.#simultaneous('omp', { each: limits as number }, watch);
    const solverFor = (s: number): PatchSolver => {
      if (solver === 'omp') return omp(D, s, pursuerOf(D, 'omp', constraints));
      return solver === 'aiht' ? aiht(D, s, stop) : cosamp(D, s, stop);
    };
    return this.#sweep(withLimits(limits, D.N, solverFor), watch);
  }

  async jointOmp(S: Spending, watch?: Watch, effort: Effort = 1): Promise<StepReport[]> {
    const { constraints } = this;
    if (constraints.groups) return this.#simultaneous('order-recursive', S as number, watch);
    const pursue = pursuerOf(this.D, 'order-recursive', constraints);
    const allotment = await drive(allot(this.D, this.Y, this.#paths, S, effort, pursue), watch);
    const [report] = await this.#sweep(pursueAllotment(this.D, allotment, pursue), watch);
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

  async #simultaneous(rule: AtomRule, limit: { readonly each: number } | number, watch?: Watch): Promise<StepReport[]> {
    const groups = this.constraints.groups as Int32Array;
    const { codes, error, threshold } = await drive(simultaneousOmp(this.D, this.Y, groups, rule, limit), watch);
    this.result = codes;
    return [{ rmse: Math.sqrt(error / this.P), threshold, kept: codes.values.length }];
  }

  async #sweep(solve: PatchSolver, watch?: Watch): Promise<StepReport[]> {
    const { codes, errors, kept } = await drive(sweep(this.Y, this.D.N, this.D.L, solve), watch);
    this.result = codes;
    return errors.map((error, k) => ({ rmse: Math.sqrt(error / this.P), threshold: null, kept: kept[k] }));
  }
}
