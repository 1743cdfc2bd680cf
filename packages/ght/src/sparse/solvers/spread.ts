/**
 * How a patch-wise solver spends all of a budget that does not divide evenly. With s = ⌊S/P⌋ atoms in every patch,
 * S − sP atoms are left; they go one each to the patches whose residual ‖y_p − Dz_p‖ is largest.
 */

import { runsOf, type Signals } from '../../image/signals.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import { addPatch } from '../codes/reconstruct.js';
import type { Dictionary } from '../dictionary/dictionary.js';

/** The limit of each patch, from its codes with s atoms; of equal residuals the first patches get the atoms. */
export function* spreadLimits(D: Dictionary, Y: Signals, codes: Codes, S: number): Work<Int32Array> {
  const { N, P } = Y;
  const s = Math.floor(S / P);
  const residuals = new Float64Array(P);
  for (const { from, Y: patches } of runsOf(Y, PATCHES_PER_YIELD)) {
    for (let i = 0; i < patches.length; i += N) {
      const p = from + i / N;
      addPatch(D, codes, p, patches, i, -1);
      for (let n = i; n < i + N; n++) residuals[p] += patches[n] ** 2;
    }
    yield from / P;
  }
  const order = Uint32Array.from(residuals.keys()).sort((a, b) => residuals[b] - residuals[a] || a - b);
  const limits = new Int32Array(P).fill(s);
  for (const p of order.subarray(0, S - s * P)) limits[p] = s + 1;
  return limits;
}
