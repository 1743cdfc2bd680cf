/**
 * How many of M candidates are worth their atom, when noise alone would make some of them large. With v a squared
 * coefficient in units of a price, the S-th largest must satisfy
 *
 *     v_(S) ≥ ln(M / S)
 *
 * Noise has so many more chances to look large where few coefficients are not noise, so the threshold rises as their
 * share falls, as in the penalty 2σ²S ln(M/S) of Foster and Stine (1999) and Abramovich, Benjamini, Donoho and
 * Johnstone (2006). S is the largest for which that holds and has held for every smaller S.
 */

/** Steps of v that are told apart, of 1. */
const FINENESS = 256;

/** Counts values, one by one, and then says how many are worth it. */
export interface Worth {
  /** Takes one more value v ≥ 0 into account. */
  add(value: number): void;
  /** S, and the least value that is counted. */
  settle(): { readonly S: number; readonly least: number };
}

/** For M candidates, of which zeros need not be added. */
export function worthwhile(M: number): Worth {
  // Beyond ln M every value is worth it.
  const top = Math.ceil(Math.log(Math.max(M, 2)) * FINENESS);
  const histogram = new Uint32Array(top + 1);
  return {
    add: (value) => {
      histogram[value * FINENESS >= top ? top : Math.floor(value * FINENESS)]++;
    },
    settle: () => {
      let S = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let bin = top; bin >= 0; bin--) {
        if (histogram[bin] === 0) continue;
        // The first of a bin must be worth it by itself, also where the bin as a whole is so full that its last one is.
        if ((bin + 1) / FINENESS < Math.log(M / (S + 1))) break;
        if (bin / FINENESS < Math.log(M / (S + histogram[bin]))) break;
        S += histogram[bin];
        least = bin / FINENESS;
      }
      return { S, least };
    },
  };
}
