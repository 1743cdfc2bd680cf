/**
 * Whether noise is white: as strong at the finest frequencies as at coarser ones.
 *
 * If there are chromas, they decide. They have hardly any texture, and the noise that a camera leaves in them is smooth. Their
 * texture is coarse, so radii below 3 are not used. A white chroma also has at least half of the deviation of luma at the finest
 * frequencies: a chroma that was rounded to zero is not white. A grey image is tested by its only plane, and any other stack by
 * all of its planes. A plane without flat areas passes: texture makes any noise look coloured there, and the estimate of white
 * noise is the safer one.
 */
import type { PlaneSpectrum, SpectrumEstimate } from '../coloured/spectrum.js';

/**
 * The smallest deviation of a white plane at the finest frequencies, as a share of its deviation at 3 ≤ r < 5. Strong texture
 * lowers it: it was at least 0.63 in grey images with white noise of deviation 5, and at most 0.42 in those of cameras and with
 * blurred noise.
 */
const LEAST_FINEST = { chroma: 0.85, other: 0.55 } as const;
/** The smallest deviation of a white chroma at the finest frequencies, as a share of that of luma. */
const LEAST_OF_LUMA = 0.5;

/**
 * True if the noise is white, so that one σ per plane describes it. A JPEG is never white, because of its quantisation. An image
 * smaller than an 8×8 block has no spectrum and counts as white.
 */
export function isWhite({ planes, blocks }: SpectrumEstimate, isJpeg: boolean, colour = true): boolean {
  if (isJpeg) return false;
  if (blocks === 0) return true;
  if (!colour || planes.length !== 3)
    return planes.every((plane) => plane.confidence < 1 || isFlat(plane, LEAST_FINEST.other));
  const [luma, ...chromas] = planes;
  return chromas.every((chroma) => isFlat(chroma, LEAST_FINEST.chroma) && chroma.finest >= LEAST_OF_LUMA * luma.finest);
}

function isFlat({ reference, finest }: PlaneSpectrum, least: number): boolean {
  return finest >= least * reference;
}
