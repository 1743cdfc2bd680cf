/**
 * Removes coloured noise at two scales. In an 8×8 patch, grain as coarse as the patch cannot be distinguished from shading. So the
 * means of 2×2 samples are denoised first, with the noise estimated in them, and the difference is enlarged and added. Then the
 * noise of the image itself is estimated again and removed.
 *
 * Frequencies 2 ≤ r < 3.2 of the half image are 1 ≤ r < 1.6 of the image, and the mean of 2×2 samples has half the deviation there.
 * So twice the noise of the half image can be no more than what was measured in the image at r < 2. If it is more than a quarter
 * above that, the estimate of the half image includes texture, and is reduced to that limit.
 */

import { addEnlarged, halfOf, halved } from '../../image/halves.js';
import type { Image, Samples } from '../../image/image.js';
import type { Part, Size } from '../../image/rectangle.js';
import { levelOver, RING } from '../../noise/coloured/frequencies.js';
import { colouredModel, UNCORRELATED } from '../../noise/coloured/model.js';
import { colouredNoise, type PlaneSpectrum, times } from '../../noise/coloured/spectrum.js';
import { constantAreas } from '../../noise/constant-areas.js';
import { colouredEstimate, type NoiseEstimate, type SpectrumLevel, spectrumOf } from '../../noise/estimate.js';
import { type ColouredNoise, MOST_NOISE } from '../../noise/model.js';
import { stretches, type Work } from '../../work.js';
import type { PlanesSettings } from './planes.js';

/** The shortest side for two scales: half of it still has enough blocks. */
const SMALLEST = 128;
/** Twice the noise of the half image is at most this multiple of what was measured in the image. */
const AGREEMENT = 1.25;

/** How strongly noise is removed: a factor of the deviation in all planes, and another one for the chromas. */
export interface Strength {
  readonly strength: number;
  readonly chroma: number;
}

/** Whether coloured noise of an image of this size is removed at two scales. */
export function hasTwoScales({ width, height }: Size): boolean {
  return Math.min(width, height) >= SMALLEST;
}

/** The settings of the coarse scale. */
export function coarseSettings(settings: PlanesSettings): PlanesSettings {
  return { ...settings, quality: settings.quality === 'fast' ? 'fast' : 'balanced' };
}

/** Planes at half their size. */
export function* halvedPlanes(planes: readonly Samples[], { width, height }: Size): Work<Float32Array[]> {
  const halves: Float32Array[] = [];
  for (const plane of planes) halves.push(yield* halved(plane, width, height));
  return halves;
}

/** The noise of decorrelated planes at half their size, times the strengths: 0 for a plane without flat areas. */
export function* coarseNoise(
  planes: readonly Samples[],
  { width, height, peak }: Size & Pick<Image, 'peak'>,
  levels: readonly SpectrumLevel[] | undefined,
  { strength, chroma }: Strength,
): Work<ColouredNoise> {
  const halves = yield* halvedPlanes(planes, { width, height });
  const [across, down] = [halfOf(width), halfOf(height)];
  const constant = yield* constantAreas(halves, across, down, false);
  const spectrum = yield* colouredNoise(halves, across, down, { peak, constant });
  const believed = spectrum.planes.map((plane, c) => bounded(plane, levels?.[c].coarsest));
  const estimate = { ...spectrum, planes: believed };
  return colouredModel(estimate, { factor: UNCORRELATED, strength, chroma, onlyTrusted: true });
}

/** The noise of a half plane, reduced if it is more than the whole plane can have. */
function bounded(plane: PlaneSpectrum, low = Number.POSITIVE_INFINITY): PlaneSpectrum {
  const level = 2 * levelOver(plane.deviations, RING);
  return level > AGREEMENT * low ? times(plane, (AGREEMENT * low) / level) : plane;
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

/** The noise of an image after the coarse scale, from its decorrelated planes. */
export function* fineEstimate(
  image: Image,
  planes: readonly Samples[],
  jpeg: NoiseEstimate['jpeg'],
): Work<NoiseEstimate> {
  const constant = yield* constantAreas(image.planes, image.width, image.height, jpeg !== undefined);
  return colouredEstimate(image, yield* spectrumOf(image, planes, { jpeg, constant }), jpeg);
}

/** The noise multiplied by the strengths. The chromas are the second and third of three planes. */
export function scaled(noise: ColouredNoise, { strength, chroma }: Strength): ColouredNoise {
  const deviations = noise.deviations.map((rows, c) => {
    const factor = strength * (noise.deviations.length === 3 && c > 0 ? chroma : 1);
    return rows.map((row) => row.map((deviation) => Math.min(MOST_NOISE, factor * deviation)));
  });
  return { ...noise, deviations };
}
