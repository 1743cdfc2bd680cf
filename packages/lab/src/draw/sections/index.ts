import type { ExperimentName, Findings } from '../../experiments/index.js';
import type { Section } from '../section.js';
import { drawCloseUp } from './close-up.js';
import { drawConvergence } from './convergence.js';
import { drawDenoising } from './denoising.js';
import { drawHeatmap } from './heatmap.js';
import { drawInpainting } from './inpainting.js';
import { drawLearning } from './learning.js';
import { drawMegapixel } from './megapixel.js';
import { drawMillion } from './million.js';
import { drawRho } from './rho.js';
import { drawSynthetic } from './synthetic.js';
import { drawTwoPatches } from './two-patches.js';

/** The function that draws the findings of each experiment. */
export const drawings: { readonly [Name in ExperimentName]: (data: Findings[Name]) => Section } = {
  'two-patches': drawTwoPatches,
  heatmap: drawHeatmap,
  synthetic: drawSynthetic,
  megapixel: drawMegapixel,
  'close-up': drawCloseUp,
  million: drawMillion,
  convergence: drawConvergence,
  denoising: drawDenoising,
  rho: drawRho,
  learning: drawLearning,
  inpainting: drawInpainting,
};
