import type { Image } from '../signal/image.js';
import type { Representation, RepresentOptions } from './represent.js';
import { representWeighted } from './represent.js';

/**
 * The denoiser of the paper: it represents the noisy image under one global budget, and treats the rest as noise. The default
 * budget is 10 atoms per patch on average, as in the paper; `budget: { sigma }` uses as many atoms as noise of that deviation
 * justifies. Where patches overlap (the stride is smaller than the patch), a patch with fewer atoms has a larger weight,
 * 1 / (1 + atoms), because less noise has passed into it. The measures in the result compare with the noisy input.
 */
export async function denoisePaper(noisy: Image, options: RepresentOptions = {}): Promise<Representation> {
  return representWeighted(noisy, options, (counts) => Float64Array.from(counts, (count) => 1 / (1 + count)));
}
