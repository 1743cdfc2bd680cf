/**
 * What the chromas of a colour picture say about the noise of luma. They have hardly any texture, so that their noise is known even if
 * luma has no flat area. Both rules are for pictures that were not a JPEG, which rounds chroma to zero. L(f) and C(f) are the
 * deviations of luma and of the chromas, root mean square over brightness.
 *
 * 1. Luma has at least as much noise at middle frequencies as the chromas, unless less was measured.
 * 2. Cameras smooth chroma at least as much as luma: demosaicking, and all that follows it. So the noise of luma falls no faster with
 *    frequency than that of the chromas; what does is texture. For each of two bands B, 3.2 ≤ r < 5 and 5 ≤ r < 7,
 *
 *        L(f) ≤ 1.1 · L(B) · C(f) / C(B)      for all f of lower radius
 *
 *    but no deviation is reduced to less than a quarter. Chromas with less than a quarter of the noise of luma may be mere rounding, and
 *    say nothing.
 */
import { FREQUENCIES, levelOver, MIDDLE, RADIUS, rootMeanSquare } from './frequencies.js';

/** What is read of the spectrum of a plane (`spectrum.ts`). */
interface MeasuredPlane {
  readonly deviations: readonly Float64Array[];
  readonly middle: number;
  readonly believed: number;
}

/** The bands B: luma has less texture there than at lower frequencies. */
const BANDS = [
  { least: 3.2, most: 5 },
  { least: 5, most: 7 },
].map(({ least, most }) => ({ least, fs: RADIUS.flatMap((r, f) => (r >= least && r < most ? [f] : [])) }));
/** The tolerance of rule 2. */
const TOLERANCE = 1.1;
/** The smallest noise of the chromas for rule 2, as a share of that of luma, and the smallest factor that it leads to. */
const LEAST = { noise: 0.25, factor: 0.25 } as const;

/** A factor for every frequency by which the chromas correct the deviations of luma. */
export function chromaEvidence([luma, ...chromas]: readonly MeasuredPlane[]): Float64Array {
  const factors = new Float64Array(FREQUENCIES).fill(1);
  if (luma.middle === 0 || chromas.some(({ middle }) => middle === 0)) return factors;
  const rows = chromas.flatMap(({ deviations }) => deviations);
  const [L, C] = [rootMeanSquare(luma.deviations), rootMeanSquare(rows)];
  const level = levelOver(rows, MIDDLE);
  for (const { least, fs } of level >= LEAST.noise * luma.middle ? BANDS : []) {
    const ratio = levelOver(luma.deviations, fs) / levelOver(rows, fs);
    for (const [f, r] of RADIUS.entries()) {
      const limit = (TOLERANCE * ratio * C[f]) / L[f];
      if (r < least && limit < factors[f]) factors[f] = Math.max(LEAST.factor, limit);
    }
  }
  const middle = levelOver([L.map((value, f) => factors[f] * value)], MIDDLE);
  const raised = Math.max(1, Math.min(1 / luma.believed, level / middle));
  return factors.map((factor) => raised * factor);
}
