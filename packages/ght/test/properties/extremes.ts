/**
 * Tasks on finite numbers of any size: samples and noise levels from 1e-310 to 1e300, in any combination. Whatever comes in, no NaN
 * and no infinite sample comes out: the result is finite, or a GhtError says what is wrong. Every case follows from its seed alone.
 */

import { recipeNames } from '../../src/denoisers/groups/recipes.js';
import type { DiagnoseOptions, Image, RandomSource } from '../../src/index.js';
import {
  completeDct,
  deblur,
  denoise,
  diagnose,
  gaussianDictionary,
  gaussianKernel,
  inpaint,
  isGhtError,
  learn,
  overcompleteDct,
  qualities,
  randomSource,
  represent,
  solve,
  solverNames,
  upscale,
} from '../../src/index.js';
import { estimatePoissonGaussian, estimateSigma } from '../noise/estimates.js';

/** What became of the cases. */
export interface ExtremesReport {
  /** The number of cases that ran. */
  readonly cases: number;
  /** Cases that were refused with a complete message. */
  readonly refused: number;
  /** The seed, the call and what was wrong, for each case that broke the rule. */
  readonly failures: readonly string[];
}

/** Runs cases `seed`, `seed + 1`, …; a failure is reproduced with its own seed and one case. */
export async function runExtremes({
  cases,
  seed,
}: {
  readonly cases: number;
  readonly seed: number;
}): Promise<ExtremesReport> {
  const failures: string[] = [];
  let refused = 0;
  for (let i = 0; i < cases; i++) {
    const one = extremeCase(seed + i);
    const fail = (what: string) => failures.push(`seed ${seed + i}: ${one.name}: ${what}`);
    try {
      const bad = badNumber(await one.run(), 'result');
      if (bad !== undefined) fail(bad);
    } catch (error) {
      if (isGhtError(error) && !/NaN|got Infinity/.test(error.message)) refused++;
      else fail(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  }
  return { cases, refused, failures };
}

const engines = ['reference', 'portable', 'wasm'] as const;

/** Draws from a seed. */
interface Draw extends RandomSource {
  one<T>(list: readonly T[]): T;
  /** A power of ten, from 1e-310 to 1e300. */
  size(): number;
}

function drawFrom(seed: number): Draw {
  const source = randomSource(seed);
  const one = <T>(list: readonly T[]) => list[Math.floor(source.uniform() * list.length)];
  return { ...source, one, size: () => 10 ** (Math.floor(source.uniform() * 611) - 310) };
}

/** Samples by their content, with magnitudes of about 1. */
const contents: Readonly<Record<string, (draw: Draw, i: number) => number>> = {
  noise: ({ normal }) => normal(),
  shaded: ({ normal }, i) => 0.5 + 0.3 * Math.sin(i / 9) + 0.02 * normal(),
  constant: () => 0.7,
  zero: () => 0,
  impulse: (_, i) => Number(i === 17),
  'of all sizes': ({ normal, uniform }) => normal() * 10 ** (-300 * uniform()),
};

function drawImage(
  draw: Draw,
  least: number,
): { readonly image: Image; readonly name: string; readonly scale: number } {
  const { one, uniform } = draw;
  const [width, height] = [0, 0].map(() => least + Math.floor(uniform() * 14));
  const channels = one([1, 2, 3, 3]);
  const content = one(Object.keys(contents));
  const scale = one([1, 255, draw.size(), draw.size(), draw.size(), 1e-310, 1e299]);
  const peak = one([scale, scale, 255, 1, draw.size()]);
  const same = one([false, false, true]);
  const plane = () => Float64Array.from({ length: width * height }, (_, i) => scale * contents[content](draw, i));
  const first = plane();
  const planes = Array.from({ length: channels }, (_, c) => (c === 0 ? first : same ? first.slice() : plane()));
  return {
    image: { width, height, planes, peak },
    scale,
    name: `${width}×${height}×${channels} ${content} of ${scale}, peak ${peak}`,
  };
}

interface Case {
  readonly name: string;
  readonly run: () => unknown;
}

const tasks: Readonly<Record<string, (draw: Draw) => { readonly options: string; readonly run: () => unknown }>> = {
  denoise: (draw) => {
    const { image, scale, name } = drawImage(draw, draw.one([1, 8, 30]));
    const level = () => draw.one([draw.size(), draw.size(), 0.1 * scale, 1e3 * scale, 0]);
    const spectrum = { width: 8, height: 8, data: Array.from({ length: 64 }, level) };
    const density = { width: 3, height: 2, data: Array.from({ length: 6 }, level) };
    const noise = draw.one([
      { sigma: level() },
      { sigma: level() },
      { sigma: image.planes.map(level) },
      { sigma: 'auto' as const },
      { noise: 'white' as const },
      { noise: 'poisson-gaussian' as const },
      { noise: { gain: level(), sigma: level(), offset: draw.one([0, level()]) } },
      { noise: { offset: level() } },
      { noise: { spectrum: draw.one([spectrum, density, { ...spectrum, data: new Array(64).fill(level()) }]) } },
    ]);
    const more = draw.one([{}, {}, { keepGrain: 0.3 }, { strength: draw.size() }, { strengthChroma: draw.size() }]);
    const options = { ...noise, ...more, quality: draw.one(qualities), engine: draw.one(engines), threads: 1 };
    return { options: `${name}, ${JSON.stringify(options)}`, run: () => denoise(image, options) };
  },
  estimate: (draw) => {
    const { image, name } = drawImage(draw, draw.one([3, 32]));
    const kinds: readonly NonNullable<DiagnoseOptions['kind']>[] = ['auto', 'white', 'signal-dependent', 'coloured'];
    const kind = draw.one(kinds);
    const run = async () => {
      const sigma = estimateSigma(image);
      return [sigma, await diagnose(image, { kind }), kind === 'signal-dependent' && estimatePoissonGaussian(image)];
    };
    return { options: `${name}, ${kind}`, run };
  },
  represent: (draw) => {
    const { image, scale, name } = drawImage(draw, 8);
    const options = { ...budgetFor(draw, scale), ...common(draw), patch: draw.one([4, 8]), stride: draw.one([2, 4]) };
    const run = async () => {
      const { psnr, ...result } = await represent(image, options);
      // The PSNR of a perfect picture is infinite.
      return [result, Number.isNaN(psnr) ? psnr : 0];
    };
    return { options: `${name}, ${JSON.stringify(options)}`, run };
  },
  solve: (draw) => {
    const D = draw.one([completeDct(3), overcompleteDct(3, 4), gaussianDictionary(9, 14, 5)]);
    const [scale, content] = [draw.size(), draw.one(Object.keys(contents))];
    const Y = Float64Array.from({ length: D.N * 12 }, (_, i) => scale * contents[content](draw, i));
    const options = { ...budgetFor(draw, scale), ...common(draw), peak: draw.one([scale, 255, draw.size()]) };
    const run = () => solve(D, Y, options);
    return { options: `${content} of ${scale}, ${D.N}×${D.L}, ${JSON.stringify(options)}`, run };
  },
  inpaint: (draw) => {
    const { image, scale, name } = drawImage(draw, 8);
    const mask = Uint8Array.from(image.planes[0], (_, i) => Number(i % 5 === 2));
    const options = restoration(draw, scale, 0);
    return { options: `${name}, ${JSON.stringify(options)}`, run: () => inpaint(image, mask, options) };
  },
  deblur: (draw) => {
    const { image, scale, name } = drawImage(draw, 8);
    const options = restoration(draw, scale, 'auto' as const);
    return { options: `${name}, ${JSON.stringify(options)}`, run: () => deblur(image, gaussianKernel(0.7), options) };
  },
  upscale: (draw) => {
    const { image, scale, name } = drawImage(draw, 4);
    const options = restoration(draw, scale, 0);
    const factor = draw.one([1, 1.5, 2]);
    return { options: `${name}, ×${factor}, ${JSON.stringify(options)}`, run: () => upscale(image, factor, options) };
  },
  learn: (draw) => {
    const { image, name } = drawImage(draw, 12);
    const options = {
      ...{ patch: 4, atoms: draw.one([4, 6]), patches: 60, iterations: 2, separable: draw.one([true, false]) },
      ...{ engine: draw.one(engines), threads: 1 },
    };
    return { options: `${name}, ${JSON.stringify(options)}`, run: () => learn([image], options) };
  },
};

function budgetFor(draw: Draw, scale: number) {
  const level = draw.one([draw.size(), 0.1 * scale, 0]);
  return {
    budget: draw.one([
      { perPatch: 2 },
      { total: 9 },
      { rmse: level },
      { psnr: draw.one([1e-300, 30, 1e4, 1e300]) },
      { sigma: level, rule: draw.one(['residual', 'threshold'] as const) },
    ]),
  };
}

function common(draw: Draw) {
  return {
    solver: draw.one(solverNames),
    engine: draw.one(engines),
    ...{ maxIterations: 8, threads: 1, refit: draw.one([true, false]) },
  };
}

function restoration<T>(draw: Draw, scale: number, otherwise: T) {
  const sigma = draw.one([draw.size(), draw.size(), 0.1 * scale, otherwise]);
  return { sigma, quality: draw.one(recipeNames), engine: draw.one(engines), threads: 1 };
}

const names = ['denoise', 'denoise', 'denoise', ...Object.keys(tasks)];

function extremeCase(seed: number): Case {
  const draw = drawFrom(seed);
  const task = draw.one(names);
  const { options, run } = tasks[task](draw);
  return { name: `${task} ${options}`, run };
}

/** The path of the first number that is NaN or infinite in plain data, and its value. A threshold that keeps nothing is infinite. */
function badNumber(value: unknown, path: string): string | undefined {
  if (typeof value === 'number') {
    const sound = Number.isFinite(value) || (value > 0 && path.endsWith('.threshold'));
    return sound ? undefined : `${path} is ${value}`;
  }
  if (typeof value === 'string') return /\b(NaN|Infinity)\b/.test(value) ? `${path} says ${value}` : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    const at = Array.from(value as Float64Array).findIndex((each) => !Number.isFinite(each));
    return at < 0 ? undefined : `${path}[${at}] is ${(value as Float64Array)[at]}`;
  }
  for (const [key, each] of Object.entries(value)) {
    const bad = badNumber(each, `${path}.${key}`);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
