import { learnedDenoiser } from '../../denoisers/learned/blocks.js';
import { EngineFailure } from '../../errors.js';
import { recipeDenoiser } from '../../groups/denoiser.js';
import type { SolverName } from '../../solvers/catalogue.js';
import type { Engine } from '../engine.js';
import { learnedBytes, problemBytes, recipeBytes } from './bytes.js';
import { Gpu, type GpuOptions } from './gpu.js';
import type { Counting } from './kernels/state.js';

/** The largest samples, in units of the full scale, as for all engines in float32. */
const FARTHEST = 2 ** 12;

/** What tests can change about the engine. */
export interface WebgpuOptions extends GpuOptions {
  /** The most patches of a range. @default as many as one binding holds */
  readonly patchesPerRange?: number;
  /** Bins and workgroups of the selection. @default what suits the size of the problem */
  readonly counting?: Counting;
}

/** The solvers that are left to the CPU, and why. */
const left: Partial<Record<SolverName, string>> = {
  aiht: 'AIHT runs on the CPU',
  cosamp: 'CoSaMP runs on the CPU',
};

const SWAPS = 'the swaps of effort 3 run on the CPU';

/** What runs on a GPU: a fifth of the library, which pages without a GPU need not load. */
const runners = () =>
  import('./run/runners.js').catch((error: Error) => {
    throw new EngineFailure('webgpu', `a part of the library could not be loaded (${error.message})`);
  });

/** The engine on a GPU, by WebGPU: float32. */
export function webgpuEngine({ patchesPerRange, counting, ...options }: WebgpuOptions = {}): Engine {
  let opened: Promise<Gpu> | undefined;
  /** The device, opened once, and again after it was lost. */
  const open = async (): Promise<Gpu> => {
    const known = await opened?.catch(() => undefined);
    if (!known || known.failure) opened = Gpu.open(options);
    return opened as Promise<Gpu>;
  };
  return {
    name: 'webgpu',
    range: FARTHEST,
    async probe() {
      try {
        const gpu = await open();
        return { available: true, offers: wordsFor(gpu), software: gpu.software };
      } catch (error) {
        if (error instanceof EngineFailure) return { available: false, why: error.why };
        throw error;
      }
    },
    leaves: (solver, effort) => left[solver] ?? (solver === 'joint-omp' && effort === 3 ? SWAPS : undefined),
    problemBytes,
    async load(D, signals, _options, watch) {
      const [gpu, { loadProblem }] = await Promise.all([open(), runners()]);
      return loadProblem(gpu, D, signals, { why: wordsFor(gpu), patchesPerRange, counting }, watch);
    },
    recipeBytes,
    async denoiser(recipe) {
      const [gpu, { recipeRunner }] = await Promise.all([open(), runners()]);
      const info = { name: 'webgpu', threads: 1, why: wordsFor(gpu) };
      return { info, ...recipeDenoiser(recipe, await recipeRunner(gpu, recipe)) };
    },
    learnedBytes,
    async learned(model) {
      const [gpu, { learnedRunner }] = await Promise.all([open(), runners()]);
      const info = { name: 'webgpu', threads: 1, why: wordsFor(gpu) };
      return { info, ...learnedDenoiser(learnedRunner(gpu, model)) };
    },
  };
}

/** The adapter and its limits, in words. */
function wordsFor({ name, limits, lanes }: Gpu): string {
  const binding = Math.round(limits.maxStorageBufferBindingSize / 2 ** 20);
  const subgroups = lanes ? `subgroups of ${lanes}` : 'no subgroups';
  return `${name}, ${subgroups}, bindings of up to ${binding} MiB`;
}
