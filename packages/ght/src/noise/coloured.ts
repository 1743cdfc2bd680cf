/**
 * From an estimate of the spectrum to the deviations that a denoiser divides by:
 *
 *     deviation² = strength² · (factor² · V + (share · step)²)
 *
 * The factor stands for what the members of a group have in common: their noise is correlated, so it does not average out as
 * that of independent patches does. At the fine scale 1.3 is best, at half the resolution 1. The step is that of the JPEG: a
 * coefficient that was rounded to a multiple of it has an error of that order, which is no part of V.
 */
import type { ColouredNoise } from './model.js';
import type { SpectrumEstimate } from './spectrum.js';

/** The factor at the scale of the image and at half of it. */
export const GROUP_FACTOR = { fine: 1.3, coarse: 1 } as const;
/** The share of a JPEG's step that counts as noise: luma or another plane, and chroma. */
const STEP_SHARE = { luma: 0.25, chroma: 0.3 } as const;

/** How an estimate becomes the deviations that a denoiser takes. */
export interface ColouredOptions {
  /** The factor of the deviations that stands for correlated members of groups: see {@link GROUP_FACTOR}. @default 1.3 */
  readonly factor?: number;
  /** Times all deviations: above 1 smooths more. @default 1 */
  readonly strength?: number;
  /** Times those of the chromas as well. @default 1 */
  readonly chroma?: number;
  /** The quantisation steps of each plane by frequency, for an image that was a JPEG. @default none */
  readonly jpegSteps?: readonly ArrayLike<number>[];
  /** Leave planes without flat areas as they are: their deviations are 0. @default false */
  readonly onlyTrusted?: boolean;
}

/** The noise model that an estimate stands for. */
export function colouredModel(estimate: SpectrumEstimate, options: ColouredOptions = {}): ColouredNoise {
  const { factor = GROUP_FACTOR.fine, strength = 1, chroma = 1, jpegSteps, onlyTrusted = false } = options;
  const isColour = estimate.planes.length === 3;
  const deviations = estimate.planes.map(({ deviations, trust }, c) => {
    const isChroma = isColour && c > 0;
    const share = isChroma ? STEP_SHARE.chroma : STEP_SHARE.luma;
    const times = onlyTrusted && trust < 1 ? 0 : strength * (isChroma ? chroma : 1);
    const steps = jpegSteps?.[c];
    return deviations.map((at) => at.map((value, f) => times * Math.hypot(factor * value, share * (steps?.[f] ?? 0))));
  });
  return { kind: 'coloured', brightness: estimate.brightness, deviations };
}
