/** What the host supports: WebAssembly features and threads. */
import { allowRelaxedSimd, cores, withoutThreads } from '#threads';
import type { EngineFeatures, LoadOptions, ThreadsReason } from '../../engine.js';
import { F32, Module, type V128 } from '../kernels/assembler.js';
import { startThreads } from './team.js';

/** The smallest number of patches for threads: fewer are done before threads would have started. */
const MIN_PATCHES_FOR_THREADS = 4096;

/** What WebAssembly on this host supports. */
export interface Abilities {
  readonly simd: boolean;
  readonly fma: boolean;
  /** Why the kernels cannot run here; undefined if they can. */
  readonly obstacle?: string;
}

/** Tests the host for SIMD, the fused multiply-add of relaxed SIMD (behind a flag on some hosts), and memory. */
export function abilities(): Abilities {
  able ??= probe();
  return able;
}
let able: Abilities | undefined;

function probe(): Abilities {
  const moduleOf = (value: V128) => {
    const module = new Module();
    module.fn('probe', [], 'f32', (f) => f.return(value.lane(0)));
    return module.bytes(false);
  };
  const valid = (value: V128) => WebAssembly.validate(moduleOf(value));
  const one = F32.of(1).splat();
  const simd = typeof WebAssembly === 'object' && valid(one);
  const fma = () => valid(one.relaxedMadd(one, one));
  if (simd && !fma()) allowRelaxedSimd();
  return { simd, fma: simd && fma(), obstacle: simd ? obstacleTo(moduleOf(one)) : 'this host has no WebAssembly SIMD' };
}

/** The vector instructions in use. */
export function instructions(fma: boolean): EngineFeatures['instructions'] {
  return fma ? 'simd-fma' : 'simd';
}

/**
 * Tests whether a module can be compiled, which edge workers and some security policies do not allow, and whether a memory can be created.
 * Hosts reserve gigabytes of addresses for each, which `ulimit -v` may not allow.
 */
function obstacleTo(module: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    new WebAssembly.Module(module);
  } catch {
    return "this host does not compile WebAssembly at run time (a page's policy must have script-src 'wasm-unsafe-eval')";
  }
  try {
    new WebAssembly.Memory({ initial: 1 });
    return undefined;
  } catch {
    return 'this host gives no memory to WebAssembly, for which it would have to reserve about 10 GiB of addresses';
  }
}

/** The number of threads for P patches, and why; `asked` is the number that was asked for. Starts the threads. */
export async function threadsFor(
  P: number,
  { threads: asked, worker }: LoadOptions = {},
): Promise<{ threads: number; threadsReason: ThreadsReason }> {
  const one = (threadsReason: ThreadsReason) => ({ threads: 1, threadsReason });
  if (withoutThreads) return one({ kind: 'unsupported', message: withoutThreads });
  if (asked === undefined && P < MIN_PATCHES_FOR_THREADS) return one({ kind: 'small-problem' });
  const threads = asked ?? cores;
  const failure = threads > 1 ? await startThreads(threads, worker) : undefined;
  if (failure) return one({ kind: 'failed', message: failure });
  return { threads, threadsReason: { kind: asked === undefined ? 'cores' : 'requested' } };
}
