/** The estimators of one kind of noise, run at once; `diagnose` runs them as work that can be stopped. */
import type { Image } from '../../src/index.js';
import { checkImage } from '../../src/index.js';
import { poissonGaussianEstimate } from '../../src/noise/signal-dependent/poisson-gaussian.js';
import { noiseEstimate } from '../../src/noise/white/sigma.js';
import { finish } from '../../src/work.js';

/** σ of white noise in each plane. */
export function estimateSigma(image: Image): number[] {
  checkImage(image);
  return finish(noiseEstimate(image));
}

/** Gain, σ and offset of each plane. */
export function estimatePoissonGaussian(image: Image, offset?: number) {
  checkImage(image);
  return finish(poissonGaussianEstimate(image, offset));
}
