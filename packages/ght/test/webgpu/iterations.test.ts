/** GHT-QPM and GHT-ADMM on a GPU, beyond what the suite of all engines asks. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Loaded } from '../../src/engines/engine.js';
import { referenceEngine } from '../../src/engines/reference.js';
import { Gpu } from '../../src/engines/webgpu/gpu.js';
import { loadProblem, type ProblemOptions } from '../../src/engines/webgpu/run/problem.js';
import { EngineFailure } from '../../src/errors.js';
import { signalsIn } from '../../src/image/signals.js';
import {
  type Codes,
  type Dictionary,
  denseFromCodes,
  gaussianDictionary,
  nonzeros,
  overcompleteDct,
  randomSource,
  reconstruct,
  solve,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import { iterate, iterateInBatches, type StepReport } from '../../src/sparse/solvers/loop.js';

const D = overcompleteDct(8, 10);

/** Signals with a few atoms each and some noise. */
function sparseSignals({ N, L, atoms }: Dictionary, P: number): Float64Array {
  const random = randomSource(5);
  const Y = Float64Array.from({ length: N * P }, () => 3 * random.normal());
  for (let p = 0; p < P; p++) {
    for (let j = 0; j < 6; j++) {
      const [l, x] = [random.below(L), 60 * random.normal()];
      for (let n = 0; n < N; n++) Y[p * N + n] += x * atoms.data[l * N + n];
    }
  }
  return Y;
}

const Y = sparseSignals(D, 150);

const info = { name: 'webgpu', threads: 1 };

describe.skipIf(inject('withoutGpu') !== '')('iterations on a GPU', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open();
  });
  afterAll(() => gpu.dispose());

  async function load(D: Dictionary, Y: Float64Array, options: Partial<ProblemOptions> = {}): Promise<Loaded> {
    const loaded = await loadProblem(gpu, D, signalsIn(Y, D.N), { info, ...options });
    loaded.reset();
    return loaded;
  }
  async function loadReference(D: Dictionary, Y: Float64Array): Promise<Loaded> {
    const loaded = await referenceEngine.load(D, signalsIn(Y, D.N));
    loaded.reset();
    return loaded;
  }
  async function keptCodes(loaded: Loaded): Promise<Codes> {
    loaded.keep();
    return loaded.codes();
  }

  it.each([
    ['separable', D],
    ['dense, in several words of the mask', gaussianDictionary(64, 256, 3)],
  ])('lets the lowest index win among equal magnitudes: %s', async (_kind, D) => {
    // 10 patches, each of them 15 times: every magnitude occurs 15 times.
    const few = sparseSignals(D, 10);
    const repeated = Float64Array.from({ length: 64 * 150 }, (_, i) => few[i % few.length]);
    const [ours, theirs] = [await load(D, repeated, { patchesPerRange: 64 }), await loadReference(D, repeated)];
    for (const S of [1503, 5, D.L * 150 - 7, D.L * 150]) {
      ours.reset();
      theirs.reset();
      for (let k = 0; k < 2; k++) {
        const [a, b] = [await ours.iterate('qpm', S, 0.5), await theirs.iterate('qpm', S, 0.5)];
        expect(a.kept).toBe(b.kept);
        expect(a.rmse / b.rmse).toBeCloseTo(1, 5);
      }
      const [a, b] = [await keptCodes(ours), await keptCodes(theirs)];
      expect(nonzeros(a)).toBe(nonzeros(b));
      if (S < 2000) expect(supportMismatch(a, b)).toBe(0);
    }
    ours.dispose();
  });

  it.each(['qpm', 'admm'] as const)(
    'goes on with another budget, whose threshold lies elsewhere: %s',
    async (solver) => {
      const [ours, theirs] = [await load(D, Y), await loadReference(D, Y)];
      for (const S of [900, 900, 30, 9000, 0, 900, 900]) {
        const [a, b] = [await ours.iterate(solver, S, 0.4), await theirs.iterate(solver, S, 0.4)];
        expect(a.rmse / b.rmse).toBeCloseTo(1, 4);
        expect(a.kept).toBe(b.kept);
      }
      expect(supportMismatch(await keptCodes(ours), await keptCodes(theirs))).toBeLessThan(0.01);
      ours.dispose();
    },
  );

  it('gives the same bits for any number of ranges, any number of bins, and again', async () => {
    const outcomes = [];
    for (const options of [{}, {}, { patchesPerRange: 64 }, { counting: { logBins: 19, clearers: 8 } }]) {
      const loaded = await load(D, Y, options);
      const reports = [];
      for (let k = 0; k < 4; k++) reports.push(await loaded.iterate('admm', 900, 0.4));
      outcomes.push({ codes: await keptCodes(loaded), reports });
      loaded.dispose();
    }
    const [first, second, ranges, bins] = outcomes;
    expect(second).toEqual(first);
    expect(ranges).toEqual(first);
    expect(bins.codes).toEqual(first.codes);
  });

  it.each([
    ['a dense dictionary of 64×256', gaussianDictionary(64, 256, 3), 70],
    ['16×16 patches over 400 atoms', overcompleteDct(16, 20), 40],
  ])('agrees with the reference: %s', async (_name, dictionary, P) => {
    const signals = sparseSignals(dictionary, P);
    const [ours, theirs] = [await load(dictionary, signals), await loadReference(dictionary, signals)];
    for (let k = 0; k < 3; k++) {
      const [a, b] = [await ours.iterate('qpm', 6 * P, 0.4), await theirs.iterate('qpm', 6 * P, 0.4)];
      expect(a.rmse / b.rmse).toBeCloseTo(1, 5);
    }
    expect(supportMismatch(await keptCodes(ours), await keptCodes(theirs))).toBe(0);
    ours.dispose();
  });

  it('guesses the first threshold of a large problem from a sample', async () => {
    const small = overcompleteDct(4, 5);
    const signals = sparseSignals(small, 16_500);
    const [ours, theirs] = [await load(small, signals), await loadReference(small, signals)];
    const [a, b] = [await ours.iterate('qpm', 50_000, 0.5), await theirs.iterate('qpm', 50_000, 0.5)];
    expect(a.rmse / b.rmse).toBeCloseTo(1, 5);
    expect(a.kept).toBe(50_000);
    expect(nonzeros(await keptCodes(ours))).toBe(50_000);
    ours.dispose();
  });

  /** The RMSE per patch of codes, computed from themselves. */
  function errorOf(codes: Codes): number {
    const estimate = reconstruct(D, codes);
    return Math.sqrt(Y.reduce((sum, y, i) => sum + (y - estimate[i]) ** 2, 0) / codes.P);
  }

  describe('in batches', () => {
    /** A run step by step, and the same in batches. */
    async function both(solver: 'qpm' | 'admm', rho: number, tolerance: number, maxIterations: number, most = 10) {
      const S = 900;
      const options = { maxIterations, tolerance };
      const loaded = await load(D, Y);
      const steps = await iterate(
        () => loaded.iterate(solver, S, rho),
        () => loaded.keep(),
        options,
      );
      const expected = await loaded.codes();
      loaded.reset();
      const sizes: number[] = [];
      const batches = await iterateInBatches(async (first) => {
        const run = {
          first,
          most: Math.min(most, maxIterations - first + 1),
          terms: () => ({ S, rho }),
          tolerance,
          least: 0,
        };
        const reports = await (loaded.iterations as NonNullable<Loaded['iterations']>)(solver, run);
        sizes.push(reports.length);
        return reports;
      }, options);
      const codes = await loaded.codes();
      // The next run continues from the last iterate, and finds its own best.
      const run = { first: 1, most: 1, terms: () => ({ S, rho }), tolerance, least: 0 };
      const [next] = await (loaded.iterations as NonNullable<Loaded['iterations']>)(solver, run);
      const continued = await loaded.codes();
      loaded.dispose();
      return { steps, expected, batches, codes, sizes, next, continued };
    }
    const untimed = ({ history, ...rest }: Awaited<ReturnType<typeof iterate>>) => ({
      ...rest,
      history: history.map(({ ms, ...entry }) => entry),
    });

    it('stops where single steps stop, in the middle of a batch', async () => {
      const { steps, expected, batches, codes, sizes } = await both('qpm', 0.5, 0.02, 60);
      expect(steps.stopReason).toBe('converged');
      expect(untimed(batches)).toEqual(untimed(steps));
      expect(codes).toEqual(expected);
      expect(sizes.at(-1)).not.toBe(10);
      expect(sizes.length).toBeLessThan(steps.history.length);
    });

    it('keeps the best iterate, which is not the last', async () => {
      const { steps, expected, batches, codes, sizes, next, continued } = await both('admm', 0.02, 0, 13);
      const best = steps.history.findIndex(({ rmse }) => rmse === steps.rmse);
      expect(best).toBeLessThan(12);
      expect(untimed(batches)).toEqual(untimed(steps));
      expect(codes).toEqual(expected);
      expect(errorOf(codes)).toBeCloseTo(steps.rmse, 3);
      expect(sizes).toEqual([10, 3]);
      expect(next.rmse).not.toBe(steps.rmse);
      expect(denseFromCodes(continued)).not.toEqual(denseFromCodes(codes));
    });

    it('submits the next batch before it has read the last, and gives what single steps give', async () => {
      const { steps, expected, batches, codes, sizes, next } = await both('admm', 0.02, 0, 90, 90);
      expect(untimed(batches)).toEqual(untimed(steps));
      expect(codes).toEqual(expected);
      expect(errorOf(codes)).toBeCloseTo(steps.rmse, 3);
      expect(sizes).toEqual([40, 40, 10]);
      expect(next.rmse).not.toBe(steps.rmse);
    });

    it('has the terms of each iteration, also in a batch that was submitted ahead', async () => {
      const terms = (k: number) => ({ S: Math.min(900, 200 + 10 * k), rho: k < 50 ? 0.3 : 0.5 });
      const loaded = await load(D, Y);
      const steps = [];
      for (let k = 1; k <= 90; k++)
        steps.push(await loaded.iterate('admm', terms(k).S, terms(k).rho, undefined, terms(k + 1)));
      loaded.reset();
      const run = { most: 90, terms, tolerance: 0, least: 0 };
      const batches: StepReport[] = [];
      while (batches.length < 90) {
        const first = batches.length + 1;
        batches.push(...((await loaded.iterations?.('admm', { ...run, first, most: 91 - first })) ?? []));
      }
      expect(batches).toEqual(steps);
      expect(batches.map(({ kept }) => kept)).toEqual(steps.map((_, i) => terms(i + 1).S));
      loaded.dispose();
    });

    it('stops in a batch that was submitted ahead', async () => {
      const { steps, expected, batches, codes, sizes } = await both('qpm', 0.5, 5e-4, 200, 200);
      expect(steps.stopReason).toBe('converged');
      expect(steps.history.length).toBeGreaterThan(40);
      expect(untimed(batches)).toEqual(untimed(steps));
      expect(codes).toEqual(expected);
      expect(sizes.at(-1)).not.toBe(40);
    });

    it('takes in a batch that was submitted ahead when another budget follows', async () => {
      const loaded = await load(D, Y);
      const run = { first: 1, most: 200, terms: () => ({ S: 900, rho: 0.5 }), tolerance: 0, least: 0 };
      await loaded.iterations?.('qpm', run);
      const next = await loaded.iterations?.('qpm', { ...run, terms: () => ({ S: 600, rho: 0.5 }), most: 1 });
      loaded.reset();
      for (let k = 0; k < 80; k++) await loaded.iterate('qpm', 900, 0.5);
      expect(next).toEqual([await loaded.iterate('qpm', 600, 0.5)]);
      loaded.dispose();
    });
  });

  it('solves in batches as other engines do step by step, and tells its progress', async () => {
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }) => fractions.push(fraction);
    const options = { solver: 'admm', budget: { perPatch: 6 }, peak: 255, maxIterations: 25 } as const;
    const ours = await solve(D, Y, { ...options, engine: 'webgpu', onProgress });
    const theirs = await solve(D, Y, { ...options, engine: 'portable' });
    expect(ours.engine.name).toBe('webgpu');
    expect(ours.rmse / theirs.rmse).toBeCloseTo(1, 4);
    expect([ours.iterations, ours.stopReason, ours.nonzeros]).toEqual([25, 'max-iterations', 900]);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.length).toBeGreaterThanOrEqual(25);
  });

  it('reports an error that is not finite where float32 overflows', async () => {
    const loaded = await load(
      D,
      Y.map((y) => 1e25 * y),
    );
    for (let k = 0; k < 2; k++) expect((await loaded.iterate('admm', 900, 0.5)).rmse).not.toSatisfy(Number.isFinite);
    loaded.dispose();
  });

  it('can be aborted, and starts over after a reset', async () => {
    const loaded = await load(D, Y);
    const { rmse } = await loaded.iterate('qpm', 900, 0.5);
    const stop = new AbortController();
    const waiting = loaded.iterate('qpm', 900, 0.5, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    loaded.reset();
    expect((await loaded.iterate('qpm', 900, 0.5)).rmse).toBe(rmse);
    loaded.dispose();
  });

  it('can be aborted while a batch is ahead, and starts over after a reset', async () => {
    const loaded = await load(D, Y);
    const run = { first: 1, most: 200, terms: () => ({ S: 900, rho: 0.5 }), tolerance: 0, least: 0 };
    const first = await loaded.iterations?.('qpm', run);
    const stop = new AbortController();
    const waiting = loaded.iterations?.('qpm', { ...run, first: 41, most: 160 }, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    loaded.reset();
    expect(await loaded.iterations?.('qpm', { ...run, most: 40 })).toEqual(first);
    loaded.dispose();
  });

  it('fails with a plain reason when the device is lost in the middle', async () => {
    const lost = await Gpu.open();
    const loaded = await loadProblem(lost, D, signalsIn(Y, D.N), { info });
    loaded.reset();
    const waiting = loaded.iterate('qpm', 900, 0.5);
    lost.dispose();
    await expect(waiting).rejects.toThrow(EngineFailure);
    await expect(loaded.iterate('qpm', 900, 0.5)).rejects.toThrow(/lost/);
  });
});
