/**
 * One dictionary step: better atoms for codes whose support is held, by K-SVD (dense) or least squares (separable).
 *
 * Constant atoms are not changed: a flat patch then needs one atom and has no error.
 *
 * Over coherent atoms a pursuit in float32 can end on a support that is almost linearly dependent, with coefficients that are
 * huge or not numbers. A single one would spoil all atoms. So every code is checked first, refitted in float64 if it fails,
 * and left out of the step if it fails again.
 */
import { dot, type Matrix } from '../../math/matrix.js';
import { PATCHES_PER_YIELD, part, type Work } from '../../work.js';
import type { Codes } from '../codes/codes.js';
import { addPatch } from '../codes/reconstruct.js';
import { type Dictionary, denseDictionary, separableDictionary } from '../dictionary/dictionary.js';
import { type SupportFit, supportFit } from '../solvers/least-squares.js';
import { fitFactors } from './factors.js';
import { ksvdSweep } from './ksvd.js';

/** Updates of every atom or factor per step. A second K-SVD sweep and a third fit of the factors were measured to pay. */
const SWEEPS = 2;
const ROUNDS = 3;

/** Larger coefficients, in units of the norm of the patch, come from an almost dependent support. Atoms have norm 1. */
const LARGEST = 30;

/** The dictionary after one step from D, with the kind of D: separable if it has factors. The atoms of D have norm 1. */
export function* dictionaryStep(D: Dictionary, Y: Float64Array, codes: Codes): Work<Dictionary> {
  const { sound, R } = yield* part(soundCodes(D, Y, codes), 0, 0.2);
  if (D.factors) {
    let factors: readonly [Matrix, Matrix] = D.factors;
    for (let round = 0; round < ROUNDS; round++) {
      const [from, to] = [round, round + 1].map((each) => 0.2 + (0.8 * each) / ROUNDS);
      factors = yield* part(fitFactors(factors, sound, Y), from, to);
    }
    return separableDictionary(factors[0], factors[1], 'learned');
  }
  const atoms = { ...D.atoms, data: D.atoms.data.slice() };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const [from, to] = [sweep, sweep + 1].map((each) => 0.2 + (0.8 * each) / SWEEPS);
    yield* part(ksvdSweep(atoms, sound, R), from, to);
  }
  return denseDictionary(D.N, D.L, atoms.data, 'learned');
}

/** The codes without those that cannot be used, as a copy whose coefficients may be changed, and R = Y − DZ for them. */
function* soundCodes(D: Dictionary, Y: Float64Array, codes: Codes): Work<{ sound: Codes; R: Float64Array }> {
  const { N } = D;
  const { L, P } = codes;
  const R = Y.slice();
  const fitted = { ...codes, values: codes.values.slice() };
  const indptr = new Int32Array(P + 1);
  const indices = new Int32Array(codes.indices.length);
  const values = new Float64Array(codes.values.length);
  let fit: SupportFit | undefined;
  const isSound = (p: number) => {
    const energy = dot(Y, p * N, Y, p * N, N);
    for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) {
      if (!(fitted.values[i] ** 2 <= LARGEST ** 2 * energy)) return false;
    }
    addPatch(D, fitted, p, R, p * N, -1);
    // Least squares is never worse than no atoms at all.
    if (dot(R, p * N, R, p * N, N) <= energy) return true;
    R.set(Y.subarray(p * N, (p + 1) * N), p * N);
    return false;
  };
  for (let p = 0, kept = 0; p < P; p++) {
    if (p % PATCHES_PER_YIELD === 0) yield p / P;
    const [from, to] = [codes.indptr[p], codes.indptr[p + 1]];
    let sound = isSound(p);
    if (!sound) {
      const x = new Float64Array(to - from);
      fit ??= supportFit(D);
      fit(Y, p * N, codes.indices.subarray(from, to), x);
      fitted.values.set(x, from);
      sound = isSound(p);
    }
    for (let i = from; sound && i < to; i++, kept++) {
      indices[kept] = codes.indices[i];
      values[kept] = fitted.values[i];
    }
    indptr[p + 1] = kept;
  }
  const kept = indptr[P];
  return { sound: { L, P, indptr, indices: indices.slice(0, kept), values: values.slice(0, kept) }, R };
}
