import { recipeDenoiser } from '../../denoisers/groups/denoiser.js';
import { COLOUR_EFFORT, learnedDenoiser } from '../../denoisers/learned/blocks.js';
import { type Engine, FLOAT32_RANGE } from '../engine.js';
import { abilities, instructions, threadsFor } from './run/host.js';
import { learnedBytes, learnedRunner } from './run/learned.js';
import { colourBytes, networkRunner } from './run/network.js';
import { loadPart } from './run/part.js';
import { loadProblem } from './run/problem.js';
import { recipeBytes, recipeRunner } from './run/recipe.js';
import { problemBytes } from './run/shards.js';

/** What tests can change about the engine. */
export interface WasmOptions {
  /** Whether to use fused multiply-add. @default what the host supports */
  readonly fma?: boolean;
  /** The most patches of a shard. @default as many as one WebAssembly memory holds with room to spare */
  readonly patchesPerShard?: number;
}

/** The inner products of that many atoms take 256 MiB of the memory of the engine, and twice as much while they are computed. */
const MOST_ATOMS = 2 ** 13;

/** The engine in WebAssembly: SIMD, float32, several threads. */
export function wasmEngine({ fma, patchesPerShard }: WasmOptions = {}): Engine {
  const fused = () => fma ?? abilities().fma;
  return {
    name: 'wasm',
    range: FLOAT32_RANGE,
    mostAtoms: MOST_ATOMS,
    async probe() {
      const { obstacle } = abilities();
      return obstacle
        ? { available: false, reason: obstacle }
        : { available: true, instructions: instructions(fused()) };
    },
    problemBytes,
    load: (D, signals, { threads, worker } = {}, watch) =>
      loadProblem(D, signals, { fma: fused(), threads, worker, patchesPerShard }, watch),
    loadPart: (D, signals, { threads, worker } = {}, watch) =>
      loadPart(D, signals, { fma: fused(), threads, worker }, watch),
    recipeBytes,
    async denoiser(recipe, pixels, options) {
      const { threads, threadsReason } = await threadsFor(pixels, options);
      const info = { name: 'wasm', threads, threadsReason };
      return { info, ...recipeDenoiser(recipe, recipeRunner(recipe, { fma: fused(), threads })) };
    },
    learnedBytes,
    async learned(model, pixels, options) {
      const { threads, threadsReason } = await threadsFor(pixels, options);
      const info = { name: 'wasm', threads, threadsReason };
      return { info, ...learnedDenoiser(learnedRunner(model, { fma: fused(), threads })) };
    },
    colourBytes,
    async colour(model, pixels, options) {
      const { threads, threadsReason } = await threadsFor(pixels, options);
      const info = { name: 'wasm', threads, threadsReason };
      return { info, ...learnedDenoiser(networkRunner(model, { fma: fused(), threads }), COLOUR_EFFORT) };
    },
  };
}
