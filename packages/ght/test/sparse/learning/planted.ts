import type { Codes, Dictionary } from '../../../src/index.js';
import { codesFromDense, denseDictionary, gaussianDictionary, randomSource, reconstruct } from '../../../src/index.js';

/** A Gaussian dictionary with atoms of norm 1. */
export function randomAtoms(N: number, L: number, seed: number): Dictionary {
  const { data } = gaussianDictionary(N, L, seed).atoms;
  for (let l = 0; l < L; l++) {
    const norm = Math.hypot(...data.subarray(l * N, (l + 1) * N));
    for (let n = l * N; n < (l + 1) * N; n++) data[n] /= norm;
  }
  return denseDictionary(N, L, data);
}

/** P codes of s random atoms each, with coefficients of about 100. */
export function randomCodes(L: number, P: number, s: number, seed: number): Codes {
  const random = randomSource(seed);
  const Z = new Float64Array(L * P);
  for (let p = 0; p < P; p++) {
    for (let chosen = 0; chosen < s; ) {
      const i = p * L + random.below(L);
      if (Z[i] !== 0) continue;
      Z[i] = (random.below(2) === 0 ? -1 : 1) * (100 + 20 * random.normal());
      chosen++;
    }
  }
  return codesFromDense(Z, L, P);
}

/** Signals of s atoms of D each. */
export function planted(D: Dictionary, P: number, s: number, seed: number) {
  const codes = randomCodes(D.L, P, s, seed);
  return { codes, Y: reconstruct(D, codes) };
}

/** ‖Y − DZ‖². */
export function squaredError(D: Dictionary, codes: Codes, Y: Float64Array): number {
  return reconstruct(D, codes).reduce((sum, value, i) => sum + (value - Y[i]) ** 2, 0);
}

/** D with noise added to every atom, of norm 1 again. */
export function perturbed(D: Dictionary, amount: number, seed: number): Dictionary {
  const noise = randomAtoms(D.N, D.L, seed).atoms.data;
  const data = D.atoms.data.map((value, i) => value + amount * noise[i]);
  for (let l = 0; l < D.L; l++) {
    const norm = Math.hypot(...data.subarray(l * D.N, (l + 1) * D.N));
    for (let n = l * D.N; n < (l + 1) * D.N; n++) data[n] /= norm;
  }
  return denseDictionary(D.N, D.L, data);
}

/** The fraction of the atoms of D that `found` has too, up to sign and order. */
export function recovered(D: Dictionary, found: Dictionary): number {
  let count = 0;
  for (let l = 0; l < D.L; l++) {
    const atom = D.atoms.data.subarray(l * D.N, (l + 1) * D.N);
    const cosines = Array.from({ length: found.L }, (_, j) =>
      Math.abs(atom.reduce((sum, value, n) => sum + value * found.atoms.data[j * D.N + n], 0)),
    );
    if (Math.max(...cosines) > 0.99) count++;
  }
  return count / D.L;
}
