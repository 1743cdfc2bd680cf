import type { Codes } from '../codes/codes.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Signals } from '../signal/signals.js';
import type { Spending } from '../solvers/joint-omp.js';
import type { StepReport } from '../solvers/loop.js';
import type { PatchStop } from '../solvers/stopping.js';
import type { Watch } from '../work.js';

/** Which engine ran, with how many threads, and why that one. */
export interface EngineInfo {
  readonly name: string;
  readonly threads: number;
  readonly why: string;
}

/** Where the mathematics is computed. */
export interface Engine {
  readonly name: string;
  /** Bytes it needs, about, for P signals of N samples over L atoms at budget S. */
  memory(N: number, L: number, P: number, S: number): number;
  /** Takes the dictionary and the signals into its own memory, once. */
  load(D: Dictionary, signals: Signals, watch?: Watch): Promise<Loaded>;
}

/**
 * A problem in an engine's memory, and the steps that can be taken on it. During a run nothing larger than a report
 * crosses this boundary. One thing at a time: a call must have ended before the next is made. Every method that computes can be aborted by the watch's signal; after an abort the problem may
 * only be reset or disposed of.
 */
export interface Loaded {
  /** What runs it: threads are decided by the size of the problem. */
  readonly info: EngineInfo;
  /** Starts over: Z⁰ as given or 0, Λ⁰ = 0. A new budget without a reset starts from where the last one ended. */
  reset(Z0?: Codes): void;
  /** One iteration of GHT-QPM; ρ is absolute. */
  qpm(S: number, rho: number, watch?: Watch): Promise<StepReport>;
  /** One iteration of GHT-ADMM; ρ is absolute. */
  admm(S: number, rho: number, watch?: Watch): Promise<StepReport>;
  /** Remembers the newest iterate as the result. */
  keep(): void;
  /** All patches by OMP with at most s atoms each; the reports are of iterations 1, 2, … over all patches. */
  omp(s: number, watch?: Watch): Promise<readonly StepReport[]>;
  /** All patches by AIHT. */
  aiht(s: number, stop: PatchStop, watch?: Watch): Promise<readonly StepReport[]>;
  /** All patches by CoSaMP. */
  cosamp(s: number, stop: PatchStop, watch?: Watch): Promise<readonly StepReport[]>;
  /** Joint OMP with S atoms in all, or with as many as are worth a price. */
  jointOmp(S: Spending, watch?: Watch): Promise<readonly StepReport[]>;
  /** Refits the result on its support and gives its RMSE. */
  refit(watch?: Watch): Promise<number>;
  /** The result: the iterate kept last, or what a patch-wise solver, joint OMP or refit has made since. */
  codes(): Codes;
  /** Frees the memory; nothing may be called afterwards. */
  dispose(): void;
}
