/** One suite for every engine: the golden values of an independent implementation, and agreement with the reference. */
import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engines/reference.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Codes, SolverName } from '../../src/index.js';
import {
  atomsPerPatch,
  denseDictionary,
  denseFromCodes,
  gaussianDictionary,
  nonzeros,
  overcompleteDct,
  randomSource,
  reconstruct,
  solve,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import { noiseRules } from '../../src/sparse/budget/budget.js';
import { golden, goldenCodes } from '../golden/golden.js';
import { engineCases, float64 } from './cases.js';

const made = golden('solvers.json');
const synthetic = golden('synthetic.json');
const D = overcompleteDct(made.patch, made.m);
const Y = Float64Array.from(made.Y.data);
const PATIENT = { maxIterations: 500, tolerance: 0 };

/** Equal up to rounding: the supports are the same and the coefficients agree. */
function expectSameCodes(actual: Codes, expected: Codes, tolerance = 1e-7): void {
  expect(supportMismatch(actual, expected)).toBe(0);
  const [a, b] = [denseFromCodes(actual), denseFromCodes(expected)];
  expect(a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0)).toBeLessThan(tolerance);
}

describe('a budget from the noise level', () => {
  it.each(['qpm', 'admm', 'joint-omp', 'omp'] as const)(
    'is that of the reference on every engine: %s',
    async (solver) => {
      for (const rule of noiseRules) {
        const options = { solver, peak: 255, budget: { sigma: 8, rule }, maxIterations: 20 } as const;
        const expected = await solve(D, Y, { ...options, engine: 'reference' });
        for (const engine of ['portable', 'wasm'] as const) {
          const ours = await solve(D, Y, { ...options, engine });
          // A gain that float32 rounds to the other side of the threshold changes one atom.
          const most = Math.max(1, 0.005 * expected.nonzeros);
          expect(Math.abs(ours.nonzeros - expected.nonzeros), engine).toBeLessThanOrEqual(most);
          expect(ours.rmse / expected.rmse, engine).toBeCloseTo(1, 2);
        }
      }
    },
  );
});

describe.each(engineCases)('the %s engine', (_name, { engine, threads, within }) => {
  /** Whether the engine runs a solver itself. */
  const runs = (solver: SolverName) => engine.unsupportedReason?.(solver, 1) === undefined;

  it.each(['qpm_absolute', 'qpm_relative', 'admm_0.1', 'admm_0.2'])('follows SciPy through %s', async (name) => {
    const expected = made[name];
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    loaded.reset();
    const solver = name.startsWith('qpm') ? 'qpm' : 'admm';
    for (let k = 0; k < expected.iterations; k++) {
      const { rmse, threshold, kept } = await loaded.iterate(solver, made.S, expected.rho);
      expect(rmse / expected.rmse[k]).toBeCloseTo(1, within.digits);
      expect((threshold ?? 0) / expected.threshold[k]).toBeCloseTo(1, within.digits - 1);
      expect(kept).toBe(made.S);
    }
    loaded.keep();
    expectSameCodes(await loaded.codes(), goldenCodes(expected.Z), within.codes);
  });

  it.each(['qpm_growing', 'admm_growing'])('follows NumPy through %s', async (name) => {
    const expected = made[name];
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    loaded.reset();
    const terms = expected.S.map((S: number, k: number) => ({ S, rho: expected.rho[k] }));
    for (const [k, { S, rho }] of terms.entries()) {
      const solver = name === 'qpm_growing' ? 'qpm' : 'admm';
      const { rmse, threshold, kept } = await loaded.iterate(solver, S, rho, undefined, terms[k + 1]);
      expect(rmse / expected.rmse[k]).toBeCloseTo(1, within.digits);
      expect((threshold ?? 0) / expected.threshold[k]).toBeCloseTo(1, within.digits - 1);
      expect(kept).toBe(S);
    }
    loaded.keep();
    expectSameCodes(await loaded.codes(), goldenCodes(expected.Z), within.codes);
  });

  it('refits as lstsq does', async () => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    loaded.reset();
    for (let k = 0; k < made.qpm_relative.iterations; k++) await loaded.iterate('qpm', made.S, made.qpm_relative.rho);
    loaded.keep();
    expect((await loaded.refit()) / made.refit.rmse).toBeCloseTo(1, within.digits);
    // If the atoms of a support are dependent, many coefficients fit equally well; their reconstruction is unique.
    expect(supportMismatch(await loaded.codes(), goldenCodes(made.refit.Z))).toBe(0);
    const [shown, expected] = [reconstruct(D, await loaded.codes()), reconstruct(D, goldenCodes(made.refit.Z))];
    expect(shown.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0)).toBeLessThan(
      10 * within.codes,
    );
  });

  it.each(['omp_5', 'omp_12'])('finds what scikit-learn finds by %s', async (name) => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    const reports = await loaded.sweep('omp', made[name].s, PATIENT);
    expect(reports).toHaveLength(made[name].s);
    expect(reports[reports.length - 1].rmse / made[name].rmse).toBeCloseTo(1, within.digits);
    expectSameCodes(await loaded.codes(), goldenCodes(made[name].Z), within.codes);
  });

  it.each((['omp', 'aiht', 'cosamp'] as const).filter(runs))(
    '%s with a limit per patch codes each as with that limit for all',
    async (solver) => {
      const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
      const codesWith = async (limits: number | Int32Array) => {
        await loaded.sweep(solver, limits, PATIENT);
        const { indptr, indices, values } = await loaded.codes();
        return [...indptr.subarray(1)].map((to, p) =>
          [indices, values].map((array) => [...array.slice(indptr[p], to)]),
        );
      };
      const byLimit = [await codesWith(0), await codesWith(3), await codesWith(4)];
      // Runs of one, of several, and a change in the middle.
      const choice = (p: number) => (p < 3 ? 0 : p % 7 < 3 ? 1 : 2);
      const mixed = await codesWith(Int32Array.from({ length: 40 }, (_, p) => [0, 3, 4][choice(p)]));
      expect(mixed).toEqual(mixed.map((_, p) => byLimit[choice(p)][p]));
      expect(mixed[8]).not.toEqual(byLimit[2][8]);
    },
  );

  it.each(['joint_omp_5', 'joint_omp_10'])('divides the budget as brute force does in %s', async (name) => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    const [{ rmse, kept }] = await loaded.jointOmp(made[name].S);
    expect([...atomsPerPatch(await loaded.codes())]).toEqual(made[name].atoms_per_patch);
    expect(rmse / made[name].rmse).toBeCloseTo(1, within.digits);
    expect(kept).toBe(made[name].S);
  });

  it('finds the atoms that are worth their price, as the definition has it', async () => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    const price = 2000;
    const [{ kept, rmse, threshold }] = await loaded.jointOmp({ price });
    // M candidates, of which S are worth ln(M/S): S + 1 or S − 1 would not satisfy the rule.
    const M = 64 * 40;
    expect((threshold as number) / price).toBeGreaterThanOrEqual(Math.log(M / kept) - 0.01);
    const [{ threshold: next }] = await loaded.jointOmp(kept + 2);
    expect((next as number) / price).toBeLessThan(Math.log(M / (kept + 2)) + 0.02);
    const [same] = await loaded.jointOmp(kept);
    expect(same.rmse / rmse).toBeCloseTo(1, within.digits);
    expect(same.kept).toBe(kept);
    const [none] = await loaded.jointOmp({ price: 1e12 });
    expect(none.kept).toBe(0);
  });

  it.skipIf(!runs('cosamp'))('recovers the synthetic supports by CoSaMP and AIHT, as NumPy does', async () => {
    const gaussian = denseDictionary(synthetic.D.rows, synthetic.D.cols, synthetic.D.data);
    const loaded = await engine.load(gaussian, signalsIn(Float64Array.from(synthetic.Y.data), gaussian.N), { threads });
    for (const solver of ['cosamp', 'aiht'] as const) {
      await loaded.sweep(solver, synthetic.s, PATIENT);
      expectSameCodes(await loaded.codes(), goldenCodes(synthetic.X), 1e-4);
      const supports = synthetic[solver].supports as number[][];
      const { indptr, indices } = await loaded.codes();
      supports.forEach((support, p) => {
        expect([...indices.slice(indptr[p], indptr[p + 1])]).toEqual(support);
      });
    }
  });

  it('starts from given codes as it does from its own', async () => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    loaded.reset();
    await loaded.iterate('qpm', made.S, 0.5);
    loaded.keep();
    const first = await loaded.codes();
    const second = await loaded.iterate('qpm', made.S, 0.5);
    loaded.reset(first);
    expect((await loaded.iterate('qpm', made.S, 0.5)).rmse / second.rmse).toBeCloseTo(1, within.digits);
  });

  it('handles zero patches, S = 0 and S = L·P', async () => {
    const zero = new Float64Array(64 * 3);
    const loaded = await engine.load(D, signalsIn(zero, D.N), { threads });
    loaded.reset();
    expect(await loaded.iterate('qpm', 10, 0.5)).toMatchObject({ rmse: 0, kept: 0 });
    expect(await loaded.iterate('admm', 10, 0.5)).toMatchObject({ rmse: 0, kept: 0 });
    for (const solver of (['omp', 'aiht', 'cosamp', 'joint-omp'] as const).filter(runs)) {
      const reports = await (solver === 'joint-omp' ? loaded.jointOmp(3) : loaded.sweep(solver, 3, PATIENT));
      expect(reports.at(-1)).toMatchObject({ rmse: 0, kept: 0 });
      expect(nonzeros(await loaded.codes())).toBe(0);
    }
    const real = await engine.load(D, signalsIn(Y, D.N), { threads });
    const none = Math.sqrt(Y.reduce((sum, value) => sum + value * value, 0) / 40);
    real.reset();
    expect((await real.iterate('admm', 0, 0.5)).rmse / none).toBeCloseTo(1, within.digits);
    expect((await real.jointOmp(0))[0].rmse / none).toBeCloseTo(1, within.digits);
    real.reset();
    expect((await real.iterate('qpm', 100 * 40, 1e-6)).rmse).toBeLessThan(1);
    expect((await real.jointOmp(100 * 40))[0].rmse).toBeLessThan(within === float64 ? 1e-6 : 5e-2);
  });

  it('fits a support whose atoms depend on each other', async () => {
    const twice = denseDictionary(2, 3, [1, 0, 1, 0, 0, 1]);
    const loaded = await engine.load(twice, signalsIn(Float64Array.from([3, 4]), twice.N), { threads });
    loaded.reset();
    await loaded.iterate('qpm', 3, 0.1);
    loaded.keep();
    expect(await loaded.refit()).toBeLessThan(within === float64 ? 1e-9 : 1e-5);
    const [a, b, c] = denseFromCodes(await loaded.codes());
    expect(a + b).toBeCloseTo(3, 5);
    expect(c).toBeCloseTo(4, 5);
    expect(nonzeros(await loaded.codes())).toBe(3);
  });
});

describe.each(engineCases.filter(([, { engine }]) => engine !== referenceEngine))(
  'the %s engine next to the reference',
  (_name, { engine, threads, within }) => {
    it('agrees with the reference for 50 iterations of QPM and 20 of ADMM on a dense dictionary', async () => {
      const gaussian = gaussianDictionary(30, 55, 8);
      const random = randomSource(4);
      const signals = Float64Array.from({ length: 30 * 70 }, () => random.normal());
      const [ours, theirs] = await Promise.all(
        [engine, referenceEngine].map((each) => each.load(gaussian, signalsIn(signals, gaussian.N), { threads })),
      );
      for (const [solver, iterations] of [
        ['qpm', 50],
        ['admm', 20],
      ] as const) {
        ours.reset();
        theirs.reset();
        for (let k = 0; k < iterations; k++) {
          const [a, b] = [await ours.iterate(solver, 400, 0.5), await theirs.iterate(solver, 400, 0.5)];
          expect(a.rmse / b.rmse).toBeCloseTo(1, within.digits - 1);
        }
        ours.keep();
        theirs.keep();
        if (within === float64) expectSameCodes(await ours.codes(), await theirs.codes(), 1e-8);
      }
    });

    it.each(['qpm', 'admm'] as const)('agrees with the reference through %s with terms that change', async (solver) => {
      const rhos = [0.01, 0.03, 0.09, 0.3, 0.3, 0.1, 0.9, 0.9];
      const budgets = [0.02, 0.3, 0.5, 1, 1, 0.7, 1, 1].map((share) => share * made.S);
      const terms = rhos.map((rho, k) => ({ S: budgets[k], rho }));
      const [ours, theirs] = await Promise.all(
        [engine, referenceEngine].map((each) => each.load(D, signalsIn(Y, D.N), { threads })),
      );
      // The second run starts over with the terms of the first iteration, not with those of the last.
      for (let run = 0; run < 2; run++) {
        ours.reset();
        theirs.reset();
        for (const [k, { S, rho }] of terms.entries()) {
          const [a, b] = [
            await ours.iterate(solver, S, rho, undefined, terms[k + 1]),
            await theirs.iterate(solver, S, rho, undefined, terms[k + 1]),
          ];
          expect(a.rmse / b.rmse).toBeCloseTo(1, within.digits);
          expect([a.kept, b.kept]).toEqual([S, S]);
        }
        ours.keep();
        theirs.keep();
        expectSameCodes(await ours.codes(), await theirs.codes(), within.codes);
      }
    });
  },
);
