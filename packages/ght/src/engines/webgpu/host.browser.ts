/** WebGPU in browsers, pages and workers alike. */
import type { Host } from './host.js';

/** Where WebGPU is found. */
export async function findHost(): Promise<Host> {
  const gpu = globalThis.navigator?.gpu;
  if (gpu) return { gpu };
  const reason = globalThis.isSecureContext === false ? 'pages need HTTPS for WebGPU' : 'this browser has no WebGPU';
  return { reason };
}
