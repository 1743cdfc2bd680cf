import { allowRelaxedSimd, cores, withoutThreads } from '#threads';
import type { Codes } from '../../codes/codes.js';
import { emptyCodes } from '../../codes/codes.js';
import type { Dictionary } from '../../dictionary/dictionary.js';
import type { StepReport } from '../../solvers/loop.js';
import type { Watch } from '../../solvers/work.js';
import type { Engine, Loaded } from '../engine.js';
import { Patchwise } from '../patchwise.js';
import { F32, Module, type V128 } from './assembler.js';
import { Iterations } from './iterations.js';
import { CHUNK, ProblemMemory } from './memory.js';
import type { Kernels } from './module.js';
import { moduleFor } from './module.js';
import { shapeOf } from './shape.js';
import type { Team } from './team.js';
import { alone, workers } from './team.js';

/** Fewer patches than this are done before threads would have begun. */
const WORTH_THREADS = 4096;

/** What the host's WebAssembly can do. */
export interface Abilities {
  readonly simd: boolean;
  readonly fma: boolean;
}

/** Asks the host: SIMD, and the fused multiply-add of relaxed SIMD, which some hosts have behind a flag. */
export function abilities(): Abilities {
  const valid = (value: V128) => {
    const module = new Module();
    module.fn('probe', [], 'f32', (f) => f.return(value.lane(0)));
    return WebAssembly.validate(module.bytes(false));
  };
  const one = F32.of(1).splat();
  const simd = typeof WebAssembly === 'object' && valid(one);
  const fma = () => valid(one.relaxedMadd(one, one));
  if (simd && !fma()) allowRelaxedSimd();
  return { simd, fma: simd && fma() };
}

/** How many threads a problem of P patches gets, when so many were asked for, and why. */
export function threadsFor(P: number, asked?: number): { threads: number; why: string } {
  if (withoutThreads) return { threads: 1, why: `one thread, because ${withoutThreads}` };
  if (asked !== undefined) return { threads: asked, why: `${asked} threads were asked for` };
  if (P < WORTH_THREADS) return { threads: 1, why: 'one thread, because a small problem does not pay for more' };
  return { threads: cores, why: `${cores} threads, as many as there are cores` };
}

/** WebAssembly with SIMD, float32 inside, on as many threads as are worth it. */
export function wasmEngine({ fma }: Abilities, threads?: number): Engine {
  return {
    info: { name: 'wasm', threads: 1, why: '' },
    memory: (N, _L, P, S) => 4 * N * P * 2 + 3 * 1.15 * 5 * S,
    load: (D, Y) => load(D, Y, fma, threads),
  };
}

async function load(D: Dictionary, Y: Float64Array, fma: boolean, asked?: number): Promise<Loaded> {
  const P = Y.length / D.N;
  const { threads } = threadsFor(P, asked);
  const shape = shapeOf(D);
  const memory = new ProblemMemory(shape, P, threads);
  const target = { shape, tables: memory.tables, scratch: memory.layout.scratch, fma };
  const module = await WebAssembly.compile(moduleFor(target, threads > 1));
  const instance = await WebAssembly.instantiate(module, { env: { memory: memory.memory } });
  const kernels = instance.exports as unknown as Kernels;
  const beyond = turn(memory, kernels, Y);
  const team = threads > 1 ? await workers(memory, module) : alone(memory, kernels);
  return new Wasm(D, Y, memory, team, beyond);
}

/** c = Qᵀy for all signals; gives back what of ‖Y‖² lies outside the range of D. */
function turn(memory: ProblemMemory, kernels: Kernels, Y: Float64Array): number {
  const { N, R4, P, c, scratches } = memory.layout;
  const staging = memory.take(4 * N * CHUNK);
  let all = 0;
  let within = 0;
  for (let p = 0; p < P; p += CHUNK) {
    const patches = Math.min(CHUNK, P - p);
    const signals = memory.floats(staging, N * patches);
    signals.set(Y.subarray(p * N, (p + patches) * N));
    const turned = c + 4 * R4 * p;
    kernels.turnSignals(staging, patches, turned, scratches[0]);
    for (const value of signals) all += value * value;
    for (const value of memory.floats(turned, R4 * patches)) within += value * value;
  }
  // Within rounding nothing is outside, as for every dictionary that spans all signals.
  return within < all * (1 - 1e-6) ? all - within : 0;
}

class Wasm extends Patchwise {
  readonly #iterations: Iterations;
  #kept = false;

  constructor(
    D: Dictionary,
    Y: Float64Array,
    memory: ProblemMemory,
    private readonly team: Team,
    beyond: number,
  ) {
    super(D, Y);
    this.#iterations = new Iterations(memory, team, beyond);
  }

  override reset(Z0: Codes = emptyCodes(this.D.L, this.P)): void {
    this.#iterations.reset(Z0);
  }
  override qpm(S: number, rho: number, watch?: Watch): Promise<StepReport> {
    return this.#iterations.qpm(S, rho, watch);
  }
  override admm(S: number, rho: number, watch?: Watch): Promise<StepReport> {
    return this.#iterations.admm(S, rho, watch);
  }
  override keep(): void {
    this.#iterations.keep();
    this.#kept = true;
  }
  override async refit(watch?: Watch): Promise<number> {
    this.codes();
    return super.refit(watch);
  }
  override codes(): Codes {
    if (this.#kept) this.result = this.#iterations.codes() ?? this.result;
    this.#kept = false;
    return this.result;
  }
  override dispose(): void {
    this.team.dispose();
  }
}
