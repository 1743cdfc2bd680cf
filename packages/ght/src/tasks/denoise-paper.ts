import type { Image } from '../image/image.js';
import { atomsPerSide, type RepresentOptions, representDefaults } from '../pipelines/represent/options.js';
import { type Representation, representWhole } from '../pipelines/represent/whole.js';
import { solverDefaults } from '../pipelines/solve/options.js';
import { solverCatalogue } from '../sparse/solvers/catalogue.js';

/**
 * The denoiser of the paper: it represents the noisy image under one global budget, and treats the rest as noise. The default
 * budget is 10 atoms per patch on average, as in the paper; `budget: { sigma }` uses as many atoms as noise of that deviation
 * justifies. Where patches overlap (the stride is smaller than the patch), a patch with fewer atoms has a larger weight,
 * 1 / (1 + atoms), because less noise has passed into it. The measures in the result compare with the noisy input. The default
 * solver is GHT-ADMM with the whole budget from the start (`growth: false`), and the default dictionary the overcomplete DCT.
 */
export async function denoisePaper(noisy: Image, options: RepresentOptions = {}): Promise<Representation> {
  const { patch = representDefaults.patch, solver = solverDefaults.solver, dictionary, atoms } = options;
  const dct = dictionary === undefined ? { atoms: atomsPerSide(patch, atoms) } : {};
  const whole = solverCatalogue[solver]?.growing ? { growth: options.growth ?? false } : {};
  return representWhole(noisy, { ...options, solver, ...dct, ...whole }, (counts) =>
    Float64Array.from(counts, (count) => 1 / (1 + count)),
  );
}
