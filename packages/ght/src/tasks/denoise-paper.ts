import type { Image } from '../signal/image.js';
import type { Representation, RepresentOptions } from './represent.js';
import { representWeighted } from './represent.js';

/**
 * The paper's denoiser: represent the noisy image under one global budget, and what the budget does not reach is called
 * noise. By default 10 atoms per patch on average, as in the paper; `budget: { sigma }` takes what the noise justifies. Where
 * patches overlap (a stride below the patch) a patch that needs fewer atoms counts for more, 1 / (1 + atoms), since less
 * noise has passed into it. The measures in the result are against the noisy input.
 */
export async function denoisePaper(noisy: Image, options: RepresentOptions = {}): Promise<Representation> {
  return representWeighted(noisy, options, (counts) => Float64Array.from(counts, (count) => 1 / (1 + count)));
}
