/** What the page says about engines. */
import type { EngineInfo } from 'ght';
import type { EngineSpeed } from '../worker/protocol.js';
import { count } from './numbers.js';

/** What the library says about a GPU after the name of its adapter. */
const LIMITS = /, (no subgroups|subgroups of \d+), bindings of .*$/;

/** The engine in a few words: the adapter of a GPU, or the number of threads on the CPU. */
export function engineTitle({ name, threads, why }: EngineInfo): string {
  if (name === 'webgpu') return `GPU · ${why.replace(LIMITS, '')}`;
  if (name !== 'wasm') return 'Plain TypeScript · 1 thread';
  return `WASM SIMD${why.includes('fused') ? ' relaxed' : ''} · ${inThreads(threads)}`;
}

/** Why the engine is not the one that was asked for or is preferred, as a sentence. */
export function insteadSentence(instead: string): string {
  return sentence(instead.replace(/^webgpu/, 'the GPU'));
}

/** The speed of an engine. */
export function speedLine({ engine, threads, patchesPerSecond }: EngineSpeed): string {
  const where = engine === 'webgpu' ? 'webgpu, the GPU' : `${engine}, ${inThreads(threads)}`;
  return `${where}: ${count(Number(patchesPerSecond.toPrecision(2)))} patches per second`;
}

/** Words of the library as a sentence. */
export function sentence(words: string): string {
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`;
}

function inThreads(threads: number): string {
  return `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}
