/** The dictionary steps: K-SVD and the fit of the factors, and the check of the codes before them. */
import { describe, expect, it } from 'vitest';
import type { Codes, Dictionary } from '../../../src/index.js';
import { denseDictionary, overcompleteDct, reconstruct, separableDictionary } from '../../../src/index.js';
import { fitFactors } from '../../../src/sparse/learning/factors.js';
import { ksvdSweep } from '../../../src/sparse/learning/ksvd.js';
import { dictionaryStep } from '../../../src/sparse/learning/step.js';
import { finish } from '../../../src/work.js';
import { perturbed, planted, randomAtoms, randomCodes, squaredError } from './planted.js';

const norms = ({ N, L, atoms }: Dictionary) =>
  Array.from({ length: L }, (_, l) => Math.hypot(...atoms.data.subarray(l * N, (l + 1) * N)));

describe('a K-SVD sweep', () => {
  const truth = randomAtoms(12, 20, 1);
  const { codes, Y } = planted(truth, 300, 3, 2);

  it('never raises ‖Y − DZ‖, keeps the residual up to date and the atoms at norm 1', () => {
    const D = perturbed(truth, 0.5, 3);
    const own = { ...codes, values: codes.values.slice() };
    const R = reconstruct(D, own).map((value, i) => Y[i] - value);
    let before = squaredError(D, own, Y);
    for (let sweep = 0; sweep < 5; sweep++) {
      finish(ksvdSweep(D.atoms, own, R));
      const error = squaredError(D, own, Y);
      expect(error).toBeLessThan(before);
      expect(R.reduce((sum, value) => sum + value * value, 0) / error).toBeCloseTo(1, 6);
      before = error;
    }
    for (const norm of norms(D)) expect(norm).toBeCloseTo(1, 12);
  });

  it('finds the atoms when the supports are known', () => {
    const D = perturbed(truth, 0.3, 4);
    const own = { ...codes, values: codes.values.slice() };
    const R = reconstruct(D, own).map((value, i) => Y[i] - value);
    for (let sweep = 0; sweep < 40; sweep++) finish(ksvdSweep(D.atoms, own, R));
    expect(squaredError(D, own, Y)).toBeLessThan(1e-6 * Y.reduce((sum, value) => sum + value * value, 0));
  });

  it('leaves an atom alone that no patch uses', () => {
    const D = perturbed(truth, 0.3, 5);
    const unused = 7;
    const Z = randomCodes(20, 50, 3, 6);
    const kept = Z.indices.map((l) => (l === unused ? 8 : l));
    const atom = D.atoms.data.slice(unused * 12, (unused + 1) * 12);
    finish(ksvdSweep(D.atoms, { ...Z, indices: kept }, Y.slice(0, 12 * 50)));
    expect(D.atoms.data.slice(unused * 12, (unused + 1) * 12)).toEqual(atom);
  });
});

describe('the fit of the factors', () => {
  // A and B differ in size, so that a mix-up of rows and columns cannot go unnoticed.
  const [A] = overcompleteDct(3, 4).factors ?? [];
  const [B] = overcompleteDct(5, 6).factors ?? [];
  if (!A || !B) throw new Error('the DCT is separable');
  const truth = separableDictionary(A, B);
  const { codes, Y } = planted(truth, 200, 3, 7);
  const [startA, startB] = [
    perturbed(denseDictionary(3, 4, A.data), 0.3, 8),
    perturbed(denseDictionary(5, 6, B.data), 0.3, 9),
  ];

  it('never raises ‖Y − DZ‖ and finds both factors when the supports are known', () => {
    const own = { ...codes, values: codes.values.slice() };
    let factors: readonly [typeof A, typeof B] = [startA.atoms, startB.atoms];
    let before = squaredError(separableDictionary(...factors), own, Y);
    const first = before;
    for (let round = 0; round < 20; round++) {
      factors = finish(fitFactors(factors, own, Y));
      const error = squaredError(separableDictionary(...factors), own, Y);
      expect(error).toBeLessThanOrEqual(before + 1e-9 * first);
      before = error;
    }
    expect(before).toBeLessThan(0.01 * first);
    for (const norm of norms(separableDictionary(...factors))) expect(norm).toBeCloseTo(1, 12);
  });
});

describe('a dictionary step', () => {
  const D = randomAtoms(12, 20, 1);
  const { codes, Y } = planted(randomAtoms(12, 20, 2), 300, 3, 3);
  const withValues = (change: (values: Float64Array) => void): Codes => {
    const values = codes.values.slice();
    change(values);
    return { ...codes, values };
  };
  /** The same patch with its least-squares coefficients, which a step computes itself if those given are wrong. */
  const fitted = (spoilt: Codes) => finish(dictionaryStep(D, Y, spoilt)).atoms.data;

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20])('refits a code in which a coefficient is %d', (bad) => {
    const first = fitted(withValues((values) => values.fill(bad, 0, 1)));
    expect(first.every(Number.isFinite)).toBe(true);
    // Whatever is wrong with a code, it is replaced by the same fit.
    expect(first).toEqual(fitted(withValues((values) => values.fill(-1e30, 0, 3))));
  });

  it('leaves out a code whose support is almost dependent', () => {
    const twins = denseDictionary(2, 2, [1, 0, Math.cos(1e-4), Math.sin(1e-4)]);
    const given = (P: number): Codes => ({
      ...{ L: 2, P, indptr: Int32Array.from({ length: P + 1 }, (_, p) => Math.min(p, 2) + 2 * Math.max(0, p - 2)) },
      indices: Int32Array.from([0, 1, 0, 1].slice(0, P === 3 ? 4 : 2)),
      values: Float64Array.from([100, 90, -1e6, 1e6].slice(0, P === 3 ? 4 : 2)),
    });
    const patches = Float64Array.of(110, 1, 95, 2, 0, 100);
    const all = finish(dictionaryStep(twins, patches, given(3)));
    expect(all.atoms.data).toEqual(finish(dictionaryStep(twins, patches.subarray(0, 4), given(2))).atoms.data);
  });

  it('leaves constant atoms as they are, so that a flat patch needs one atom', () => {
    const dct = overcompleteDct(4, 5);
    const { codes: Z, Y: signals } = planted(perturbed(dct, 0.3, 5), 200, 3, 6);
    for (const start of [dct, denseDictionary(16, 25, dct.atoms.data)]) {
      const { atoms } = finish(dictionaryStep(start, signals, Z));
      for (const value of atoms.data.subarray(0, 16)) expect(value).toBeCloseTo(0.25, 12);
      expect(Math.abs(atoms.data[16] - dct.atoms.data[16])).toBeGreaterThan(1e-3);
    }
  });

  it('tells a fraction done that never falls, from 0 to 1', () => {
    const dct = overcompleteDct(4, 5);
    const { codes: Z, Y: signals } = planted(dct, 200, 2, 4);
    for (const start of [dct, denseDictionary(16, 25, dct.atoms.data)]) {
      const fractions = [...dictionaryStep(start, signals, Z)];
      expect(fractions.length).toBeGreaterThan(5);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(fractions.at(-1)).toBeLessThanOrEqual(1);
    }
  });

  it('keeps the kind of the dictionary', () => {
    expect(finish(dictionaryStep(D, Y, codes)).factors).toBeUndefined();
    const dct = overcompleteDct(4, 5);
    const { codes: Z, Y: signals } = planted(dct, 100, 2, 4);
    expect(finish(dictionaryStep(dct, signals, Z)).factors).toBeDefined();
  });
});
