import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codesFromDense, nonzeros } from '../../../src/sparse/codes/codes.js';
import { cutFor, localSearch, PriceSearch, swapped } from '../../../src/sparse/solvers/swaps.js';
import { finish } from '../../../src/work.js';
import { atomsOf, expectClose, leastSquares, problem, signal } from './definitions.js';

const [N, L, P] = [8, 12, 6];

describe('the local search of one patch', () => {
  const errorOf = (D: ReturnType<typeof problem>['D'], y: number[], support: readonly number[]) =>
    leastSquares(
      support.map((l) => atomsOf(D)[l]),
      y,
    );
  const cases = fc.record({
    seed: fc.integer({ min: 1, max: 500 }),
    start: fc.uniqueArray(fc.integer({ min: 0, max: L - 1 }), { maxLength: 5 }),
    lambda: fc.double({ min: 0.01, max: 2, noNaN: true }),
  });

  it('never raises ‖r‖² + λ|Ω|, one move after the other', () => {
    fc.assert(
      fc.property(cases, ({ seed, start, lambda }) => {
        const { D, Y } = problem(N, L, 1, seed);
        const objective = (support: readonly number[]) =>
          errorOf(D, signal(Y, N, 0), support).error + lambda * support.length;
        let before = objective(start);
        for (let moves = 1; moves < 12; moves++) {
          const after = objective(localSearch(D)(Y, 0, start, lambda, 1e-3 * lambda, moves).support);
          expect(after).toBeLessThanOrEqual(before + 1e-9);
          before = after;
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('ends where no atom can be dropped, added or swapped with profit', () => {
    fc.assert(
      fc.property(cases, ({ seed, start, lambda }) => {
        const { D, Y } = problem(N, L, 1, seed);
        const y = signal(Y, N, 0);
        const { support } = localSearch(D)(Y, 0, start, lambda);
        const objective = (atoms: readonly number[]) => errorOf(D, y, atoms).error + lambda * atoms.length;
        const others = [...Array(L).keys()].filter((l) => !support.includes(l));
        const dropped = support.map((_, i) => support.filter((_, k) => k !== i));
        const moves = [...dropped, ...[support, ...dropped].flatMap((rest) => others.map((j) => [...rest, j]))];
        for (const next of moves.filter((atoms) => atoms.length < N)) {
          expect(objective(next)).toBeGreaterThan(objective(support) - 2e-3 * lambda);
        }
      }),
      { numRuns: 40, seed: 2 },
    );
  });

  it('gives the least-squares code of its support, and what the least of its atoms is worth', () => {
    const { D, Y } = problem(N, L, P, 3);
    for (let p = 0; p < P; p++) {
      const y = signal(Y, N, p);
      const { support, x, error, cheapest } = localSearch(D)(Y, p * N, [1, 4, 7], 0.5);
      const expected = errorOf(D, y, support);
      expectClose(x, expected.x, 6);
      expect(error).toBeCloseTo(expected.error, 9);
      const losses = support.map((_, i) => errorOf(D, y, support.toSpliced(i, 1)).error - error);
      expect(cheapest.loss).toBeCloseTo(Math.min(...losses), 6);
      expect(cheapest.i).toBe(losses.indexOf(Math.min(...losses)));
    }
  });
});

describe('the price at which S atoms remain', () => {
  it('is lowered while there are fewer, raised while there are many more, and found within 1%', () => {
    const search = new PriceSearch(1000, 1);
    expect(search.isFound(900)).toBe(false);
    expect(search.lambda).toBeLessThan(1);
    expect(search.isFound(999)).toBe(false);
    expect(search.isFound(1000)).toBe(true);
    expect(search.isFound(1010)).toBe(true);
    const before = search.lambda;
    expect(search.isFound(1100)).toBe(false);
    expect(search.lambda).toBeGreaterThan(before);
  });

  it('is found in a few steps where the number of atoms falls as λ rises, whatever the exponent', () => {
    for (const exponent of [0.2, 0.43, 0.8]) {
      const search = new PriceSearch(10000, 1);
      let steps = 1;
      while (!search.isFound(Math.round(13000 * search.lambda ** -exponent))) steps++;
      expect(steps).toBeLessThan(12);
    }
  });

  it('is given up in the end where there is none', () => {
    const search = new PriceSearch(10, 1);
    let steps = 1;
    while (!search.isFound(5)) steps++;
    expect(steps).toBeLessThan(20);
  });
});

it('the cut drops as many atoms as are too many, or one of every patch that has any', () => {
  const losses = Float64Array.of(3, 1, Number.POSITIVE_INFINITY, 2, 5);
  expect([1, 2, 4, 9].map((surplus) => cutFor(losses, surplus))).toEqual([1, 2, 5, 5]);
});

describe('swapped codes', () => {
  const { D, Y } = problem(N, L, 40, 5);
  /** The first three atoms for everyone, which hardly anyone wants. */
  const dense = Float64Array.from({ length: L * 40 }, (_, i) => (i % L < 3 ? 1 : 0));

  it('have at most S atoms, the error that is reported, and one that is far smaller', () => {
    const { codes, error } = finish(swapped(D, Y, codesFromDense(dense, L, 40), 120, 0.3));
    expect(nonzeros(codes)).toBeLessThanOrEqual(120);
    expect(nonzeros(codes)).toBeGreaterThan(110);
    let [before, after] = [0, 0];
    for (let p = 0; p < 40; p++) {
      const columns = (support: ArrayLike<number>) => Array.from(support, (l) => atomsOf(D)[l]);
      before += leastSquares(columns([0, 1, 2]), signal(Y, N, p)).error;
      after += leastSquares(
        columns(codes.indices.subarray(codes.indptr[p], codes.indptr[p + 1])),
        signal(Y, N, p),
      ).error;
      const own = codes.indices.subarray(codes.indptr[p], codes.indptr[p + 1]);
      expect([...own]).toEqual([...own].toSorted((a, b) => a - b));
    }
    expect(error).toBeCloseTo(after, 6);
    expect(after).toBeLessThan(0.5 * before);
  });
});
