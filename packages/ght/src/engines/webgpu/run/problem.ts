import type { Matrix } from '../../../algebra/matrix.js';
import { type Codes, emptyCodes } from '../../../codes/codes.js';
import type { Dictionary } from '../../../dictionary/dictionary.js';
import { kroneckerFactors } from '../../../dictionary/kronecker.js';
import type { Signals } from '../../../signal/signals.js';
import type { IterativeSolver, PatchwiseSolver } from '../../../solvers/catalogue.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { AtomLimits } from '../../../solvers/patchwise.js';
import type { PatchStop } from '../../../solvers/stopping.js';
import type { Watch } from '../../../work.js';
import { type EngineInfo, type Loaded, outsideOf, type Run } from '../../engine.js';
import { shapeOf } from '../../shape.js';
import type { Gpu } from '../gpu.js';
import type { Counting } from '../kernels/state.js';
import { GlobalSolvers } from './global-solvers.js';
import { rotateSignals } from './load.js';
import { PatchwiseSolvers } from './patchwise.js';
import { Ranges } from './ranges.js';

/** How a problem is laid out. */
export interface ProblemOptions {
  /** Why this engine, in words. */
  readonly why: string;
  readonly patchesPerRange?: number;
  readonly counting?: Counting;
}

/** Loads a problem. */
export async function loadProblem(
  gpu: Gpu,
  D: Dictionary,
  signals: Signals,
  { why, patchesPerRange, counting }: ProblemOptions,
  watch?: Watch,
): Promise<Loaded> {
  const factors = D.factors ?? kroneckerFactors(D.atoms);
  const recognised = factors && !D.factors ? [`the dictionary is separable, ${factors.map(sizeOf).join(' ⊗ ')}`] : [];
  const ranges = await Ranges.of(gpu, shapeOf({ ...D, factors }), signals.P, patchesPerRange);
  try {
    const energies = await rotateSignals(ranges, signals, watch);
    const info = { name: 'webgpu', threads: 1, why: [why, ...recognised].join('; ') };
    return new WebgpuProblem(info, ranges, outsideOf(energies), counting);
  } catch (error) {
    ranges.room.dispose();
    throw error;
  }
}

function sizeOf({ rows, cols }: Matrix): string {
  return `${rows}×${cols}`;
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
    this.ranges.room.dispose();
  }

  async #pursued<T>(run: Promise<T>): Promise<T> {
    const outcome = await run;
    this.#result = () => this.#patchwise.codes();
    return outcome;
  }
}
