import { describe, expect, it } from 'vitest';
import {
  coherence,
  completeDct,
  denseDictionary,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  separableDictionary,
} from '../../../src/index.js';
import { symmetricEigen } from '../../../src/math/eigen.js';
import { gram, matrix, times, transpose } from '../../../src/math/matrix.js';
import { gramMatrix, spectralNormSquared } from '../../../src/sparse/dictionary/dictionary.js';
import { resolvent, synthesis } from '../../../src/sparse/dictionary/resolvent.js';
import { golden } from '../../golden/golden.js';

const made = golden('dictionaries.json');
const largest = (values: Iterable<number>) => [...values].reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const difference = (a: ArrayLike<number>, b: ArrayLike<number>) => largest(Array.from(a, (value, i) => value - b[i]));

describe('dictionaries', () => {
  it.each([
    ['overcomplete_8_10', 8, 10],
    ['overcomplete_5_7', 5, 7],
  ])('the overcomplete DCT %s equals the one computed with NumPy', (name, patch, atoms) => {
    const D = overcompleteDct(patch, atoms);
    expect(D.factors).toBeDefined();
    expect(difference(D.factors?.[0].data ?? [], made[name].D1.data)).toBeLessThan(1e-14);
    expect(spectralNormSquared(D)).toBeCloseTo(made[name].spectral_norm_squared, 10);
    expect(coherence(D)).toBeCloseTo(made[name].mutual_coherence, 10);
  });

  it('the complete DCT is the orthonormal DCT-II of SciPy', () => {
    const D = completeDct(8);
    expect(difference(D.factors?.[0].data ?? [], made.dct2_8.D1.data)).toBeLessThan(1e-14);
    const identity = matrix(64, 64, (i, j) => (i === j ? 1 : 0));
    expect(difference(gramMatrix(D).data, identity.data)).toBeLessThan(1e-13);
    expect(coherence(D)).toBeLessThan(1e-13);
  });

  it('atom (ky, kx) of a separable dictionary is the product of its factors, along the rows and along the columns', () => {
    const { atoms, factors } = overcompleteDct(8, 10);
    const D1 = factors?.[0].data ?? new Float64Array();
    const [ky, kx, y, x] = [3, 7, 2, 5];
    expect(atoms.data[(ky * 10 + kx) * 64 + y * 8 + x]).toBeCloseTo(D1[ky * 8 + y] * D1[kx * 8 + x], 15);
  });

  it('the Gaussian dictionary has the given deviation and depends only on its seed', () => {
    const D = gaussianDictionary(100, 200, 3);
    const values = [...D.atoms.data];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    expect(Math.abs(mean)).toBeLessThan(0.003);
    expect(deviation).toBeCloseTo(0.1, 2);
    expect(gaussianDictionary(100, 200, 3).atoms.data).toEqual(D.atoms.data);
    expect(gaussianDictionary(100, 200, 4).atoms.data).not.toEqual(D.atoms.data);
  });

  it('the spectral norm of a large dense dictionary agrees with the eigenvalues of its Gram matrix', () => {
    const D = gaussianDictionary(120, 130, 5);
    expect(spectralNormSquared(D)).toBeCloseTo(symmetricEigen(gramMatrix(D)).values[0], 8);
  });

  it.each([
    ['separable', overcompleteDct(5, 7)],
    ['separable with two factors', separableDictionary(overcompleteDct(3, 4).atoms, completeDct(2).atoms)],
    ['dense', gaussianDictionary(20, 30, 1)],
    ['dense, more samples than atoms', gaussianDictionary(30, 20, 1)],
  ])('K r of a %s dictionary solves (DDᵀ + ρI) w = r, K r = Dᵀw', (_, D) => {
    const rho = 0.37;
    const random = randomSource(2);
    const r = Float64Array.from({ length: D.N }, () => random.normal());
    const Kr = new Float64Array(D.L);
    resolvent(D, rho)(r, 0, Kr, 0);
    // Push-through: K r is also (DᵀD + ρI)⁻¹ Dᵀ r.
    const left = times(gram(D.atoms), { rows: D.L, cols: 1, data: Kr }).data.map((value, l) => value + rho * Kr[l]);
    const right = times(transpose(D.atoms), { rows: D.N, cols: 1, data: r }).data;
    expect(difference(left, right)).toBeLessThan(1e-10);
    const DKr = new Float64Array(D.N);
    synthesis(D)(Kr, 0, DKr, 0);
    expect(difference(DKr, times(D.atoms, { rows: D.L, cols: 1, data: Kr }).data)).toBeLessThan(1e-12);
  });

  it('rejects invalid matrices, naming the entry and the remedy', () => {
    expect(() => denseDictionary(2, 2, [1, 2, 3])).toThrow('dictionary must have N × L = 4 entries, but got 3');
    expect(() => denseDictionary(2, 2, [1, 2, 3, Number.NaN])).toThrow('dictionary entry (row 1, atom 1)');
    expect(() => denseDictionary(2, 1, [0, 0])).toThrow('dictionary must have an atom that is not zero');
    expect(() => overcompleteDct(8, 0)).toThrow('atoms must be a whole number from 1 to 64, but got 0');
    expect(() => overcompleteDct(1, 4)).toThrow('atoms must leave no atom empty for patch 1');
  });
});

describe('symmetric eigenvectors', () => {
  const random = randomSource(9);
  const cases = {
    'of one row': matrix(1, 1, () => 3),
    'of a Gram matrix': gram(matrix(70, 50, () => random.normal())),
    'of a matrix of low rank': gram(matrix(4, 30, () => random.normal())),
    'over many orders of magnitude': gram(matrix(40, 40, (_, j) => random.normal() * 10 ** (-j / 4))),
    'of an indefinite matrix': matrix(6, 6, (i, j) => Math.min(i, j) - 2),
    'of the identity': matrix(9, 9, (i, j) => (i === j ? 1 : 0)),
    'of zero': matrix(5, 5),
  };
  it.each(Object.entries(cases))('%s are orthonormal and rebuild it', (_, A) => {
    const { values, vectors } = symmetricEigen(A);
    const n = A.rows;
    const scaled = matrix(n, n, (i, j) => vectors.data[j * n + i] * values[j]);
    const size = Math.max(1, Math.abs(values[0]), Math.abs(values[n - 1]));
    expect(difference(times(scaled, transpose(vectors)).data, A.data)).toBeLessThan(1e-13 * size);
    const identity = matrix(n, n, (i, j) => (i === j ? 1 : 0));
    expect(difference(gram(vectors).data, identity.data)).toBeLessThan(1e-13);
    expect([...values]).toEqual([...values].sort((a, b) => b - a));
  });
});
