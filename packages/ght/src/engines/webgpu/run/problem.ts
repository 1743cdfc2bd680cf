import type { Signals } from '../../../image/signals.js';
import { type Codes, emptyCodes } from '../../../sparse/codes/codes.js';
import type { Dictionary } from '../../../sparse/dictionary/dictionary.js';
import { kroneckerFactors } from '../../../sparse/dictionary/kronecker.js';
import type { IterativeSolver, PatchwiseSolver } from '../../../sparse/solvers/catalogue.js';
import type { Effort, Spending } from '../../../sparse/solvers/joint-omp.js';
import type { StepReport } from '../../../sparse/solvers/loop.js';
import type { AtomLimits } from '../../../sparse/solvers/patchwise.js';
import type { PatchStop } from '../../../sparse/solvers/stopping.js';
import type { Watch } from '../../../work.js';
import { type EngineInfo, type Loaded, outsideOf, type Run, recognisedFactors } from '../../engine.js';
import { shapeOf } from '../../shape.js';
import type { Gpu } from '../gpu.js';
import type { Counting } from '../kernels/state.js';
import { GlobalSolvers } from './global-solvers.js';
import { rotateSignals } from './load.js';
import { PatchwiseSolvers } from './patchwise.js';
import { Ranges } from './ranges.js';

/** How a problem is laid out. */
export interface ProblemOptions {
  /** What is reported about the engine. */
  readonly info: EngineInfo;
  readonly patchesPerRange?: number;
  readonly counting?: Counting;
}

/** Loads a problem. */
export async function loadProblem(
  gpu: Gpu,
  D: Dictionary,
  signals: Signals,
  { info, patchesPerRange, counting }: ProblemOptions,
  watch?: Watch,
): Promise<Loaded> {
  const factors = D.factors ?? kroneckerFactors(D.atoms);
  const ranges = await Ranges.of(gpu, shapeOf({ ...D, factors }), signals.P, patchesPerRange);
  try {
    const energies = await rotateSignals(ranges, signals, watch);
    return new WebgpuProblem({ ...info, ...recognisedFactors(D, factors) }, ranges, outsideOf(energies), counting);
  } catch (error) {
    ranges.scope.dispose();
    throw error;
  }
}

/** A problem on a GPU: the iterative solvers and the patch-wise ones, and which of them made the result. */
class WebgpuProblem implements Loaded {
  readonly #global: GlobalSolvers;
  readonly #patchwise: PatchwiseSolvers;
  #result: () => Promise<Codes>;

  constructor(
    readonly info: EngineInfo,
    private readonly ranges: Ranges,
    outsideRange: number,
    counting?: Counting,
  ) {
    this.#global = new GlobalSolvers(ranges, outsideRange, counting);
    this.#patchwise = new PatchwiseSolvers(ranges, outsideRange);
    this.#result = async () => emptyCodes(ranges.shape.L, ranges.P);
  }

  reset(Z0?: Codes): void {
    this.#global.reset(Z0);
  }
  iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch, next?: number): Promise<StepReport> {
    return this.#global.iterate(solver, S, rho, next ?? rho, watch);
  }
  iterations(solver: IterativeSolver, S: number, run: Run, watch?: Watch): Promise<readonly StepReport[]> {
    this.#result = () => this.#global.codes();
    return this.#global.iterations(solver, S, run, watch);
  }
  keep(): void {
    this.#global.keep();
    this.#result = () => this.#global.codes();
  }
  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<readonly StepReport[]> {
    return this.#pursued(this.#patchwise.sweep(solver, limits, stop, watch));
  }
  jointOmp(S: Spending, watch?: Watch, effort: Effort = 1): Promise<readonly StepReport[]> {
    return this.#pursued(this.#patchwise.jointOmp(S, effort, watch));
  }
  async refit(watch?: Watch): Promise<number> {
    const codes = await this.#result();
    return this.#pursued(this.#patchwise.refit(codes, watch));
  }
  codes(): Promise<Codes> {
    return this.#result();
  }
  dispose(): void {
    this.#patchwise.dispose();
    this.ranges.scope.dispose();
  }

  async #pursued<T>(run: Promise<T>): Promise<T> {
    const outcome = await run;
    this.#result = () => this.#patchwise.codes();
    return outcome;
  }
}
