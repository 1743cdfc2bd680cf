import type { Matrix } from '../../../algebra/matrix.js';
import type { Codes } from '../../../codes/codes.js';
import { emptyCodes } from '../../../codes/codes.js';
import type { Dictionary } from '../../../dictionary/dictionary.js';
import { kroneckerFactors } from '../../../dictionary/kronecker.js';
import type { Signals } from '../../../signal/signals.js';
import type { IterativeSolver, PatchwiseSolver } from '../../../solvers/catalogue.js';
import type { Effort, Spending } from '../../../solvers/joint-omp.js';
import type { StepReport } from '../../../solvers/loop.js';
import type { AtomLimits } from '../../../solvers/patchwise.js';
import type { PatchStop } from '../../../solvers/stopping.js';
import type { Watch, Work } from '../../../work.js';
import { drive } from '../../../work.js';
import type { EngineInfo, Loaded } from '../../engine.js';
import type { Target } from '../kernels/maps.js';
import type { Kernels } from '../kernels/module.js';
import { moduleFor } from '../kernels/module.js';
import { shapeOf } from '../kernels/shape.js';
import { GlobalSolvers } from './global-solvers.js';
import { instructions, threadsFor } from './host.js';
import type { Job, Outcome } from './patch-jobs.js';
import { share } from './patch-jobs.js';
import { PatchwiseSolvers } from './patchwise-solvers.js';
import { CHUNK, ProblemMemory } from './problem-memory.js';
import type { Team } from './team.js';
import { alone, workers } from './team.js';

/** Lays out a problem in a memory of its own and rotates its signals into the coordinates of the kernels. */
export async function loadProblem(
  D: Dictionary,
  signals: Signals,
  fma: boolean,
  asked: number | undefined,
  watch: Watch | undefined,
): Promise<Loaded> {
  const { P } = signals;
  const { threads, why } = await threadsFor(P, asked);
  const factors = D.factors ?? kroneckerFactors(D.atoms);
  const recognised = factors && !D.factors ? [`the dictionary is separable, ${factors.map(sizeOf).join(' ⊗ ')}`] : [];
  const shape = shapeOf({ ...D, factors });
  const memory = new ProblemMemory(shape, P, threads);
  const target = { shape, tables: memory.tables, scratch: memory.layout.scratch, fma };
  const module = await compiledFor(target, threads > 1);
  const instance = await WebAssembly.instantiate(module, { env: { memory: memory.memory } });
  const kernels = instance.exports as unknown as Kernels;
  const outsideRange = await drive(rotate(memory, kernels, signals), watch);
  const { layout } = memory;
  const place = { layout, memory: memory.memory, kernels, thread: 0 };
  const team =
    threads > 1
      ? await workers<Job, Outcome>({ kind: 'patches', module, memory: memory.memory, layout })
      : alone((job: Job) => share(job, place));
  const info = { name: 'wasm', threads, why: [instructions(fma), ...recognised, why].join('; ') };
  return new WasmProblem(info, memory, team, outsideRange);
}

/** The modules that were compiled last, by all that their code depends on; the one used last comes last. */
const compiled = new Map<string, WebAssembly.Module>();
const MOST_COMPILED = 8;

/**
 * The compiled kernels. A module has its machine code, which the host improves while it runs, so the next problem of the same
 * sizes starts with the fastest code.
 */
async function compiledFor({ shape, ...target }: Target, shared: boolean): Promise<WebAssembly.Module> {
  // Kernels read the numbers of a dictionary from memory, so only its sizes matter.
  const parts = shape.parts.map(({ Q, sigma, V }) => [Q.rows, sigma.length, V.rows]);
  const key = JSON.stringify([{ ...shape, parts }, target, shared]);
  const module = compiled.get(key) ?? (await WebAssembly.compile(moduleFor({ shape, ...target }, shared)));
  compiled.delete(key);
  compiled.set(key, module);
  for (const oldest of compiled.keys()) if (compiled.size > MOST_COMPILED) compiled.delete(oldest);
  return module;
}

function sizeOf({ rows, cols }: Matrix): string {
  return `${rows}×${cols}`;
}

/** c = Qᵀy for all signals; gives back what of ‖Y‖² lies outside the range of D. */
function* rotate(memory: ProblemMemory, kernels: Kernels, signals: Signals): Work<number> {
  const { N, R4, P, c, scratches } = memory.layout;
  const rank = memory.shape.parts.reduce((product, { sigma }) => product * sigma.length, 1);
  const staging = memory.take(4 * N * CHUNK);
  let all = 0;
  let within = 0;
  for (let from = 0; from < P; from += CHUNK) {
    const patches = Math.min(CHUNK, P - from);
    const staged = memory.floats(staging, N * patches);
    signals.read(from, staged);
    kernels.rotateSignals(staging, patches, c + 4 * R4 * from, scratches[0]);
    // Atoms that span all signals leave nothing outside.
    if (rank < N) {
      all += energy(staged);
      within += energy(memory.floats(c + 4 * R4 * from, R4 * patches));
    }
    yield from / P;
  }
  // Less is rounding.
  return within < all * (1 - 1e-6) ? all - within : 0;
}

function energy(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum;
}

/** A problem on the kernels: the iterative solvers and the patch-wise ones, and which of them made the result. */
class WasmProblem implements Loaded {
  readonly #global: GlobalSolvers;
  readonly #patchwise: PatchwiseSolvers;
  #result: () => Codes;

  constructor(
    readonly info: EngineInfo,
    private readonly memory: ProblemMemory,
    private readonly team: Team,
    outsideRange: number,
  ) {
    this.#global = new GlobalSolvers(memory, team, outsideRange);
    this.#patchwise = new PatchwiseSolvers(memory, team, outsideRange);
    this.#result = () => this.#empty();
  }

  #empty(): Codes {
    return emptyCodes(this.memory.layout.L, this.memory.layout.P);
  }
  /** The memory in use. */
  get bytes(): number {
    return this.memory.memory.buffer.byteLength;
  }
  reset(Z0: Codes = this.#empty()): void {
    this.#global.reset(Z0);
  }
  iterate(solver: IterativeSolver, S: number, rho: number, watch?: Watch, next?: number): Promise<StepReport> {
    return this.#global[solver](S, { rho, next }, watch);
  }
  keep(): void {
    this.#global.keep();
    this.#result = () => this.#global.codes() ?? this.#empty();
  }
  sweep(solver: PatchwiseSolver, limits: AtomLimits, stop: PatchStop, watch?: Watch): Promise<StepReport[]> {
    return this.#pursued(this.#patchwise.sweep(solver, limits, stop, watch));
  }
  jointOmp(S: Spending, watch?: Watch, effort: Effort = 1): Promise<StepReport[]> {
    return this.#pursued(this.#patchwise.jointOmp(S, effort, watch));
  }
  refit(watch?: Watch): Promise<number> {
    return this.#pursued(this.#patchwise.refit(this.#result(), watch));
  }
  async codes(): Promise<Codes> {
    return this.#result();
  }
  dispose(): void {
    this.team.dispose();
  }

  async #pursued<T>(run: Promise<T>): Promise<T> {
    const outcome = await run;
    this.#result = () => this.#patchwise.codes();
    return outcome;
  }
}
