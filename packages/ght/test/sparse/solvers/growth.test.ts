import { describe, expect, it } from 'vitest';
import { overcompleteDct, type SolverOptions, solve } from '../../../src/index.js';
import { supportMismatch } from '../../../src/paper.js';
import { budgetAt, growingIterations } from '../../../src/sparse/solvers/growth.js';
import { golden, goldenCodes } from '../../golden/golden.js';

const made = golden('solvers.json');
const D = overcompleteDct(made.patch, made.m);
const Y = Float64Array.from(made.Y.data);

const budgets = (S: number, growth: number | false, iterations: number) =>
  Array.from({ length: iterations }, (_, i) => budgetAt(S, growth, i + 1, iterations));

describe('a budget that grows', () => {
  it('rises in equal steps over 85% of the iterations, and then is all of S', () => {
    expect(budgets(1000, 0.1, 20)).toEqual([
      ...Array.from({ length: 17 }, (_, i) => Math.ceil(100 + (900 * i) / 16)),
      ...[1000, 1000, 1000],
    ]);
    expect(growingIterations(0.1, 20)).toBe(16);
  });

  it('has at least one atom, and never more than S', () => {
    expect(Math.min(...budgets(7, 1e-9, 40))).toBe(1);
    expect(Math.max(...budgets(7, 0.5, 40))).toBe(7);
    expect(budgets(0, 0.5, 10)).toEqual(Array(10).fill(0));
  });

  it('is all of S from the start with one iteration, with a share of 1, and if it does not grow', () => {
    expect(budgets(50, 0.02, 1)).toEqual([50]);
    expect(budgets(50, 1, 30)).toEqual(Array(30).fill(50));
    expect(budgets(50, false, 30)).toEqual(Array(30).fill(50));
    expect(growingIterations(false, 100)).toBe(0);
  });

  it('has grown after 255 iterations, however many there are', () => {
    expect([1, 254, 255, 256, 1e6].map((k) => budgetAt(1000, 0.5, k, 1e9))).toEqual([500, 999, 1000, 1000, 1000]);
  });
});

describe.each(['qpm', 'admm'] as const)('%s with a budget that grows', (solver) => {
  const expected = made[`${solver}_growing`];
  const { growth, iterations, rho_relative: rho } = expected;
  const options: SolverOptions = { solver, growth, rho, budget: { total: made.S }, maxIterations: iterations };

  it('is what NumPy computes', async () => {
    const { history, codes, nonzeros, rmse } = await solve(D, Y, { ...options, engine: 'reference' });
    expect(history.map(({ kept }) => kept)).toEqual(expected.S);
    for (const [k, entry] of history.entries()) expect(entry.rmse / expected.rmse[k]).toBeCloseTo(1, 8);
    expect(supportMismatch(codes, goldenCodes(expected.Z))).toBe(0);
    expect([nonzeros, rmse]).toEqual([made.S, history.at(-1)?.rmse]);
  });

  it('does not stop before it has grown, though the error hardly changes', async () => {
    const { iterations: k, stopReason } = await solve(D, Y, { ...options, rho: 0.1, tolerance: 1 });
    expect([k, stopReason]).toEqual([growingIterations(growth, iterations) + 1, 'converged']);
  });

  it('starts over with every budget of a search', async () => {
    const found = await solve(D, Y, { ...options, rho: 0.1, budget: { rmse: 30 } });
    const { rmse } = await solve(D, Y, { ...options, rho: 0.1, budget: { total: found.budget } });
    expect(found.rmse).toBe(rmse);
  });

  it('starts from given codes with all of the budget', async () => {
    const { codes, rmse } = await solve(D, Y, options);
    const again = await solve(D, Y, { solver, rho: 0.2, initial: codes, budget: { total: made.S }, maxIterations: 5 });
    expect(again.history[0].kept).toBe(made.S);
    expect(again.rmse).toBeLessThan(1.01 * rmse);
    await expect(solve(D, Y, { ...options, initial: codes })).rejects.toThrow(
      'growth must be left out with initial codes, which it would drop, but got 0.05',
    );
  });

  it.each([0, 1.5, Number.NaN, true, '0.1'])('refuses a share of %s', async (share) => {
    await expect(solve(D, Y, { ...options, growth: share as number })).rejects.toThrow(
      'growth must be above 0 and at most 1, or false, but got',
    );
  });
});

it('only the solvers with a global threshold have a growing budget', async () => {
  for (const solver of ['joint-omp', 'omp'] as const) {
    await expect(solve(D, Y, { solver, growth: 0.1 })).rejects.toThrow('growth must be left out for');
  }
});
