/** WebGPU in Node: the npm package `webgpu`, which is imported only when a GPU is asked for. */
import type { Host } from './host.js';

/** Dawn's object must stay referenced, or its adapters end with it. */
let found: Promise<Host> | undefined;

/** Where WebGPU is found. Node's own comes first, for a version that has one. */
export function findHost(): Promise<Host> {
  found ??= find();
  return found;
}

async function find(): Promise<Host> {
  const own = globalThis.navigator?.gpu;
  if (own) return { gpu: own };
  try {
    const { create, globals } = await import('webgpu');
    // The constants of WebGPU (GPUBufferUsage and so on) are globals in browsers, and this package expects them so.
    for (const [name, value] of Object.entries(globals))
      if (!(name in globalThis)) Object.assign(globalThis, { [name]: value });
    return { gpu: create([]) };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const why = missing
      ? 'the package webgpu is not installed (npm install webgpu)'
      : `webgpu: ${(error as Error).message}`;
    return { why };
  }
}
