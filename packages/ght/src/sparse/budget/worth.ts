/**
 * How many of M candidates are worth their atom, when noise alone would make some of them large. With v a squared
 * coefficient in units of a price, the S-th largest must satisfy
 *
 *     v_(S) ≥ ln(M / S)
 *
 * The fewer coefficients are not noise, the more chances noise has to look large. So the threshold rises as their
 * share falls, as in the penalty 2σ²S ln(M/S) of Foster and Stine (1999) and Abramovich, Benjamini, Donoho and
 * Johnstone (2006). S is the largest for which that holds and has held for every smaller S.
 *
 * It is one more boundary on a histogram: parts are counted where they are and merged (`rank.ts`), the whole decides.
 */
import type { Histogram } from './rank.js';

/** Steps of v per unit that are distinguished. */
export const FINENESS = 256;

/** No value of M candidates counted yet: a bucket per step of v up to ln M, beyond which every value is worth it. */
export function emptyWorth(M: number): Float64Array {
  return new Float64Array(Math.ceil(Math.log(Math.max(M, 2)) * FINENESS) + 1);
}

/** Counts one more value v ≥ 0; zeros need not be counted. */
export function countWorth(histogram: Histogram, value: number): void {
  const top = histogram.length - 1;
  histogram[value * FINENESS >= top ? top : Math.floor(value * FINENESS)]++;
}

/** S of M candidates, and the least value that is among them. */
export function worthwhile(histogram: Histogram, M: number): { readonly S: number; readonly least: number } {
  let S = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let bucket = histogram.length - 1; bucket >= 0; bucket--) {
    const count = histogram[bucket];
    if (count === 0) continue;
    // The first of a bucket must be worth it by itself, also where the bucket is so full that its last one is.
    if ((bucket + 1) / FINENESS < Math.log(M / (S + 1))) break;
    if (bucket / FINENESS < Math.log(M / (S + count))) break;
    S += count;
    least = bucket / FINENESS;
  }
  return { S, least };
}

/** Whether a value below v could be worth it where S above v are. */
export function mayBeWorth(v: number, S: number, M: number): boolean {
  return v + 1 / FINENESS >= Math.log(M / (S + 1));
}
