/** Pursuits with additional rules, against NumPy and SciPy (make_constraints.py). */
import { describe, expect, it } from 'vitest';
import { denseDictionary } from '../../../src/sparse/dictionary/dictionary.js';
import { nonnegativePursuer } from '../../../src/sparse/solvers/nonnegative.js';
import { type Pursuit, pursuer } from '../../../src/sparse/solvers/pursuit.js';
import { weighted, weightedPursuer } from '../../../src/sparse/solvers/weighted.js';
import { golden } from '../../golden/golden.js';

const { N, L, P, ...data } = golden('constraints.json');
const flat = (columns: number[][]) => Float64Array.from(columns.flat());
const dictionary = (columns: number[][]) => denseDictionary(N, L, flat(columns));
const Y = flat(data.Y);
const signals = Array.from({ length: P }, (_, p) => p);

function expectErrors({ count, errors }: Pursuit, expected: readonly number[]) {
  expect(count).toBe(expected.length - 1);
  for (const [k, error] of expected.entries()) expect(errors[k]).toBeCloseTo(error, 9);
}

describe('a nonnegative pursuit', () => {
  it.each([0, 1])('has the errors and codes of Lawson and Hanson after every atom (dictionary %i)', (which) => {
    const { D, errors, codes } = data.nonnegative[which];
    const pursue = nonnegativePursuer(dictionary(D));
    for (const p of signals) {
      expectErrors(pursue(Y, p * N, N), errors[p]);
      for (const [k, x] of (codes[p] as number[][]).entries()) {
        const { support, coefficients, errors: own } = pursue(Y, p * N, k);
        expect(own[k]).toBeCloseTo(errors[p][k], 9);
        const found = new Float64Array(L);
        for (const [i, value] of coefficients().entries()) found[support[i]] = value;
        expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
        for (let l = 0; l < L; l++) expect(found[l]).toBeCloseTo(x[l], 8);
      }
    }
  });

  it('takes no atom that is excluded or points the other way, and none for zero', () => {
    const D = dictionary(data.D);
    const pursue = nonnegativePursuer(D);
    const first = pursue(Y, 0, 1).support[0];
    expect(pursue(Y, 0, 1, { without: first }).support[0]).not.toBe(first);
    expect(pursue(new Float64Array(N), 0, N).count).toBe(0);
    const away = denseDictionary(
      N,
      1,
      Y.subarray(0, N).map((value) => -value),
    );
    expect(nonnegativePursuer(away)(Y, 0, 1).count).toBe(0);
    const twice = denseDictionary(N, 2, Float64Array.of(...Y.subarray(0, N), ...Y.subarray(0, N)));
    expect(nonnegativePursuer(twice)(Y, N, 2).count).toBeLessThanOrEqual(1);
  });
});

describe('a weighted pursuit', () => {
  it('chooses by what shows with the weights, whatever missing samples hold', () => {
    const W = flat(data.W);
    const holes = Y.map((value, i) => (W[i] === 0 ? Number.NaN : value));
    const D = dictionary(data.D);
    const pursue = weightedPursuer(D, W, (own) => pursuer(own, 'order-recursive'));
    for (const p of signals) {
      const { support, ...rest } = pursue(weighted(holes, W), p * N, 4);
      expectErrors({ support, ...rest }, data.weighted[p].errors);
      expect([...support.subarray(0, 4)]).toEqual(data.weighted[p].support);
    }
  });
});

describe('a pursuit of several signals', () => {
  it.each(['ols', 'omp'])('chooses the atoms that help all of them, as NumPy does (%s)', (rule) => {
    for (const g of [0, 1, 2]) {
      const members = signals.filter((p) => data.groups[p] === g);
      const own = flat(members.map((p) => data.Y[p]));
      const pursue = pursuer(dictionary(data.D), rule === 'omp' ? 'omp' : 'order-recursive', members.length);
      const found = pursue(own, 0, 5);
      expectErrors(found, data.simultaneous[rule][g].errors);
      expect([...found.support.subarray(0, 5)]).toEqual(data.simultaneous[rule][g].support);
      // The coefficients give the error.
      const x = found.coefficients();
      let error = 0;
      for (const [i] of members.entries()) {
        for (let n = 0; n < N; n++) {
          let value = own[i * N + n];
          for (let k = 0; k < 5; k++) value -= x[k * members.length + i] * data.D[found.support[k]][n];
          error += value ** 2;
        }
      }
      expect(error).toBeCloseTo(found.errors[5], 9);
    }
  });
});
