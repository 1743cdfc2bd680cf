import { InputError } from '../../errors.js';
import { allOf, type Signals } from '../../image/signals.js';
import type { Dictionary } from '../dictionary/dictionary.js';
import type { Codes } from './codes.js';

/**
 * D Z: the patches (or signals) that the codes represent, one after the other.
 *
 * @example
 * ```js
 * import { gaussianDictionary, reconstruct, solve } from 'ght';
 *
 * const D = gaussianDictionary(20, 40);
 * const Y = Float64Array.from({ length: 20 * 10 }, (_, i) => Math.sin(i * i));
 * const { codes } = await solve(D, Y, { budget: { perPatch: 5 } });
 * console.log(reconstruct(D, codes).length === Y.length);
 * ```
 */
export function reconstruct(D: Dictionary, codes: Codes): Float64Array {
  return allOf(reconstruction(D, codes));
}

/** {@link reconstruct} as signals that are computed when they are read. */
export function reconstruction(D: Dictionary, codes: Codes): Signals {
  if (codes.L !== D.L) {
    throw new InputError(
      'codes',
      `must have as many rows as the dictionary has atoms, ${D.L}`,
      codes.L,
      'use the dictionary they were made with',
    );
  }
  const { N } = D;
  const read = (from: number, into: Float64Array) => {
    into.fill(0);
    for (let i = 0; i < into.length; i += N) addPatch(D, codes, from + i / N, into, i);
  };
  return { N, P: codes.P, read };
}

/** out ← out + scale · D z_p for one patch; a `scale` of −1 turns a patch into its residual. */
export function addPatch(D: Dictionary, codes: Codes, p: number, out: Float64Array, from: number, scale = 1): void {
  const atoms = D.atoms.data;
  for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) {
    const atom = codes.indices[i] * D.N;
    const value = scale * codes.values[i];
    for (let n = 0; n < D.N; n++) out[from + n] += value * atoms[atom + n];
  }
}
