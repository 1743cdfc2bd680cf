/**
 * Refit: least squares on the final support, patch by patch. At a fixed point of GHT-QPM the coefficients are optimal in
 * the norm of (DDᵀ + ρI)⁻¹, not in the Euclidean norm, so the same atoms with refitted coefficients have a lower error at
 * the same budget. A patch whose error would not fall keeps its code.
 */
import { dot } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import { addPatch } from '../codes/reconstruct.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import { supportFit } from './least-squares.js';

/** The refitted codes and their squared error ‖DZ − Y‖². */
export function* refit(D: Dictionary, Y: Float64Array, codes: Codes): Work<{ codes: Codes; error: number }> {
  const fit = supportFit(D);
  const { P, indptr, indices } = codes;
  const values = codes.values.slice();
  let total = 0;
  for (let p = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield p / P;
    const [first, end] = [indptr[p], indptr[p + 1]];
    const before = squaredErrorOf(D, Y, codes, p);
    const x = values.slice(first, end);
    const after = fit(Y, p * D.N, indices.subarray(first, end), x);
    const better = after < before && x.every((value) => value !== 0);
    if (better) values.set(x, first);
    total += better ? after : before;
  }
  return { codes: { ...codes, values }, error: total };
}

/** ‖D z_p − y_p‖² of one patch. */
function squaredErrorOf(D: Dictionary, Y: Float64Array, codes: Codes, p: number): number {
  const r = Y.slice(p * D.N, (p + 1) * D.N);
  addPatch(D, codes, p, r, 0, -1);
  return dot(r, 0, r, 0, D.N);
}
