import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { gaussianDictionary, overcompleteDct, randomSource } from '../../../src/index.js';
import { backwardSubstitute, cholesky, forwardSubstitute } from '../../../src/math/cholesky.js';
import { gram, matrix, times } from '../../../src/math/matrix.js';
import { aiht } from '../../../src/sparse/solvers/aiht.js';
import { iterate, iterateInBatches } from '../../../src/sparse/solvers/loop.js';
import { pursuer } from '../../../src/sparse/solvers/pursuit.js';
import { correlations, factor, qpmStep } from '../../../src/sparse/solvers/qpm.js';
import { drive, finish, type Work } from '../../../src/work.js';
import { withFastClock } from '../../clock.js';
import { golden } from '../../golden/golden.js';

describe('Cholesky', () => {
  it('and two substitutions solve a system', () => {
    const random = randomSource(1);
    const A = gram(matrix(9, 6, () => random.normal()));
    const x = Float64Array.from({ length: 6 }, () => random.normal());
    const b = times(A, { rows: 6, cols: 1, data: x }).data;
    const C = cholesky(A);
    if (!C) throw new Error('a Gram matrix of full rank has a factor');
    forwardSubstitute(C, b);
    backwardSubstitute(C, b);
    expect([...b].map((value) => value.toFixed(9))).toEqual([...x].map((value) => value.toFixed(9)));
  });

  it('detects a matrix that is not positive definite', () => {
    expect(cholesky(matrix(2, 2, () => 1))).toBeUndefined();
  });
});

describe('GHT-QPM', () => {
  it('never raises the penalty objective, for any dictionary, signals, ρ and S', () => {
    fc.assert(
      fc.property(
        fc.record({
          N: fc.integer({ min: 1, max: 12 }),
          L: fc.integer({ min: 1, max: 20 }),
          P: fc.integer({ min: 1, max: 9 }),
          rho: fc.double({ min: 1e-3, max: 10, noNaN: true }),
          part: fc.double({ min: 0, max: 1, noNaN: true }),
          seed: fc.integer({ min: 0, max: 1e6 }),
        }),
        ({ N, L, P, rho, part, seed }) => {
          const D = gaussianDictionary(N, L, seed, 1);
          const random = randomSource(seed + 1);
          const Y = Float64Array.from({ length: N * P }, () => random.normal());
          const C = factor(D, rho);
          const W = correlations(D, Y, P);
          const [X, Z] = [new Float64Array(L * P), new Float64Array(L * P)];
          const objective = () => {
            const DX = times(D.atoms, { rows: L, cols: P, data: X }).data;
            const fit = DX.reduce((sum, value, i) => sum + (value - Y[i]) ** 2, 0);
            return fit + rho * X.reduce((sum, value, i) => sum + (value - Z[i]) ** 2, 0);
          };
          let before = Number.POSITIVE_INFINITY;
          for (let k = 0; k < 15; k++) {
            finish(qpmStep(C, W, X, Z, rho, Math.floor(part * L * P)));
            expect(objective()).toBeLessThanOrEqual(before * (1 + 1e-12) + 1e-12);
            before = objective();
          }
        },
      ),
    );
  });

  it('has the objective SciPy computes', () => {
    const made = golden('solvers.json');
    const D = overcompleteDct(8, 10);
    const Y = Float64Array.from(made.Y.data);
    const { rho, objective } = made.qpm_relative;
    const [C, W] = [factor(D, rho), correlations(D, Y, 40)];
    const [X, Z] = [new Float64Array(4000), new Float64Array(4000)];
    for (const expected of objective) {
      finish(qpmStep(C, W, X, Z, rho, made.S));
      const DX = times(D.atoms, { rows: 100, cols: 40, data: X }).data;
      const fit = DX.reduce((sum, value, i) => sum + (value - Y[i]) ** 2, 0);
      expect((fit + rho * X.reduce((sum, value, i) => sum + (value - Z[i]) ** 2, 0)) / expected).toBeCloseTo(1, 9);
    }
  });
});

describe('pursuit', () => {
  const made = golden('solvers.json');
  const Y = Float64Array.from(made.Y.data);

  it('chooses the atoms of a brute-force search, in the same order, with the same errors', () => {
    const pursue = pursuer(overcompleteDct(8, 10), 'order-recursive');
    for (let p = 0; p < 40; p++) {
      const { support, errors, count } = pursue(Y, 64 * p, made.ols.depth);
      const decided = made.ols.decided[p];
      expect(count).toBe(made.ols.depth);
      expect([...support.slice(0, decided)]).toEqual(made.ols.supports[p].slice(0, decided));
      const expected: number[] = made.ols.squared_errors[p];
      expected.forEach((error, k) => {
        expect(Math.abs(errors[k] - error)).toBeLessThan(1e-9 * expected[0]);
      });
    }
  });

  it('stops by itself once a signal is represented exactly', () => {
    const flat = new Float64Array(64).fill(7);
    for (const rule of ['omp', 'order-recursive'] as const) {
      const { count, support, coefficients } = pursuer(overcompleteDct(8, 10), rule)(flat, 0, 20);
      expect([count, support[0]]).toEqual([1, 0]);
      expect(coefficients()[0]).toBeCloseTo(56, 10);
    }
  });

  it('never uses more atoms than a signal has samples, nor one twice', () => {
    const random = randomSource(2);
    const y = Float64Array.from({ length: 64 }, () => random.normal());
    const { count, support, errors } = pursuer(overcompleteDct(8, 10), 'omp')(y, 0, 100);
    expect(count).toBe(64);
    expect(new Set(support.slice(0, count)).size).toBe(64);
    expect(errors[64]).toBeLessThan(1e-18);
  });
});

it('AIHT takes the first step that normalised IHT prescribes', () => {
  const { D, Y, s, niht_first } = golden('synthetic.json');
  const dictionary = { name: 'golden', N: D.rows, L: D.cols, atoms: { ...D, data: Float64Array.from(D.data) } };
  const x = new Float64Array(D.cols);
  // With one iteration the only direction to relax along is the step itself, whose length is then exact. So the support is
  // compared, and the values up to the factor that the line search finds.
  aiht(dictionary, s, { maxIterations: 1, tolerance: 0 })(Float64Array.from(Y.data), niht_first.signal * D.rows, x);
  const support = [...x.keys()].filter((l) => x[l] !== 0);
  expect(support).toEqual(niht_first.indices);
  const ratios = support.map((l, i) => x[l] / niht_first.values[i]);
  for (const ratio of ratios) expect(ratio).toBeCloseTo(ratios[0], 9);
});

describe('the loop', () => {
  const steps = (errors: number[]) => {
    let k = 0;
    return async () => ({ rmse: errors[Math.min(k++, errors.length - 1)], threshold: 1, kept: 2 });
  };
  const run = async (errors: number[], maxIterations = 10, tolerance = 0.1, least?: number) => {
    const kept: number[] = [];
    const seen: number[] = [];
    const outcome = await iterate(steps(errors), () => kept.push(seen.length + 1), {
      maxIterations,
      tolerance,
      least,
      onEntry: ({ k }) => seen.push(k),
    });
    return { ...outcome, kept, seen };
  };

  it('stops when the error converges, and says so', async () => {
    const { history, stopReason, seen } = await run([9, 5, 4.95, 1]);
    expect(stopReason).toBe('converged');
    expect(history.map(({ k, rmse }) => [k, rmse])).toEqual([
      [1, 9],
      [2, 5],
      [3, 4.95],
    ]);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('does not stop while ρ rises, however little the error changes', async () => {
    const { history, stopReason } = await run([9, 9, 9, 9, 9, 9], 10, 0.1, 3);
    expect([stopReason, history.length]).toEqual(['converged', 4]);
  });

  it('keeps the best iterate, not the last', async () => {
    const { kept, rmse, stopReason } = await run([9, 5, 7, 6, 8], 5);
    expect(kept).toEqual([1, 2]);
    expect(rmse).toBe(5);
    expect(stopReason).toBe('max-iterations');
  });

  it('runs to the last iteration at tolerance 0, even if nothing changes any more', async () => {
    const { history, stopReason } = await run([3, 3, 3], 8, 0);
    expect(history).toHaveLength(8);
    expect(stopReason).toBe('max-iterations');
  });

  it('keeps the first of iterates that are equally good', async () => {
    expect((await run([9, 5, 5, 5], 4, 0)).kept).toEqual([1, 2]);
  });

  it('counts the time of its steps, but not that of callbacks', async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const step = async () => {
      now += 5;
      return { rmse: 1, threshold: 1, kept: 1 };
    };
    const onEntry = () => {
      now += 100;
    };
    const { history } = await iterate(step, () => {}, { maxIterations: 3, tolerance: 0, onEntry });
    clock.mockRestore();
    expect(history.map(({ ms }) => ms)).toEqual([5, 10, 15]);
  });

  it('does the same in batches, and divides their time', async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const [asked, seen]: number[][] = [[], []];
    const batch = async (k: number) => {
      asked.push(k);
      now += 30;
      return [9, 5, 7, 6, 6.05, 1].slice(k - 1, k + 2).map((rmse) => ({ rmse, threshold: 1, kept: 2 }));
    };
    const options = { maxIterations: 10, tolerance: 0.1, onEntry: ({ k }: { k: number }) => seen.push(k) };
    const { history, stopReason, rmse } = await iterateInBatches(batch, options);
    clock.mockRestore();
    expect([asked, seen, stopReason, rmse]).toEqual([[1, 4], [1, 2, 3, 4, 5], 'converged', 5]);
    expect(history.map(({ ms }) => ms)).toEqual([10, 20, 30, 40, 50]);
  });

  it('stops when the error is NaN, with the best iterate before it', async () => {
    const { stopReason, rmse, history } = await run([9, 5, Number.NaN]);
    expect([stopReason, rmse, history.length]).toEqual(['diverged', 5, 2]);
  });
});

describe('driven work', () => {
  function* count(to: number): Work<number> {
    for (let i = 0; i < to; i++) {
      yield i / to;
    }
    return to;
  }

  it('can be aborted while it computes', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 0);
    let steps = 0;
    const watched = () => drive(count(2000), { signal: controller.signal, onFraction: () => steps++ });
    await expect(withFastClock(watched)).rejects.toThrow('enough');
    // A timer that is due runs in the first pause, or in one of the next if the host rounds it up.
    expect(steps).toBeLessThan(2000);
  });

  it('reports progress and returns its result', async () => {
    const fractions: number[] = [];
    const onFraction = (fraction: number) => fractions.push(fraction);
    expect(await withFastClock(() => drive(count(40), { onFraction }))).toBe(40);
    expect(fractions).toEqual(Array.from({ length: 40 }, (_, i) => i / 40));
  });
});
