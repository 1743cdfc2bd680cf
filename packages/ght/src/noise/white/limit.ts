/**
 * An upper bound of the noise of luma in a JPEG of an image whose noise was white.
 *
 * If a picture has no flat areas, its texture looks like coarse noise. White noise is as strong at fine frequencies as at
 * coarse ones, and texture is weak at fine ones. So the fine frequencies of luma give an upper bound of white noise:
 *
 *     W = 20% quantile over r > 4 of max(deviation(f), step(f)/4)
 *
 * Noise below a quarter of its step is rounded to zero, so an empty frequency only means that there is no more than that.
 * Deviations of luma above W at coarser frequencies are texture.
 *
 * The chromas show whether the noise was white. The noise of a camera is coarse in chroma: C, the larger of the deviations of the
 * chromas at r < 2, is 2 W and more. White noise has W/4 ≤ C ≤ 5W/4. Below that, the chromas were rounded to zero or smoothed by
 * the camera.
 *
 * If luma has flat areas, or too few blocks to tell, its spectrum deserves more belief than this rule. Then the limit applies only
 * if the chromas have white noise, and if W was measured rather than hidden by the steps: at least 0.8 of it is the same quantile of
 * the deviations alone. Coarse noise leaves the fine frequencies empty.
 */
import { LOW, levelOver, RADIUS, rootMeanSquare } from '../coloured/frequencies.js';
import { quantile } from '../order.js';

/** W is this quantile over the frequencies beyond this radius. Noise up to this share of its step may be hidden at each. */
const FINE = { quantile: 0.2, radius: 4, share: 0.25 } as const;
/** The share of W that is measured at least. */
const MEASURED = 0.8;
/** The range of C for white noise, in units of W. */
const CHROMA = { least: 0.25, most: 1.25 } as const;

/** What the limit reads of the spectrum of a plane (`../coloured/spectrum.ts`). */
interface MeasuredPlane {
  readonly deviations: readonly Float64Array[];
  readonly confidence: number;
}

const fineFrequencies = RADIUS.flatMap((r, f) => (r > FINE.radius ? [f] : []));

/**
 * An upper bound of the deviations of luma, given its quantisation steps; infinity if the noise is not known to be white. `isLarge`
 * says whether there are enough blocks to know that luma has no flat areas.
 */
export function whiteLimit(
  [luma, ...chromas]: readonly MeasuredPlane[],
  steps: ArrayLike<number>,
  isLarge: boolean,
): number {
  const deviation = rootMeanSquare(luma.deviations);
  const over = (value: (f: number) => number) => quantile(Float64Array.from(fineFrequencies, value), FINE.quantile);
  const W = over((f) => Math.max(deviation[f], FINE.share * steps[f]));
  const measured = over((f) => deviation[f]);
  const C = Math.max(...chromas.map(({ deviations }) => levelOver(deviations, LOW)));
  const isShown = C >= CHROMA.least * W && measured >= MEASURED * W;
  return C <= CHROMA.most * W && (isShown || (isLarge && luma.confidence < 1)) ? W : Number.POSITIVE_INFINITY;
}
