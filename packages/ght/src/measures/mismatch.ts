import { InputError } from '../errors.js';
import { type Codes, nonzeros } from '../sparse/codes/codes.js';

/**
 * The support mismatch ratio of two codes of the same size, (max(|A|, |B|) − |A ∩ B|) / max(|A|, |B|) for their supports A
 * and B: 0 if the supports are equal, 1 if they have no entry in common. Two empty supports match.
 */
export function supportMismatch(a: Codes, b: Codes): number {
  if (a.L !== b.L || a.P !== b.P) {
    const rule = `must both be of one size, here ${a.L}×${a.P}`;
    throw new InputError('codes', rule, `${b.L}×${b.P}`, 'compare codes of the same patches and atoms');
  }
  const larger = Math.max(nonzeros(a), nonzeros(b));
  if (larger === 0) return 0;
  let common = 0;
  for (let p = 0; p < a.P; p++) {
    // Both lists are sorted, so one pass over them finds the common entries.
    let i = a.indptr[p];
    let j = b.indptr[p];
    while (i < a.indptr[p + 1] && j < b.indptr[p + 1]) {
      const difference = a.indices[i] - b.indices[j];
      if (difference === 0) common++;
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
  }
  return (larger - common) / larger;
}
