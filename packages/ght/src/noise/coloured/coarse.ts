/**
 * The noise of an image at half its size. In an 8×8 block, grain as coarse as the block cannot be distinguished from shading; in the
 * means of 2×2 samples it can.
 *
 * Frequencies 2 ≤ r < 3.2 of the half image are 1 ≤ r < 1.6 of the image, and the mean of 2×2 samples has half the deviation there.
 * So twice the noise of the half image can be no more than what was measured in the image at r < 2. If it is more than a quarter
 * above that, the estimate of the half image includes texture, and is reduced to that limit.
 */
import { halfOf, halved, halvedPlanes } from '../../image/halves.js';
import type { Image, Samples } from '../../image/image.js';
import type { Size } from '../../image/rectangle.js';
import type { Work } from '../../work.js';
import { constantAreas } from '../constant-areas.js';
import type { ColouredNoise } from '../model.js';
import { LOW, levelOver, RING } from './frequencies.js';
import { COARSE_FACTOR, colouredModel } from './model.js';
import { colouredNoise, type PlaneSpectrum, softness, times } from './spectrum.js';

/** The shortest side for two scales: half of it still has enough blocks. */
const SMALLEST = 128;
/** The share of the coarse noise of chroma that is removed from a sharp picture: its coarse colours look like noise. */
const LEAST_SHARE = 0.25;
/** The deviation of chroma at r < 2 over that at 2 ≤ r < 3.2: up to `even`, its noise is not in blotches, from `most` on it is. */
const BLOTCHES = { even: 2, most: 3 } as const;
/** Twice the noise of the half image is at most this multiple of what was measured in the image. */
const AGREEMENT = 1.25;

/** Whether coloured noise of an image of this size is removed at two scales. */
export function hasTwoScales({ width, height }: Size): boolean {
  return Math.min(width, height) >= SMALLEST;
}

/** The noise of decorrelated planes at half their size: 0 for a plane without flat areas. `found` is that of the planes themselves. */
export function* coarseNoise(
  planes: readonly Samples[],
  { width, height, peak, alpha }: Size & Pick<Image, 'peak' | 'alpha'>,
  found: readonly PlaneSpectrum[],
  isJpeg: boolean,
): Work<ColouredNoise> {
  const halves = yield* halvedPlanes(planes, { width, height });
  const [across, down] = [halfOf(width), halfOf(height)];
  // A mean is below 1 if any of its samples is transparent.
  const opaque = alpha && Float32Array.from(alpha, (value) => (value === 0 ? 0 : 1));
  const seen = opaque && (yield* halved(opaque, width, height));
  const constant = yield* constantAreas(halves, across, down, false, seen?.map(Math.floor));
  const spectrum = yield* colouredNoise(halves, across, down, { peak, constant });
  const share = isJpeg || found.length !== 3 ? 1 : chromaShare(found);
  const believed = spectrum.planes.map((plane, c) => {
    const whole = bounded(plane, found[c].coarsest);
    return c > 0 ? times(whole, share) : whole;
  });
  return colouredModel({ ...spectrum, planes: believed }, { factor: COARSE_FACTOR, onlyTrusted: true });
}

/** The share of the coarse noise of the chromas that is removed: all in a soft picture, and all if their noise is blotches. */
function chromaShare([luma, ...chromas]: readonly PlaneSpectrum[]): number {
  const rows = chromas.flatMap(({ deviations }) => deviations);
  const steep = levelOver(rows, LOW) / levelOver(rows, RING);
  const { even, most } = BLOTCHES;
  const blotches = Math.min(1, Math.max(0, (steep - even) / (most - even)));
  return LEAST_SHARE + (1 - LEAST_SHARE) * Math.max(softness(luma.structure), blotches || 0);
}

/** The noise of a half plane, reduced if it is more than the whole plane can have. */
function bounded(plane: PlaneSpectrum, low: number): PlaneSpectrum {
  const level = 2 * levelOver(plane.deviations, RING);
  return level > AGREEMENT * low ? times(plane, (AGREEMENT * low) / level) : plane;
}
