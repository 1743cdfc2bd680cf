import { describe, expect, it } from 'vitest';
import type { Paths, Spending } from '../../../src/sparse/solvers/joint-omp.js';
import {
  allot,
  divide,
  emptyPaths,
  isComplete,
  PATIENCE,
  pursueAllotment,
} from '../../../src/sparse/solvers/joint-omp.js';
import { finish } from '../../../src/work.js';
import {
  atomsOf,
  bruteForcePursuit,
  dictionaryOf,
  expectClose,
  largestOf,
  leastSquares,
  problem,
  signal,
  watched,
} from './definitions.js';

/** Paths that were followed to their end, with these gains. */
function pathsOf(gains: readonly (readonly number[])[], row: number): Paths {
  const all = new Float64Array(gains.length * row);
  for (const [p, own] of gains.entries()) all.set(own, p * row);
  const depths = Int32Array.from(gains, (own) => own.length);
  return { gains: all, row, followed: depths, without: new Int32Array(gains.length).fill(-1), price: 0 };
}

/** The gains of the concave envelope by its definition: the least, over all starts, of the best mean from there. */
function enveloped(gains: readonly number[]): number[] {
  const mean = (from: number, to: number) => gains.slice(from, to).reduce((sum, gain) => sum + gain, 0) / (to - from);
  return gains.map((_, k) =>
    Math.min(
      ...Array.from({ length: k + 1 }, (_, from) =>
        Math.max(...Array.from({ length: gains.length - k }, (_, i) => mean(from, k + 1 + i))),
      ),
    ),
  );
}

/** The atoms of each patch by definition: the S largest enveloped gains of all. */
function countsOf(gains: readonly (readonly number[])[], S: number): number[] {
  const all = gains.flatMap((own, p) => enveloped(own).map((gain) => ({ p, gain })));
  const chosen = largestOf(
    all.map(({ gain }) => gain),
    S,
  );
  return gains.map((_, p) => chosen.filter((i) => all[i].p === p).length);
}

describe('a selection among the gains above a price', () => {
  const selection = (threshold: number, kept: number) => ({ threshold, kept, tieEnd: 0 });

  it('is complete once its threshold is above the price, or there is nothing below it or nothing to spend', () => {
    expect(isComplete(selection(5, 10), 10, 4, 100)).toBe(true);
    expect(isComplete(selection(4, 10), 10, 4, 100)).toBe(false);
    expect(isComplete(selection(0, 7), 10, 4, 100)).toBe(false);
    expect(isComplete(selection(0, 7), 10, 0, 100)).toBe(true);
    expect(isComplete(selection(Number.POSITIVE_INFINITY, 0), 0, Number.POSITIVE_INFINITY, 100)).toBe(true);
  });

  it('of what is worth a price is complete once nothing below could be: ln(M/S) prices', () => {
    // ln(100/11) = 2.2: a gain of 2 × 3 could not be worth it as the eleventh, one of 2.5 × 3 could.
    expect(isComplete(selection(9, 10), { price: 3 }, 6, 100)).toBe(true);
    expect(isComplete(selection(9, 10), { price: 3 }, 7.5, 100)).toBe(false);
  });
});

describe('dividing a budget', () => {
  const gains = [[5, 1, 6, 0.5, 0.25], [9, 3], [], [2, 2.5, 4, 0.1], [0.75, 0.75, 8]];

  it.each([0, 1, 2, 3, 5, 6, 7, 9, 11, 14])('gives %i atoms to the largest gains of the envelopes', (S) => {
    const { counts, kept } = divide(pathsOf(gains, 6), S);
    expect([...counts]).toEqual(countsOf(gains, S));
    expect(kept).toBe(S);
  });

  it('replaces a run of rising gains by its mean, which is the threshold where it is the last', () => {
    // 5, then (1 + 6) / 2 twice; 9 and 3; and 2, 2.5 and 4 make 8.5 / 3 three times.
    expect(divide(pathsOf(gains.slice(0, 2), 6), 3).threshold).toBe(3.5);
    expect(divide(pathsOf([gains[3]], 6), 2).threshold).toBeCloseTo(8.5 / 3, 12);
  });

  it('divides as the definition does, whatever the gains', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const made = problem(6, 1, 5, seed).Y.map(Math.abs);
      const random = Array.from({ length: 5 }, (_, p) => [...made.subarray(6 * p, 6 * p + 2 + ((seed + p) % 5))]);
      for (const S of [1, 4, 7, 10]) expect([...divide(pathsOf(random, 6), S).counts]).toEqual(countsOf(random, S));
    }
  });

  it('keeps what is worth the price: the S-th gain at least ln(candidates / S) times it', () => {
    // ln(8/S) for S = 1 … 5: 2.08, 1.39, 0.98, 0.69, 0.47.
    const paths = pathsOf([[10, 5, 1, 0.01], [8]], 4);
    const spend = (price: number) => {
      const { counts, kept } = divide(paths, { price });
      return [[...counts], kept];
    };
    expect(spend(1)).toEqual([[3, 1], 4]);
    expect(spend(2)).toEqual([[2, 1], 3]);
    expect(spend(4)).toEqual([[2, 1], 3]);
    expect(spend(6)).toEqual([[0, 0], 0]);
  });

  it('keeps every gain above zero where all candidates are worth it, and none that is zero', () => {
    // ln(2/1) = 0.69 and ln(2/2) = 0: the second gain is worth it however small it is.
    expect(divide(pathsOf([[1, 1e-9]], 2), { price: 1 })).toMatchObject({ kept: 2, counts: Int32Array.of(2) });
    expect(divide(pathsOf([[1, 0]], 2), { price: 1 })).toMatchObject({ kept: 1, counts: Int32Array.of(1) });
  });
});

describe('joint OMP', () => {
  const [N, L, P] = [9, 12, 7];
  const { D, Y } = problem(N, L, P, 4);
  // Signals of different size, so that they get different numbers of atoms.
  Y.forEach((value, i) => {
    Y[i] = value * 1.2 ** -Math.floor(i / N);
  });
  const pursuits = Array.from({ length: P }, (_, p) => bruteForcePursuit(D, signal(Y, N, p), N));
  const gains = pursuits.map(({ errors }) => errors.slice(1).map((error, k) => errors[k] - error));

  it('allots what brute force allots, also going on from another budget', () => {
    const paths = emptyPaths(D, P);
    expect([paths.row, paths.gains.length, paths.followed.length]).toEqual([N, N * P, P]);
    for (const S of [5, 14, 30, 8, 0]) {
      const expected = countsOf(gains, S);
      expect([...finish(allot(D, Y, paths, S)).counts]).toEqual(expected);
      expect([...finish(allot(D, Y, emptyPaths(D, P), S)).counts]).toEqual(expected);
    }
  });

  it('leaves a path that has lost more than its patience, and none before', () => {
    const paths = emptyPaths(D, P);
    const { threshold } = finish(allot(D, Y, paths, 8));
    expect(paths.price).toBeLessThan(threshold);
    let left = 0;
    for (let p = 0; p < P; p++) {
      const lostAfter = (k: number) => {
        const sums = gains[p]
          .slice(0, k)
          .map((_, i) => gains[p].slice(i, k).reduce((lost, g) => lost + paths.price - g, 0));
        return Math.max(0, ...sums);
      };
      const followed = paths.followed[p];
      expect(lostAfter(followed - 1)).toBeLessThanOrEqual(PATIENCE * paths.price);
      if (followed === N) continue;
      expect(lostAfter(followed)).toBeGreaterThan(PATIENCE * paths.price);
      left++;
    }
    expect(left).toBeGreaterThan(0);
  });

  it.each([1e-3, 1e3])('allots the same when the sample is %d times as large as the rest', (scale) => {
    // Every third signal of 384 is in the sample.
    const many = problem(4, 6, 384, 5);
    many.Y.forEach((value, i) => {
      many.Y[i] = Math.floor(i / 4) % 3 === 0 ? scale * value : value;
    });
    for (const S of [150, 700, { price: 0.1 }] as Spending[]) {
      const whole = emptyPaths(many.D, 384);
      finish(allot(many.D, many.Y, whole, 4 * 384));
      expect(whole.price).toBe(0);
      const { counts } = finish(allot(many.D, many.Y, emptyPaths(many.D, 384), S));
      expect([...counts]).toEqual([...divide(whole, S).counts]);
    }
  });

  it('tells how far it is every 64 patches, after a sample', () => {
    const many = problem(2, 3, 128, 3);
    expect(watched(allot(many.D, many.Y, emptyPaths(many.D, 128), 20)).fractions).toEqual([0, 0, 0, 64 / 128]);
  });

  it('writes the least-squares codes of its allotment', () => {
    const counts = Int32Array.of(4, 0, 1, 3, 2, 0, 5);
    const solve = pursueAllotment(D, { counts, without: new Int32Array(P).fill(-1) });
    for (let p = 0; p < P; p++) {
      const x = new Float64Array(L);
      const support = pursuits[p].support.slice(0, counts[p]);
      const columns = support.map((l) => atomsOf(D)[l]);
      const expected = leastSquares(columns, signal(Y, N, p));
      const { errors, kept } = solve(Y, p * N, x);
      const dense = new Float64Array(L);
      support.forEach((l, k) => {
        dense[l] = expected.x[k];
      });
      expectClose(x, dense);
      expectClose(errors, [expected.error]);
      expect(kept).toEqual([counts[p]]);
    }
  });

  it('keeps, with restarts, the path that is worth most at λ, and divides the budget again', () => {
    const S = 14;
    const { threshold: lambda } = finish(allot(D, Y, emptyPaths(D, P), S));
    const allotment = finish(allot(D, Y, emptyPaths(D, P), S, 2));
    /** The gains of the pursuit that may not use an atom, by trying all others. */
    const pathWithout = (p: number, excluded: number) => {
      const others = atomsOf(D).filter((_, l) => l !== excluded);
      const { errors } = bruteForcePursuit(dictionaryOf(others), signal(Y, N, p), N);
      return errors.slice(1).map((error, k) => errors[k] - error);
    };
    const sums = (path: readonly number[]) =>
      path.map((_, k) => path.slice(0, k + 1).reduce((sum, gain) => sum + gain - lambda, 0));
    const worth = (path: readonly number[]) => Math.max(0, ...sums(path));
    const best = pursuits.map(({ support }, p) => {
      const n = sums(gains[p]).indexOf(worth(gains[p])) + 1;
      const paths = [-1, ...support.slice(1, Math.min(n, 4))].map((atom) => ({
        atom,
        gains: atom < 0 ? gains[p] : pathWithout(p, atom),
      }));
      return paths.reduce((a, b) => (worth(b.gains) > worth(a.gains) * (1 + 1e-9) ? b : a));
    });
    expect([...allotment.without]).toEqual(best.map(({ atom }) => atom));
    expect(best.some(({ atom }) => atom >= 0)).toBe(true);
    expect([...allotment.counts]).toEqual(
      countsOf(
        best.map((path) => path.gains),
        S,
      ),
    );
    expect(allotment.kept).toBe(S);
  });

  it('pursues a patch without the atom that its allotment leaves out', () => {
    const without = new Int32Array(P).fill(pursuits[0].support[1]);
    const x = new Float64Array(L);
    pursueAllotment(D, { counts: new Int32Array(P).fill(4), without })(Y, 0, x);
    expect(x[without[0]]).toBe(0);
    expect(x.filter((value) => value !== 0)).toHaveLength(4);
  });
});
