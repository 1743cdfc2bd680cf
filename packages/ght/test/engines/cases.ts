/** Every engine, as the suites run it. */
import type { Engine } from '../../src/engines/engine.js';
import { engines } from '../../src/engines/engines.js';
import { wasmEngine } from '../../src/engines/wasm/wasm.js';
import { leastLimits } from '../../src/engines/webgpu/gpu.js';
import { webgpuEngine } from '../../src/engines/webgpu/webgpu.js';

/**
 * The tolerated difference of an engine from float64: `digits` of the RMSE, `codes` of a coefficient (of up to 2,000),
 * `pixels` of a denoised sample (of up to 32 deviations of the noise).
 */
export interface Tolerance {
  readonly digits: number;
  readonly codes: number;
  readonly pixels: number;
}
export const float64: Tolerance = { digits: 9, codes: 1e-7, pixels: 1e-9 };
export const float32: Tolerance = { digits: 5, codes: 2e-2, pixels: 1e-4 };

/** An engine, its number of threads, and its tolerance. */
export interface EngineCase {
  readonly engine: Engine;
  readonly threads?: number;
  readonly within: Tolerance;
}

/** A GPU with all that it offers, and with the least that any has: what it cannot be asked to have is forced down. */
const onGpu: [name: string, engineCase: EngineCase][] = [
  ['webgpu', { engine: engines.webgpu, within: float32 }],
  [
    'webgpu with the least limits',
    { engine: webgpuEngine({ limits: leastLimits, subgroups: false, patchesPerRange: 64 }), within: float32 },
  ],
];

/** WebAssembly computes in float32, with and without fused multiply-add, on one thread and on three. */
const onCpu: [name: string, engineCase: EngineCase][] = [
  ['reference', { engine: engines.reference, within: float64 }],
  ['portable', { engine: engines.portable, within: float64 }],
  ['wasm without FMA', { engine: wasmEngine({ fma: false }), threads: 1, within: float32 }],
  ['wasm', { engine: engines.wasm, threads: 1, within: float32 }],
  ['wasm on three threads', { engine: engines.wasm, threads: 3, within: float32 }],
];

/** Tests on a GPU have an environment of their own: see `webgpu/setup.ts`. */
export const engineCases = process.env.GHT_TEST_ENGINES === 'webgpu' ? onGpu : onCpu;
