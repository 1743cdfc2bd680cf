/** The dictionary steps: atoms by coordinate descent, factors by least squares, and the sums over patches and codes that both use. */
import { describe, expect, it } from 'vitest';
import type { Codes, Dictionary } from '../../../src/index.js';
import { denseDictionary, overcompleteDct, separableDictionary } from '../../../src/index.js';
import { dictionaryStep } from '../../../src/sparse/learning/step.js';
import { addBatch, emptySums, type Sums } from '../../../src/sparse/learning/sums.js';
import { finish } from '../../../src/work.js';
import { perturbed, planted, randomAtoms, randomCodes } from './planted.js';

const norms = ({ N, L, atoms }: Dictionary) =>
  Array.from({ length: L }, (_, l) => Math.hypot(...atoms.data.subarray(l * N, (l + 1) * N)));

/** The sums of one batch. */
function sumsOf(D: Dictionary, codes: Codes, Y: Float64Array): Sums {
  const sums = emptySums(D);
  finish(addBatch(sums, Y, codes, 0));
  return sums;
}

/** ‖DZ − Y‖² = tr(DᵀD S) − 2 tr(DᵀC) + ‖Y‖², from the sums. */
function errorOf({ N, L, atoms }: Dictionary, { S, C }: Sums, Y: Float64Array): number {
  let error = Y.reduce((sum, value) => sum + value * value, 0);
  const product = (a: Float64Array, i: number, b: Float64Array, j: number) =>
    a.subarray(i * N, (i + 1) * N).reduce((sum, value, n) => sum + value * b[j * N + n], 0);
  for (let l = 0; l < L; l++) {
    error -= 2 * product(atoms.data, l, C.data, l);
    for (let j = 0; j < L; j++) error += S.data[l * L + j] * product(atoms.data, l, atoms.data, j);
  }
  return error;
}

describe('the sums', () => {
  it('are ZZᵀ and YZᵀ, and earlier batches count less', () => {
    const D = denseDictionary(2, 3, [1, 0, 0, 1, 0.6, 0.8]);
    const Z: Codes = {
      ...{ L: 3, P: 2, indptr: Int32Array.of(0, 2, 3), indices: Int32Array.of(0, 2, 1) },
      values: Float64Array.of(2, 3, 5),
    };
    const Y = Float64Array.of(7, 11, 13, 17);
    const sums = sumsOf(D, Z, Y);
    expect([...sums.S.data]).toEqual([4, 0, 6, 0, 25, 0, 6, 0, 9]);
    expect([...sums.C.data]).toEqual([14, 22, 65, 85, 21, 33]);
    finish(addBatch(sums, Y, Z, 0.5));
    expect([...sums.S.data]).toEqual([6, 0, 9, 0, 37.5, 0, 9, 0, 13.5]);
    expect([...sums.C.data]).toEqual([21, 33, 97.5, 127.5, 31.5, 49.5]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20])('leave out a code in which a coefficient is %d', (bad) => {
    const D = randomAtoms(12, 20, 1);
    const { codes, Y } = planted(D, 30, 3, 3);
    const spoilt = { ...codes, values: codes.values.with(4, bad) };
    const without = { ...codes, values: codes.values.map((value, i) => (i >= 3 && i < 6 ? 0 : value)) };
    expect(sumsOf(D, spoilt, Y)).toEqual(sumsOf(D, without, Y));
  });
});

describe('coordinate descent', () => {
  const truth = randomAtoms(12, 20, 1);
  const { codes, Y } = planted(truth, 300, 3, 2);

  it('never raises ‖Y − DZ‖, and keeps the atoms at norm 1', () => {
    let D = perturbed(truth, 0.5, 3);
    const sums = sumsOf(D, codes, Y);
    let before = errorOf(D, sums, Y);
    for (let sweep = 0; sweep < 5; sweep++) {
      D = finish(dictionaryStep(D, sums));
      const error = errorOf(D, sums, Y);
      expect(error).toBeLessThan(before);
      before = error;
    }
    for (const norm of norms(D)) expect(norm).toBeCloseTo(1, 12);
  });

  it('finds the atoms when the supports are known', () => {
    let D = perturbed(truth, 0.3, 4);
    const sums = sumsOf(D, codes, Y);
    for (let sweep = 0; sweep < 60; sweep++) D = finish(dictionaryStep(D, sums));
    for (const [i, value] of D.atoms.data.entries()) expect(value).toBeCloseTo(truth.atoms.data[i], 3);
  });

  it('moves an atom to the minimum along it', () => {
    // One atom and one patch: the best atom is the patch.
    const D = denseDictionary(2, 1, [1, 0]);
    const Z: Codes = {
      ...{ L: 1, P: 1, indptr: Int32Array.of(0, 1), indices: Int32Array.of(0) },
      values: Float64Array.of(2),
    };
    const next = finish(dictionaryStep(D, sumsOf(D, Z, Float64Array.of(3, -4))));
    expect([...next.atoms.data]).toEqual([0.6, -0.8]);
  });

  it('leaves an atom alone that no patch uses', () => {
    const D = perturbed(truth, 0.3, 5);
    const unused = 7;
    const Z = randomCodes(20, 50, 3, 6);
    const kept = { ...Z, values: Z.values.map((value, i) => (Z.indices[i] === unused ? 0 : value)) };
    const atom = D.atoms.data.slice(unused * 12, (unused + 1) * 12);
    const next = finish(dictionaryStep(D, sumsOf(D, kept, Y.slice(0, 12 * 50))));
    expect(next.atoms.data.slice(unused * 12, (unused + 1) * 12)).toEqual(atom);
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
    let D = separableDictionary(startA.atoms, startB.atoms);
    const sums = sumsOf(D, codes, Y);
    let before = errorOf(D, sums, Y);
    const first = before;
    for (let round = 0; round < 12; round++) {
      D = finish(dictionaryStep(D, sums));
      const error = errorOf(D, sums, Y);
      expect(error).toBeLessThanOrEqual(before + 1e-9 * first);
      before = error;
    }
    expect(before).toBeLessThan(0.01 * first);
    for (const norm of norms(D)) expect(norm).toBeCloseTo(1, 12);
  });
});

describe('a dictionary step', () => {
  it('leaves constant atoms as they are, so that a flat patch needs one atom', () => {
    const dct = overcompleteDct(4, 5);
    const { codes: Z, Y: signals } = planted(perturbed(dct, 0.3, 5), 200, 3, 6);
    for (const start of [dct, denseDictionary(16, 25, dct.atoms.data)]) {
      const { atoms } = finish(dictionaryStep(start, sumsOf(start, Z, signals)));
      for (const value of atoms.data.subarray(0, 16)) expect(value).toBeCloseTo(0.25, 12);
      expect(Math.abs(atoms.data[16] - dct.atoms.data[16])).toBeGreaterThan(1e-3);
    }
  });

  it('keeps the kind of the dictionary', () => {
    const dct = overcompleteDct(4, 5);
    const { codes: Z, Y: signals } = planted(dct, 100, 2, 4);
    const dense = denseDictionary(16, 25, dct.atoms.data);
    expect(finish(dictionaryStep(dct, sumsOf(dct, Z, signals))).factors).toBeDefined();
    expect(finish(dictionaryStep(dense, sumsOf(dense, Z, signals))).factors).toBeUndefined();
  });
});
