import type { ExperimentName } from '../catalogue.js';
import type { Experiment } from '../setting.js';
import { type CloseUp, closeUp } from './close-up.js';
import { type Convergence, convergence } from './convergence.js';
import { type Denoising, denoising } from './denoising.js';
import { type Heatmap, heatmap } from './heatmap.js';
import { type Inpainting, inpainting } from './inpainting.js';
import { type Learning, learning } from './learning.js';
import { type Megapixel, megapixel } from './megapixel.js';
import { type Million, million } from './million.js';
import { type Rho, rho } from './rho.js';
import { type Synthetic, synthetic } from './synthetic.js';
import { type TwoPatches, twoPatches } from './two-patches.js';

/** What each experiment returns. */
export interface Findings {
  readonly 'two-patches': TwoPatches;
  readonly heatmap: Heatmap;
  readonly synthetic: Synthetic;
  readonly megapixel: Megapixel;
  readonly 'close-up': CloseUp;
  readonly million: Million;
  readonly convergence: Convergence;
  readonly denoising: Denoising;
  readonly rho: Rho;
  readonly learning: Learning;
  readonly inpainting: Inpainting;
}

export type { ExperimentName };

/** Every experiment of the paper, in its order. */
export const experiments: { readonly [Name in ExperimentName]: Experiment<Findings[Name]> } = {
  'two-patches': twoPatches,
  heatmap,
  synthetic,
  megapixel,
  'close-up': closeUp,
  million,
  convergence,
  denoising,
  rho,
  learning,
  inpainting,
};
