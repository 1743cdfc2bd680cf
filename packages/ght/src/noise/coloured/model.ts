/**
 * From an estimate of the spectrum to the deviations that a denoiser divides by:
 *
 *     deviation² = factor² · V + (share · step)²
 *
 * The step is the quantisation step of the JPEG: a coefficient that was rounded to a multiple of it has an error of that order, which
 * is not part of V. Its share is 0.25 in luma and 0.3 in chroma.
 *
 * A soft picture has few large coefficients. The sparser a signal is, the higher its best threshold. How soft it is follows from
 * the share of blocks with structure: 1 up to 0.1, 0 from 0.3 on. In a picture of softness 1 the share of the step is doubled, and
 * the factor is 1.65 for the noise of cameras. Low-pass noise is the same in overlapping members of a group, so that it does not
 * average out as the noise of independent patches does. White noise that only lost its finest frequencies to JPEG has no such
 * correlation, and 1 is best. The slope of luma distinguishes the two: the deviation at 3.5 ≤ r < 5 over that at 1.5 ≤ r < 3 is 0.9
 * to 1 for white noise, 0.1 to 0.7 for cameras. In a sharp picture the factor is 1 for every noise.
 *
 * At half the resolution the factor is 1.25.
 */
import { STEP_SHARE } from '../jpeg/jpeg.js';
import type { ColouredNoise } from '../model.js';
import { slopeOf } from './frequencies.js';
import { type SpectrumEstimate, softness } from './spectrum.js';

/** The factor at half the size of the image. */
export const COARSE_FACTOR = 1.25;
/** The factor in soft pictures for noise whose slope is at most `steep`; it falls to 1 at `flat`. */
const CORRELATED = { factor: 1.65, steep: 0.65, flat: 0.85 } as const;
/** The share of a step that counts as noise is this many times as large in a soft picture. */
const SOFT_STEPS = 2;

/** How an estimate is converted to the deviations that a denoiser uses. */
export interface ColouredOptions {
  /** Multiplies the estimated deviations. @default from the structure and the slope of luma */
  readonly factor?: number;
  /** The quantisation steps of each plane by frequency, for an image that was a JPEG. @default none */
  readonly jpegSteps?: readonly ArrayLike<number>[];
  /** Leave planes without flat areas as they are: their deviations are 0. @default false */
  readonly onlyTrusted?: boolean;
}

/** The noise model of an estimate. */
export function colouredModel(estimate: SpectrumEstimate, options: ColouredOptions = {}): ColouredNoise {
  const { factor = factorOf(estimate), jpegSteps, onlyTrusted = false } = options;
  const isColour = estimate.planes.length === 3;
  const grown = 1 + (SOFT_STEPS - 1) * softness(estimate.planes[0].structure);
  const deviations = estimate.planes.map(({ deviations, confidence }, c) => {
    const share = grown * (isColour && c > 0 ? STEP_SHARE.chroma : STEP_SHARE.luma);
    const isUsed = !onlyTrusted || confidence === 1;
    const steps = jpegSteps?.[c];
    return deviations.map((at) =>
      at.map((value, f) => (isUsed ? Math.hypot(factor * value, share * (steps?.[f] ?? 0)) : 0)),
    );
  });
  return { kind: 'coloured', brightness: estimate.brightness, deviations };
}

/** The factor for an estimate, from the structure and the slope of its first plane. */
function factorOf(estimate: SpectrumEstimate): number {
  const [{ deviations, structure }] = estimate.planes;
  const variance = deviations[0].map((_, f) => deviations.reduce((sum, row) => sum + row[f] ** 2, 0));
  const { factor, steep, flat } = CORRELATED;
  const correlated = Math.min(1, Math.max(0, (flat - slopeOf(variance)) / (flat - steep)));
  return 1 + (factor - 1) * softness(structure) * correlated;
}
