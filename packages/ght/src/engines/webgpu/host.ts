/** What the engine needs from its platform: WebGPU itself. Each platform has a file that provides it. */

/** WebGPU on this host, or why there is none. */
export type Host = { readonly gpu: GPU } | { readonly reason: string };
