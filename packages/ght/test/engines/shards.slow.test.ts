/** A problem in several memories: the codes and the whole history have the bits of one memory, with any number of threads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine, Loaded } from '../../src/engines/engine.js';
import { engines } from '../../src/engines/engines.js';
import { patchesPerShard, shardsOf } from '../../src/engines/wasm/run/shards.js';
import { wasmEngine } from '../../src/engines/wasm/wasm.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Codes, Dictionary } from '../../src/index.js';
import { completeDct, gaussianDictionary, overcompleteDct, randomSource } from '../../src/index.js';
import { fewestAtoms } from '../../src/sparse/budget/search.js';
import { iterate } from '../../src/sparse/solvers/loop.js';
import { runs } from '../properties/problems.js';

const STOP = { maxIterations: 12, tolerance: 1e-3 };

/** Patches of very different energy; a third of them are equal, as on a white background. */
function signals(D: Dictionary, P: number, seed: number): Float64Array {
  const random = randomSource(seed);
  const Y = new Float64Array(D.N * P);
  for (let p = 0; p < P; p++) {
    const scale = Math.exp(2 * random.normal());
    const white = Math.floor(p / 100) % 3 === 1;
    for (let n = 0; n < D.N; n++) {
      Y[p * D.N + n] = white ? 255 : 100 + scale * (random.normal() + 3 * Math.sin(n / (1 + (p % 7))));
    }
  }
  return Y;
}

/** Runs of the loop, with the best iterate and without the milliseconds. */
async function looped(loaded: Loaded, solver: 'qpm' | 'admm', S: number, rho: number): Promise<unknown> {
  const step = () => loaded.iterate(solver, S, rho);
  const { history, ...outcome } = await iterate(step, () => loaded.keep(), STOP);
  return { ...outcome, history: history.map(({ ms: _, ...entry }) => entry), codes: await loaded.codes() };
}

/** What a solver does with a loaded problem: everything that it reports, and the codes. */
type Use = (loaded: Loaded, P: number) => Promise<unknown>;

const iterative = (['qpm', 'admm'] as const).flatMap((solver): [string, Use][] => [
  [
    `${solver}, from zero and from its result, refitted`,
    async (loaded, P) => {
      loaded.reset();
      // A large ρ makes the error of ADMM rise at the end, so that the best iterate is not the last.
      const first = await looped(loaded, solver, 3 * P, 0.3);
      loaded.reset(await loaded.codes());
      return [first, await looped(loaded, solver, 4 * P, 0.3), await loaded.refit(), await loaded.codes()];
    },
  ],
  [
    `${solver}, with budgets that change, none and all among them`,
    async (loaded, P) => {
      loaded.reset();
      const reports = [];
      for (const s of [2, 9, 0.3, 0, 30, 100]) reports.push(await loaded.iterate(solver, Math.floor(s * P), 0.5));
      loaded.keep();
      return [reports, await loaded.codes()];
    },
  ],
  [
    `${solver}, in a search for an error`,
    async (loaded, P) => {
      loaded.reset();
      const { rmse: goal } = await loaded.iterate(solver, 4 * P, 0.5);
      const tries: unknown[] = [];
      const attempt = async (S: number) => {
        const { rmse } = await loaded.iterate(solver, S, 0.5);
        tries.push([S, rmse]);
        return { error: rmse };
      };
      await fewestAtoms(attempt, goal, { unit: 1, first: 5 * P, most: 64 * P, show: String });
      loaded.keep();
      return [tries, await loaded.codes()];
    },
  ],
]);
const patchwise = (['omp', 'cosamp', 'aiht'] as const).map((solver): [string, Use] => [
  `${solver}, with one limit and with a limit per patch`,
  async (loaded, P) => {
    const limits = Int32Array.from({ length: P }, (_, p) => (p * 7) % 5);
    const first = [await loaded.sweep(solver, 4, STOP), await loaded.codes()];
    return [first, await loaded.sweep(solver, limits, STOP), await loaded.codes(), await loaded.refit()];
  },
]);
const joint = ([1, 2, 3] as const).map((effort): [string, Use] => [
  `joint OMP with effort ${effort}, of a budget that ends among equal gains, of others, and at a price`,
  async (loaded, P) => {
    const results = [];
    for (const S of [Math.floor(P / 6), 3 * P, 0, { price: 300 }]) {
      results.push(await loaded.jointOmp(S, {}, effort), await loaded.codes());
    }
    return results;
  },
]);

const dictionaries: Readonly<Record<string, Dictionary>> = {
  separable: overcompleteDct(8, 10),
  dense: gaussianDictionary(64, 90, 1),
};

describe.each([...iterative, ...patchwise, ...joint])('%s', (_, use) => {
  it('has the bits of one memory', async () => {
    const result = async (engine: Engine, D: Dictionary, Y: Float64Array, threads: number) => {
      const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
      try {
        return await use(loaded, Y.length / D.N);
      } finally {
        loaded.dispose();
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(dictionaries)),
        fc.integer({ min: 200, max: 1600 }),
        fc.constantFrom(1, 256, 512, 1024),
        fc.constantFrom(1, 2, 3),
        async (kind, P, most, threads) => {
          const D = dictionaries[kind];
          const Y = signals(D, P, P);
          const expected = await result(engines.wasm, D, Y, 1);
          expect(await result(wasmEngine({ patchesPerShard: most }), D, Y, threads)).toEqual(expected);
        },
      ),
      runs(5),
    );
  });
});

it('joint OMP estimates its price from the same samples', async () => {
  const D = overcompleteDct(4, 5);
  // Enough patches for both samples.
  const P = 7000;
  const Y = signals(D, P, 1);
  const result = async (engine: Engine, threads: number) => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads });
    const reports = await loaded.jointOmp(2 * P);
    const codes = await loaded.codes();
    loaded.dispose();
    return { reports, codes };
  };
  const expected = await result(engines.wasm, 1);
  expect(await result(wasmEngine({ patchesPerShard: 1024 }), 2)).toEqual(expected);
  expect(await result(wasmEngine({ patchesPerShard: 768 }), 1)).toEqual(expected);
});

it('of equal magnitudes those of the first patches survive, also over shards', async () => {
  const D = completeDct(8);
  const P = 1100;
  const Y = new Float64Array(D.N * P).fill(200);
  const counts = async (engine: Engine) => {
    const loaded = await engine.load(D, signalsIn(Y, D.N), { threads: 2 });
    loaded.reset();
    for (let k = 0; k < 3; k++) await loaded.iterate('qpm', 700, 0.1);
    loaded.keep();
    const { indptr }: Codes = await loaded.codes();
    loaded.dispose();
    return Array.from({ length: P }, (_, p) => indptr[p + 1] - indptr[p]);
  };
  const sharded = await counts(wasmEngine({ patchesPerShard: 256 }));
  expect(sharded).toEqual(Array.from({ length: P }, (_, p) => (p < 700 ? 1 : 0)));
  expect(await counts(engines.wasm)).toEqual(sharded);
});

describe('the shards of a problem', () => {
  it('are runs of whole chunks of about the same size', () => {
    expect(shardsOf(1000, 512)).toEqual([
      { firstChunk: 0, P: 512 },
      { firstChunk: 2, P: 488 },
    ]);
    expect(shardsOf(100, 1)).toEqual([{ firstChunk: 0, P: 100 }]);
    expect(shardsOf(5 * 256, 4 * 256)).toEqual([
      { firstChunk: 0, P: 768 },
      { firstChunk: 3, P: 512 },
    ]);
  });

  it('are one for a photograph, and eight for a gigapixel', () => {
    const most = patchesPerShard(64, 100);
    expect(shardsOf((5000 * 4000 * 3) / 64, most)).toHaveLength(1);
    expect(shardsOf(2 ** 30 / 64, most)).toHaveLength(8);
  });
});
