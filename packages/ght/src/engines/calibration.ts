/** Whether a GPU is faster than the CPU of this host: both are measured once, on a small problem, and the answer is remembered. */
import { overcompleteDct } from '../dictionary/dct.js';
import { EngineFailure } from '../errors.js';
import { recipeOf } from '../groups/recipes.js';
import { randomSource } from '../random.js';
import { signalsIn } from '../signal/signals.js';
import type { Work } from '../work.js';
import type { Engine } from './engine.js';

/** The kinds of work that are measured. */
export type Calibrated = 'solve' | 'denoise';

/** Patches of the problem, and the side of the picture. */
const [PATCHES, SIDE] = [2 ** 13, 192];
/** How much faster a GPU must be to be worth its opening. */
const FASTER = 1.2;

const known = new Map<Calibrated, Promise<string | undefined>>();

/** Why the GPU is not faster than the CPU at this kind of work; undefined if it is. Measured at the first call. */
export function slowness(gpu: Engine, cpu: Engine, kind: Calibrated): Promise<string | undefined> {
  const answer = known.get(kind) ?? compare(gpu, cpu, kind);
  known.set(kind, answer);
  return answer;
}

async function compare(gpu: Engine, cpu: Engine, kind: Calibrated): Promise<string | undefined> {
  const state = await gpu.probe();
  if (!state.available) return state.why;
  if (state.software) return 'it is a program on the CPU';
  // Without WebAssembly the CPU is much slower than any GPU.
  if (!(await cpu.probe()).available) return undefined;
  const milliseconds = kind === 'solve' ? solving : denoising;
  try {
    const [ours, theirs] = [await milliseconds(gpu), await milliseconds(cpu)];
    if (theirs > FASTER * ours) return undefined;
    return `it is not faster here (${ours.toFixed(1)} ms, the CPU ${theirs.toFixed(1)} ms, in a trial)`;
  } catch (error) {
    if (error instanceof EngineFailure) return error.why;
    throw error;
  }
}

/** How long an engine takes for a few iterations. The first compiles and allocates, and does not count. */
async function solving(engine: Engine): Promise<number> {
  const D = overcompleteDct(8, 10);
  const random = randomSource(1);
  const Y = Float32Array.from({ length: D.N * PATCHES }, () => random.normal());
  const loaded = await engine.load(D, signalsIn(Y, D.N));
  try {
    loaded.reset();
    await loaded.iterate('qpm', 5 * PATCHES, 0.5);
    const start = performance.now();
    for (let k = 0; k < 4; k++) await loaded.iterate('qpm', 5 * PATCHES, 0.5);
    return performance.now() - start;
  } finally {
    loaded.dispose();
  }
}

/** How long it takes to denoise a small picture, once everything is compiled. */
async function denoising(engine: Engine): Promise<number> {
  const random = randomSource(1);
  const picture = Float32Array.from({ length: SIDE * SIDE }, (_, i) => 8 * Math.sin(i / 40) + random.normal());
  const read = function* (_c: number, into: Float32Array | Float64Array): Work<void> {
    into.set(picture);
    yield 1;
  };
  const denoiser = await engine.denoiser(recipeOf('balanced'), SIDE * SIDE);
  const run = () => denoiser.run({ width: SIDE, height: SIDE, channels: 1, read });
  await run();
  const start = performance.now();
  await run();
  return performance.now() - start;
}
