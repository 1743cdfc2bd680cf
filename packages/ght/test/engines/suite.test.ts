/** One suite for every engine: the golden values of an independent implementation, and agreement with the reference. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.js';
import { portableEngine } from '../../src/engines/portable.js';
import { referenceEngine } from '../../src/engines/reference.js';
import type { Codes } from '../../src/index.js';
import {
  atomsPerPatch,
  denseDictionary,
  denseFromCodes,
  gaussianDictionary,
  nonzeros,
  overcompleteDct,
  randomSource,
  reconstruct,
  supportMismatch,
} from '../../src/index.js';
import { golden, goldenCodes } from '../golden/golden.js';

const engines: Engine[] = [referenceEngine(), portableEngine()];
const made = golden('solvers.json');
const synthetic = golden('synthetic.json');
const D = overcompleteDct(made.patch, made.m);
const Y = Float64Array.from(made.Y.data);
const PATIENT = { maxIterations: 500, tolerance: 0 };

/** Equal in rounding: the supports are the same and the coefficients agree. */
function expectSameCodes(actual: Codes, expected: Codes, tolerance = 1e-7): void {
  expect(supportMismatch(actual, expected)).toBe(0);
  const [a, b] = [denseFromCodes(actual), denseFromCodes(expected)];
  expect(a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0)).toBeLessThan(tolerance);
}

describe.each(engines.map((engine) => [engine.info.name, engine] as const))('the %s engine', (_, engine) => {
  it.each(['qpm_absolute', 'qpm_relative', 'admm_0.1', 'admm_0.2'])('follows SciPy through %s', async (name) => {
    const expected = made[name];
    const loaded = await engine.load(D, Y);
    loaded.reset();
    const step = name.startsWith('qpm') ? loaded.qpm : loaded.admm;
    for (let k = 0; k < expected.iterations; k++) {
      const { rmse, threshold, kept } = await step.call(loaded, made.S, expected.rho);
      expect(rmse / expected.rmse[k]).toBeCloseTo(1, 9);
      expect((threshold ?? 0) / expected.threshold[k]).toBeCloseTo(1, 9);
      expect(kept).toBe(made.S);
    }
    loaded.keep();
    expectSameCodes(loaded.codes(), goldenCodes(expected.Z));
  });

  it('refits as lstsq does', async () => {
    const loaded = await engine.load(D, Y);
    loaded.reset();
    for (let k = 0; k < made.qpm_relative.iterations; k++) await loaded.qpm(made.S, made.qpm_relative.rho);
    loaded.keep();
    expect((await loaded.refit()) / made.refit.rmse).toBeCloseTo(1, 9);
    // Where the atoms of a support depend on each other many coefficients fit equally well; what they show is unique.
    expect(supportMismatch(loaded.codes(), goldenCodes(made.refit.Z))).toBe(0);
    const [shown, expected] = [reconstruct(D, loaded.codes()), reconstruct(D, goldenCodes(made.refit.Z))];
    expect(shown.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0)).toBeLessThan(1e-6);
  });

  it.each(['omp_5', 'omp_12'])('finds what scikit-learn finds by %s', async (name) => {
    const loaded = await engine.load(D, Y);
    const reports = await loaded.omp(made[name].s);
    expect(reports).toHaveLength(made[name].s);
    expect(reports[reports.length - 1].rmse / made[name].rmse).toBeCloseTo(1, 9);
    expectSameCodes(loaded.codes(), goldenCodes(made[name].Z));
  });

  it.each(['joint_omp_5', 'joint_omp_10'])('divides the budget as brute force does in %s', async (name) => {
    const loaded = await engine.load(D, Y);
    const [{ rmse, kept }] = await loaded.jointOmp(made[name].S);
    expect([...atomsPerPatch(loaded.codes())]).toEqual(made[name].atoms_per_patch);
    expect(rmse / made[name].rmse).toBeCloseTo(1, 9);
    expect(kept).toBe(made[name].S);
  });

  it('recovers the synthetic supports by CoSaMP and AIHT, as NumPy does', async () => {
    const gaussian = denseDictionary(synthetic.D.rows, synthetic.D.cols, synthetic.D.data);
    const loaded = await engine.load(gaussian, Float64Array.from(synthetic.Y.data));
    for (const solver of ['cosamp', 'aiht'] as const) {
      await loaded[solver](synthetic.s, PATIENT);
      expectSameCodes(loaded.codes(), goldenCodes(synthetic.X), 1e-5);
      const supports = synthetic[solver].supports as number[][];
      const { indptr, indices } = loaded.codes();
      supports.forEach((support, p) => {
        expect([...indices.slice(indptr[p], indptr[p + 1])]).toEqual(support);
      });
    }
  });

  it('agrees with the reference for 50 iterations of QPM and 20 of ADMM on a dense dictionary', async () => {
    const gaussian = gaussianDictionary(30, 55, 8);
    const random = randomSource(4);
    const signals = Float64Array.from({ length: 30 * 70 }, () => random.normal());
    const [ours, theirs] = await Promise.all([engine, referenceEngine()].map((each) => each.load(gaussian, signals)));
    for (const [solver, iterations] of [
      ['qpm', 50],
      ['admm', 20],
    ] as const) {
      ours.reset();
      theirs.reset();
      for (let k = 0; k < iterations; k++) {
        const [a, b] = [await ours[solver](400, 0.5), await theirs[solver](400, 0.5)];
        expect(a.rmse / b.rmse).toBeCloseTo(1, 9);
      }
      ours.keep();
      theirs.keep();
      expectSameCodes(ours.codes(), theirs.codes(), 1e-8);
    }
  });

  it('starts from given codes as from its own', async () => {
    const loaded = await engine.load(D, Y);
    loaded.reset();
    await loaded.qpm(made.S, 0.5);
    loaded.keep();
    const first = loaded.codes();
    const second = await loaded.qpm(made.S, 0.5);
    loaded.reset(first);
    expect((await loaded.qpm(made.S, 0.5)).rmse).toBeCloseTo(second.rmse, 10);
  });

  it('treats zero patches, S = 0 and S = L·P as ordinary', async () => {
    const zero = new Float64Array(64 * 3);
    const loaded = await engine.load(D, zero);
    loaded.reset();
    expect(await loaded.qpm(10, 0.5)).toMatchObject({ rmse: 0, kept: 0 });
    expect(await loaded.admm(10, 0.5)).toMatchObject({ rmse: 0, kept: 0 });
    for (const run of [loaded.omp(3), loaded.aiht(3, PATIENT), loaded.cosamp(3, PATIENT), loaded.jointOmp(9)]) {
      expect((await run).at(-1)).toMatchObject({ rmse: 0, kept: 0 });
      expect(nonzeros(loaded.codes())).toBe(0);
    }
    const real = await engine.load(D, Y);
    const none = Math.sqrt(Y.reduce((sum, value) => sum + value * value, 0) / 40);
    real.reset();
    expect((await real.admm(0, 0.5)).rmse).toBeCloseTo(none, 9);
    expect((await real.jointOmp(0))[0].rmse).toBeCloseTo(none, 9);
    real.reset();
    expect((await real.qpm(100 * 40, 1e-6)).rmse).toBeLessThan(1e-2);
    expect((await real.jointOmp(100 * 40))[0].rmse).toBeLessThan(1e-6);
  });

  it('fits a support whose atoms depend on each other', async () => {
    const twice = denseDictionary(2, 3, [1, 0, 1, 0, 0, 1]);
    const loaded = await engine.load(twice, Float64Array.from([3, 4]));
    loaded.reset();
    await loaded.qpm(3, 0.1);
    loaded.keep();
    expect(await loaded.refit()).toBeLessThan(1e-9);
    expect([...denseFromCodes(loaded.codes())].map((value) => Number(value.toFixed(6)))).toEqual([1.5, 1.5, 4]);
  });
});
