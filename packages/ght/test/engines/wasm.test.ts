/** Properties of the wasm engine alone: any shape, the same bits for any number of threads, threads that can fail. */
import { describe, expect, it } from 'vitest';
import type { Loaded } from '../../src/engines/engine.js';
import { engines } from '../../src/engines/engines.js';
import { threadsFor } from '../../src/engines/wasm/run/host.js';
import { layOut } from '../../src/engines/wasm/run/problem.js';
import { keepSpare, takeSpare } from '../../src/engines/wasm/run/spare-memory.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Dictionary } from '../../src/index.js';
import {
  completeDct,
  denseDictionary,
  denseFromCodes,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  represent,
  separableDictionary,
  solve,
  solverNames,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import { noisy, picture } from '../pictures.js';

const STOP = { maxIterations: 30, tolerance: 1e-3 };
const signals = (D: Dictionary, P: number, seed = 1) => {
  const random = randomSource(seed);
  const Y = new Float64Array(D.N * P);
  for (let p = 0; p < P; p++) {
    // Patches of very different energy, so that a global budget is used on few of them.
    const scale = Math.exp(2 * random.normal());
    for (let n = 0; n < D.N; n++) Y[p * D.N + n] = 100 + scale * (random.normal() + 3 * Math.sin(n / (1 + (p % 7))));
  }
  return Y;
};

describe('compiled kernels', () => {
  it('are shared by problems of one size, each with its own dictionary', async () => {
    const [A, B] = [gaussianDictionary(12, 20, 1), gaussianDictionary(12, 20, 2)];
    const Y = signals(A, 50);
    for (const D of [A, B, A]) {
      const of = (engine: 'wasm' | 'portable') => solve(D, Y, { solver: 'joint-omp', engine, budget: { total: 150 } });
      const [ours, theirs] = [await of('wasm'), await of('portable')];
      expect(ours.codes.indices).toEqual(theirs.codes.indices);
      expect(ours.rmse).toBeCloseTo(theirs.rmse, 3);
    }
  });
});

describe('a memory that an earlier problem used', () => {
  it('leads to the same bits, whatever is left in it', async () => {
    for (const D of [overcompleteDct(5, 7), gaussianDictionary(30, 41, 2)]) {
      const Y = signals(D, 600);
      for (const solver of solverNames) {
        const run = () =>
          solve(D, Y, { solver, engine: 'wasm', threads: 1, maxIterations: 5, budget: { perPatch: 3 } });
        takeSpare();
        const fresh = await run();
        const used = takeSpare() as WebAssembly.Memory;
        // Every float in it is not a number then.
        new Uint8Array(used.buffer).fill(0xff);
        keepSpare(used);
        const again = await run();
        expect(takeSpare()).toBe(used);
        expect(again.codes).toEqual(fresh.codes);
        expect(again.rmse).toBe(fresh.rmse);
      }
    }
  });
});

describe('the shapes', () => {
  const shapes: [string, Dictionary][] = [
    ['the paper’s 64×100', overcompleteDct(8, 10)],
    ['the paper’s 100×200, dense', gaussianDictionary(100, 200, 1)],
    ['complete', completeDct(8)],
    ['patches of 5×5, which fill no vector', overcompleteDct(5, 7)],
    ['16×16 with 400 atoms, whose indices take two bytes', overcompleteDct(16, 20)],
    ['two different factors', separableDictionary(overcompleteDct(3, 4).atoms, completeDct(2).atoms)],
    ['more samples than atoms', gaussianDictionary(30, 11, 2)],
    ['a single atom', denseDictionary(4, 1, [1, 2, 3, 4])],
    ['atoms of very different length, one of them zero', denseDictionary(3, 4, [5, 0, 0, 0, 0.1, 0, 0, 0, 0, 1, 1, 1])],
  ];
  it.each(shapes)('%s: QPM, ADMM and OMP are those of the portable engine', async (_, D) => {
    const P = 60;
    const Y = signals(D, P);
    const S = Math.ceil(P * Math.min(D.L, D.N) * 0.15);
    const [ours, theirs] = await Promise.all(
      [engines.wasm, engines.portable].map((each) => each.load(D, signalsIn(Y, D.N), { threads: 1 })),
    );
    for (const solver of ['qpm', 'admm'] as const) {
      ours.reset();
      theirs.reset();
      for (let k = 0; k < 12; k++) {
        const [a, b] = [await ours.iterate(solver, S, 0.7), await theirs.iterate(solver, S, 0.7)];
        expect(Math.abs(a.rmse - b.rmse)).toBeLessThan(1e-4 * b.rmse + 1e-4);
        expect(a.kept).toBe(b.kept);
      }
    }
    const s = Math.max(1, Math.floor(Math.min(D.L, D.N) / 4));
    const [a, b] = [await ours.sweep('omp', s, STOP), await theirs.sweep('omp', s, STOP)];
    expect(a).toHaveLength(b.length);
    a.forEach(({ rmse }, k) => {
      expect(Math.abs(rmse - b[k].rmse)).toBeLessThan(1e-4 * b[k].rmse + 1e-3);
    });
    expect(supportMismatch(await ours.codes(), await theirs.codes())).toBeLessThan(0.01);
  });
});

describe('threads', () => {
  const everything = async (loaded: Loaded) => {
    const results: unknown[] = [];
    for (const solver of ['qpm', 'admm'] as const) {
      loaded.reset();
      // A changed budget continues from the last iterate.
      for (const S of [3000, 3000, 3000, 9000, 9000, 500]) results.push(await loaded.iterate(solver, S, 0.5));
      for (const rho of [0.5, 0.6, 0.7])
        results.push(await loaded.iterate(solver, 500, rho, undefined, { S: 500, rho: rho + 0.1 }));
      loaded.keep();
      results.push(await loaded.codes(), await loaded.refit(), await loaded.codes());
    }
    for (const run of [
      () => loaded.sweep('omp', 6, STOP),
      () => loaded.sweep('cosamp', 4, STOP),
      () => loaded.sweep('aiht', 4, STOP),
      () => loaded.jointOmp(5000),
    ]) {
      results.push(await run(), await loaded.codes());
    }
    return results;
  };

  it('give the same bits, whether one, two, three or eight', async () => {
    const D = overcompleteDct(8, 10);
    const Y = signals(D, 1200);
    let expected: unknown;
    for (const threads of [1, 2, 3, 8]) {
      const loaded = await engines.wasm.load(D, signalsIn(Y, D.N), { threads });
      expect(loaded.info.threads).toBe(threads);
      const results = await everything(loaded);
      loaded.dispose();
      expected ??= results;
      expect(results).toEqual(expected);
    }
  });

  it('cut ties in the order of the patches, and keep exactly S', async () => {
    // All patches are equal: every magnitude occurs P times.
    const D = completeDct(4);
    const one = signals(D, 1);
    const P = 700;
    const Y = Float64Array.from({ length: D.N * P }, (_, i) => one[i % D.N]);
    const dense: Float64Array[] = [];
    for (const threads of [1, 3]) {
      const loaded = await engines.wasm.load(D, signalsIn(Y, D.N), { threads });
      loaded.reset();
      // The first threshold is searched among all candidates, later ones near the previous threshold.
      for (let k = 0; k < 4; k++) expect(await loaded.iterate('qpm', 1000, 0.1)).toMatchObject({ kept: 1000 });
      loaded.keep();
      dense.push(denseFromCodes(await loaded.codes()));
      loaded.dispose();
    }
    expect(dense[1]).toEqual(dense[0]);
    const counts = Array.from(
      { length: P },
      (_, p) => dense[0].slice(p * D.L, (p + 1) * D.L).filter((v) => v !== 0).length,
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1000);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  it('are as many as requested, and one if the problem is small', async () => {
    expect((await threadsFor(100)).threads).toBe(1);
    expect((await threadsFor(1e6, { threads: 5 })).threads).toBe(5);
    const image = picture(40, 40);
    expect((await represent(image)).engine).toMatchObject({ name: 'wasm', threads: 1 });
    expect((await represent(image, { threads: 2 })).engine).toMatchObject({ name: 'wasm', threads: 2 });
    await expect(represent(image, { threads: 0 })).rejects.toThrow('threads must be a whole number from 1 to 64');
  });

  it('stop soon after an abort, and can be used again', async () => {
    const D = overcompleteDct(8, 10);
    const Y = signals(D, 60_000);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const run = solve(D, Y, { signal: controller.signal, tolerance: 0, maxIterations: 1e6, threads: 2 });
    // Without the abort it would take hours.
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    expect((await solve(D, Y.subarray(0, 64 * 5000), { threads: 2, maxIterations: 2 })).iterations).toBe(2);
  });

  it('that fail end the run with an error, and the next run starts new ones', async () => {
    const D = overcompleteDct(8, 10);
    const Y = signals(D, 500);
    const { team, dispose } = await layOut(D, signalsIn(Y, D.N), { fma: false, threads: 2 });
    // A missing job makes every thread throw.
    await expect(team.run([])).rejects.toThrow();
    dispose();
    const next = await engines.wasm.load(D, signalsIn(Y, D.N), { threads: 2 });
    next.reset();
    expect((await next.iterate('qpm', 100, 0.5)).kept).toBe(100);
    next.dispose();
  });
});

it('every engine reports whether it is available, and those of the CPU are', async () => {
  for (const engine of Object.values(engines)) {
    const state = await engine.probe();
    if (!state.available) expect(state.reason).not.toBe('');
    if (engine.name !== 'webgpu') expect(state.available).toBe(true);
  }
});

/** With a rising ρ, ADMM chooses other atoms for the least difference: to two digits only. */
const constant = (solver: string) => (solver === 'admm' ? { rho: 0.15 } : {});

it('ADMM with a rising ρ has the error of the portable engine within half a percent', async () => {
  const image = noisy(picture(72, 56, 3), 4);
  const [a, b] = [
    await represent(image, { solver: 'admm', engine: 'wasm' }),
    await represent(image, { solver: 'admm', engine: 'portable' }),
  ];
  expect(Math.abs(a.rmse / b.rmse - 1)).toBeLessThan(0.005);
});

it('joint OMP on coherent atoms codes a flat picture as the portable engine does', async () => {
  const random = randomSource(7);
  for (const contrast of [25, 2.5]) {
    const plane = Float64Array.from({ length: 72 * 56 }, (_, i) => {
      const [x, y] = [i % 72, Math.floor(i / 72)];
      return 200 + contrast * (0.2 * Math.sin(x / 5) * Math.cos(y / 7) + 0.02 * random.normal());
    });
    const image = { width: 72, height: 56, planes: [plane], peak: 255 };
    const options = { solver: 'joint-omp', dictionary: 'learned', budget: { perPatch: 10 } } as const;
    const [a, b] = [
      await represent(image, { ...options, engine: 'wasm' }),
      await represent(image, { ...options, engine: 'portable' }),
    ];
    expect(a.rmse / b.rmse).toBeCloseTo(1, 2);
  }
});

it('every solver is that of the portable engine on an image, to four digits', async () => {
  const image = noisy(picture(72, 56, 3), 4);
  for (const solver of solverNames) {
    const [a, b] = [
      await represent(image, { solver, ...constant(solver), engine: 'wasm' }),
      await represent(image, { solver, ...constant(solver), engine: 'portable' }),
    ];
    // Least squares on dependent atoms has many solutions, and CoSaMP prunes them differently.
    expect(a.rmse / b.rmse).toBeCloseTo(1, solver === 'cosamp' ? 1 : 3);
    expect(Math.abs(a.nonzeros - b.nonzeros)).toBeLessThanOrEqual(solver === 'cosamp' ? 40 : 0);
  }
});
