import { ParameterError } from '../errors.js';
import type { Engine } from './engine.js';
import { portableEngine } from './portable.js';
import { referenceEngine } from './reference.js';
import { MOST_MEMORY } from './wasm/arena.js';
import { abilities } from './wasm/host.js';
import { wasmEngine } from './wasm/wasm.js';

/**
 * The engine of that name; `auto` is wasm, or the portable one where the host cannot run it or the problem is too large for
 * one WebAssembly memory. `bytes` estimates what an engine needs for the problem at hand.
 */
export function chooseEngine(
  name: 'auto' | 'wasm' | 'portable' | 'reference',
  threads: number | undefined,
  bytes: (engine: Engine) => number,
): Engine {
  if (name === 'reference') return referenceEngine();
  if (name === 'portable') return portableEngine('asked for');
  const able = abilities();
  const wasm = wasmEngine(able, threads);
  const needed = bytes(wasm);
  const tooLarge = `the problem needs about ${(needed / 2 ** 30).toFixed(1)} GiB, and one WebAssembly memory holds 4`;
  const obstacle = able.obstacle ?? (needed > MOST_MEMORY ? tooLarge : undefined);
  if (!obstacle) return wasm;
  if (name === 'auto') return portableEngine(`plain TypeScript, because ${obstacle}`);
  throw new ParameterError('engine', `cannot be wasm: ${obstacle}`, name, 'use auto or portable');
}
