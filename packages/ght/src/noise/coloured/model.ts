/**
 * From an estimate of the spectrum to the deviations that a denoiser divides by:
 *
 *     deviation² = strength² · (factor² · V + (share · step)²)
 *
 * The factor accounts for correlation between the members of a group. Low-pass noise is the same in members that overlap, so it
 * does not average out as the noise of independent patches does. At the fine scale, 1.3 is best for the noise of cameras. White
 * noise that only lost its finest frequencies to JPEG has no such correlation, and 1 is best (measured gain: 0.9 dB at quality 70,
 * 1.3 dB at 90). The slope of luma distinguishes the two. It is the deviation at 3.5 ≤ r < 5 over that at 1.5 ≤ r < 3: 0.9 to 1
 * for white noise, 0.1 to 0.7 for cameras. At half the resolution the factor is 1. The step is the quantisation step of the JPEG:
 * a coefficient that was rounded to a multiple of it has an error of that order, which is not part of V.
 */

import type { ColouredNoise } from '../model.js';
import { slopeOf } from './frequencies.js';
import type { SpectrumEstimate } from './spectrum.js';

/** The factor for noise without correlation, and at half the size of the image. */
export const UNCORRELATED = 1;
/** The factor for noise whose slope is at most `steep`; it falls to 1 at `flat`. */
const CORRELATED = { factor: 1.3, steep: 0.65, flat: 0.85 } as const;
/** The share of a JPEG step that counts as noise: in luma or any other plane, and in chroma. */
const STEP_SHARE = { luma: 0.25, chroma: 0.3 } as const;

/** How an estimate is converted to the deviations that a denoiser uses. */
export interface ColouredOptions {
  /** Multiplies the estimated deviations, to account for correlated members of groups. @default from the slope of luma */
  readonly factor?: number;
  /** Multiplies all deviations: above 1 smooths more. @default 1 */
  readonly strength?: number;
  /** Multiplies the deviations of the chromas, in addition to `strength`. @default 1 */
  readonly chroma?: number;
  /** The quantisation steps of each plane by frequency, for an image that was a JPEG. @default none */
  readonly jpegSteps?: readonly ArrayLike<number>[];
  /** Leave planes without flat areas as they are: their deviations are 0. @default false */
  readonly onlyTrusted?: boolean;
}

/** The noise model of an estimate. */
export function colouredModel(estimate: SpectrumEstimate, options: ColouredOptions = {}): ColouredNoise {
  const { factor = correlation(estimate), strength = 1, chroma = 1, jpegSteps, onlyTrusted = false } = options;
  const isColour = estimate.planes.length === 3;
  const deviations = estimate.planes.map(({ deviations, confidence }, c) => {
    const isChroma = isColour && c > 0;
    const share = isChroma ? STEP_SHARE.chroma : STEP_SHARE.luma;
    const times = onlyTrusted && confidence < 1 ? 0 : strength * (isChroma ? chroma : 1);
    const steps = jpegSteps?.[c];
    return deviations.map((at) => at.map((value, f) => times * Math.hypot(factor * value, share * (steps?.[f] ?? 0))));
  });
  return { kind: 'coloured', brightness: estimate.brightness, deviations };
}

/** The factor for an estimate, from the slope of its first plane. */
function correlation({ planes: [luma] }: SpectrumEstimate): number {
  const variance = luma.deviations[0].map((_, f) => luma.deviations.reduce((sum, row) => sum + row[f] ** 2, 0));
  const { factor, steep, flat } = CORRELATED;
  const share = Math.min(1, Math.max(0, (flat - slopeOf(variance)) / (flat - steep)));
  return UNCORRELATED + share * (factor - UNCORRELATED);
}
