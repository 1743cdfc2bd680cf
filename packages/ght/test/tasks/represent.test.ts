import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heatmap } from '../../src/draw/index.js';
import type { Image, RepresentOptions } from '../../src/index.js';
import {
  atomsPerPatch,
  completeDct,
  estimateMemory,
  psnr,
  represent,
  rmsePixel,
  solverNames,
} from '../../src/index.js';
import { picture } from '../pictures.js';

const grey = picture(64, 48);

describe('represent', () => {
  it('uses exactly S atoms with the global solvers, and at most s per patch with the patch-wise ones', async () => {
    for (const solver of solverNames) {
      const result = await represent(grey, { solver, budget: { perPatch: 6 } });
      expect(result.patches).toBe(48);
      expect(result.budget).toBe(288);
      if (['qpm', 'admm', 'joint-omp'].includes(solver)) expect(result.nonzeros).toBe(288);
      else expect(Math.max(...atomsPerPatch(result.codes))).toBeLessThanOrEqual(6);
      // The solver measures in float32, the image is measured in float64.
      expect((result.rmsePixel * 8) / result.rmse).toBeCloseTo(1, 5);
      expect(result.psnr).toBeCloseTo(psnr(grey.planes[0], result.image.planes[0], 255), 9);
      expect(result.history).toHaveLength(result.iterations);
      expect(JSON.parse(JSON.stringify(result)).solver).toBe(solver);
    }
  });

  it('beats the patch-wise solvers if patches differ, most of all with ADMM and joint OMP', async () => {
    const rmse: Record<string, number> = {};
    for (const solver of solverNames) rmse[solver] = (await represent(grey, { solver, budget: { perPatch: 6 } })).rmse;
    expect(rmse.admm).toBeLessThan(rmse.qpm);
    expect(rmse.qpm).toBeLessThan(rmse.omp);
    expect(rmse['joint-omp']).toBeLessThan(rmse.qpm);
    expect((await represent(grey, { solver: 'admm', rho: 0.15, budget: { perPatch: 6 } })).rmse).toBeGreaterThan(
      rmse.admm,
    );
  });

  it('gives the same bits for samples in narrow types', async () => {
    for (const channels of [1, 2, 3]) {
      const { planes, ...rest } = picture(64, 48, channels);
      const kept = [Uint8Array, Uint8ClampedArray, Uint16Array, Float32Array, Float64Array].map((kind) =>
        represent({ ...rest, planes: planes.map((plane) => kind.from(plane.map(Math.round))) }),
      );
      const [first, ...others] = await Promise.all(kept);
      for (const { codes, image, psnr: level } of others) {
        expect(codes).toEqual(first.codes);
        expect(image.planes).toEqual(first.image.planes);
        expect(level).toBe(first.psnr);
      }
    }
  });

  it('gives more atoms to the textured part than to the shaded one', async () => {
    const counts = heatmap(await represent(grey, { budget: { perPatch: 6 } }));
    expect(counts).toHaveLength(64 * 48);
    const mean = (from: number, to: number) =>
      counts.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
    expect(mean(40 * 64, 48 * 64)).toBeGreaterThan(4 * mean(0, 8 * 64));
  });

  it('lowers the error by refitting, at the same budget', async () => {
    for (const solver of ['qpm', 'admm', 'aiht', 'cosamp'] as const) {
      const plain = await represent(grey, { solver });
      const refitted = await represent(grey, { solver, refit: true });
      expect(refitted.rmse).toBeLessThanOrEqual(plain.rmse);
      expect(refitted.nonzeros).toBe(plain.nonzeros);
    }
  });

  it('accepts any size, stride and channels, and returns finite samples', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          width: fc.integer({ min: 1, max: 21 }),
          height: fc.integer({ min: 1, max: 21 }),
          channels: fc.integer({ min: 1, max: 4 }),
          patch: fc.integer({ min: 1, max: 9 }),
          stride: fc.integer({ min: 1, max: 9 }),
          solver: fc.constantFrom(...solverNames),
        }),
        async ({ width, height, channels, patch, stride, solver }) => {
          const options = { solver, patch, stride: Math.min(stride, patch), budget: { perPatch: 1 }, maxIterations: 5 };
          const { image } = await represent(picture(width, height, channels), options);
          expect(image.planes).toHaveLength(channels);
          for (const plane of image.planes) {
            expect(plane).toHaveLength(width * height);
            expect(plane.every(Number.isFinite)).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('shares one budget over the channels of a colour image and leaves alpha unchanged', async () => {
    const alpha = Float64Array.from({ length: 64 * 48 }, (_, i) => i % 256);
    const colour = { ...picture(64, 48, 3), alpha };
    const result = await represent(colour, { solver: 'joint-omp', budget: { perPatch: 4 } });
    expect(result.patches).toBe(3 * 48);
    expect(result.nonzeros).toBe(4 * 3 * 48);
    expect(result.image.alpha).toBe(alpha);
    expect(result.atomsPerPatch).toHaveLength(48);
    // Chroma is nearly flat: luma gets most of the atoms.
    const luma = atomsPerPatch(result.codes).slice(0, 48);
    expect(luma.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.45 * result.nonzeros);
  });

  it('reaches a PSNR with fewer atoms than any it tried without success', async () => {
    for (const solver of ['joint-omp', 'admm', 'omp'] as const) {
      const found = await represent(grey, { solver, budget: { psnr: 38 } });
      expect(found.psnr).toBeGreaterThanOrEqual(38);
      const less = solver === 'omp' ? found.budget - 48 : Math.floor(found.budget * 0.97);
      expect((await represent(grey, { solver, budget: { total: less } })).psnr).toBeLessThan(38);
    }
  });

  it('reaches a PSNR of the picture even if edges and overlap make it differ from that of the patches', async () => {
    const odd = picture(61, 45);
    const found = await represent(odd, { solver: 'joint-omp', stride: 5, budget: { psnr: 36 } });
    const error = rmsePixel(found.image.planes[0], odd.planes[0]);
    expect(20 * Math.log10(255 / error)).toBeGreaterThanOrEqual(36);
  });

  it('reaches a PSNR of the samples as a file of integers holds them', async () => {
    const written = (image: Image) =>
      image.planes[0].map((value) => Math.min(255, Math.max(0, Math.round(value)))) as Float64Array;
    const whole: Image = { ...grey, planes: [written(grey)] };
    const level = (image: Image) => psnr(whole.planes[0], written(image), 255);
    const solver = 'joint-omp';
    const real = await represent(whole, { solver, budget: { psnr: 48 } });
    expect(level(real.image)).toBeLessThan(48);
    const found = await represent(whole, { solver, budget: { psnr: 48, largestInteger: 255 } });
    expect(level(found.image)).toBeGreaterThanOrEqual(48);
    expect(found.budget).toBeGreaterThan(real.budget);
    for (const [budget, message] of [
      [{ psnr: 48, largestInteger: 0.5 }, 'budget.largestInteger must be a whole number from 1 to'],
      [{ total: 48, largestInteger: 255 }, 'budget.largestInteger cannot be combined with total, but got 255'],
    ] as const) {
      await expect(represent(whole, { budget })).rejects.toThrow(message);
    }
  });

  it('uses joint OMP with the learned dictionary by default, and the DCT otherwise', async () => {
    const used = async (options: RepresentOptions, image = grey) => {
      const { solver, dictionary } = await represent(image, { maxIterations: 2, ...options });
      return [solver, dictionary.L];
    };
    expect(await used({})).toEqual(['joint-omp', 256]);
    expect((await represent(grey)).rmse).toBe(
      (await represent(grey, { solver: 'joint-omp', dictionary: 'learned' })).rmse,
    );
    expect(await used({ solver: 'admm' })).toEqual(['admm', 100]);
    expect(await used({ dictionary: 'paper' })).toEqual(['joint-omp', 100]);
    expect(await used({ atoms: 12 })).toEqual(['joint-omp', 144]);
    expect(await used({ patch: 6 })).toEqual(['joint-omp', 100]);
    expect(await used({ preset: 'paper' })).toEqual(['admm', 100]);
    const offset = { ...grey, planes: grey.planes.map((plane) => plane.map((value) => value + 1000)) };
    expect(await used({}, offset)).toEqual(['joint-omp', 100]);
  });

  it('does the paper exactly under its preset', async () => {
    const result = await represent(grey, { solver: 'qpm', preset: 'paper', maxIterations: 3 });
    expect(result.rho).toBe(0.1);
    const explicit = {
      rho: { absolute: 0.1 },
      growth: false,
      tolerance: 1e-5,
      refit: false,
      maxIterations: 3,
    } as const;
    expect((await represent(grey, { solver: 'qpm', ...explicit })).rmse).toBe(result.rmse);
    expect((await represent(grey, { preset: 'paper', rho: { absolute: 0.3 }, maxIterations: 2 })).rho).toBe(0.3);
  });

  it('lets the budget grow, for a smaller error on every dictionary', async () => {
    for (const solver of ['qpm', 'admm'] as const) {
      for (const dictionary of ['paper', 'learned'] as const) {
        const options = { solver, dictionary, budget: { perPatch: 6 } } as const;
        const growing = await represent(grey, options);
        const whole = await represent(grey, { ...options, growth: false });
        expect(growing.rmse, `${solver}, ${dictionary}`).toBeLessThan(whole.rmse);
        expect([growing.nonzeros, whole.nonzeros]).toEqual([growing.budget, growing.budget]);
        expect(growing.history[0].kept).toBe(Math.ceil(0.02 * growing.budget));
      }
    }
  });

  it('takes 300 iterations where the budget grows, and 100 at most where it does not', async () => {
    const iterations = async (options: RepresentOptions) =>
      (await represent(grey, { solver: 'admm', tolerance: 0, ...options })).iterations;
    expect(await iterations({})).toBe(300);
    expect(await iterations({ growth: false })).toBe(100);
    expect(await iterations({ preset: 'paper', tolerance: 0 })).toBe(100);
  });

  it('lets ρ rise, for a smaller error than a constant one on a larger dictionary', async () => {
    const options = { solver: 'admm', growth: false, atoms: 16, budget: { perPatch: 6 } } as const;
    const constant = await represent(grey, { ...options, rho: 0.15 });
    const rising = await represent(grey, { ...options, rho: { from: 0.002, to: 0.2 } });
    expect(rising.rmse).toBeLessThan(0.9 * constant.rmse);
    const { from, to } = rising.rho as { from: number; to: number };
    expect([to / from, to / (constant.rho as number)]).toEqual([expect.closeTo(100, 9), expect.closeTo(0.2 / 0.15, 9)]);
    // It does not stop before the end of the rise, and a target starts over with every budget it tries.
    expect(rising.iterations).toBe(100);
    const target = await represent(grey, { ...options, rho: { from: 0.002, to: 0.2 }, budget: { rmse: rising.rmse } });
    expect(target.rmse).toBeLessThanOrEqual(rising.rmse);
    expect(target.nonzeros / rising.nonzeros).toBeCloseTo(1, 1);
    // The same problem in other units.
    const large = {
      ...grey,
      planes: grey.planes.map((plane) => plane.map((value) => value * 2 ** 40)),
      peak: 255 * 2 ** 40,
    };
    const scaled = await represent(large, { ...options, rho: { from: 0.002, to: 0.2 } });
    expect(scaled.rmse / 2 ** 40).toBeCloseTo(rising.rmse, 3);
    expect(scaled.rho).toEqual(rising.rho);
  });

  it('interprets ρ independently of the scale of the dictionary', async () => {
    const D = completeDct(8);
    const tripled = { ...D, factors: undefined, atoms: { ...D.atoms, data: D.atoms.data.map((value) => 3 * value) } };
    const [plain, scaled] = [await represent(grey, { dictionary: D }), await represent(grey, { dictionary: tripled })];
    expect(scaled.rmse / plain.rmse).toBeCloseTo(1, 5);
  });

  it('is the same for float32 and float64 planes, and for every run', async () => {
    const float32 = { ...grey, planes: [Float32Array.from(grey.planes[0])] };
    const [a, b, c] = [await represent(grey), await represent(float32), await represent(grey)];
    expect(b.codes).toEqual(a.codes);
    expect(c.codes).toEqual(a.codes);
  });

  it('uses another engine if float32 cannot hold the picture, and says so', async () => {
    const moved = (by: number) => ({ ...grey, planes: [grey.planes[0].map((value) => value + by)] });
    for (const offset of [1e8, 1e10]) {
      const auto = await represent(moved(offset));
      const exact = await represent(moved(offset), { engine: 'portable' });
      expect(auto.psnr).toBeCloseTo(exact.psnr, 9);
      expect(auto.engine.name).toBe('portable');
      expect(auto.engine.fallbackReason).toMatchObject({ engine: 'wasm', kind: 'sample-range' });
    }
    const near = await represent(moved(1e5));
    expect(near.engine.name).toBe('wasm');
    expect(Math.abs(near.psnr - (await represent(moved(1e5), { engine: 'portable' })).psnr)).toBeLessThan(0.2);
  });

  it('represents a constant image with one atom per patch, and a black one with none', async () => {
    for (const solver of solverNames) {
      const constant: Image = { width: 16, height: 16, planes: [new Float64Array(256).fill(9)], peak: 255 };
      const one = await represent(constant, { solver, budget: { perPatch: 1 }, refit: true });
      expect(one.rmse).toBeLessThan(1e-4);
      const black = await represent({ ...constant, planes: [new Float64Array(256)] }, { solver });
      expect([black.rmse, black.nonzeros]).toEqual([0, 0]);
      expect(black.psnr).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('reports progress that never falls and ends at 1', async () => {
    for (const solver of solverNames) {
      const fractions: number[] = [];
      await represent(grey, { solver, onProgress: ({ fraction }) => fractions.push(fraction) });
      expect(fractions.at(-1)).toBe(1);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    }
  });

  it.each([512, 64])('stops computing soon after an abort, on an image %i pixels wide', async (side) => {
    const large = picture(side, side);
    for (const engine of ['reference', 'portable', 'wasm'] as const) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 100);
      const endless = { solver: 'admm', tolerance: 0, maxIterations: 1e6 } as const;
      const run = represent(large, { ...endless, engine, signal: controller.signal });
      // Without the abort it would take hours.
      await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    }
  });

  it('estimates more memory for the reference engine, and in proportion to the image', () => {
    // Large enough for the tables of the dictionary not to count.
    const one = estimateMemory('represent', { width: 3000, height: 3000, channels: 1 });
    expect(estimateMemory('represent', { width: 6000, height: 3000, channels: 1 }) / one).toBeCloseTo(2, 1);
    expect(
      estimateMemory('represent', { width: 3000, height: 3000, channels: 1 }, { engine: 'reference' }),
    ).toBeGreaterThan(1.4 * one);
    expect(estimateMemory('represent', { width: 3000, height: 3000, channels: 1 }, { stride: 4 })).toBeGreaterThan(
      2.5 * one,
    );
  });

  it('estimates the memory of the dictionary that is used by default', () => {
    const bytes = (options: RepresentOptions) =>
      estimateMemory('represent', { width: 1000, height: 1000, channels: 1 }, { engine: 'reference', ...options });
    expect(bytes({})).toBe(bytes({ solver: 'joint-omp', dictionary: 'learned' }));
    expect(bytes({ solver: 'admm' })).toBe(bytes({ solver: 'admm', dictionary: 'paper' }));
    expect(bytes({})).toBeGreaterThan(1.8 * bytes({ dictionary: 'paper' }));
  });
});

describe('represent rejects', () => {
  const refuse = (options: object | null, image: Partial<Image> = {}) =>
    expect(represent({ ...grey, ...image }, options as RepresentOptions)).rejects;

  it.each([
    [{ solver: 'lasso' }, 'solver must be one of qpm, admm, joint-omp, omp, aiht, cosamp, but got "lasso"'],
    [{ solver: 'admm', rho: 0 }, 'rho must be a finite number above 0, but got 0'],
    [{ solver: 'admm', rho: { absolute: -1 } }, 'rho must be a finite number above 0, but got -1'],
    [{ solver: 'admm', rho: { from: 0, to: 1 } }, 'rho.from must be a finite number above 0, but got 0'],
    [{ solver: 'admm', rho: { from: 0.1 } }, 'rho.to must be a finite number above 0, but got undefined'],
    [
      { solver: 'admm', rho: { from: 0.2, to: 0.1 } },
      'rho.to must not be below the value it rises from, but got 0.1: exchange the two',
    ],
    [{ solver: 'omp', rho: 1 }, 'rho must be left out for omp, which has no penalty'],
    [{ solver: 'admm', effort: 2 }, 'effort must be left out for admm, but got 2: only joint-omp has one'],
    [{ solver: 'joint-omp', effort: 4 as 3 }, 'effort must be a whole number from 1 to 3, but got 4: use 1, 2 or 3'],
    [{ maxIterations: 0 }, 'maxIterations must be a whole number from 1 to 1000000000, but got 0'],
    [{ tolerance: -1 }, 'tolerance must be a finite number of at least 0, but got -1'],
    [{ preset: 'fast' }, 'preset must be one of paper, but got "fast"'],
    [{ engine: 'cuda' }, 'engine must be one of auto, webgpu, wasm, portable, reference, but got "cuda"'],
    [{ budgets: 3 }, 'unknown option budgets; did you mean budget?'],
    [{ onprogress: () => {} }, 'unknown option onprogress; did you mean onProgress?'],
    [{ spread: 1 }, 'spread must be true or false, but got 1'],
    [{ rho: 0.1 }, 'rho must be left out for joint-omp, which has no penalty, but got 0.1: remove it, or choose'],
    [{ spread: true }, 'spread must be left out for joint-omp, which spends the whole budget, but got true'],
    [{ dictionary: completeDct(8), atoms: 10 }, 'atoms must be left out when a dictionary is given'],
    [{ dictionary: completeDct(5) }, 'dictionary must have 64 rows for 8×8 patches, but got "25×25"'],
    [{ budget: { psnr: 400 } }, 'must be reachable'],
    [{ refit: 'no' }, 'refit must be true or false, but got "no"'],
    [{ signal: {} }, 'signal must be an AbortSignal, but got {}'],
    [{ onProgress: 'tell' }, 'onProgress must be a function, but got "tell"'],
    [{ peak: 1 }, 'unknown option peak; the options are solver, budget,'],
    [{ dictionary: {} }, 'dictionary must be a dictionary of N × L entries, but got "Object"'],
    [null, 'options must be an object, but got null'],
  ])('%j', async (options, message) => {
    await refuse(options).toThrow(message);
  });

  it('anything but an image', async () => {
    const none = [undefined, null, 5, 'photo.png'];
    for (const given of none) {
      await expect(represent(given as never)).rejects.toThrow('image must be an object that holds planes of samples');
    }
    await refuse({}, { planes: undefined }).toThrow('image.planes must hold at least one channel, but got "Undefined"');
    const pixels = Array.from(grey.planes[0]);
    for (const [kind, plane] of Object.entries({
      Array: pixels,
      Int16Array: Int16Array.from(pixels),
      String: 'a'.repeat(pixels.length),
      Null: null,
    })) {
      await refuse({}, { planes: [plane as never] }).toThrow(
        `image.planes[0] must be a Float64Array, Float32Array, Uint16Array, Uint8Array or Uint8ClampedArray, but got "${kind}"`,
      );
    }
    await refuse({}, { alpha: new Float32Array(5) }).toThrow('image.alpha must hold width × height = 3072 samples');
  });

  it('an image with NaN, naming the pixel', async () => {
    const plane = grey.planes[0].slice();
    plane[64 * 5 + 3] = Number.NaN;
    await refuse({}, { planes: [plane] }).toThrow(
      'image pixel (x 3, y 5, channel 0) must be a finite number, but got NaN',
    );
  });

  it('an image without pixels or with a plane of another size', async () => {
    await refuse({}, { width: 0 }).toThrow('image must have at least one pixel, but got "0×48"');
    await refuse({}, { planes: [] }).toThrow('image.planes must hold at least one channel');
    await refuse({}, { planes: [new Float64Array(3)] }).toThrow(
      'image.planes[0] must hold width × height = 3072 samples',
    );
  });
});
