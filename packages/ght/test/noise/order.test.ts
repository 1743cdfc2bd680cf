import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile, ranked } from '../../src/noise/order.js';
import { runs } from '../properties/problems.js';

/** Values with many equal ones among them. */
const values = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: 1 })), {
  minLength: 1,
});

describe('ranked', () => {
  it('finds the value of any rank, and moves smaller values before it and larger ones after it', () => {
    fc.assert(
      fc.property(values, fc.nat(), (list, n) => {
        const k = n % list.length;
        const given = Float64Array.from(list);
        const value = ranked(given, k);
        expect(value).toBe(Float64Array.from(list).sort()[k]);
        expect(given.subarray(0, k).every((other) => other <= value)).toBe(true);
        expect(given.subarray(k).every((other) => other >= value)).toBe(true);
        expect(Array.from(given).sort()).toEqual(Array.from(Float64Array.from(list)).sort());
      }),
      runs(300),
    );
  });

  it('rearranges only the given range', () => {
    const given = Float64Array.of(9, 5, 3, 4, 1, 0);
    expect(ranked(given, 1, 1, 4)).toBe(4);
    expect([given[0], given[4], given[5]]).toEqual([9, 1, 0]);
  });
});

describe('quantile', () => {
  it('is interpolated between the nearest ranks, as in NumPy', () => {
    expect(quantile(Float64Array.of(4, 1, 3, 2), 0.2)).toBeCloseTo(1.6, 12);
    expect(quantile(Float64Array.of(4, 1, 3, 2), 0.5)).toBe(2.5);
    expect(quantile(Float64Array.of(7), 0.2)).toBe(7);
    expect(quantile(Float64Array.of(3, 1, 2), 1)).toBe(3);
  });
});
