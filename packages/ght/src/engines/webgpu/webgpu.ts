import { recipeDenoiser } from '../../denoisers/groups/denoiser.js';
import { COLOUR_EFFORT, learnedDenoiser } from '../../denoisers/learned/blocks.js';
import { EngineFailure } from '../../errors.js';
import type { SolverName } from '../../sparse/solvers/catalogue.js';
import { type Engine, type EngineInfo, FLOAT32_RANGE, type GpuAdapter } from '../engine.js';
import { colourBytes, learnedBytes, problemBytes, recipeBytes } from './bytes.js';
import { Gpu, type GpuOptions } from './gpu.js';
import type { Counting } from './kernels/state.js';

/** What tests can change about the engine. */
export interface WebgpuOptions extends GpuOptions {
  /** The most patches of a range. @default as many as one binding holds */
  readonly patchesPerRange?: number;
  /** Bins and workgroups of the selection. @default what suits the size of the problem */
  readonly counting?: Counting;
}

/** The solvers that run on the CPU only. */
const unsupported: readonly SolverName[] = ['aiht', 'cosamp'];

/** What runs on a GPU: a fifth of the library, which pages without a GPU need not load. */
const runners = () =>
  import('./run/runners.js').catch((error: Error) => {
    throw new EngineFailure(`a part of the library could not be loaded (${error.message})`);
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
    range: FLOAT32_RANGE,
    async probe() {
      try {
        return { available: true, adapter: adapterOf(await open()) };
      } catch (error) {
        if (error instanceof EngineFailure) return { available: false, reason: error.reason };
        throw error;
      }
    },
    unsupportedReason(solver, effort) {
      if (unsupported.includes(solver)) return { kind: 'solver', solver };
      // The swaps of the greatest effort.
      return solver === 'joint-omp' && effort === 3 ? { kind: 'effort', effort } : undefined;
    },
    problemBytes,
    async load(D, signals, _options, watch) {
      const [gpu, { loadProblem }] = await Promise.all([open(), runners()]);
      return loadProblem(gpu, D, signals, { info: infoOf(gpu), patchesPerRange, counting }, watch);
    },
    recipeBytes,
    async denoiser(recipe) {
      const [gpu, { recipeRunner }] = await Promise.all([open(), runners()]);
      return { info: infoOf(gpu), ...recipeDenoiser(recipe, await recipeRunner(gpu, recipe)) };
    },
    learnedBytes,
    async learned(model) {
      const [gpu, { learnedRunner }] = await Promise.all([open(), runners()]);
      return { info: infoOf(gpu), ...learnedDenoiser(learnedRunner(gpu, model)) };
    },
    colourBytes,
    async colour(model) {
      const [gpu, { networkRunner }] = await Promise.all([open(), runners()]);
      return { info: infoOf(gpu), ...learnedDenoiser(networkRunner(gpu, model), COLOUR_EFFORT) };
    },
  };
}

function adapterOf({ name, limits, lanes, software }: Gpu): GpuAdapter {
  return { name, subgroupSize: lanes, bindingBytes: limits.maxStorageBufferBindingSize, software };
}

function infoOf(gpu: Gpu): EngineInfo {
  return { name: 'webgpu', threads: 1, adapter: adapterOf(gpu) };
}
