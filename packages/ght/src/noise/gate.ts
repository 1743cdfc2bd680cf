/**
 * Whether noise is white: as strong at the finest frequencies as at coarser ones.
 *
 * The chromas decide where there are any. There is hardly texture in them, and what a camera leaves there is smooth. What
 * texture they have is coarse, so radii below 3 are not looked at. A chroma that is white also has at least half of what luma
 * has at the finest frequencies: one that was rounded to nothing is not white. A grey image has to pass by its only plane, any
 * other stack by all of its planes; one without flat areas passes, since texture makes any noise look coloured there, and the
 * estimate of white noise is the safer one.
 */
import type { PlaneSpectrum, SpectrumEstimate } from './spectrum.js';

/**
 * The share of its deviation at 3 ≤ r < 5 that a white plane has at least at the finest frequencies. Texture lowers it where
 * there is much: in grey images with white noise of 5 it was 0.63 at the least, in those of cameras and with blurred noise 0.42 at
 * the most.
 */
const LEAST_FINEST = { chroma: 0.85, other: 0.55 } as const;
/** The share of luma's deviation at the finest frequencies that a white chroma has at least. */
const LEAST_OF_LUMA = 0.5;

/**
 * True if the noise is white, so that one σ per plane describes it. Never for a JPEG, whose quantisation is not white. An image
 * without an 8×8 block shows no spectrum and counts as white.
 */
export function isWhite({ planes, blocks }: SpectrumEstimate, isJpeg: boolean): boolean {
  if (isJpeg) return false;
  if (blocks === 0) return true;
  if (planes.length !== 3) return planes.every((plane) => plane.trust < 1 || isFlat(plane, LEAST_FINEST.other));
  const [luma, ...chromas] = planes;
  return chromas.every((chroma) => isFlat(chroma, LEAST_FINEST.chroma) && chroma.finest >= LEAST_OF_LUMA * luma.finest);
}

function isFlat({ reference, finest }: PlaneSpectrum, least: number): boolean {
  return finest >= least * reference;
}
