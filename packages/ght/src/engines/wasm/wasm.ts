import { recipeDenoiser } from '../../groups/denoiser.js';
import type { Engine } from '../engine.js';
import { MOST_MEMORY } from './run/arena.js';
import { abilities, instructions, threadsFor } from './run/host.js';
import { loadProblem } from './run/problem.js';
import { recipeBytes, recipeRunner } from './run/recipe.js';

/** The largest samples, in units of the full scale. Beyond, float32 has less than 12 bits left for differences at full scale. */
const FARTHEST = 2 ** 12;

/** The engine in WebAssembly: SIMD, float32, several threads. `fma` is for tests. @default what the host supports */
export function wasmEngine(fma?: boolean): Engine {
  const fused = () => fma ?? abilities().fma;
  return {
    name: 'wasm',
    capacity: { bytes: MOST_MEMORY, of: 'one WebAssembly memory' },
    range: FARTHEST,
    async probe() {
      const { obstacle } = abilities();
      return obstacle ? { available: false, why: obstacle } : { available: true, offers: instructions(fused()) };
    },
    // c and q, or the gains of a pursuit; three streams of candidates, and one of codes; counts.
    problemBytes: ({ N, L, P, S }) => 8 * N * P + (3 * 1.15 + 1) * (L <= 256 ? 5 : 6) * S + 8 * P + 4 * 1.2 * L * L,
    load: (D, signals, { threads } = {}, watch) => loadProblem(D, signals, fused(), threads, watch),
    recipeBytes,
    async denoiser(recipe, pixels, { threads: asked } = {}) {
      const { threads, why } = await threadsFor(pixels, asked);
      const info = { name: 'wasm', threads, why };
      return { info, ...recipeDenoiser(recipe, recipeRunner(recipe, { fma: fused(), threads })) };
    },
  };
}
