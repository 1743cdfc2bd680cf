/** Which matrices are recognised as Kronecker products, and by which factors. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianDictionary, overcompleteDct, randomSource } from '../../../src/index.js';
import type { Matrix } from '../../../src/math/matrix.js';
import { kron, matrix } from '../../../src/math/matrix.js';
import { kroneckerFactors } from '../../../src/sparse/dictionary/kronecker.js';
import { runs } from '../../properties/problems.js';

const dct = overcompleteDct(8, 10).atoms;
const random = (rows: number, cols: number, seed: number) => gaussianDictionary(rows, cols, seed).atoms;
const sizes = (factors: readonly Matrix[] | undefined) => factors?.map(({ rows, cols }) => `${rows}×${cols}`);
/** A copy of a matrix in which some entries are different. */
const changed = (A: Matrix, change: (value: number, i: number) => number) => ({ ...A, data: A.data.map(change) });

/** The largest difference of the product of the factors from D, relative to the largest entry of D. */
function mismatch(D: Matrix, factors: readonly [Matrix, Matrix] | undefined): number {
  if (!factors) return Number.POSITIVE_INFINITY;
  const product = kron(...factors).data;
  const largest = D.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return D.data.reduce((most, value, i) => Math.max(most, Math.abs(value - product[i])), 0) / largest;
}

describe('the factors of a Kronecker product', () => {
  it.each([
    ['the 64×100 DCT', dct, ['8×10', '8×10'], 1e-14],
    ['the 64×100 DCT in float32', changed(dct, Math.fround), ['8×10', '8×10'], 5e-7],
    ['atoms of very different lengths', changed(dct, (v, i) => (i < 640 ? v : 1e-9 * v)), ['8×10', '8×10'], 1e-14],
    ['two different square factors', kron(random(8, 10, 1), random(8, 10, 2)), ['8×10', '8×10'], 1e-14],
    ['factors that are not square', kron(random(4, 5, 1), random(16, 12, 2)), ['4×5', '16×12'], 1e-14],
    ['patches that are not square', kron(random(6, 9, 1), random(10, 7, 2)), ['6×9', '10×7'], 1e-14],
    ['the identity', matrix(64, 64, (i, j) => Number(i === j)), ['8×8', '8×8'], 1e-15],
    ['fewer atoms than samples', kron(random(9, 5, 1), random(8, 6, 2)), ['9×5', '8×6'], 1e-14],
  ])('are found: %s', (_, D, expected, tolerance) => {
    const factors = kroneckerFactors(D);
    expect(sizes(factors)).toEqual(expected);
    expect(mismatch(D, factors)).toBeLessThan(tolerance);
  });

  it.each([
    ['any matrix', random(64, 100, 1)],
    ['numbers of rows and atoms that are prime', random(61, 97, 1)],
    ['the DCT with one entry changed by 1e-5', changed(dct, (v, i) => (i === 3210 ? v + 1e-5 : v))],
    ['the DCT with its last entry changed by 1e-5', changed(dct, (v, i) => (i === 6399 ? v + 1e-5 : v))],
    ['the DCT with its largest entry doubled', changed(dct, (v) => (v === Math.max(...dct.data) ? 2 * v : v))],
    ['the DCT with every entry changed by a millionth', changed(dct, (v, i) => v * (1 + 2e-6 * Math.sin(i)))],
    ['the DCT with its atoms in another order', matrix(64, 100, (i, j) => dct.data[((7 * j + 3) % 100) * 64 + i])],
    ['a small atom of another kind', changed(dct, (v, i) => (i < 64 ? 1e-9 * Math.sin(i * i) : v))],
    ['factors that would save too little', kron(random(2, 3, 1), random(3, 2, 2))],
    ['zeros', matrix(64, 100)],
    ['a column times a row', matrix(64, 100, (i, j) => Math.sin(i * i) * Math.cos(j * j))],
    ['one entry', matrix(1, 1, () => 3)],
  ])('are not found: %s', (_, D) => {
    expect(kroneckerFactors(D)).toBeUndefined();
  });

  it('of a constant matrix have it as their product, whichever they are', () => {
    const constant = matrix(64, 100, () => 0.1);
    expect(mismatch(constant, kroneckerFactors(constant))).toBeLessThan(1e-15);
  });

  it('are found for all sizes, and are not for a perturbed product', () => {
    const side = fc.integer({ min: 4, max: 9 });
    fc.assert(
      fc.property(side, side, side, side, fc.integer({ min: 0, max: 1e6 }), (n1, n2, l1, l2, seed) => {
        const D = kron(random(n1, l1, seed), random(n2, l2, seed + 1));
        const factors = kroneckerFactors(changed(D, Math.fround));
        expect(mismatch(D, factors)).toBeLessThan(1e-6);
        const at = randomSource(seed).below(D.data.length);
        const column = D.data.slice(at - (at % D.rows), at - (at % D.rows) + D.rows).map(Math.abs);
        expect(kroneckerFactors(changed(D, (v, i) => (i === at ? v + 1e-5 * Math.max(...column) : v)))).toBeUndefined();
      }),
      runs(60),
    );
  });
});
