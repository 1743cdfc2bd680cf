/**
 * The noise of an image at half its size. In an 8×8 block, grain as coarse as the block cannot be distinguished from shading; in the
 * means of 2×2 samples it can.
 *
 * Frequencies 2 ≤ r < 3.2 of the half image are 1 ≤ r < 1.6 of the image, and the mean of 2×2 samples has half the deviation there.
 * So twice the noise of the half image can be no more than what was measured in the image at r < 2. If it is more than a quarter
 * above that, the estimate of the half image includes texture, and is reduced to that limit.
 */
import { halfOf, halvedPlanes } from '../../image/halves.js';
import type { Image, Samples } from '../../image/image.js';
import type { Size } from '../../image/rectangle.js';
import type { Work } from '../../work.js';
import { constantAreas } from '../constant-areas.js';
import type { ColouredNoise } from '../model.js';
import { levelOver, RING } from './frequencies.js';
import { COARSE_FACTOR, colouredModel } from './model.js';
import { colouredNoise, type PlaneSpectrum, times } from './spectrum.js';

/** The shortest side for two scales: half of it still has enough blocks. */
const SMALLEST = 128;
/** Twice the noise of the half image is at most this multiple of what was measured in the image. */
const AGREEMENT = 1.25;

/** Whether coloured noise of an image of this size is removed at two scales. */
export function hasTwoScales({ width, height }: Size): boolean {
  return Math.min(width, height) >= SMALLEST;
}

/** The noise of decorrelated planes at half their size: 0 for a plane without flat areas. `found` is that of the planes themselves. */
export function* coarseNoise(
  planes: readonly Samples[],
  { width, height, peak }: Size & Pick<Image, 'peak'>,
  found: readonly Pick<PlaneSpectrum, 'coarsest'>[],
): Work<ColouredNoise> {
  const halves = yield* halvedPlanes(planes, { width, height });
  const [across, down] = [halfOf(width), halfOf(height)];
  const constant = yield* constantAreas(halves, across, down, false);
  const spectrum = yield* colouredNoise(halves, across, down, { peak, constant });
  const believed = spectrum.planes.map((plane, c) => bounded(plane, found[c].coarsest));
  return colouredModel({ ...spectrum, planes: believed }, { factor: COARSE_FACTOR, onlyTrusted: true });
}

/** The noise of a half plane, reduced if it is more than the whole plane can have. */
function bounded(plane: PlaneSpectrum, low: number): PlaneSpectrum {
  const level = 2 * levelOver(plane.deviations, RING);
  return level > AGREEMENT * low ? times(plane, (AGREEMENT * low) / level) : plane;
}
