/**
 * Whether a GPU is faster than the CPU of this host at work that takes seconds. Both do a short piece of it, once per process and
 * kind of work. A GPU and a team of threads have fixed costs per call, which long work does not notice, so the trial compares the
 * time per unit of work, in calls that are large enough.
 */

import { recipeOf } from '../denoisers/groups/recipes.js';
import { EngineFailure } from '../errors.js';
import { signalsIn } from '../image/signals.js';
import { randomSource } from '../math/random.js';
import { overcompleteDct } from '../sparse/dictionary/dct.js';
import type { Work } from '../work.js';
import type { Engine, EngineObstacle } from './engine.js';

/** The kinds of work that are measured. */
export type Calibrated = 'solve' | 'denoise';

/** How much faster a GPU must be to be worth its opening. */
const MIN_SPEEDUP = 1.2;

/** Patches of the problem: enough to keep a GPU busy. One core of a CPU takes about 11 ms for an iteration over them. */
const PATCHES = 2 ** 16;
/** Rows of the picture: the threads of the CPU take bands of 60 rows, and this is one for each of 16 threads. */
const HEIGHT = 960;
/** Columns of the picture, which grows until denoising it takes long enough. */
const WIDTHS = [32, 64, 128, 256, 512];
/** Milliseconds that are long enough to be measured, and the most calls of a solver within them. */
const MIN_TRIAL_MS = 60;
const MAX_CALLS = 4;

/** What an engine is timed at: its milliseconds per iteration over many patches, or per megapixel. */
const trials: Readonly<Record<Calibrated, { patches?: number; milliseconds(engine: Engine): Promise<number> }>> = {
  solve: { patches: PATCHES, milliseconds: solving },
  denoise: { milliseconds: denoising },
};

const known = new Map<Calibrated, Promise<EngineObstacle | undefined>>();

/** Why the GPU is not used for this kind of work; undefined if it is faster than the CPU. Measured at the first call. */
export function slowness(gpu: Engine, cpu: Engine, kind: Calibrated): Promise<EngineObstacle | undefined> {
  const answer = known.get(kind) ?? compare(gpu, cpu, kind);
  known.set(kind, answer);
  return answer;
}

/** {@link slowness}, measured at every call. */
export async function compare(gpu: Engine, cpu: Engine, kind: Calibrated): Promise<EngineObstacle | undefined> {
  const state = await gpu.probe();
  if (!state.available) return { kind: 'unavailable', message: state.reason };
  if (state.adapter?.software) return { kind: 'software-adapter' };
  // Without WebAssembly the CPU is much slower than any GPU.
  if (!(await cpu.probe()).available) return undefined;
  const { milliseconds, ...unit } = trials[kind];
  try {
    const [gpuMs, cpuMs] = [await milliseconds(gpu), await milliseconds(cpu)];
    return cpuMs > MIN_SPEEDUP * gpuMs ? undefined : { kind: 'slower', gpuMs, cpuMs, ...unit };
  } catch (error) {
    if (error instanceof EngineFailure) return { kind: 'unavailable', message: error.reason };
    throw error;
  }
}

/** The milliseconds per iteration of QPM, in batches where the engine has them, as in a run of the solver. */
async function solving(engine: Engine): Promise<number> {
  const D = overcompleteDct(8, 10);
  const [S, rho] = [5 * PATCHES, 0.5];
  const loaded = await engine.load(D, signalsIn(noise(D.N * PATCHES), D.N));
  let done = 0;
  const timed = async (): Promise<{ ms: number; count: number }> => {
    const run = { first: done + 1, most: 10, terms: () => ({ S, rho }), tolerance: 0, least: 0 };
    const start = performance.now();
    const reports = loaded.iterations ? await loaded.iterations('qpm', run) : [await loaded.iterate('qpm', S, rho)];
    done += reports.length;
    return { ms: performance.now() - start, count: reports.length };
  };
  try {
    loaded.reset();
    // The first call compiles and allocates.
    await timed();
    let [best, spent] = [Number.POSITIVE_INFINITY, 0];
    for (let call = 0; call < MAX_CALLS && spent < MIN_TRIAL_MS; call++) {
      const { ms, count } = await timed();
      best = Math.min(best, ms / count);
      spent += ms;
    }
    return best;
  } finally {
    loaded.dispose();
  }
}

/** The milliseconds per megapixel of the quality `balanced`. */
async function denoising(engine: Engine): Promise<number> {
  const most = HEIGHT * WIDTHS[WIDTHS.length - 1];
  const picture = noise(most);
  const denoiser = await engine.denoiser(recipeOf('balanced'), most);
  const timed = async (width: number): Promise<number> => {
    const read = function* (_c: number, into: Float32Array | Float64Array): Work<void> {
      into.set(picture.subarray(0, width * HEIGHT));
      yield 1;
    };
    const start = performance.now();
    await denoiser.run({ width, height: HEIGHT, channels: 1, read });
    return performance.now() - start;
  };
  let best = Number.POSITIVE_INFINITY;
  for (const width of WIDTHS) {
    // The first run of a size may compile and allocate.
    const ms = Math.min(await timed(width), await timed(width));
    best = Math.min(best, (1e6 * ms) / (width * HEIGHT));
    if (ms > MIN_TRIAL_MS) break;
  }
  return best;
}

/** White noise. Random numbers take longer than the trial, so a few are repeated, at another amplitude each time to avoid ties. */
function noise(length: number): Float32Array {
  const random = randomSource(1);
  const few = Float32Array.from({ length: 2 ** 14 }, () => random.normal());
  const samples = new Float32Array(length);
  for (let i = 0; i < length; i++) samples[i] = few[i % few.length] * (1 + i / length);
  return samples;
}
