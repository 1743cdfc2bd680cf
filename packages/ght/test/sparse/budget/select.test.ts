import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hardThreshold, randomSource, selectLargest } from '../../../src/index.js';
import { survives } from '../../../src/sparse/budget/select.js';

/** H_S by a full sort, which the fast version must equal. */
function bySort(values: Float64Array, S: number): Float64Array {
  const order = [...values.keys()].sort((i, j) => Math.abs(values[j]) - Math.abs(values[i]) || i - j);
  const Z = new Float64Array(values.length);
  for (const i of order.slice(0, S)) Z[i] = values[i];
  return Z;
}

/** Doubles that make selection hard: ties, signed zeros, denormals, adjacent floats, the largest finite ones. */
const awkward = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    1 + Number.EPSILON,
    5e-324,
    -5e-324,
    2.2e-308,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    0.1,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

describe('H_S', () => {
  it('equals a full sort on any values and any budget', () => {
    fc.assert(
      fc.property(fc.array(awkward, { maxLength: 60 }), fc.integer({ min: 0, max: 70 }), (list, S) => {
        const values = Float64Array.from(list);
        const Z = new Float64Array(values.length);
        const { kept } = hardThreshold(values, S, Z);
        expect(Z.map((value) => value + 0)).toEqual(bySort(values, S).map((value) => value + 0));
        expect(kept).toBe(Math.min(S, list.filter((value) => value !== 0).length));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['normal values', () => randomSource(1).normal],
    [
      'few distinct values, so many ties',
      () =>
        (
          (r) => () =>
            Math.round(3 * r.normal())
        )(randomSource(2)),
    ],
    ['all equal', () => () => -7],
    ['all zero', () => () => 0],
    [
      'denormals',
      () =>
        (
          (r) => () =>
            r.below(5) * 5e-324
        )(randomSource(3)),
    ],
    [
      'values that agree in all but the last bits',
      () =>
        (
          (r) => () =>
            1 + r.below(4) * Number.EPSILON
        )(randomSource(4)),
    ],
    [
      'a spread over all exponents',
      () =>
        (
          (r) => () =>
            r.normal() * 10 ** (600 * r.uniform() - 300)
        )(randomSource(5)),
    ],
  ])('equals a full sort on 5,000 entries: %s', (_, source) => {
    const next = source();
    const values = Float64Array.from({ length: 5000 }, () => next());
    for (const S of [0, 1, 2, 777, 4999, 5000, 9999]) {
      const Z = new Float64Array(values.length);
      hardThreshold(values, S, Z);
      expect(Z.map((value) => value + 0)).toEqual(bySort(values, S).map((value) => value + 0));
    }
  });

  it('keeps the lowest indices among equals', () => {
    expect([...bySort(Float64Array.from([2, -2, 2, 3]), 2)]).toEqual([2, 0, 0, 3]);
    const Z = Float64Array.from([2, -2, 2, 3]);
    expect(hardThreshold(Z, 2, Z)).toEqual({ threshold: 2, kept: 2, tieEnd: 1 });
    expect([...Z]).toEqual([2, 0, 0, 3]);
  });

  it('keeps nothing for S = 0 and every nonzero for a large S', () => {
    const values = Float64Array.from([1, 0, -2]);
    expect(selectLargest(values, 0)).toMatchObject({ threshold: Number.POSITIVE_INFINITY, kept: 0 });
    expect(selectLargest(values, 99)).toMatchObject({ threshold: 0, kept: 2 });
    expect(survives(selectLargest(values, 0), Number.MAX_VALUE, 0)).toBe(false);
  });
});

describe('what selection rejects and reports', () => {
  it('NaN at any position, and budgets that are not whole numbers', () => {
    for (const at of [0, 1, 2]) {
      const values = Float64Array.of(3, 2, 1);
      values[at] = Number.NaN;
      expect(() => selectLargest(values, 1)).toThrow(`values[${at}] must be a number`);
      expect(() => hardThreshold(values, 1)).toThrow(`values[${at}] must be a number`);
    }
    for (const S of [-1, 1.5]) {
      expect(() => selectLargest(Float64Array.of(1), S)).toThrow('S must be a whole number');
      expect(() => hardThreshold(Float64Array.of(1), S)).toThrow('S must be a whole number');
    }
  });

  it('the selection: none, all, some, and where ties end', () => {
    const values = Float64Array.of(2, 0, -5, 2, 2, 7);
    expect(selectLargest(values, 0)).toEqual({ threshold: Number.POSITIVE_INFINITY, kept: 0, tieEnd: 0 });
    expect(selectLargest(values, 5)).toEqual({ threshold: 0, kept: 5, tieEnd: 6 });
    expect(selectLargest(values, 9)).toEqual({ threshold: 0, kept: 5, tieEnd: 6 });
    expect(selectLargest(values, 2)).toEqual({ threshold: 5, kept: 2, tieEnd: 3 });
    expect(selectLargest(values, 3)).toEqual({ threshold: 2, kept: 3, tieEnd: 1 });
    expect(selectLargest(values, 4)).toEqual({ threshold: 2, kept: 4, tieEnd: 4 });
  });
});
