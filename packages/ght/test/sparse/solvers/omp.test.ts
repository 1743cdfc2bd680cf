import { expect, it } from 'vitest';
import { omp } from '../../../src/sparse/solvers/omp.js';
import { dictionaryOf } from './definitions.js';

it('OMP writes coefficients at their atoms, and reports error and atoms after each', () => {
  // Orthogonal atoms of length 2, 1 and 3: coefficient = ⟨d, y⟩ / ‖d‖², taken in the order of |⟨d, y⟩| / ‖d‖.
  const D = dictionaryOf([
    [0, 2, 0],
    [1, 0, 0],
    [0, 0, 3],
  ]);
  const x = new Float64Array(3);
  const { errors, kept } = omp(D, 2)(Float64Array.of(99, 5, -6, 3), 1, x);
  expect([...x]).toEqual([-3, 5, 0]);
  expect(Array.from(errors)).toEqual([25 + 9, 9]);
  expect([kept[0], kept[1]]).toEqual([1, 2]);
});
