/** What the page says about engines. */
import type { EngineInfo } from 'ght';
import type { EngineSpeed } from '../worker/protocol.js';
import { count } from './numbers.js';

/** The engine in short: the adapter of a GPU, or the number of threads on the CPU. */
export function engineTitle({ name, threads, adapter, instructions }: EngineInfo): string {
  if (adapter) return `GPU · ${adapter.name}`;
  if (name !== 'wasm') return 'Plain TypeScript · 1 thread';
  return `WASM SIMD${instructions === 'simd-fma' ? ' relaxed' : ''} · ${inThreads(threads)}`;
}

/** The speed of an engine. */
export function speedLine({ engine, threads, patchesPerSecond }: EngineSpeed): string {
  const where = engine === 'webgpu' ? 'webgpu, the GPU' : `${engine}, ${inThreads(threads)}`;
  return `${where}: ${count(Number(patchesPerSecond.toPrecision(2)))} patches per second`;
}

/** A text of the library with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

function inThreads(threads: number): string {
  return `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}
