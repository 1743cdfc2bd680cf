/** Every public function has a property. The small ones are here; the others are in files of their own. */

import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as ght from '../../src/browser.js';
import { gramMatrix } from '../../src/sparse/dictionary/dictionary.js';
import { badNumbers, dictionary, image, problem, refusal, runs } from './problems.js';

const isInput = (error: unknown) => ght.isGhtError(error, 'input');
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const codesOf = (L: number, P: number, values: readonly number[]) =>
  ght.codesFromDense(
    Float64Array.from({ length: L * P }, (_, i) => values[i % values.length]),
    L,
    P,
  );

/** A property for every exported function, or the name of the file that holds it. */
const properties: Readonly<Record<string, string | (() => void)>> = {
  ...{
    solve: 'solvers',
    denoise: 'images',
    denoisePaper: 'images',
    represent: 'images',
    representJoint: 'images',
    extract: 'images',
  },
  ...{ aggregate: 'images', patchGrid: 'images' },
  ...{ psnr: 'images', rmsePixel: 'images', ssim: 'images', heatmap: 'images' },
  ...{ sheetCell: 'images', drawContactSheet: 'images' },
  ...{ drawHeatmap: 'images', reconstruct: 'solvers', learn: 'learn' },
  ...{ inpaint: 'restore', inpaintPaper: 'restore', deblur: 'restore', upscale: 'restore', restore: 'restore' },
  ...{ gaussianKernel: 'restore', diskKernel: 'restore', motionKernel: 'restore' },
  fromInterleaved: () =>
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (data, channels) => {
        const width = Math.floor(data.length / channels);
        fc.pre(width > 0);
        const pixels = { width, height: 1, data: data.subarray(0, width * channels) };
        const { planes, alpha } = ght.fromInterleaved(channels > 4 ? { ...pixels, channels } : pixels);
        const all = alpha ? [...planes, alpha] : planes;
        expect(Array.from(pixels.data, (_, i) => all[i % channels][Math.floor(i / channels)])).toEqual([
          ...pixels.data,
        ]);
      }),
      runs(100),
    ),
  toInterleaved: () =>
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 30 }), (list) => {
        const image = { width: list.length, height: 1, planes: [Float64Array.from(list)], peak: 255 };
        expect([...ght.toInterleaved(image, { array: 'Float64Array' }).data]).toEqual(list);
        ght.toInterleaved(image).data.forEach((value, i) => {
          const inRange = list[i] > 0 && list[i] < 255;
          expect(Math.abs(value - list[i])).toBeLessThanOrEqual(inRange ? 0.5 : Number.POSITIVE_INFINITY);
          if (!inRange) expect(value).toBe(list[i] > 0 ? 255 : 0);
        });
      }),
      runs(100),
    ),
  probeEngines: async () => {
    const states = await ght.probeEngines();
    expect(states.map(({ name }) => name)).toEqual(ght.engineNames.slice(1));
    for (const { available, reason } of states) expect(reason === undefined).toBe(available);
    expect(states.find(({ name }) => name === 'wasm')?.available).toBe(true);
  },
  denoiseSeries: () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(image, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 8 }),
        async (all, series) => {
          const pages = all.filter(({ width, height, planes }) => {
            return width === all[0].width && height === all[0].height && planes.length === all[0].planes.length;
          });
          const alike = pages.map((page) => ({ ...page, peak: all[0].peak }));
          let count = 0;
          for await (const { page, image } of ght.denoiseSeries(alike, {
            sigma: alike[0].peak / 10,
            series,
            quality: 'fast',
          })) {
            expect(page).toBe(count++);
            for (const plane of image.planes) expect(plane.every(Number.isFinite)).toBe(true);
          }
          expect(count).toBe(alike.length);
        },
      ),
      runs(20),
    ),
  describe: () =>
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e300, noNaN: true }), { minLength: 1, maxLength: 4 }), (sigma) => {
        const estimate = { model: { kind: 'white', sigma }, confidence: 1 } as const;
        const [sentence, ...others] = ght.describe(estimate);
        expect([sentence, others]).toEqual([expect.stringMatching(/^noise: white, σ = \S+(, \S+)*$/), []]);
        expect(`noise: ${ght.describeBySubject(estimate).noise}`).toBe(sentence);
      }),
      runs(100),
    ),
  describeBySubject: () => {
    const info = { name: 'portable', threads: 1 } as const;
    expect(ght.describeBySubject(info)).toEqual({ engine: ght.describe(info)[0] });
  },
  decorrelate: () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 30 }),
        (list) => {
          const planes = [0, 1, 2].map((c) => Float64Array.from(list, (value, i) => value * (c + 1) + i));
          const energy = (all: readonly ght.Samples[]) =>
            all.reduce((sum, plane) => sum + Array.from(plane).reduce((each, value) => each + value * value, 0), 0);
          expect(energy(ght.decorrelate(planes)) / (energy(planes) || 1)).toBeCloseTo(energy(planes) === 0 ? 0 : 1, 9);
        },
      ),
      runs(100),
    ),
  recorrelate: () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 30 }),
        (list) => {
          const planes = [0, 1, 2].map((c) => Float64Array.from(list, (value, i) => value * (c + 1) + i));
          ght.recorrelate(ght.decorrelate(planes)).forEach((plane, c) => {
            plane.forEach((value, i) => {
              expect(Math.abs(value - planes[c][i])).toBeLessThan(1e-8);
            });
          });
        },
      ),
      runs(100),
    ),
  hardThreshold: () =>
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 40 }), fc.nat(50), (list, S) => {
        const X = Float64Array.from(list);
        const Z = new Float64Array(X.length);
        const { kept } = ght.hardThreshold(X, S, Z);
        const dropped = X.reduce((most, value, i) => (Z[i] === 0 ? Math.max(most, Math.abs(value)) : most), 0);
        expect(kept).toBe(Math.min(S, list.filter((value) => value !== 0).length));
        for (const value of Z) if (value !== 0) expect(Math.abs(value)).toBeGreaterThanOrEqual(dropped);
      }),
      runs(200),
    ),
  selectLargest: () => {
    for (const bad of [...badNumbers, 2.5]) {
      expect(refusal(() => ght.selectLargest(Float64Array.of(1, 2, 3), bad as number))).toContain('S must be');
      expect(refusal(() => ght.hardThreshold(Float64Array.of(1, 2, 3), bad as number))).toContain('S must be');
    }
    // A regression: it searched for the S-th largest beyond the end.
    expect(refusal(() => ght.selectLargest(Float64Array.of(1, Number.NaN, 3), 1))).toContain('values[1]');
  },
  codesFromDense: () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(finite, { minLength: 1 }),
        (L, P, list) => {
          const codes = codesOf(L, P, list);
          expect(codesOf(L, P, [...ght.denseFromCodes(codes)])).toEqual(codes);
          expect(refusal(() => ght.codesFromDense(new Float64Array(L * P + 1), L, P))).toContain('X must have');
        },
      ),
      runs(100),
    ),
  denseFromCodes: () => expect([...ght.denseFromCodes(codesOf(2, 2, [1, 0, -0, 5e-324]))]).toEqual([1, 0, 0, 5e-324]),
  nonzeros: () => expect(ght.nonzeros(codesOf(3, 2, [0, 1]))).toBe(3),
  atomsPerPatch: () => expect([...ght.atomsPerPatch(codesOf(2, 3, [0, 1, 1]))]).toEqual([1, 1, 2]),
  supportMismatch: () => {
    expect(ght.supportMismatch(codesOf(2, 2, [0]), codesOf(2, 2, [0]))).toBe(0);
    expect(refusal(() => ght.supportMismatch(codesOf(2, 2, [1]), codesOf(2, 3, [1])))).toContain('one size');
  },
  ...{ saveCodes: 'exports', loadCodes: 'exports', decodeImage: 'exports' },
  ...{ saveDictionary: 'exports', loadDictionary: 'exports' },
  drawAtoms: () =>
    eachDictionary((D) => {
      if (!Number.isInteger(Math.sqrt(D.N))) expect(refusal(() => ght.drawAtoms(D))).toContain('square patch');
      else ght.checkImage(ght.drawAtoms(D, undefined, 1));
    }),
  zip: () =>
    fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ minLength: 1 }), fc.uint8Array()), async (files) => {
        const entries = Object.entries(files).map(([name, bytes]) => ({ name, bytes }));
        expect([...(await ght.unzip(await ght.zip(entries)))]).toEqual(entries.map(({ name, bytes }) => [name, bytes]));
      }),
      runs(30),
    ),
  namesInZip: () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string({ minLength: 1 })), async (names) => {
        const archive = await ght.zip(names.map((name) => ({ name, bytes: new Uint8Array(3) })));
        expect(ght.namesInZip(archive)).toEqual(names);
      }),
      runs(30),
    ),
  unzip: () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const archive = await ght.zip([{ name: 'a', bytes: Uint8Array.from({ length: 40 }, (_, i) => i) }]);
        const damaged = archive.slice();
        damaged[place % damaged.length] ^= change;
        const files = await ght.unzip(damaged).catch((error: unknown) => error);
        if (files instanceof Error) expect(ght.isGhtError(files)).toBe(true);
        else
          for (const bytes of (files as Map<string, Uint8Array>).values())
            expect([...bytes.keys()]).toEqual([...bytes]);
      }),
      runs(60),
    ),
  writeNpy: () =>
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 30 }), (list) => {
        const given = { type: 'f8', shape: [list.length], data: Float64Array.from(list) } as const;
        expect(ght.readNpy(ght.writeNpy(given))).toEqual(given);
      }),
      runs(100),
    ),
  readNpy: () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, alike) => {
        const start = alike
          ? [...ght.writeNpy({ type: 'u1', shape: [4], data: Uint8Array.of(1, 2, 3, 4) }).slice(0, 60)]
          : [];
        refusal(() => ght.readNpy(Uint8Array.from([...start, ...bytes])));
      }),
      runs(200),
    ),
  learnedDictionary: () => {
    for (const s of [0, 3, 1e300]) expect(ght.learnedDictionary(s).L).toBe(256);
    for (const bad of badNumbers)
      expect(refusal(() => ght.learnedDictionary(bad as number))).toContain('perPatch must be');
  },
  completeDct: () => {
    for (const side of [1, 2, 7]) expect(ght.coherence(ght.completeDct(side))).toBeLessThan(1e-9);
    for (const bad of [...badNumbers, 0, 33, 2.5])
      expect(refusal(() => ght.completeDct(bad as number))).toContain('patch');
  },
  overcompleteDct: () => {
    for (const bad of [...badNumbers, 0, 65])
      expect(refusal(() => ght.overcompleteDct(8, bad as number))).toContain('atoms');
    expect(refusal(() => ght.overcompleteDct(1, 5))).toContain('atoms');
  },
  gaussianDictionary: () => {
    for (const bad of [...badNumbers, 0])
      expect(refusal(() => ght.gaussianDictionary(bad as number, 3))).toContain('N must');
    expect(refusal(() => ght.gaussianDictionary(1e6, 1e6))).toContain('entries');
    expect(refusal(() => ght.gaussianDictionary(2, 2, 1, Number.NaN))).toContain('finite');
  },
  denseDictionary: () => {
    for (const scale of [0, 1e-200, 1e200, Number.NaN]) {
      expect(refusal(() => ght.denseDictionary(1, 2, [scale, scale]))).toContain('dictionary');
    }
    for (const [N, L] of [
      [0, 1],
      [1, 0],
      [1.5, 2],
      [Number.NaN, 1],
      [2, 2],
    ]) {
      expect(refusal(() => ght.denseDictionary(N, L, [1, 2, 3]))).toContain('dictionary');
    }
  },
  separableDictionary: () => {
    const zero = { rows: 1, cols: 1, data: new Float64Array(1) };
    expect(refusal(() => ght.separableDictionary(zero, zero))).toContain('not zero');
  },
  coherence: () => eachDictionary((D) => expect(ght.coherence(D)).toSatisfy((c: number) => c >= 0 && c <= 1 + 1e-9)),
  spectralNormSquared: () =>
    eachDictionary((D) => {
      const norm = ght.spectralNormSquared(D);
      const G = gramMatrix(D).data;
      const lengths = Array.from({ length: D.L }, (_, l) => G[l * D.L + l]);
      // The norm is at least that of the longest atom, and at most that of all atoms together.
      expect(norm).toBeGreaterThanOrEqual((1 - 1e-9) * Math.max(...lengths));
      expect(norm).toBeLessThanOrEqual((1 + 1e-9) * lengths.reduce((sum, length) => sum + length, 0));
    }),
  GhtError: () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const value of [circle, { big: 1n }, 1n, Symbol('s'), undefined, new Array(1000).fill(1)]) {
      const { message } = new ght.OptionError('x', 'must be y', value, 'do z');
      expect(message).toMatch(/^x must be y, but got .{1,210}: do z$/);
    }
  },
  OptionError: () => keepsItsParts(ght.OptionError),
  InputError: () => keepsItsParts(ght.InputError),
  ResourceError: () => keepsItsParts(ght.ResourceError),
  EnvironmentError: () => keepsItsParts(ght.EnvironmentError),
  isGhtError: () => {
    for (const Kind of errorClasses) {
      const { kind } = new Kind('x', 'must be y', 1, 'do z');
      takesOnly((error) => ght.isGhtError(error, kind), Kind);
    }
  },
  randomSource: () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(refusal(() => ght.randomSource(bad))).toContain('seed');
    const random = ght.randomSource(5);
    // A regression: it never ended if the mean was not a number.
    for (const bad of badNumbers) expect(refusal(() => random.poisson(bad as number))).toContain('mean');
    for (const bad of [...badNumbers, 0]) expect(refusal(() => random.below(bad as number))).toContain('n must');
    for (const mean of [0, 5e-324, 9.99, 10, 1e6, 1e300]) expect(random.poisson(mean)).toBeGreaterThanOrEqual(0);
  },
  diagnose: () =>
    fc.assert(
      fc.asyncProperty(image, async (given) => {
        const { width, height } = given;
        if (width < 3 || height < 3) {
          await expect(ght.diagnose(given)).rejects.toThrow('3×3');
          return;
        }
        for (const options of [{ kind: 'pink' }, { jpeg: 3 }, { more: 1 }]) {
          await expect(ght.diagnose(given, options as object)).rejects.toThrow(/^(kind|jpeg|unknown option more)[ ;]/);
        }
        const { model, confidence, confidenceReason } = await ght.diagnose(given);
        expect(confidence >= 0 && confidence <= 1).toBe(true);
        expect(confidenceReason).toBe(confidence < 1 ? 'no-flat-area' : undefined);
        const deviations = model.kind === 'coloured' ? model.deviations.flat().flatMap((row) => [...row]) : [];
        const all = model.kind === 'white' ? model.sigma : deviations;
        expect(all.every((deviation) => deviation >= 0 && deviation < Number.POSITIVE_INFINITY)).toBe(true);
      }),
      runs(60),
    ),
  saveNoiseModel: () =>
    fc.assert(
      fc.asyncProperty(image, async (given) => {
        fc.pre(given.width >= 3 && given.height >= 3);
        const diagnosis = await ght.diagnose(given);
        const file = JSON.parse(ght.saveNoiseModel(diagnosis, given));
        const { noise, confidence } = await ght.denoise(given, { noise: file, quality: 'fast' });
        expect([noise.kind, confidence]).toEqual([diagnosis.model.kind, diagnosis.confidence]);
        // What is read back is the same, to the last bit; luma of equal channels is converted, and rounded.
        if (noise.kind === 'white') expect(noise).toEqual(diagnosis.model);
        for (const peak of [...badNumbers, 0, -1]) {
          if (peak === undefined) continue;
          expect(refusal(() => ght.saveNoiseModel(diagnosis, { peak: peak as number }))).toContain('peak');
        }
      }),
      runs(30),
    ),
  readJpegInfo: () => {
    // Data that starts like a JPEG and continues at random: a table, a frame, anything.
    const piece = fc.oneof(
      fc.constantFrom([0xff, 0xdb, 0, 67, 0], [0xff, 0xc0, 0, 17, 8, 0, 16, 0, 16, 3], [0xff, 0xda], [0xff, 0xff]),
      fc.array(fc.nat(255), { maxLength: 70 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(9), (pieces, orientation) => {
        const info = ght.readJpegInfo(Uint8Array.from([0xff, 0xd8, ...pieces.flat()]), orientation);
        if (info) expect(Array.from(info.luma).every((step) => step > 0)).toBe(true);
      }),
      runs(500),
    );
    expect(ght.readJpegInfo(new Uint8Array())).toBeUndefined();
  },
  checkImage: () =>
    fc.assert(
      fc.property(image, fc.nat(), fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, 1.1e300), (given, n, bad) => {
        ght.checkImage(given);
        const planes = given.planes.map((plane) => plane.slice());
        planes[0][n % planes[0].length] = bad;
        expect(refusal(() => ght.checkImage({ ...given, planes }))).toContain('channel 0');
        for (const peak of [...badNumbers, 0])
          expect(refusal(() => ght.checkImage({ ...given, peak: peak as number }))).toContain('peak');
        for (const width of [...badNumbers, 0])
          expect(refusal(() => ght.checkImage({ ...given, width: width as number }))).toContain('image');
      }),
      runs(30),
    ),
  heatColour: () => {
    for (const t of [-1, 0, 0.5, 1, 9, Number.POSITIVE_INFINITY]) {
      expect(ght.heatColour(t).every((c) => Number.isInteger(c) && c >= 0 && c <= 255)).toBe(true);
    }
    expect(refusal(() => ght.heatColour(Number.NaN))).toContain('t must');
  },
  estimateMemory: () => {
    const grey = (width: number, height: number) => ({ width, height, channels: 1 });
    for (const [w, h] of [
      [1, 1],
      [7, 13],
      [10_000, 10_000],
    ]) {
      expect(ght.estimateMemory('represent', grey(w, h))).toBeGreaterThan(8 * w * h);
    }
    for (const quality of ght.qualities) {
      const size = { width: 7, height: 5, channels: 3 };
      const least = ght.estimateMemory('denoise', size, { quality });
      expect(least).toBeGreaterThan(0);
      expect(ght.estimateMemory('denoise', { ...size, bytes: 105 }, { quality })).toBeGreaterThan(least);
      expect(ght.estimateMemory('restore', size, { quality, factor: 2 })).toBeGreaterThan(least);
      // In tiles, the memory does not grow with the image.
      const tiled = (width: number) =>
        ght.estimateMemory('denoise', { width, height: 2e4, channels: 3 }, { quality, tiled: true });
      expect(tiled(1e5)).toBe(tiled(2e4));
    }
    for (const bad of [...badNumbers, 0]) {
      for (const name of ['width', 'height', 'channels']) {
        const size = { ...grey(8, 8), [name]: bad };
        for (const task of ['represent', 'denoise', 'restore'] as const) {
          expect(refusal(() => ght.estimateMemory(task as 'denoise', size))).toContain(name);
        }
      }
      expect(refusal(() => ght.estimateMemory('restore', grey(8, 8), { factor: bad as number }))).toContain('factor');
    }
    expect(refusal(() => ght.estimateMemory('denoise', grey(8, 8), { quality: 'good' as 'best' }))).toContain(
      'quality',
    );
    expect(refusal(() => ght.estimateMemory('learn' as 'denoise', grey(8, 8)))).toContain('task');
  },
};

const errorClasses = [ght.OptionError, ght.InputError, ght.ResourceError, ght.EnvironmentError] as const;

function keepsItsParts(Kind: (typeof errorClasses)[number]): void {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.anything(), fc.string(), fc.anything(), (...parts) => {
      const [parameter, rule, value, remedy, cause] = parts;
      const error = new Kind(parameter, rule, value, remedy, { cause });
      expect(Object.is(error.value, value) && Object.is(error.cause, cause)).toBe(true);
      expect(error).toMatchObject({ name: Kind.name, parameter, rule, remedy });
      expect(error.message.startsWith(`${parameter} ${rule}, but got `)).toBe(true);
      expect(error.message.endsWith(`: ${remedy}`)).toBe(true);
    }),
    runs(100),
  );
}

function takesOnly(guard: (error: unknown) => boolean, Own: (typeof errorClasses)[number]): void {
  for (const Kind of errorClasses) expect(guard(new Kind('x', 'must be y', 1, 'do z'))).toBe(Kind === Own);
  fc.assert(
    fc.property(fc.anything(), (other) => {
      expect(guard(other) || guard(Object(other)) || guard({ kind: other })).toBe(false);
    }),
    runs(100),
  );
}

function eachDictionary(check: (D: ght.Dictionary) => void): void {
  fc.assert(
    fc.property(dictionary, (D) => {
      check(D);
    }),
    runs(27),
  );
}

const functions = Object.entries(ght)
  .filter(([, value]) => typeof value === 'function')
  .map(([name]) => name);

it('the table lists exactly the public functions', () => {
  expect(Object.keys(properties).sort()).toEqual(functions.sort());
});

describe('bad numbers', () => {
  const own = Object.entries(properties).filter(([, property]) => typeof property === 'function');
  it.each(own)('%s', (_, property) => (property as () => void)());

  it('those with a property elsewhere are used there', async () => {
    const folder = new URL('.', import.meta.url);
    const files = Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')]),
      ),
    );
    for (const [name, where] of Object.entries(properties)) {
      if (typeof where !== 'string') continue;
      const text = files[`${where}.test.ts`] ?? files[`${where}.slow.test.ts`];
      expect(text, `${where}.test.ts`).toMatch(new RegExp(`\\b${name}\\(`));
    }
  });
});

it('codes with any values are loaded unchanged from a file', async () => {
  await fc.assert(
    fc.asyncProperty(problem, async ({ D, P, Y }) => {
      const codes = codesOf(D.L, P, [...Y, 0, 5e-324, -1e300]);
      expect(await ght.loadCodes(await ght.saveCodes(codes))).toEqual(codes);
    }),
    runs(40),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await expect(ght.loadCodes(bytes)).rejects.toSatisfy(isInput);
      await expect(ght.decodeImage(bytes)).rejects.toSatisfy(isInput);
    }),
    runs(60),
  );
});

it('decodeImage(saveCodes(represent(image))) is the image of the representation', async () => {
  await fc.assert(
    fc.asyncProperty(image, fc.constantFrom(3, 4), async (given, stride) => {
      const {
        codes,
        image: shown,
        ...coded
      } = await ght.represent(given, { patch: 4, stride, budget: { perPatch: 2 } });
      const decoded = await ght.decodeImage(await ght.saveCodes(codes, { ...coded, ...given }));
      expect(decoded.image).toEqual({ ...shown });
      expect(decoded.codes).toEqual(codes);
    }),
    runs(20),
  );
});

it('dictionaries of any scale are loaded unchanged from a file, and other bytes are refused', async () => {
  await fc.assert(
    fc.asyncProperty(dictionary, async (D) => {
      expect((await ght.loadDictionary(await ght.saveDictionary({ dictionary: D }))).dictionary).toEqual(D);
    }),
    runs(27),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, zipped) => {
      const file = Uint8Array.from([...(zipped ? [0x50, 0x4b] : []), ...bytes]);
      await expect(ght.loadDictionary(file)).rejects.toSatisfy(isInput);
    }),
    runs(60),
  );
});
