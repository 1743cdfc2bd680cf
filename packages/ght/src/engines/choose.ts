import { ParameterError } from '../errors.js';
import type { Engine } from './engine.js';
import { portableEngine } from './portable.js';
import { referenceEngine } from './reference.js';
import { MOST_MEMORY } from './wasm/run/arena.js';
import { abilities } from './wasm/run/host.js';
import { wasmEngine } from './wasm/wasm.js';

/** Samples of more than so many times the full scale leave float32 less than 12 bits for what is measured at that scale. */
const FARTHEST = 2 ** 12;

/**
 * The engine of that name; `auto` is wasm, or the portable one where the host cannot run it, the problem is too large for
 * one WebAssembly memory or its samples are so far from zero that float32 would lose what there is to see. `bytes` estimates
 * what an engine needs for the problem at hand, `reach` is its largest sample in units of the full scale.
 */
export function chooseEngine(
  name: 'auto' | 'wasm' | 'portable' | 'reference',
  threads: number | undefined,
  bytes: (engine: Engine) => number,
  reach = 1,
): Engine {
  if (name === 'reference') return referenceEngine();
  if (name === 'portable') return portableEngine('asked for');
  const able = abilities();
  const wasm = wasmEngine(able, threads);
  const needed = bytes(wasm);
  const tooLarge = `the problem needs about ${(needed / 2 ** 30).toFixed(1)} GiB, and one WebAssembly memory holds 4`;
  const obstacle = able.obstacle ?? (needed > MOST_MEMORY ? tooLarge : undefined);
  const tooFar = `samples of ${reach.toPrecision(2)} times the full scale leave float32 too few digits`;
  const doubt = obstacle ?? (reach > FARTHEST ? tooFar : undefined);
  if (name === 'auto' && doubt) return portableEngine(`plain TypeScript, because ${doubt}`);
  if (!obstacle) return wasm;
  throw new ParameterError('engine', `cannot be wasm: ${obstacle}`, name, 'use auto or portable');
}
