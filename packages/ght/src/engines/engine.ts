/**
 * The contract of an engine, which does the computing. A task gets an engine by name, or the one that `auto` chooses
 * (`engines.ts`), and depends on this contract alone. An engine does not depend on any task.
 */

import type { Denoiser } from '../denoisers/denoiser.js';
import type { Step } from '../denoisers/groups/recipes.js';
import type { ColourModel } from '../denoisers/learned/colour-model.js';
import type { LearnedModel } from '../denoisers/learned/model.js';
import type { Signals } from '../image/signals.js';
import type { Codes } from '../sparse/codes/codes.js';
import type { Dictionary } from '../sparse/dictionary/dictionary.js';
import type { Bracket, Tries } from '../sparse/solvers/bracket.js';
import type { IterativeSolver, PatchwiseSolver, SolverName } from '../sparse/solvers/catalogue.js';
import type { Constraints } from '../sparse/solvers/constraints.js';
import type { Effort, Spending } from '../sparse/solvers/joint-omp.js';
import type { StepReport } from '../sparse/solvers/loop.js';
import type { AtomLimits } from '../sparse/solvers/patchwise.js';
import type { PatchStop } from '../sparse/solvers/stopping.js';
import type { Watch } from '../work.js';

/** The names of the engines, in the order in which `auto` prefers them. */
export const enginePreference = ['webgpu', 'wasm', 'portable', 'reference'] as const;

/** The name of an engine. */
export type ConcreteEngine = (typeof enginePreference)[number];

/**
 * The range of an engine that computes in float32: for samples beyond this multiple of the full scale, less than 12 bits are left for
 * differences at full scale.
 */
export const FLOAT32_RANGE = 2 ** 12;

/** The options that only engines in plain TypeScript and float64 have. */
export type PlainOption = keyof Constraints | 'precision';

/** What an engine uses on this host. */
export interface EngineFeatures {
  /** The vector instructions of WebAssembly; `simd-fma` has fused multiply-add. */
  readonly instructions?: 'simd' | 'simd-fma';
  /** The adapter of a GPU. */
  readonly adapter?: GpuAdapter;
}

/** The adapter of a GPU. */
export interface GpuAdapter {
  /** Its name, as the host reports it. */
  readonly name: string;
  /** Lanes per subgroup; absent if subgroups are not used. */
  readonly subgroupSize?: number;
  /** The most bytes of one storage binding. */
  readonly bindingBytes: number;
  /** Whether it is a software adapter, which runs on the CPU. */
  readonly software: boolean;
}

/**
 * Why an engine uses this number of threads. `cores`: as many as there are cores. `requested`: the option `threads`. `small-problem`:
 * more would take longer. `unsupported` and `failed`: the host has no threads, or could not start them, with its message.
 */
export type ThreadsReason =
  | { readonly kind: 'cores' | 'requested' | 'small-problem' }
  | { readonly kind: 'unsupported' | 'failed'; readonly message: string };

/** Why an engine is not used. */
export type EngineObstacle =
  /** It cannot run on this host. */
  | { readonly kind: 'unavailable'; readonly message: string }
  /** It failed during the run, which began again on another engine. */
  | { readonly kind: 'failed'; readonly message: string }
  /** It does not have this solver, or not at this effort. */
  | { readonly kind: 'solver'; readonly solver: SolverName }
  | { readonly kind: 'effort'; readonly effort: Effort }
  /** It does not have what this option asks for. */
  | { readonly kind: 'option'; readonly option: PlainOption }
  /** It computes in float32, and the largest sample is this multiple of the full scale. */
  | { readonly kind: 'sample-range'; readonly reach: number }
  /** It keeps the inner products of all atoms, of which there are too many. */
  | { readonly kind: 'atoms'; readonly atoms: number; readonly most: number }
  /** The GPU is a software adapter. */
  | { readonly kind: 'software-adapter' }
  /** The GPU was not faster in a trial: milliseconds per megapixel, or per iteration over this many patches. */
  | { readonly kind: 'slower'; readonly gpuMs: number; readonly cpuMs: number; readonly patches?: number };

/** Which engine ran, with how many threads, and why that one. `describe` makes sentences of it. */
export interface EngineInfo extends EngineFeatures {
  /** The name of the engine, as in the option `engine`; `own` for a denoiser that was given. */
  readonly name: string;
  /** The number of threads used. */
  readonly threads: number;
  /** Why this number of threads; absent for an engine that always has one. */
  readonly threadsReason?: ThreadsReason;
  /** The sizes of the factors of a dictionary that was given as a matrix, and was found to be their Kronecker product. */
  readonly dictionaryFactors?: readonly { readonly rows: number; readonly cols: number }[];
  /** The engine that was requested or is preferred, and why it is not used; absent if it is this one. */
  readonly fallbackReason?: EngineObstacle & { readonly engine: ConcreteEngine };
}

/** What is reported about the factors that an engine uses for a dictionary: nothing if it was given by its factors. */
export function recognisedFactors(
  D: Dictionary,
  factors: Dictionary['factors'],
): Pick<EngineInfo, 'dictionaryFactors'> {
  if (!factors || D.factors) return {};
  return { dictionaryFactors: factors.map(({ rows, cols }) => ({ rows, cols })) };
}

/** Whether an engine can run here: what it uses, or why it cannot. */
export type Availability =
  | ({ readonly available: true } & EngineFeatures)
  | { readonly available: false; readonly reason: string };

/** The size of a problem: P signals of N samples over L atoms, with S nonzeros. */
export interface ProblemSize {
  readonly N: number;
  readonly L: number;
  readonly P: number;
  readonly S: number;
}

/** Options for loading a problem or a recipe into an engine. */
export interface LoadOptions {
  /** Threads, for an engine that has them. @default as many as there are cores, where the work is large enough */
  readonly threads?: number;
  /** The address of the script of the threads. @default the file in the package */
  readonly worker?: string | URL;
  /** Additional rules for the codes, for an engine that has them. */
  readonly constraints?: Constraints;
}

/** An engine. */
export interface Engine {
  readonly name: ConcreteEngine;
  /** Samples larger than this multiple of the full scale lose precision at that scale. */
  readonly range: number;
  /** The most atoms of a dictionary, if it has less memory for them than this machine. */
  readonly mostAtoms?: number;
  /** Whether it computes in float64 throughout, and has the options of {@link PlainOption}. */
  readonly plain?: true;
  /** Whether the engine can run here, and if not, why. Called before anything is loaded. */
  probe(): Promise<Availability>;
  /** Why the engine does not run a solver; undefined for those that it runs. Absent if it runs all of them. */
  unsupportedReason?(solver: SolverName, effort: Effort): EngineObstacle | undefined;
  /** Approximate bytes needed for a problem. What the machine has free is the only limit. */
  problemBytes(size: ProblemSize): number;
  /** Copies the dictionary and the signals into the engine's memory, once. */
  load(D: Dictionary, signals: Signals, options?: LoadOptions, watch?: Watch): Promise<Loaded>;
  /** Loads a part of the patches of a problem; absent if the engine does not work in parts. */
  loadPart?(D: Dictionary, signals: Signals, options?: LoadOptions, watch?: Watch): Promise<LoadedPart>;
  /** Approximate bytes needed to run a recipe on a picture of this size. */
  recipeBytes(recipe: readonly Step[], width: number, height: number, channels: number): number;
  /** The denoiser of a recipe, for pictures of this many pixels. */
  denoiser(recipe: readonly Step[], pixels: number, options?: LoadOptions): Promise<LoadedDenoiser>;
  /** Approximate bytes needed to run the learned denoiser on a picture of this size. */
  learnedBytes(width: number, height: number, channels: number): number;
  /** The denoiser of a learned model, for pictures of this many pixels. */
  learned(model: LearnedModel, pixels: number, options?: LoadOptions): Promise<LoadedDenoiser>;
  /** Approximate bytes needed to run the learned model for colour pictures on one of this size. */
  colourBytes(width: number, height: number): number;
  /** The denoiser of a model for colour pictures: of luma and two chromas at once, in pictures of this many pixels. */
  colour(model: ColourModel, pixels: number, options?: LoadOptions): Promise<LoadedDenoiser>;
}

/** The paths of joint OMP that were followed in a part of the patches: plain data, which another machine can go on from. */
export interface Followed {
  /** Atoms above the bracket. */
  readonly sure: number;
  /** The prices of the atoms in the bracket, patch after patch. */
  readonly offers: Float64Array;
  /** What is known of each patch: the number of its atoms above the bracket, and of those and its offers, first. */
  readonly bounds: Uint16Array;
  /** The codes at the price in the middle of the bracket, and the atoms of the paths beyond. */
  readonly draft: {
    readonly counts: Uint16Array;
    readonly values: Float32Array;
    readonly indices: Uint8Array | Uint16Array;
  };
}

/** ‖y‖² of the patches of each chunk, and of their projections on the range of D. */
export interface Energies {
  readonly all: Float64Array;
  readonly within: Float64Array;
}

/** The sum of squares of signals or coordinates. */
export function energyOf(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum;
}

/** What of ‖Y‖² lies outside the range of D, from the energies of all chunks in their order. */
export function outsideOf({ all, within }: Energies): number {
  let [whole, inside] = [0, 0];
  for (const energy of all) whole += energy;
  for (const energy of within) inside += energy;
  // Within rounding nothing is outside, as for every dictionary that spans all signals.
  return inside < whole * (1 - 1e-6) ? whole - inside : 0;
}

/** A run of whole chunks of the patches of a problem, for joint OMP in parts (`sparse/solvers/bracket.ts`). */
export interface LoadedPart {
  /** The engine that runs it. */
  readonly info: EngineInfo;
  /** The energies of its chunks. */
  readonly energies: Energies;
  /** λ of its patches alone, with S atoms in all and at most `deep` per patch; it is expected in the bracket. */
  price(S: number, deep: number, bracket: Bracket, watch?: Watch): Promise<number>;
  /** Follows the paths of all patches; `expected` is about how many atoms they have in the middle of the bracket. */
  follow(bracket: Bracket, tries: Tries, expected: number, watch?: Watch): Promise<Followed>;
  /** The codes with the atoms above the threshold and the first `ties` of those at it, and their squared error per chunk. */
  commit(followed: Followed, threshold: number, ties: number, watch?: Watch): Promise<CommittedPart>;
  /** Frees the memory; nothing may be called afterwards. */
  dispose(): void;
}

/** The codes of a part. */
export interface CommittedPart {
  readonly codes: Codes;
  readonly errors: Float64Array;
}

/** A denoiser loaded into an engine. */
export interface LoadedDenoiser extends Denoiser {
  /** The engine that runs it. */
  readonly info: EngineInfo;
}

/** What an iteration of GHT-QPM or GHT-ADMM is asked for. */
export interface IterationTerms {
  /** The budget. */
  readonly S: number;
  /** ρ, absolute. */
  readonly rho: number;
}

/** Iterations of a run, for an engine that does several at once. */
export interface Run {
  /** The number of the first of them in the run, from 1. With 1 a run begins, and with it the search for its best iterate. */
  readonly first: number;
  /** The most iterations that are left. */
  readonly most: number;
  /** The budget and ρ of iteration k of the run. */
  readonly terms: (k: number) => IterationTerms;
  /** The stopping rule of the loop (`sparse/solvers/loop.ts`). */
  readonly tolerance: number;
  readonly least: number;
}

/**
 * A problem in an engine's memory, and the steps that can run on it. During a run nothing larger than a report crosses this
 * boundary. Only one call may run at a time. Every method that computes can be aborted by the watch's signal; after an
 * abort only `reset` and `dispose` may be called.
 */
export interface Loaded {
  /** The engine that runs it; the number of threads depends on the size of the problem. */
  readonly info: EngineInfo;
  /** Starts over: Z⁰ as given or 0, Λ⁰ = 0. A new budget without a reset continues from the last iterate. */
  reset(Z0?: Codes): void;
  /**
   * One iteration of GHT-QPM or GHT-ADMM; ρ is absolute. `next` are the terms of the iteration after it, the same if left out: an
   * engine may begin that one in the same pass. Its ρ must be kept, its budget is a hint. After a reset any ρ may follow.
   */
  iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch, next?: IterationTerms): Promise<StepReport>;
  /**
   * A few iterations at once, at least one: until the stopping rule may hold, or the error is not finite, or a batch is full. The
   * best iterate of the run so far is the result, without `keep`. The engine may begin the next batch of the run before it is asked for;
   * after any other call, those iterations count as done. Absent if the engine does one at a time.
   */
  iterations?(solver: IterativeSolver, run: Run, watch?: Watch): Promise<readonly StepReport[]>;
  /** Keeps the latest iterate as the result. */
  keep(): void;
  /** All patches, each by itself within its limit; the reports are of iterations 1, 2, … over all patches. */
  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<readonly StepReport[]>;
  /**
   * Joint OMP with S atoms in all, or with as many as are worth a price. `expected` is about where its price λ lies, if that is known: an engine
   * may look there first. @default effort 1
   */
  jointOmp(S: Spending, watch?: Watch, effort?: Effort, expected?: number): Promise<readonly StepReport[]>;
  /** Refits the result on its support and returns its RMSE. */
  refit(watch?: Watch): Promise<number>;
  /** The result: the iterate kept last, or the codes of the last patch-wise solver, joint OMP or refit. */
  codes(): Promise<Codes>;
  /** Frees the memory; nothing may be called afterwards. */
  dispose(): void;
}
