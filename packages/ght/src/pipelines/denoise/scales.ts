/**
 * Removes coloured noise at two scales. In an 8×8 patch, grain as coarse as the patch cannot be distinguished from shading. So the
 * means of 2×2 samples are denoised first, with the noise estimated in them, and the difference is enlarged and added. Then the
 * noise of the image itself is estimated again and removed.
 */

import { addEnlarged } from '../../image/halves.js';
import type { Image, Samples } from '../../image/image.js';
import type { Part, Size } from '../../image/rectangle.js';
import { times } from '../../noise/coloured/spectrum.js';
import { constantAreas } from '../../noise/constant-areas.js';
import { colouredEstimate, type NoiseEstimate, spectrumOf } from '../../noise/estimate.js';
import { type ColouredNoise, MOST_NOISE } from '../../noise/model.js';
import { stretches, type Work } from '../../work.js';
import type { PlanesSettings } from './planes.js';

/** How strongly noise is removed: a factor of the deviation in all planes, and another one for the chromas. */
export interface Strength {
  readonly strength: number;
  readonly chroma: number;
}

/** The settings of the coarse scale. */
export function coarseSettings(settings: PlanesSettings): PlanesSettings {
  return { ...settings, quality: settings.quality === 'fast' ? 'fast' : 'balanced' };
}

/** Replaces half planes by what denoising changed in them. */
export function* coarseDifferences(halves: readonly Float32Array[], denoised: readonly Samples[]): Work<void> {
  for (const [c, half] of halves.entries()) {
    for (const [from, to] of stretches(half.length)) {
      for (let i = from; i < to; i++) half[i] = denoised[c][i] - half[i];
      yield to / half.length;
    }
  }
}

/** Adds the differences at half the size to the planes of a part of an image, which are overwritten. */
export function* addDifferences({ at, planes }: Part, whole: Size, differences: Part): Work<void> {
  for (const [c, plane] of planes.entries()) {
    yield* addEnlarged(plane as Float64Array, at, whole, differences.planes[c], differences.at);
  }
}

/**
 * The noise of an image after the coarse scale, from its decorrelated planes. At middle frequencies it has the level that was found
 * before, since the coarse scale is below them. In a JPEG it may also be lower: denoising may hide that blocks were empty.
 */
export function* fineEstimate(
  image: Image,
  planes: readonly Samples[],
  { jpeg, levels }: Pick<NoiseEstimate, 'jpeg' | 'levels'>,
): Work<NoiseEstimate> {
  const constant = yield* constantAreas(image.planes, image.width, image.height, jpeg !== undefined, image.alpha);
  const spectrum = yield* spectrumOf(image, planes, { jpeg, constant });
  const limited = spectrum.planes.map((plane, c) => {
    const middle = levels?.[c].middle ?? plane.middle;
    const isKept = jpeg ? plane.middle <= middle : plane.middle === 0;
    return isKept ? plane : times(plane, middle / plane.middle);
  });
  return colouredEstimate(image, { ...spectrum, planes: limited }, jpeg);
}

/** The noise multiplied by the strengths. The chromas are the second and third of three planes. */
export function scaled(noise: ColouredNoise, { strength, chroma }: Strength): ColouredNoise {
  const deviations = noise.deviations.map((rows, c) => {
    const factor = strength * (noise.deviations.length === 3 && c > 0 ? chroma : 1);
    return rows.map((row) => row.map((deviation) => Math.min(MOST_NOISE, factor * deviation)));
  });
  return { ...noise, deviations };
}
