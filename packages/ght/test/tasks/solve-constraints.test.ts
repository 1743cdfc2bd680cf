import { describe, expect, it } from 'vitest';
import type { Codes, Dictionary, SolveOptions } from '../../src/index.js';
import { describeBySubject, gaussianDictionary, isGhtError, nonzeros, randomSource, solve } from '../../src/index.js';
import { golden } from '../golden/golden.js';

const { N, L, P, ...data } = golden('constraints.json');
const D: Dictionary = gaussianDictionary(N, L, 3);
const Y = Float64Array.from((data.Y as number[][]).flat());
const W = Float64Array.from((data.W as number[][]).flat());
const engines = ['reference', 'portable'] as const;

/** ‖w ∘ (DZ − Y)‖² per signal, by definition. */
function errorsOf(codes: Codes, weights?: Float64Array): number[] {
  return Array.from({ length: codes.P }, (_, p) => {
    let error = 0;
    for (let n = 0; n < N; n++) {
      let value = 0;
      for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) {
        value += codes.values[i] * D.atoms.data[codes.indices[i] * N + n];
      }
      const w = weights ? weights[p * N + n] : 1;
      if (w !== 0) error += (w * (value - Y[p * N + n])) ** 2;
    }
    return error;
  });
}
const rmseOf = (codes: Codes, weights?: Float64Array) =>
  Math.sqrt(errorsOf(codes, weights).reduce((sum, error) => sum + error, 0) / P);
const supportOf = ({ indptr, indices }: Codes, p: number) => [...indices.subarray(indptr[p], indptr[p + 1])];

async function refusal(options: object): Promise<string> {
  const error = await solve(D, Y, options as SolveOptions).catch((reason: unknown) => reason);
  if (!isGhtError(error)) throw error;
  return error.message;
}

describe.each(engines)('nonnegative codes on %s', (engine) => {
  it.each([
    ['joint-omp', 1],
    ['joint-omp', 2],
    ['omp', 1],
  ] as const)('by %s at effort %i', async (solver, effort) => {
    const more = solver === 'omp' ? {} : { effort };
    const run = (total: number) => solve(D, Y, { solver, engine, nonnegative: true, budget: { total }, ...more });
    const { codes, rmse, nonzeros: used } = await run(27);
    expect(Math.min(...codes.values)).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(27);
    expect(used).toBeGreaterThan(20);
    expect(rmse).toBeCloseTo(rmseOf(codes), 9);
    expect((await run(9)).rmse).toBeGreaterThan(rmse);
  });

  it('reach what a target asks for', async () => {
    const { codes, rmse } = await solve(D, Y, { engine, nonnegative: true, budget: { rmse: 2.2 } });
    expect(rmse).toBeLessThanOrEqual(2.2);
    expect(Math.min(...codes.values)).toBeGreaterThan(0);
  });
});

describe.each(engines)('weights on %s', (engine) => {
  it('measure and lower the weighted error, and samples of weight 0 do not matter', async () => {
    const options = { engine, solver: 'joint-omp', budget: { total: 20 } } as const;
    const holes = Y.map((value, i) => (W[i] === 0 ? Number.NaN : value));
    const found = await solve(D, holes, { ...options, weights: W });
    expect(found.nonzeros).toBe(20);
    expect(found.rmse).toBeCloseTo(rmseOf(found.codes, W), 9);
    const plain = await solve(D, Y, options);
    expect(found.rmse).toBeLessThan(0.8 * rmseOf(plain.codes, W));
    const other = Y.map((value, i) => (W[i] === 0 ? 1e30 : value));
    expect((await solve(D, other, { ...options, weights: W })).codes).toEqual(found.codes);
  });

  it('are the weights of least squares: twice the weight is as twice the signal', async () => {
    const options = { engine, budget: { total: 20 } } as const;
    const one = await solve(D, Y, options);
    const two = await solve(D, Y, { ...options, weights: new Float64Array(Y.length).fill(2) });
    expect(two.rmse).toBeCloseTo(2 * (await solve(D, Y, { ...options, solver: 'joint-omp' })).rmse, 9);
    expect(one.nonzeros).toBe(20);
  });

  it('of NaN are 0 if that is asked for', async () => {
    const holes = Y.map((value, i) => (W[i] === 0 ? Number.NaN : value));
    const options = { engine, solver: 'omp', budget: { perPatch: 2 } } as const;
    const found = await solve(D, holes, { ...options, weights: 'finite' });
    const known = W.map((w) => Number(w !== 0));
    expect(found.codes).toEqual((await solve(D, Y, { ...options, weights: known })).codes);
    expect(found.rmse).toBeCloseTo(rmseOf(found.codes, known), 9);
    await expect(solve(D, holes, options)).rejects.toThrow('Y sample');
  });

  it('restore what is missing where signals are sparse', async () => {
    const A = gaussianDictionary(40, 60, 2);
    const { below, normal } = randomSource(4);
    const clean = new Float64Array(40 * 30);
    for (let p = 0; p < 30; p++) {
      for (let k = 0; k < 2; k++) {
        const [atom, value] = [below(60), 2 + Math.abs(normal())];
        for (let n = 0; n < 40; n++) clean[p * 40 + n] += value * A.atoms.data[atom * 40 + n];
      }
    }
    const seen = clean.map((value) => (below(10) < 4 ? Number.NaN : value));
    const { codes } = await solve(A, seen, { engine, weights: 'finite', budget: { perPatch: 2 } });
    let [error, energy] = [0, 0];
    for (let p = 0; p < 30; p++) {
      for (let n = 0; n < 40; n++) {
        let value = 0;
        for (let i = codes.indptr[p]; i < codes.indptr[p + 1]; i++) {
          value += codes.values[i] * A.atoms.data[codes.indices[i] * 40 + n];
        }
        error += (value - clean[p * 40 + n]) ** 2;
        energy += clean[p * 40 + n] ** 2;
      }
    }
    expect(error).toBeLessThan(0.02 * energy);
  });
});

describe.each(engines)('groups on %s', (engine) => {
  const groups = data.groups as number[];
  it.each(['joint-omp', 'omp'] as const)('share their atoms (%s)', async (solver) => {
    const { codes, rmse, nonzeros: used } = await solve(D, Y, { solver, engine, groups, budget: { total: 30 } });
    expect(rmse).toBeCloseTo(rmseOf(codes), 9);
    // What is left would not pay for an atom of the smallest group.
    if (solver === 'joint-omp') expect(used).toBeGreaterThan(28);
    expect(used).toBeLessThanOrEqual(30);
    for (let p = 0; p < P; p++) expect(supportOf(codes, p)).toEqual(supportOf(codes, groups.indexOf(groups[p])));
  });

  it('of one signal each are joint OMP', async () => {
    const options = { engine, solver: 'joint-omp', budget: { total: 25 } } as const;
    const own = await solve(D, Y, { ...options, groups: groups.map((_, p) => p) });
    const usual = await solve(D, Y, options);
    expect(own.codes).toEqual(usual.codes);
    expect(own.rmse).toBeCloseTo(usual.rmse, 12);
  });

  it('reach what a target asks for', async () => {
    const { rmse, codes } = await solve(D, Y, { engine, groups, budget: { rmse: 2.2 } });
    expect(rmse).toBeLessThanOrEqual(2.2);
    expect(rmse).toBeCloseTo(rmseOf(codes), 9);
  });
});

describe('the engine', () => {
  it('is one in float64 where the options need it, and says why', async () => {
    for (const option of [{ nonnegative: true }, { weights: W }, { groups: data.groups }, { precision: 'float64' }]) {
      const { engine } = await solve(D, Y, { budget: { total: 9 }, ...(option as SolveOptions) });
      expect(engine.name).toBe('portable');
      expect(engine.fallbackReason).toEqual({ engine: 'wasm', kind: 'option', option: Object.keys(option)[0] });
      expect(describeBySubject(engine).fallback).toContain(`does not have the option ${Object.keys(option)[0]}`);
    }
  });

  it('cannot be one that does not have them', async () => {
    const message = await refusal({ nonnegative: true, engine: 'wasm' });
    expect(message).toContain('engine must be auto, portable or reference for the option nonnegative');
  });

  it('in float64 finds what float32 rounds away', async () => {
    const [one] = [gaussianDictionary(8, 12, 1)];
    const small = Float64Array.from({ length: 16 }, (_, i) => {
      return 1e6 * one.atoms.data[8 * 3 + (i % 8)] + 1e-4 * one.atoms.data[8 * 7 + (i % 8)];
    });
    const options = { solver: 'joint-omp', budget: { perPatch: 2 } } as const;
    const { codes } = await solve(one, small, { ...options, precision: 'float64' });
    expect(nonzeros(codes)).toBe(4);
    expect([...codes.indices]).toEqual([3, 7, 3, 7]);
    expect(codes.values[1]).toBeCloseTo(1e-4, 8);
  });
});

describe('solve refuses', () => {
  it.each([
    [{ nonnegative: true, solver: 'admm' }, 'solver cannot be combined with nonnegative'],
    [{ nonnegative: 1 }, 'nonnegative must be'],
    [{ nonnegative: true, effort: 3 }, 'effort cannot be combined with nonnegative, but got 3: use 1 or 2'],
    [{ nonnegative: true, refit: true }, 'refit cannot be combined with nonnegative'],
    [{ weights: W.subarray(1) }, 'weights must be as many as the 108 samples of Y, but got 107'],
    [{ weights: W.map((w) => -w) }, 'must be from 0 to 1000000000000'],
    [{ weights: W, budget: { psnr: 30 } }, 'budget.psnr cannot be combined with weights'],
    [{ groups: [0, 1] }, 'groups must be as many as the 9 signals, but got 2'],
    [{ groups: data.groups.map((g: number) => g - 1) }, 'groups[0] must be a whole number from 0 to 8, but got -1'],
    [{ groups: data.groups, weights: W }, 'groups cannot be combined with weights'],
    [{ groups: data.groups, budget: { sigma: 1 } }, 'budget.sigma cannot be combined with groups'],
    [{ precision: 'float32' }, 'precision must be one of float64'],
  ])('%o', async (options, message) => {
    expect(await refusal(options)).toContain(message);
  });

  it('NaN that is not called missing', async () => {
    const holes = Y.slice();
    holes[7] = Number.NaN;
    const ones = new Float64Array(Y.length).fill(1);
    await expect(solve(D, holes, { weights: ones })).rejects.toThrow('Y sample (row 7, signal 0)');
  });
});

it('a dictionary of more atoms than wasm has room for goes to an engine that has it, or is refused with the limit', async () => {
  const atoms = 2 ** 13 + 1;
  const wide = gaussianDictionary(4, atoms, 1);
  const signals = wide.atoms.data.slice(0, 12);
  const options = { solver: 'joint-omp', budget: { perPatch: 1 } } as const;
  const { rmse, engine } = await solve(wide, signals, options);
  expect(rmse).toBeLessThan(1e-12);
  expect(describeBySubject(engine).fallback).toBe('wasm is not used: it has room for 8192 atoms, not 8193');
  await expect(solve(wide, signals, { ...options, engine: 'wasm' })).rejects.toThrow(
    'dictionary must have at most 8192 atoms for the engine wasm, but got 8193: use the engine auto or portable',
  );
});
