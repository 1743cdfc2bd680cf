/**
 * The most that the noise of luma can be in a JPEG of an image whose noise was white.
 *
 * Where a picture has no flat areas, its texture looks like coarse noise. White noise is as strong at fine frequencies as at
 * coarse ones, and texture is weak at fine ones. So the fine frequencies of luma tell the most that white noise can be:
 *
 *     W = 20% quantile over r > 4 of max(deviation(f), step(f)/4)
 *
 * Noise below a quarter of its step is rounded to nothing, so an empty frequency says only that there is no more than that. What
 * luma has beyond W at coarser frequencies is texture.
 *
 * The chromas tell whether noise was white. The noise of a camera is coarse in chroma: C, the larger of the chromas' deviations at
 * r < 2, is 2 W and more. White noise has W/4 ≤ C ≤ 5W/4. Below that the chromas were rounded to nothing or cleaned by the camera,
 * and the limit holds only where luma has no flat areas.
 */
import { LOW, levelOver, RADIUS, rootMeanSquare } from './frequencies.js';
import { quantile } from './order.js';
import type { PlaneSpectrum } from './spectrum.js';

/** W is this quantile over the frequencies from this radius on, of which each may hide this share of its step. */
const FINE = { quantile: 0.2, radius: 4, share: 0.25 } as const;
/** What the chromas of white noise have at low frequencies, in units of W. */
const CHROMA = { least: 0.25, most: 1.25 } as const;

const fineFrequencies = RADIUS.flatMap((r, f) => (r > FINE.radius ? [f] : []));

/** The most that luma's deviations can be, given its quantisation steps, or infinity where the noise need not be white. */
export function whiteLimit([luma, ...chromas]: readonly PlaneSpectrum[], steps: ArrayLike<number>): number {
  const deviation = rootMeanSquare(luma.deviations);
  const fine = Float64Array.from(fineFrequencies, (f) => Math.max(deviation[f], FINE.share * steps[f]));
  const W = quantile(fine, FINE.quantile);
  const C = Math.max(...chromas.map(({ deviations }) => levelOver(deviations, LOW)));
  const isWhite = C <= CHROMA.most * W && (C >= CHROMA.least * W || luma.trust < 1);
  return isWhite ? W : Number.POSITIVE_INFINITY;
}
