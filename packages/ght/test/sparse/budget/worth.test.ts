/** How many candidates are worth their price. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomSource } from '../../../src/index.js';
import { countWorth, emptyWorth, mayBeWorth, worthwhile } from '../../../src/sparse/budget/worth.js';

describe('what is worth its price', () => {
  const settled = (values: number[], M: number) => {
    const worth = emptyWorth(M);
    for (const value of values) countWorth(worth, value);
    return worthwhile(worth, M);
  };

  it('is what exceeds ln(M/S), from the largest on', () => {
    // ln(1000/1) = 6.9, ln(1000/2) = 6.2, ln(1000/3) = 5.8.
    expect(settled([6.5, 50, 5.7], 1000).S).toBe(2);
    expect(settled([6.5, 50, 5.9], 1000).S).toBe(3);
    expect(settled([6.5], 1000)).toEqual({ S: 0, least: Number.POSITIVE_INFINITY });
    expect(settled([6.5, 50, 5.7], 1000).least).toBeLessThanOrEqual(6.5);
    expect(settled([], 10).S).toBe(0);
    expect(settled(new Array(20).fill(Number.POSITIVE_INFINITY), 20).S).toBe(20);
  });

  it('is hardly ever noise, and nearly all that is not', () => {
    const { normal } = randomSource(6);
    const M = 50_000;
    const price = 3.3;
    const noise = Array.from({ length: M }, () => normal() ** 2 / price);
    expect(settled(noise, M).S).toBeLessThan(5);
    const { S } = settled(
      noise.map((value, i) => (i < 2000 ? (8 + normal()) ** 2 / price : value)),
      M,
    );
    expect(S).toBeGreaterThan(1990);
    expect(S).toBeLessThan(2150);
  });
});

describe('the boundary by price', () => {
  /** The definition: v_(S) ≥ ln(M/S) for S and every smaller one. */
  const byDefinition = (values: readonly number[], M: number) => {
    const falling = [...values].sort((a, b) => b - a);
    let S = 0;
    while (S < falling.length && falling[S] >= Math.log(M / (S + 1))) S++;
    return S;
  };
  const counted = (values: readonly number[], M: number) => {
    const histogram = emptyWorth(M);
    for (const value of values) countWorth(histogram, value);
    return histogram;
  };
  const FINENESS = 256;
  const candidates = fc.integer({ min: 40, max: 5000 });
  const steps = fc.integer({ min: 0, max: 10 * FINENESS });

  it('is not moved by values that may not be worth it', () => {
    const value = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(value), candidates, value, (values, M, v) => {
        const above = worthwhile(
          counted(
            values.filter((each) => each > v),
            M,
          ),
          M,
        );
        fc.pre(!mayBeWorth(v, above.S, M));
        expect(worthwhile(counted(values, M), M)).toEqual(above);
      }),
    );
    expect(mayBeWorth(2.5, 10, 100)).toBe(true);
    expect(mayBeWorth(2, 10, 100)).toBe(false);
  });

  it('is the definition where no two values are within a step of each other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(steps, { maxLength: 40 }), candidates, (bins, M) => {
        const values = bins.map((bin) => bin / FINENESS);
        const { S, least } = worthwhile(counted(values, M), M);
        expect(S).toBe(byDefinition(values, M));
        expect(values.filter((value) => value >= least)).toHaveLength(S);
      }),
    );
  });

  it('is within one step of the definition for any values, ties among them', () => {
    const value = fc.oneof(fc.constantFrom(0, 1, 2.5, 5, Infinity), fc.double({ min: 0, max: 12, noNaN: true }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), candidates, (values, M) => {
        const { S } = worthwhile(counted(values, M), M);
        const lowered = values.map((v) => Math.floor(v * FINENESS) / FINENESS);
        expect(S).toBeGreaterThanOrEqual(byDefinition(lowered, M));
        expect(S).toBeLessThanOrEqual(
          byDefinition(
            lowered.map((v) => v + 1 / FINENESS),
            M,
          ),
        );
      }),
    );
  });

  it('is the same when parts count and their histograms are merged', () => {
    const part = fc.array(
      steps.map((step) => step / FINENESS),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), candidates, (parts, M) => {
        const histograms = parts.map((values) => counted(values, M));
        const merged = Float64Array.from(histograms[0], (_, i) => histograms.reduce((sum, part) => sum + part[i], 0));
        expect(worthwhile(merged, M)).toEqual(worthwhile(counted(parts.flat(), M), M));
      }),
    );
  });
});

describe('the buckets', () => {
  it('are steps of 1/256 up to ln M, and one for all beyond', () => {
    expect(emptyWorth(1000)).toHaveLength(Math.ceil(Math.log(1000) * 256) + 1);
    expect(emptyWorth(1)).toHaveLength(Math.ceil(Math.log(2) * 256) + 1);
    const histogram = emptyWorth(3);
    const top = histogram.length - 1;
    for (const value of [0, 1 / 256, 1.99 / 256, top / 256, 1e9]) countWorth(histogram, value);
    expect([histogram[0], histogram[1], histogram[2], histogram[top]]).toEqual([1, 2, 0, 2]);
  });

  it('are taken from the top while the S-th is worth ln(M/S), also the lowest', () => {
    const of = (M: number, ...values: number[]) => {
      const histogram = emptyWorth(M);
      for (const value of values) countWorth(histogram, value);
      return worthwhile(histogram, M);
    };
    // ln(100/1) = 4.61, ln(100/2) = 3.91.
    expect(of(100, 4.7)).toEqual({ S: 1, least: Math.ceil(Math.log(100) * 256) / 256 });
    expect(of(100, 4.5)).toEqual({ S: 0, least: Number.POSITIVE_INFINITY });
    expect(of(100, 4.7, 3.8)).toMatchObject({ S: 1 });
    expect(of(100, 4.7, 4.0)).toMatchObject({ S: 2, least: 4 });
    // Of a full bucket the first must be worth it by itself: ln(100/1), though ln(100/50) = 0.69 would do for the last.
    expect(of(100, ...new Array(50).fill(2))).toMatchObject({ S: 0 });
    // All candidates are worth it: ln(2/2) = 0.
    expect(of(2, 5, 0.001)).toEqual({ S: 2, least: 0 });
  });
});
