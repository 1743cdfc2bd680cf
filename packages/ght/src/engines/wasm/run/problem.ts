import { type Signals, someOf } from '../../../image/signals.js';
import type { Dictionary } from '../../../sparse/dictionary/dictionary.js';
import { kroneckerFactors } from '../../../sparse/dictionary/kronecker.js';
import { drive, type Watch, type Work } from '../../../work.js';
import {
  type Energies,
  type EngineInfo,
  energyOf,
  type Loaded,
  type LoadOptions,
  outsideOf,
  recognisedFactors,
} from '../../engine.js';
import { loadedProblem } from '../../loaded-problem.js';
import { shapeOf } from '../../shape.js';
import type { Target } from '../kernels/maps.js';
import { moduleFor } from '../kernels/module.js';
import { callsOf, type ProblemKernels, problemKernels } from '../kernels/signatures.js';
import { GlobalSolvers } from './global-solvers.js';
import { instructions, threadsFor } from './host.js';
import { share } from './patch-jobs.js';
import { PatchwiseSolvers } from './patchwise-solvers.js';
import { CHUNK, ProblemMemory } from './problem-memory.js';
import { patchesPerShard, Shards, type ShardTeam, shardsOf } from './shards.js';
import { keepSpare, takeSpare } from './spare-memory.js';
import { alone, workers } from './team.js';

/** How a problem is laid out. */
export interface ProblemOptions extends LoadOptions {
  readonly fma: boolean;
  /** The most patches of a shard. @default as many as one WebAssembly memory holds with room to spare */
  readonly patchesPerShard?: number;
}

/** A problem that is laid out in memories of its own, with its signals rotated into the coordinates of the kernels. */
export interface LaidOut {
  readonly info: EngineInfo;
  readonly shards: Shards;
  readonly team: ShardTeam;
  readonly energies: Energies;
  /** Ends the work on it. */
  readonly dispose: () => void;
}

/** Lays out a problem. */
export async function layOut(
  D: Dictionary,
  signals: Signals,
  { fma, patchesPerShard: most = patchesPerShard(D.N, D.L), ...options }: ProblemOptions,
  watch?: Watch,
): Promise<LaidOut> {
  const { threads, threadsReason } = await threadsFor(signals.P, options);
  const factors = D.factors ?? kroneckerFactors(D.atoms);
  const shape = shapeOf({ ...D, factors });
  const memories = shardsOf(signals.P, most).map(
    ({ firstChunk, P }) => new ProblemMemory(shape, P, threads, firstChunk, threads > 1 ? undefined : takeSpare()),
  );
  // All shards begin with the same tables, so they have the same code.
  const target = { shape, tables: memories[0].tables, scratch: memories[0].layout.scratch, fma };
  const module = await compiledFor(target, threads > 1);
  const instances = memories.map(({ memory }) => WebAssembly.instantiate(module, { env: { memory } }));
  const kernels = (await Promise.all(instances)).map(({ exports }) => callsOf(exports, problemKernels));
  const energies = await rotate(memories, kernels, signals, watch);
  const places = memories.map(({ layout, memory }, i) => ({ layout, memory, kernels: kernels[i], thread: 0 }));
  const team: ShardTeam =
    threads > 1
      ? await workers({ kind: 'patches', module, places: memories.map(({ memory, layout }) => ({ memory, layout })) })
      : alone((jobs) => share(jobs, places));
  const engine = { name: 'wasm', instructions: instructions(fma), threads, threadsReason };
  const info = { ...engine, ...recognisedFactors(D, factors) };
  let disposed = false;
  const dispose = () => {
    if (disposed) return;
    disposed = true;
    team.dispose();
    if (threads === 1) keepSpare(memories[0].memory);
  };
  return { info, shards: new Shards(memories, team, kernels), team, energies, dispose };
}

/** Loads a problem. */
export async function loadProblem(
  ...problem: Parameters<typeof layOut>
): Promise<Loaded & { readonly bytes: () => number }> {
  const { info, shards, energies, dispose } = await layOut(...problem);
  const outside = outsideOf(energies);
  const solvers = [new GlobalSolvers(shards, outside), new PatchwiseSolvers(shards, outside)] as const;
  return { ...loadedProblem(info, ...solvers, dispose), bytes: () => shards.bytes };
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

/** Signals that are made ready at once, if they are not yet. */
const PREPARED_SIGNALS = 2 ** 16;

/** c = Qᵀy for all signals; returns the energy of both. */
async function rotate(
  memories: readonly ProblemMemory[],
  kernels: readonly ProblemKernels[],
  signals: Signals,
  watch?: Watch,
): Promise<Energies> {
  const chunks = Math.ceil(signals.P / CHUNK);
  const energies = { all: new Float64Array(chunks), within: new Float64Array(chunks) };
  for (const [shard, memory] of memories.entries()) {
    const { N, P } = memory.layout;
    const own = someOf(signals, memory.first, P);
    const staging = memory.take(4 * N * CHUNK);
    const step = own.prepare ? PREPARED_SIGNALS : P;
    for (let from = 0; from < P; from += step) {
      const count = Math.min(step, P - from);
      await own.prepare?.(from, count);
      await drive(rotateRun(memory, kernels[shard], own, from, count, staging, energies), watch);
    }
  }
  return energies;
}

/** The same for some signals of a shard, from number `first` on. */
function* rotateRun(
  memory: ProblemMemory,
  kernels: ProblemKernels,
  signals: Signals,
  first: number,
  count: number,
  staging: number,
  { all, within }: Energies,
): Work<void> {
  const { N, R4, c, scratches } = memory.layout;
  const rank = memory.shape.parts.reduce((product, { sigma }) => product * sigma.length, 1);
  for (let from = first; from < first + count; from += CHUNK) {
    const patches = Math.min(CHUNK, first + count - from);
    const staged = memory.floats(staging, N * patches);
    signals.read(from, staged);
    kernels.rotateSignals({ signals: staging, patches, c: c + 4 * R4 * from, scratch: scratches[0] });
    // Atoms that span all signals leave nothing outside.
    if (rank < N) {
      const chunk = (memory.first + from) / CHUNK;
      all[chunk] = energyOf(staged);
      within[chunk] = energyOf(memory.floats(c + 4 * R4 * from, R4 * patches));
    }
    yield from / signals.P;
  }
}
