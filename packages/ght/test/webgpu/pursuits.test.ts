/** OMP, joint OMP and refit on a GPU, compared with the reference: with subgroups of 4 lanes and without, in one range and in several. */
import { afterAll, describe, expect, inject, it } from 'vitest';
import { referenceEngine } from '../../src/engines/reference.js';
import { shapeOf } from '../../src/engines/shape.js';
import { Gpu, type GpuOptions, leastLimits } from '../../src/engines/webgpu/gpu.js';
import { rotateSignals } from '../../src/engines/webgpu/run/load.js';
import { PatchwiseSolvers } from '../../src/engines/webgpu/run/patchwise.js';
import { Ranges } from '../../src/engines/webgpu/run/ranges.js';
import { webgpuEngine } from '../../src/engines/webgpu/webgpu.js';
import { signalsIn } from '../../src/image/signals.js';
import type { Codes, Dictionary } from '../../src/index.js';
import {
  atomsPerPatch,
  codesFromDense,
  denseDictionary,
  gaussianDictionary,
  overcompleteDct,
  randomSource,
  reconstruct,
} from '../../src/index.js';
import { supportMismatch } from '../../src/paper.js';
import type { Effort, Spending } from '../../src/sparse/solvers/joint-omp.js';

const dct = overcompleteDct(4, 6);
const NO_STOP = { maxIterations: 1, tolerance: 0 };

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

/** The RMSE of no codes at all: what rounding is compared with. */
function size(Y: Float64Array, N: number): number {
  return Math.sqrt((N * Y.reduce((sum, value) => sum + value * value, 0)) / Y.length);
}

const reference = (D: Dictionary, Y: Float64Array) => referenceEngine.load(D, signalsIn(Y, D.N));

/** What the reference finds, once for all devices. */
const found = new Map<string, Promise<unknown>>();
function once<T>(key: string, find: () => Promise<T>): Promise<T> {
  const known = found.get(key) ?? find();
  found.set(key, known);
  return known as Promise<T>;
}

const devices: [name: string, options: GpuOptions][] = [
  ['subgroups of 4', { subgroups: true }],
  ['no subgroups and the least limits', { subgroups: false, limits: leastLimits }],
];

describe.skipIf(inject('withoutGpu') !== '').each(devices)('pursuits on a GPU with %s', (_name, options) => {
  let opened: Promise<Gpu> | undefined;
  afterAll(async () => (await opened)?.dispose());

  async function load(D: Dictionary, Y: Float64Array, patchesPerRange?: number): Promise<PatchwiseSolvers> {
    opened ??= Gpu.open(options);
    const ranges = await Ranges.of(await opened, shapeOf(D), Y.length / D.N, patchesPerRange);
    await rotateSignals(ranges, signalsIn(Y, D.N));
    return new PatchwiseSolvers(ranges, 0);
  }

  const shapes: [name: string, D: Dictionary, P: number][] = [
    ['36 atoms of 16 samples', dct, 150],
    ['29 atoms of 13 samples', gaussianDictionary(13, 29, 3), 70],
  ];
  // With four lanes a thread would have 16 vectors of atoms, which takes long to compile here.
  if (!options.subgroups) shapes.push(['256 atoms of 64 samples', gaussianDictionary(64, 256, 3), 33]);

  it.each(shapes)('OMP finds what the reference finds, up to whole supports: %s', async (_shape, D, P) => {
    const Y = signals(D, P, 1);
    const limits = Int32Array.from({ length: P }, (_, p) => (p % 3 === 0 ? D.N : p % 8));
    const ours = await load(D, Y);
    const got = await ours.sweep('omp', limits, NO_STOP);
    const { reports: expected, codes: theirs } = await once(`omp ${D.L}`, async () => {
      const loaded = await reference(D, Y);
      return { reports: await loaded.sweep('omp', limits, NO_STOP), codes: await loaded.codes() };
    });
    expect(got).toHaveLength(D.N);
    // Near the end of a whole support rounding chooses among atoms that are hardly new.
    for (let k = 0; k < D.N / 2; k++) {
      expect(got[k].rmse / expected[k].rmse).toBeCloseTo(1, 5);
      expect(got[k].kept).toBe(expected[k].kept);
    }
    expect(got[D.N - 1].rmse / expected[D.N - 1].rmse).toBeCloseTo(1, 5);
    const codes = await ours.codes();
    expect(supportMismatch(codes, theirs)).toBeLessThan(0.05);
    const [shown, wanted] = [reconstruct(D, codes), reconstruct(D, theirs)];
    expect(shown.reduce((most, value, i) => Math.max(most, Math.abs(value - wanted[i])), 0)).toBeLessThan(1e-2);
    // A few atoms leave no doubt.
    for (let p = 0; p < P; p++) {
      if (p % 3 === 0) continue;
      expect(codes.indices.slice(codes.indptr[p], codes.indptr[p + 1])).toEqual(
        theirs.indices.slice(theirs.indptr[p], theirs.indptr[p + 1]),
      );
    }
  });

  async function expectAsReference(Y: Float64Array, S: Spending, effort: Effort, ours: PatchwiseSolvers) {
    const { report, counts } = await once(`${JSON.stringify(S)} ${effort} ${Y[0]}`, async () => {
      const theirs = await reference(dct, Y);
      const [report] = await theirs.jointOmp(S, undefined, effort);
      return { report, counts: [...atomsPerPatch(await theirs.codes())] };
    });
    const [got] = await ours.jointOmp(S, undefined, effort);
    expect([...atomsPerPatch(await ours.codes())]).toEqual(counts);
    expect(got.kept).toBe(report.kept);
    expect(Math.abs(got.rmse - report.rmse)).toBeLessThan(1e-4 * report.rmse + 1e-4 * size(Y, dct.N));
    expect((got.threshold as number) / (report.threshold as number)).toBeCloseTo(1, 5);
  }

  it('finds the codes of the reference for supports that are no larger than a subgroup', async () => {
    const D = gaussianDictionary(4, 4, 2);
    const Y = signals(D, 40, 11);
    const [ours, theirs] = [await load(D, Y), await reference(D, Y)];
    const expectSameCodes = async () => {
      const [got, expected] = [await ours.codes(), await theirs.codes()];
      expect([...got.indptr]).toEqual([...expected.indptr]);
      expect([...got.indices]).toEqual([...expected.indices]);
      const off = got.values.map((value, i) => Math.abs(value - expected.values[i]));
      expect(Math.max(...off)).toBeLessThan(1e-4 * size(Y, D.N));
    };
    await ours.sweep('omp', 3, NO_STOP);
    await theirs.sweep('omp', 3, NO_STOP);
    await expectSameCodes();
    await ours.jointOmp(70);
    await theirs.jointOmp(70);
    await expectSameCodes();
  });

  it('joint OMP allots as the reference does', async () => {
    const Y = signals(dct, 800, 1);
    const ours = await load(dct, Y);
    for (const S of [16, 800, 7200, { price: 2 }]) await expectAsReference(Y, S, 1, ours);
    await expectAsReference(Y, 800, 2, ours);
  });

  it('joint OMP finds λ where the sample does not expect it', async () => {
    const Y = signals(dct, 800, 3, (p) => (p % 256 < 40 ? 4 : 1));
    await expectAsReference(Y, 800, 1, await load(dct, Y));
  });

  it('joint OMP gives what is left over among equal gains to the first patches, across ranges', async () => {
    const P = 300;
    const one = signals(dct, 1, 5);
    const Y = Float64Array.from({ length: dct.N * P }, (_, i) => one[i % dct.N]);
    const ours = await load(dct, Y, 128);
    const [{ kept }] = await ours.jointOmp(3 * P + 170);
    expect(kept).toBe(3 * P + 170);
    expect([...atomsPerPatch(await ours.codes())]).toEqual(Array.from({ length: P }, (_, p) => (p < 170 ? 4 : 3)));
  });

  it('has the same bits in one range and in several', async () => {
    const Y = signals(dct, 150, 6);
    const limits = Int32Array.from({ length: 150 }, (_, p) => (p * 7) % 17);
    const results = [];
    for (const ranges of [undefined, 64]) {
      const solvers = await load(dct, Y, ranges);
      const codes: Codes[] = [];
      await solvers.sweep('omp', limits, NO_STOP);
      codes.push(await solvers.codes());
      await solvers.jointOmp(600, undefined, 2);
      codes.push(await solvers.codes());
      await solvers.refit(codes[0]);
      codes.push(await solvers.codes());
      results.push(codes);
    }
    expect(results[1]).toEqual(results[0]);
    expect([...atomsPerPatch(results[0][0])]).toEqual([...limits].map((s) => Math.min(s, dct.N)));
  });

  it('refits by least squares, all atoms, dependent ones and atoms of zeros too', async () => {
    // The last atom is zero, and the one before it the sum of the first two; none has length 1.
    const atoms = Array.from({ length: 7 * 5 }, (_, i) => Math.sin(3 * i) + (i % 6 === 0 ? 2 : 0));
    for (let n = 0; n < 5; n++) {
      atoms[5 * 5 + n] = atoms[n] + atoms[5 + n];
      atoms[6 * 5 + n] = 0;
    }
    const D = denseDictionary(5, 7, atoms);
    const P = 40;
    const Y = signals(D, P, 8);
    const random = randomSource(9);
    // From no atom to all of them.
    const start = codesFromDense(
      Float64Array.from({ length: 7 * P }, (_, i) => (i % 7 < Math.floor(i / 7) % 8 ? random.normal() : 0)),
      7,
      P,
    );
    const ours = await load(D, Y);
    const rmse = await ours.refit(start);
    const fitted = await ours.codes();
    expect(fitted.indices).toEqual(start.indices);
    // The least error on a support is that of its projection: r is orthogonal to every atom.
    const shown = reconstruct(D, fitted);
    let error = 0;
    for (let p = 0; p < P; p++) {
      for (let n = 0; n < 5; n++) error += (Y[5 * p + n] - shown[5 * p + n]) ** 2;
      for (let i = fitted.indptr[p]; i < fitted.indptr[p + 1]; i++) {
        let product = 0;
        for (let n = 0; n < 5; n++) product += atoms[5 * fitted.indices[i] + n] * (Y[5 * p + n] - shown[5 * p + n]);
        expect(Math.abs(product)).toBeLessThan(1e-4 * size(Y, 5));
      }
    }
    expect(rmse / Math.sqrt(error / P)).toBeCloseTo(1, 5);
  });

  it('tells how far it is, and ends when it is aborted', async () => {
    const Y = signals(dct, 150, 6);
    const solvers = await load(dct, Y, 64);
    const fractions: number[] = [];
    await solvers.jointOmp(600, { onFraction: (fraction) => fractions.push(fraction) }, 2);
    expect(fractions.length).toBeGreaterThan(3);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBeLessThanOrEqual(1);
    const stop = new AbortController();
    let reported = 0;
    const onFraction = () => {
      reported++;
      stop.abort(new Error('enough'));
    };
    await expect(solvers.sweep('omp', 5, NO_STOP, { signal: stop.signal, onFraction })).rejects.toThrow('enough');
    expect(reported).toBe(1);
  });
});

it('leaves to the CPU what no kernel does', () => {
  const engine = webgpuEngine();
  expect(engine.unsupportedReason?.('joint-omp', 3)).toEqual({ kind: 'effort', effort: 3 });
  expect(engine.unsupportedReason?.('aiht', 1)).toEqual({ kind: 'solver', solver: 'aiht' });
  expect(engine.unsupportedReason?.('joint-omp', 2)).toBeUndefined();
  expect(engine.unsupportedReason?.('omp', 3)).toBeUndefined();
});
