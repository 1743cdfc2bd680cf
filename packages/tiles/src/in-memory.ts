/** Denoising in tiles an image that is in memory. Nothing here needs Node, so that a browser can use it. */

export type { RunProgress } from 'ght/plans';
export { denoiseLarge } from './denoise-large.js';
export { memorySink, memorySource } from './memory.js';
export type { Picture } from './picture.js';
