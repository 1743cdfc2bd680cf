/**
 * The contract of an engine: where the mathematics is computed. A task asks for an engine by its name or takes the one that
 * `auto` chooses (`engines.ts`), and knows nothing else about it; an engine knows no task.
 */
import type { Codes } from '../codes/codes.js';
import type { Denoiser } from '../denoisers/denoiser.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Step } from '../groups/recipes.js';
import type { Signals } from '../signal/signals.js';
import type { IterativeSolver, PatchwiseSolver } from '../solvers/catalogue.js';
import type { Effort, Spending } from '../solvers/joint-omp.js';
import type { StepReport } from '../solvers/loop.js';
import type { PatchStop } from '../solvers/stopping.js';
import type { Watch } from '../work.js';

/** The names of the engines, in the order in which `auto` prefers them. */
export const enginePreference = ['wasm', 'portable', 'reference'] as const;

/** The name of an engine. */
export type ConcreteEngine = (typeof enginePreference)[number];

/** Which engine ran, with how many threads, and why that one. */
export interface EngineInfo {
  /** The name by which it can be asked for. */
  readonly name: string;
  /** How many threads computed. */
  readonly threads: number;
  /** Why this engine and this number of threads, in words. */
  readonly why: string;
}

/** Whether an engine can run here: what the host offers it, or why not. */
export type Availability =
  | { readonly available: true; readonly offers: string }
  | { readonly available: false; readonly why: string };

/** The size of a problem: P signals of N samples over L atoms, with S nonzeros. */
export interface ProblemSize {
  readonly N: number;
  readonly L: number;
  readonly P: number;
  readonly S: number;
}

/** How an engine takes something in. */
export interface LoadOptions {
  /** Threads, for an engine that has them. @default as many as there are cores, where the work is large enough */
  readonly threads?: number;
  /** Why this engine was chosen, for its info. @default 'asked for' */
  readonly reason?: string;
}

/** Where the mathematics is computed. */
export interface Engine {
  readonly name: ConcreteEngine;
  /** The most bytes that one problem may need here, and what it is that holds no more. */
  readonly capacity: { readonly bytes: number; readonly of: string };
  /** Samples of more than so many times the full scale lose what is measured at that scale. */
  readonly range: number;
  /** Whether it can run here, and why not. Asked before anything is loaded. */
  probe(): Promise<Availability>;
  /** Bytes that it needs for a problem, about. */
  problemBytes(size: ProblemSize): number;
  /** Takes the dictionary and the signals into its own memory, once. */
  load(D: Dictionary, signals: Signals, options?: LoadOptions, watch?: Watch): Promise<Loaded>;
  /** Bytes that it needs to follow a recipe on a picture of this size, about. */
  recipeBytes(recipe: readonly Step[], width: number, height: number, channels: number): number;
  /** The denoiser of a recipe, for pictures of so many pixels. */
  denoiser(recipe: readonly Step[], pixels: number, options?: LoadOptions): Promise<LoadedDenoiser>;
}

/** A denoiser in an engine's hands. */
export interface LoadedDenoiser extends Denoiser {
  /** What runs it. */
  readonly info: EngineInfo;
}

/**
 * A problem in an engine's memory, and the steps that can be taken on it. During a run nothing larger than a report
 * crosses this boundary. One thing at a time: a call must have ended before the next is made. Every method that computes can be
 * aborted by the watch's signal; after an abort the problem may only be reset or disposed of.
 */
export interface Loaded {
  /** What runs it: threads are decided by the size of the problem. */
  readonly info: EngineInfo;
  /** Starts over: Z⁰ as given or 0, Λ⁰ = 0. A new budget without a reset starts from where the last one ended. */
  reset(Z0?: Codes): void;
  /** One iteration of GHT-QPM or GHT-ADMM; ρ is absolute. */
  iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch): Promise<StepReport>;
  /** Remembers the newest iterate as the result. */
  keep(): void;
  /** All patches, each by itself with at most s atoms; the reports are of iterations 1, 2, … over all patches. */
  sweep(solver: PatchwiseSolver, s: number, stop: PatchStop, watch?: Watch): Promise<readonly StepReport[]>;
  /** Joint OMP with S atoms in all, or with as many as are worth a price. @default effort 1 */
  jointOmp(S: Spending, watch?: Watch, effort?: Effort): Promise<readonly StepReport[]>;
  /** Refits the result on its support and gives its RMSE. */
  refit(watch?: Watch): Promise<number>;
  /** The result: the iterate kept last, or what a patch-wise solver, joint OMP or refit has made since. */
  codes(): Promise<Codes>;
  /** Frees the memory; nothing may be called afterwards. */
  dispose(): void;
}
