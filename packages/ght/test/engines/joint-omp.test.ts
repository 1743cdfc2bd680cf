/** Joint OMP in one pass, as the wasm engine runs it: the allotment of the reference, wherever λ is expected first. */
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../src/engines/engines.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Dictionary } from '../../src/index.js';
import { atomsPerPatch, gaussianDictionary, overcompleteDct, randomSource } from '../../src/index.js';
import type { Effort, Spending } from '../../src/sparse/solvers/joint-omp.js';
import { withFastClock } from '../clock.js';

/** Patches of a chunk, the first of which are the sample. */
const CHUNK = 256;

/** P signals of random energy; the scale of each can be given. */
function signals(D: Dictionary, P: number, seed: number, scaleOf: (p: number) => number = () => 1): Float64Array {
  const random = randomSource(seed);
  const Y = new Float64Array(D.N * P);
  for (let p = 0; p < P; p++) {
    const scale = scaleOf(p) * Math.exp(random.normal());
    for (let n = 0; n < D.N; n++) Y[p * D.N + n] = scale * (random.normal() + 3 * Math.sin(n / (1 + (p % 7))));
  }
  return Y;
}

async function allotted(
  engine: 'wasm' | 'reference',
  D: Dictionary,
  Y: Float64Array,
  S: Spending,
  threads = 1,
  expected?: number,
) {
  const loaded = await engines[engine].load(D, signalsIn(Y, D.N), { threads });
  const [{ threshold, kept, rmse }] = await loaded.jointOmp(S, undefined, 1, expected);
  const codes = await loaded.codes();
  loaded.dispose();
  return { counts: [...atomsPerPatch(codes)], threshold: threshold as number, kept, rmse, codes };
}

async function expectAsReference(D: Dictionary, Y: Float64Array, S: Spending): Promise<void> {
  const [ours, theirs] = [await allotted('wasm', D, Y, S), await allotted('reference', D, Y, S)];
  expect(ours.counts).toEqual(theirs.counts);
  expect(ours.kept).toBe(theirs.kept);
  // Float32 leaves about 1e-5 of a signal.
  expect(Math.abs(ours.rmse - theirs.rmse)).toBeLessThan(1e-4 * theirs.rmse + 1e-4 * norm(Y, D.N));
  if (theirs.threshold > 0 && theirs.threshold < Number.POSITIVE_INFINITY) {
    expect(ours.threshold / theirs.threshold).toBeCloseTo(1, 2);
  } else expect(ours.threshold).toBe(theirs.threshold);
}

function norm(Y: Float64Array, N: number): number {
  return Math.sqrt((N * Y.reduce((sum, value) => sum + value * value, 0)) / Y.length);
}

describe('joint OMP on the wasm engine', () => {
  const dct = overcompleteDct(4, 6);

  it.each([0.02, 0.5, 2, 5, 9])('allots %d atoms per patch as the reference does', async (s) => {
    for (const [D, P] of [
      [dct, 900],
      [gaussianDictionary(12, 20, 3), 800],
    ] as const) {
      await expectAsReference(D, signals(D, P, 1), Math.round(s * P));
    }
  });

  it.each([1, 2, 3, 5])('allots as the reference does to %i patches', async (P) => {
    for (const S of [0, 1, 4, 7 * P]) await expectAsReference(dct, signals(dct, P, 2), S);
  });

  it.each([
    ['four times as large', 4],
    ['a quarter', 0.25],
    ['nothing', 0],
  ])('finds the same when the sample is %s, and λ is not where that says', async (_, scale) => {
    const Y = signals(dct, 900, 3, (p) => (p % CHUNK < 40 ? scale : 1));
    for (const S of [900, 3600, { price: 2 }]) await expectAsReference(dct, Y, S);
  });

  it('finds the same wherever λ is expected', async () => {
    const Y = signals(dct, 900, 3);
    for (const S of [0, 1, 900, 3600]) {
      const { counts, threshold, rmse } = await allotted('wasm', dct, Y, S);
      for (const expected of [0, 1e-9, threshold / 3, threshold, 1.05 * threshold, 100, Number.POSITIVE_INFINITY]) {
        const found = await allotted('wasm', dct, Y, S, 1, expected);
        expect(found.counts).toEqual(counts);
        expect(found.threshold).toBe(threshold);
        expect(found.rmse).toBeCloseTo(rmse, 4);
      }
    }
  });

  it('finds as many atoms worth a price as the reference', async () => {
    for (const price of [1, 10, 1e9]) await expectAsReference(dct, signals(dct, 900, 4), { price });
  });

  describe('among equal gains', () => {
    const P = 1000;
    const one = signals(dct, 1, 5);
    const Y = Float64Array.from({ length: dct.N * P }, (_, i) => one[i % dct.N]);
    let whole: number[];
    beforeAll(async () => {
      whole = (await allotted('wasm', dct, Y, 3 * P)).counts;
    });

    it.each([1, 2, 3])('gives what is left over to the first patches, on %i threads', async (threads) => {
      expect(new Set(whole)).toEqual(new Set([3]));
      for (const more of [1, 300, 777]) {
        const { counts, kept } = await allotted('wasm', dct, Y, 3 * P + more, threads);
        expect(kept).toBe(3 * P + more);
        expect(counts).toEqual(whole.map((count, p) => (p < more ? count + 1 : count)));
      }
    });
  });

  describe('with more effort', () => {
    const Y = signals(dct, 300, 9);
    const solved = async (engine: 'wasm' | 'reference', effort: Effort, S: Spending) => {
      const loaded = await engines[engine].load(dct, signalsIn(Y, dct.N), { threads: 1 });
      const [{ rmse, kept }] = await loaded.jointOmp(S, undefined, effort);
      const codes = await loaded.codes();
      loaded.dispose();
      return { rmse, kept, codes };
    };

    it.each([2, 3] as const)('has the error of the reference: effort %i', async (effort) => {
      for (const S of [150, 700, 1500, { price: 3 }]) {
        const [ours, theirs] = [await solved('wasm', effort, S), await solved('reference', effort, S)];
        // A choice that rounding turns leads to another local minimum.
        expect(Math.abs(ours.rmse / theirs.rmse - 1)).toBeLessThan(3e-3);
        expect(ours.kept).toBe(theirs.kept);
        expect(ours.codes.values).toHaveLength(ours.kept);
      }
    });

    it('has a smaller error with as many atoms', async () => {
      for (const S of [300, 1500]) {
        const errors = [];
        for (const effort of [1, 2, 3] as const) {
          const { rmse, kept } = await solved('wasm', effort, S);
          expect(kept).toBe(S);
          errors.push(rmse);
        }
        expect(errors[1]).toBeLessThan(errors[0]);
        expect(errors[2]).toBeLessThan(errors[1]);
      }
    });

    it('has the same bits on one thread, two and three', async () => {
      const many = signals(dct, 5 * CHUNK, 10);
      for (const effort of [2, 3] as const) {
        const results = [];
        for (const threads of [1, 2, 3]) {
          const loaded = await engines.wasm.load(dct, signalsIn(many, dct.N), { threads });
          results.push([await loaded.jointOmp(6000, undefined, effort), await loaded.codes()]);
          loaded.dispose();
        }
        expect(results[1]).toEqual(results[0]);
        expect(results[2]).toEqual(results[0]);
      }
    });

    it.each([0, 1, 300 * 16])('is ordinary at the ends of the budget: S = %i', async (S) => {
      const [one, three] = [await solved('wasm', 1, S), await solved('wasm', 3, S)];
      expect(three.kept).toBeLessThanOrEqual(S);
      expect(three.rmse).toBeLessThanOrEqual(one.rmse * 1.0001);
    });
  });

  it('does not depend on the budget before it', async () => {
    const Y = signals(dct, 900, 6);
    const loaded = await engines.wasm.load(dct, signalsIn(Y, dct.N), { threads: 1 });
    for (const S of [200, 9000, 0, 2500]) {
      await loaded.jointOmp(S);
      expect(await loaded.codes()).toEqual((await allotted('wasm', dct, Y, S)).codes);
    }
  });

  it('ends within a pass when it is aborted', async () => {
    const D = overcompleteDct(8, 10);
    const P = 20000;
    for (const threads of [1, 2]) {
      const loaded = await engines.wasm.load(D, signalsIn(signals(D, P, 7), D.N), { threads });
      const reason = new Error('enough');
      const controller = new AbortController();
      const fractions: number[] = [];
      const onFraction = (fraction: number) => {
        fractions.push(fraction);
        controller.abort(reason);
      };
      if (threads > 1) setTimeout(() => controller.abort(reason), 5);
      const run = () => loaded.jointOmp(10 * P, { signal: controller.signal, onFraction });
      await expect(withFastClock(run)).rejects.toBe(reason);
      // No chunk was begun after the one that was announced.
      expect(fractions.length).toBeLessThanOrEqual(1);
      loaded.dispose();
    }
  });

  it.each([
    [1, 16000],
    [3, 4000],
  ] as const)('tells how far it is, and it only rises: effort %i', async (effort, P) => {
    const D = overcompleteDct(8, 10);
    const loaded = await engines.wasm.load(D, signalsIn(signals(D, P, 8), D.N), { threads: 1 });
    const fractions: number[] = [];
    const onFraction = (fraction: number) => fractions.push(fraction);
    await withFastClock(() => loaded.jointOmp(5 * P, { onFraction }, effort));
    expect(fractions.length).toBeGreaterThan(1);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBeLessThanOrEqual(1);
    loaded.dispose();
  });
});
