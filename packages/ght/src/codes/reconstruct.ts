import type { Dictionary } from '../dictionary/dictionary.js';
import { ParameterError } from '../errors.js';
import { finish, PATCHES_A_YIELD, type Work } from '../work.js';
import type { Codes } from './codes.js';

/** D Z: the patches (or signals) that the codes represent, one after the other. */
export function reconstruct(D: Dictionary, codes: Codes): Float64Array {
  return finish(reconstruction(D, codes));
}

/** {@link reconstruct} as work. */
export function* reconstruction(D: Dictionary, codes: Codes): Work<Float64Array> {
  if (codes.L !== D.L) {
    throw new ParameterError(
      'codes',
      `must have as many rows as the dictionary has atoms, ${D.L}`,
      codes.L,
      'use the dictionary they were made with',
    );
  }
  const out = new Float64Array(D.N * codes.P);
  for (let p = 0; p < codes.P; p++) {
    if (p % PATCHES_A_YIELD === 0) yield p / codes.P;
    addPatch(D, codes, p, out, p * D.N);
  }
  return out;
}

/** out ← out + D z_p of one patch; `scale` −1 takes it away, which turns a patch into its residual. */
export function addPatch(D: Dictionary, codes: Codes, p: number, out: Float64Array, from: number, scale = 1): void {
  const atoms = D.atoms.data;
  for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) {
    const atom = codes.indices[i] * D.N;
    const value = scale * codes.values[i];
    for (let n = 0; n < D.N; n++) out[from + n] += value * atoms[atom + n];
  }
}
