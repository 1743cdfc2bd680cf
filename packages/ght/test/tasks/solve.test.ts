import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../src/index.js';
import {
  atomsPerPatch,
  codesFromDense,
  gaussianDictionary,
  randomSource,
  reconstruct,
  solve,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';

/** The paper's synthetic experiment: P signals, each of s atoms with coefficients ±1. */
function synthetic(s: number, seed: number, P = 100) {
  const D = gaussianDictionary(100, 200, seed);
  const random = randomSource(seed + 1000);
  const X = new Float64Array(200 * P);
  for (let p = 0; p < P; p++) {
    for (let chosen = 0; chosen < s; ) {
      const i = p * 200 + random.below(200);
      if (X[i] !== 0) continue;
      X[i] = random.below(2) === 0 ? -1 : 1;
      chosen++;
    }
  }
  const codes = codesFromDense(X, 200, P);
  return { D, codes, Y: reconstruct(D, codes) };
}

describe('solve', () => {
  it.each(['qpm', 'admm'] as const)(
    'recovers the synthetic supports with %s up to s = 20, better with the whole budget from the start, as in the paper',
    async (solver) => {
      for (const s of [5, 10, 20]) {
        const { D, Y, codes } = synthetic(s, 1);
        for (const [name, most, more] of [
          ['default', 0.02, {}],
          ['whole', 0.01, { growth: false }],
          ['paper', 0.01, { preset: 'paper' }],
        ] as const) {
          const found = await solve(D, Y, { solver, budget: { total: 100 * s }, maxIterations: 500, ...more });
          expect(supportMismatch(found.codes, codes), `s = ${s}, ${name}`).toBeLessThan(most);
        }
      }
    },
  );

  it('OMP misses a large part of the support there', async () => {
    const { D, Y, codes } = synthetic(20, 1);
    const found = await solve(D, Y, { solver: 'omp', budget: { perPatch: 20 } });
    expect(supportMismatch(found.codes, codes)).toBeGreaterThan(0.05);
  });

  it('starts from given codes', async () => {
    const { D, Y } = synthetic(10, 2, 20);
    const run = (maxIterations: number, more = {}) =>
      solve(D, Y, { solver: 'qpm', growth: false, tolerance: 0, maxIterations, budget: { total: 200 }, ...more });
    const first = await run(5);
    const second = await run(5, { initial: first.codes });
    expect(second.rmse).toBeCloseTo((await run(10)).rmse, 10);
  });

  it('reaches a target error with the smallest budget', async () => {
    const { D, Y } = synthetic(5, 3, 20);
    const none = Math.sqrt(Y.reduce((sum, value) => sum + value * value, 0) / 20);
    const found = await solve(D, Y, { solver: 'joint-omp', budget: { rmse: none / 10 } });
    expect(found.rmse).toBeLessThanOrEqual(none / 10);
    const less = await solve(D, Y, { solver: 'joint-omp', budget: { total: found.budget - 1 } });
    expect(less.rmse).toBeGreaterThan(none / 10);
  });

  it.each(['omp', 'aiht', 'cosamp'] as const)(
    '%s spends all of an uneven budget with spread, on the largest residuals, on every engine alike',
    async (solver) => {
      const { D, Y } = synthetic(8, 4, 20);
      // Signals of different lengths, so that it matters which of them get more.
      for (let i = 0; i < Y.length; i++) Y[i] *= 1 + Math.floor(i / 100) / 10;
      const run = (engine: EngineName, total: number, spread: boolean) =>
        solve(D, Y, { solver, engine, spread, budget: { total } });
      const all = await run('reference', 50, true);
      const [even, more] = [await run('reference', 50, false), await run('reference', 60, false)];
      expect([even.nonzeros, all.nonzeros, more.nonzeros]).toEqual([40, 50, 60]);
      expect(all.rmse).toBeLessThan(even.rmse);
      expect(all.rmse).toBeGreaterThan(more.rmse);
      // The ten signals that the even share leaves furthest from their codes.
      const left = reconstruct(D, even.codes).map((value, i) => (value - Y[i]) ** 2);
      const residuals = Array.from({ length: 20 }, (_, p) =>
        left.slice(100 * p, 100 * p + 100).reduce((a, b) => a + b),
      );
      const tenth = residuals.toSorted((a, b) => b - a)[9];
      expect([...atomsPerPatch(all.codes)]).toEqual(residuals.map((residual) => (residual >= tenth ? 3 : 2)));
      for (const engine of ['portable', 'wasm'] as const) {
        const other = await run(engine, 50, true);
        expect(atomsPerPatch(other.codes)).toEqual(atomsPerPatch(all.codes));
        expect(other.rmse / all.rmse).toBeCloseTo(1, 2);
      }
    },
  );

  it('a patch-wise search for a target is finer with spread', async () => {
    const { D, Y } = synthetic(8, 4, 20);
    const run = (spread: boolean) => solve(D, Y, { solver: 'omp', spread, budget: { rmse: 2 } });
    const [coarse, fine] = [await run(false), await run(true)];
    expect(coarse.budget % 20).toBe(0);
    expect(fine.budget).toBeLessThan(coarse.budget);
    expect(fine.rmse).toBeLessThanOrEqual(2);
  });

  it('takes signals in the arrays that samples come in, and in no others, on every engine', async () => {
    const D = gaussianDictionary(12, 20, 1);
    const whole = Array.from({ length: 36 }, (_, i) => 2 ** 21 * ((i * 7) % 11) - 2 ** 23);
    for (const engine of ['wasm', 'portable', 'reference'] as const) {
      const options = { engine, budget: { perPatch: 3 } };
      const exact = await solve(D, Float64Array.from(whole), options);
      const other = await solve(D, Float32Array.from(whole), options);
      expect([other.codes, other.rmse]).toEqual([exact.codes, exact.rmse]);
      const narrow = Uint16Array.from({ length: 36 }, (_, i) => (i * 7919) % 65536);
      const [wide, small] = [await solve(D, Float64Array.from(narrow), options), await solve(D, narrow, options)];
      expect([small.codes, small.rmse]).toEqual([wide.codes, wide.rmse]);
      for (const [kind, signals] of Object.entries({
        Int32Array: Int32Array.from(whole),
        Array: whole,
        String: 'signals',
        Undefined: undefined,
      })) {
        await expect(solve(D, signals as never, options)).rejects.toThrow(
          `Y must be a Float64Array, Float32Array, Uint16Array, Uint8Array or Uint8ClampedArray, but got "${kind}"`,
        );
      }
    }
    await expect(solve(undefined as never, new Float64Array(3))).rejects.toThrow('dictionary must be a dictionary');
    await expect(solve(D, new Float64Array(12), { errorOf: 3 as never })).rejects.toThrow('errorOf must be a function');
  });

  it('rejects invalid initial codes, on every engine', async () => {
    const { D, Y, codes } = synthetic(3, 4, 2);
    const { indices, values } = codes;
    const changed = <T extends Int32Array | Float64Array>(array: T, at: number, value: number) => {
      const copy = array.slice() as T;
      copy[at] = value;
      return copy;
    };
    const bad: [object, string][] = [
      [{ values: changed(values, 1, Number.NaN) }, 'initial.values[1] must be a finite number, but got NaN'],
      [{ indices: changed(indices, 2, 200) }, 'initial.indices[2] must be an atom, from 0 to 199, but got 200'],
      [{ indices: changed(indices, 0, -1) }, 'initial.indices[0] must be an atom'],
      [{ indices: changed(indices, 1, indices[0]) }, `initial.indices[1] must be above ${indices[0]}`],
      [{ indptr: Int32Array.of(1, 3, 6) }, 'initial.indptr must begin with 0'],
      [{ indptr: Int32Array.of(0, 7, 6) }, 'initial.indptr[2] must be at least 7'],
      [{ indptr: Int32Array.of(0, 6) }, 'initial.indptr must hold 3 numbers'],
      [{ indptr: Int32Array.of(0, 3, 5) }, 'initial.indices must hold the 5 numbers that indptr ends with'],
      [{ values: Array.from(values) }, 'initial.values must be of type Float64Array, but got "Array"'],
      [{ L: 3 }, 'initial must be codes of size 200×2, but got "3×2"'],
    ];
    for (const engine of ['wasm', 'portable', 'reference'] as const) {
      for (const [change, message] of bad) {
        const initial = { ...codes, ...change };
        await expect(solve(D, Y, { engine, initial, budget: { total: 6 } })).rejects.toThrow(message);
      }
    }
    await expect(solve(D, Y, { initial: 5 as never })).rejects.toThrow(
      'initial must be codes of size 200×2, but got 5',
    );
  });

  it('rejects signals that do not fit or are not finite', async () => {
    const { D, Y } = synthetic(5, 3, 2);
    await expect(solve(D, Y.slice(1))).rejects.toThrow('Y must be signals of 100 samples each');
    await expect(solve(D, new Float64Array(0))).rejects.toThrow('but got "0 samples"');
    Y[105] = Number.POSITIVE_INFINITY;
    await expect(solve(D, Y)).rejects.toThrow('Y sample (row 5, signal 1) must be a finite number, but got Infinity');
    const { codes } = synthetic(5, 3, 3);
    await expect(solve(D, synthetic(5, 3, 2).Y, { initial: codes })).rejects.toThrow(
      'initial must be codes of size 200×2',
    );
  });
});
