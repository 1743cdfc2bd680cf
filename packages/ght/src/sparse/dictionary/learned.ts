import { notNegative } from '../../errors.js';
import { matrix } from '../../math/matrix.js';
import { type Dictionary, separableDictionary, unitAtoms } from './dictionary.js';
import { shippedFactors } from './shipped.js';

/** Atoms per patch from which the dictionary learned for large budgets is better (docs/choosing.md). */
const LARGE_BUDGET = 14;

/**
 * The dictionary 64×256 for patches of 8×8 pixels that was learned from photographs (`shipped.ts`), for a budget of this many
 * atoms per patch. It is separable: A ⊗ B with 16 atoms each. Use it with joint OMP; QPM and
 * ADMM lose by it.
 */
export function learnedDictionary(perPatch = 10): Dictionary {
  notNegative('perPatch', perPatch, 'give the atoms per patch, such as 10');
  const { A, B } = shippedFactors[perPatch < LARGE_BUDGET ? 'small' : 'large'];
  const factor = (entries: readonly number[]) => unitAtoms(matrix(8, 16, (n, k) => entries[8 * k + n]));
  return separableDictionary(factor(A), factor(B), 'learned');
}
