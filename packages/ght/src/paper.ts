/**
 * What only the reproduction of the paper needs: its denoiser, its inpainting and its measure of supports. The methods of `ght` are
 * better on pictures.
 *
 * @module ght/paper
 */

export { supportMismatch } from './measures/mismatch.js';
export { spectralNormSquared } from './sparse/dictionary/dictionary.js';
export { denoisePaper } from './tasks/denoise-paper.js';
export { type InpaintedPaper, type InpaintPaperOptions, inpaintPaper } from './tasks/inpaint-paper.js';
