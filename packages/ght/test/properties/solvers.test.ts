/** Every solver on every engine, on numerically difficult problems: the mathematics holds, or a library error says why not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Solution, SolveOptions } from '../../src/index.js';
import { isGhtError, reconstruct, solve, solverNames } from '../../src/index.js';
import { badNumbers, distance, problem, refused, runs } from './problems.js';

const engines = ['reference', 'portable', 'wasm'] as const;
const each = engines.flatMap((engine) => solverNames.map((solver) => ({ engine, solver })));
/**
 * Relative to ‖Y‖: rounding of float64 on ill-conditioned supports; in float32, the part outside the range of D is accurate to
 * 1e-6 of ‖Y‖².
 */
const within = { reference: 1e-6, portable: 1e-6, wasm: 1e-3 };

/** A solution, or undefined if the problem was rejected for a valid reason. */
async function attempt(...args: Parameters<typeof solve>): Promise<Solution | undefined> {
  try {
    return await solve(...args);
  } catch (error) {
    // ρ is so small that DDᵀ + ρI is singular, or coefficients overflow.
    if (isGhtError(error) && ['rho', 'Y'].includes(error.parameter)) return undefined;
    throw error;
  }
}

describe.each(each)('$solver on the $engine engine', ({ engine, solver }) => {
  const iterative = solver === 'qpm' || solver === 'admm';
  const rho = iterative
    ? fc.constantFrom(
        undefined,
        1e-12,
        1e12,
        1e300,
        { absolute: 1e-300 },
        { from: 1e-3, to: 1 },
        { from: 1e-9, to: 1e9 },
      )
    : fc.constant(undefined);
  const effort = solver === 'joint-omp' ? fc.constantFrom(1, 2, 3) : fc.constant(undefined);

  it('keeps to the budget, with finite codes whose error is the one it reports', async () => {
    let solved = 0;
    await fc.assert(
      fc.asyncProperty(
        problem,
        rho,
        fc.constantFrom('none', 'one', 'some', 'all'),
        fc.boolean(),
        effort,
        async (given, rho, S, refit, effort) => {
          const { D, P, Y } = given;
          const total = { none: 0, one: 1, some: Math.min(2, D.L) * P, all: D.L * P }[S];
          const options: SolveOptions = { solver, engine, rho, effort, refit, budget: { total }, maxIterations: 12 };
          const result = await attempt(D, Y, options);
          if (!result) return;
          solved++;
          expect(result.nonzeros).toBeLessThanOrEqual(total);
          expect(result.codes.values.every(Number.isFinite)).toBe(true);
          expect(result.codes.values).toHaveLength(result.nonzeros);
          expect(
            result.history.every(({ rmse, threshold }) => Number.isFinite(rmse) && !Number.isNaN(threshold ?? 0)),
          ).toBe(true);
          const norm = distance(Y, new Float64Array(Y.length), P);
          // Denormals have only a few digits.
          const grid = 1e-307;
          const error = distance(reconstruct(D, result.codes), Y, P);
          expect(Math.abs(error - result.rmse)).toBeLessThanOrEqual(within[engine] * norm + grid);
          if (solver !== 'admm' && rho === undefined)
            expect(error).toBeLessThanOrEqual((1 + within[engine]) * norm + grid);
        },
      ),
      runs(engine === 'wasm' ? 40 : 60),
    );
    // Most of these problems must have a solution.
    expect(solved).toBeGreaterThan(20);
  });

  it('is invariant to scaling by powers of two: the same support and the same digits', async () => {
    const { D, Y } = fc.sample(
      problem.filter(({ atoms, kind, scale }) => atoms === 'Gaussian' && kind === 'normal' && scale === 1),
      runs(1),
    )[0];
    const run = (by: number) =>
      solve(
        D,
        Y.map((value) => value * by),
        { solver, engine, budget: { perPatch: 3 }, maxIterations: 20 },
      );
    const here = await run(1);
    for (const by of [2 ** -130, 2 ** 130]) {
      const there = await run(by);
      expect(there.codes.indices).toEqual(here.codes.indices);
      const back = there.codes.values.map((value) => value / by);
      expect(distance(back, here.codes.values, 1)).toBeLessThan(
        1e-5 * distance(here.codes.values, new Float64Array(back.length), 1),
      );
      expect(there.rmse / by / here.rmse).toBeCloseTo(1, 5);
    }
  });

  it('is not made worse by a refit', async () => {
    await fc.assert(
      fc.asyncProperty(problem, async ({ D, P, Y }) => {
        const options = { solver, engine, budget: { total: Math.min(2, D.L) * P }, maxIterations: 8 } as const;
        const [plain, refitted] = [await attempt(D, Y, options), await attempt(D, Y, { ...options, refit: true })];
        if (!plain || !refitted) return;
        const norm = distance(Y, new Float64Array(Y.length), P);
        expect(refitted.rmse).toBeLessThanOrEqual(plain.rmse + within[engine] * norm);
        expect(refitted.nonzeros).toBeLessThanOrEqual(plain.budget);
      }),
      runs(12),
    );
  });
});

describe('solve rejects, naming what is wrong', () => {
  const [{ D, Y }] = fc.sample(
    problem.filter(({ atoms, P }) => atoms === 'Gaussian' && P === 2),
    runs(1),
  );
  const L = D.L * 2;
  it.each([...badNumbers, L + 1, 2.5])('a total budget of %s', async (total) => {
    expect(await refused(solve(D, Y, { budget: { total: total as number } }))).toContain('budget.total');
  });
  it.each([...badNumbers, D.L + 1])('%s atoms per patch', async (perPatch) => {
    expect(await refused(solve(D, Y, { budget: { perPatch: perPatch as number } }))).toContain('budget.perPatch');
  });
  it.each(['rmse', 'sigma', 'psnr'] as const)('an invalid number as %s', async (kind) => {
    for (const bad of badNumbers) {
      expect(await refused(solve(D, Y, { budget: { [kind]: bad } as never }))).toContain(`budget.${kind}`);
    }
  });
  it.each(['rho', 'peak', 'tolerance', 'maxIterations', 'threads'] as const)(
    'an invalid number as %s',
    async (name) => {
      for (const bad of badNumbers.filter((value) => value !== null)) {
        expect(await refused(solve(D, Y, { [name]: bad }))).toContain(name);
      }
      if (name !== 'tolerance') expect(await refused(solve(D, Y, { [name]: 0 }))).toContain(name);
    },
  );
  it('an invalid budget, even one that cannot be serialised', async () => {
    for (const budget of [5, {}, { total: 1, psnr: 2n }, { atoms: 3 }]) {
      expect(await refused(solve(D, Y, { budget: budget as never }))).toContain('budget');
    }
  });
  it('signals that are invalid, NaN, infinite or almost infinite', async () => {
    expect(await refused(solve(D, new Float64Array(0)))).toContain('Y must be');
    expect(await refused(solve(D, new Float64Array(D.N + 1)))).toContain('Y must be');
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1.5e308]) {
      const broken = Y.slice();
      broken[D.N + 1] = bad;
      expect(await refused(solve(D, broken))).toContain('Y sample (row 1, signal 1)');
    }
  });
});

it('targets are reached in any units, or reported as unreachable', async () => {
  await fc.assert(
    fc.asyncProperty(
      problem,
      fc.constantFrom(...engines),
      fc.constantFrom('qpm', 'joint-omp', 'omp'),
      async (given, engine, solver) => {
        const { D, P, Y } = given;
        const norm = distance(Y, new Float64Array(Y.length), P);
        for (const budget of [{ rmse: 0.6 * norm }, { sigma: 0.2 * norm, rule: 'threshold' } as const]) {
          try {
            const { rmse, nonzeros } = await solve(D, Y, { solver, engine, budget, maxIterations: 8 });
            expect(Number.isFinite(rmse)).toBe(true);
            expect(nonzeros).toBeLessThanOrEqual(D.L * P);
            if (budget.rmse !== undefined) expect(rmse).toBeLessThanOrEqual((1 + 1e-9) * budget.rmse);
          } catch (error) {
            if (!isGhtError(error)) throw error;
            expect(['budget', 'Y', 'rho']).toContain(error.parameter);
          }
        }
      },
    ),
    runs(40),
  );
});
