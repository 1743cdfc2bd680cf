/** Dense dictionaries on the wasm engine: groups of patches, incomplete ones too, and matrices that turn out to be separable. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engines } from '../../src/engines/engines.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Codes } from '../../src/index.js';
import {
  denseDictionary,
  denseFromCodes,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  separableDictionary,
  solve,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import { golden, goldenCodes } from '../golden/golden.js';
import { runs } from '../properties/problems.js';
import { engineCases, float32 } from './cases.js';

const made = golden('solvers.json');
const dct = overcompleteDct(made.patch, made.m);
const wasmCases = engineCases.filter(([, { engine }]) => engine.name === 'wasm');
const noise = (length: number, seed: number) => {
  const { normal } = randomSource(seed);
  return Float64Array.from({ length }, () => 20 * normal());
};
const dense = ({ N, L, atoms }: typeof dct, change = (value: number, _i: number) => value) =>
  denseDictionary(N, L, atoms.data.map(change));

/** The atoms of a dictionary in an order in which they are no Kronecker product. */
const order = Array.from({ length: dct.L }, (_, l) => (7 * l + 3) % dct.L);
const atom = (l: number) => dct.atoms.data.subarray(l * dct.N, (l + 1) * dct.N);
const shuffled = denseDictionary(
  dct.N,
  dct.L,
  order.flatMap((l) => [...atom(l)]),
);

/** The codes of the shuffled dictionary, atoms in their former order. */
function unshuffled(codes: Codes): Float64Array {
  const [from, to] = [denseFromCodes(codes), new Float64Array(codes.L * codes.P)];
  from.forEach((value, i) => {
    to[i - (i % codes.L) + order[i % codes.L]] = value;
  });
  return to;
}

describe.each(wasmCases)('the %s engine with the DCT in another order, dense', (_, { engine, threads, within }) => {
  const load = async () => {
    const loaded = await engine.load(shuffled, signalsIn(Float64Array.from(made.Y.data), dct.N), { threads });
    expect(loaded.info.dictionaryFactors).toBeUndefined();
    loaded.reset();
    return loaded;
  };
  const expectClose = (actual: Float64Array, expected: Codes) => {
    const other = denseFromCodes(expected);
    expect(actual.reduce((most, v, i) => Math.max(most, Math.abs(v - other[i])), 0)).toBeLessThan(within.codes);
  };

  it.each(['qpm_absolute', 'qpm_relative', 'admm_0.1', 'admm_0.2'])('follows SciPy through %s', async (name) => {
    const expected = made[name];
    const loaded = await load();
    for (let k = 0; k < expected.iterations; k++) {
      const { rmse, kept } = await loaded.iterate(name.startsWith('qpm') ? 'qpm' : 'admm', made.S, expected.rho);
      expect(rmse / expected.rmse[k]).toBeCloseTo(1, within.digits);
      expect(kept).toBe(made.S);
    }
    loaded.keep();
    expectClose(unshuffled(await loaded.codes()), goldenCodes(expected.Z));
  });

  it('refits as lstsq does', async () => {
    const loaded = await load();
    for (let k = 0; k < made.qpm_relative.iterations; k++) await loaded.iterate('qpm', made.S, made.qpm_relative.rho);
    loaded.keep();
    expect((await loaded.refit()) / made.refit.rmse).toBeCloseTo(1, within.digits);
  });

  it('finds what scikit-learn finds by OMP', async () => {
    const loaded = await load();
    await loaded.sweep('omp', made.omp_12.s, { maxIterations: 500, tolerance: 0 });
    expectClose(unshuffled(await loaded.codes()), goldenCodes(made.omp_12.Z));
  });
});

it('agrees with the reference for any number of samples, atoms and signals', async () => {
  const size = { N: fc.integer({ min: 1, max: 41 }), L: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constant(261)) };
  const problem = fc.record({ ...size, P: fc.integer({ min: 1, max: 23 }), seed: fc.integer({ min: 1, max: 1e6 }) });
  await fc.assert(
    fc.asyncProperty(problem, async ({ N, L, P, seed }) => {
      const D = gaussianDictionary(N, L, seed);
      const Y = noise(N * P, seed + 1);
      const S = Math.ceil(0.2 * Math.min(N, L) * P);
      const [ours, theirs] = await Promise.all(
        [engines.wasm, engines.reference].map((engine) => engine.load(D, signalsIn(Y, N), { threads: 1 })),
      );
      const close = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThan(1e-4 * b + 1e-4);
      for (const solver of ['qpm', 'admm'] as const) {
        ours.reset();
        theirs.reset();
        for (let k = 0; k < 5; k++) {
          const [a, b] = [await ours.iterate(solver, S, 0.7), await theirs.iterate(solver, S, 0.7)];
          close(a.rmse, b.rmse);
          expect(a.kept).toBe(b.kept);
        }
        ours.keep();
        theirs.keep();
        close(await ours.refit(), await theirs.refit());
        expect(supportMismatch(await ours.codes(), await theirs.codes())).toBeLessThan(0.05);
      }
    }),
    runs(25),
  );
});

it('gives the same bits on one, two and three threads, with incomplete groups', async () => {
  const D = gaussianDictionary(30, 50, 3);
  const Y = noise(30 * 1103, 4);
  for (const solver of ['qpm', 'admm'] as const) {
    const run = async (threads: number) => {
      const { codes, rmse } = await solve(D, Y, { solver, refit: true, threads, engine: 'wasm', maxIterations: 6 });
      return { codes, rmse };
    };
    const expected = await run(1);
    for (const threads of [2, 3]) expect(await run(threads)).toEqual(expected);
  }
});

describe('a dense matrix', () => {
  const Y = noise(64 * 130, 7).map((value, i) => value + 100 * Math.sin(i / 9));
  const run = (D: typeof dct) => solve(D, Y, { engine: 'wasm', budget: { perPatch: 5 }, maxIterations: 20 });

  it.each([
    [
      'the 64×100 DCT',
      dct,
      [
        [8, 10],
        [8, 10],
      ],
    ],
    [
      'factors that are not square',
      separableDictionary(gaussianDictionary(4, 5, 1).atoms, gaussianDictionary(16, 18, 2).atoms),
      [
        [4, 5],
        [16, 18],
      ],
    ],
  ])('that is separable runs as such, and the result says so: %s', async (_, D, factors) => {
    const [given, separable] = [await run(dense(D, Math.fround)), await run(D)];
    expect(given.engine.dictionaryFactors).toEqual(factors.map(([rows, cols]) => ({ rows, cols })));
    expect(separable.engine.dictionaryFactors).toBeUndefined();
    expect(given.rmse / separable.rmse).toBeCloseTo(1, float32.digits);
    expect(supportMismatch(given.codes, separable.codes)).toBeLessThan(0.01);
  });

  it('that is nearly separable runs as given', async () => {
    const nearly = dense(dct, (value, i) => value + 1e-4 * Math.sin(i));
    const [wasm, reference] = [
      await run(nearly),
      await solve(nearly, Y, { engine: 'reference', budget: { perPatch: 5 }, maxIterations: 20 }),
    ];
    expect(wasm.engine.dictionaryFactors).toBeUndefined();
    expect(wasm.rmse / reference.rmse).toBeCloseTo(1, float32.digits);
  });

  it('of equal entries represents the mean', async () => {
    const constant = denseDictionary(64, 100, new Float64Array(6400).fill(0.125));
    const { rmse } = await run(constant);
    const means = Array.from(
      { length: 130 },
      (_, p) => Y.slice(64 * p, 64 * p + 64).reduce((sum, v) => sum + v, 0) / 64,
    );
    const outside = Math.sqrt(Y.reduce((sum, v, i) => sum + (v - means[Math.floor(i / 64)]) ** 2, 0) / 130);
    expect(rmse).toBeGreaterThan(0.999 * outside);
    expect(rmse).toBeLessThan(1.2 * outside);
  });
});
