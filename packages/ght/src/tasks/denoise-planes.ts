import { followOnWasm } from '../engines/wasm/groups/follow.js';
import { groupBytes } from '../engines/wasm/groups/memory.js';
import { abilities, threadsFor } from '../engines/wasm/wasm.js';
import { knownOptions, notNegative, oneOf, ParameterError, wholeNumber } from '../errors.js';
import { enter, type Frame, frameOf, isNoisy, leave } from '../groups/frame.js';
import type { Quality, Step } from '../groups/recipes.js';
import { effortOf, isPass, qualities, recipeOf } from '../groups/recipes.js';
import { follow } from '../groups/reference.js';
import type { Samples } from '../signal/image.js';
import { checkImage } from '../signal/image.js';
import { drive, finish } from '../solvers/work.js';

/** How planes are denoised. All are optional. */
export interface PlanesOptions {
  /** `fast`, `balanced` or `best`; `balanced` unless told. */
  readonly quality?: Quality;
  /** `wasm` is fast and in float32, `reference` the mathematics as written; wasm where the host has it unless told. */
  readonly engine?: 'wasm' | 'reference';
  /** Threads of the wasm engine; as many as there are cores, where the image is large enough, unless told. */
  readonly threads?: number;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the work is: from 0 to 1, never falling, and the name of the pass. */
  readonly onProgress?: (progress: { readonly fraction: number; readonly pass: string }) => void;
}

const optionNames = ['quality', 'engine', 'threads', 'signal', 'onProgress'];

/** Bytes that denoising planes of this size needs beside them, about. */
export function planesMemory(width: number, height: number, channels: number, quality: Quality = 'balanced'): number {
  return groupBytes(recipeOf(quality), width, height, channels);
}

/**
 * Takes Gaussian noise of deviation `sigma[c]` out of every plane c, with one global threshold over all of them: each is
 * measured in units of its noise. Groups of patches are found on the first plane and used on all. Values may have any scale,
 * and are neither clipped nor rounded; a plane without noise comes back as it is.
 */
export async function denoisePlanes(
  planes: readonly Samples[],
  width: number,
  height: number,
  sigma: readonly number[],
  options: PlanesOptions = {},
): Promise<Float32Array[]> {
  knownOptions(options, optionNames);
  const quality = oneOf('quality', options.quality ?? 'balanced', qualities);
  if (options.threads !== undefined) wholeNumber('threads', options.threads, 1, 64, 'use the number of cores');
  checkImage({ width, height, planes, peak: 1 });
  if (sigma.length !== planes.length) {
    const rule = `must hold a deviation for each of the ${planes.length} planes`;
    throw new ParameterError('sigma', rule, sigma.length, 'give one number a plane');
  }
  sigma.forEach((value, c) => {
    notNegative(`sigma[${c}]`, value, 'give the deviation of the noise in the units of the plane');
  });
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const noisy = planes.map((plane, c) => isNoisy(plane, sigma[c]));
  if (!noisy.includes(true)) return planes.map((plane) => Float32Array.from(plane));

  const recipe = recipeOf(quality);
  const frame = frameOf(planes, width, height, sigma, Math.max(...recipe.filter(isPass).map(({ patch }) => patch)));
  const run = engineOf(options) === 'wasm' ? onWasm : onReference;
  const denoised = await run(recipe, frame, planes, width, height, options, teller(recipe, onProgress));
  onProgress?.({ fraction: 1, pass: recipe[recipe.length - 1].name });
  return planes.map((plane, c) => (noisy[c] ? leave(frame, c, denoised[c], width, height) : Float32Array.from(plane)));
}

function engineOf({ engine }: PlanesOptions): 'wasm' | 'reference' {
  if (engine !== undefined) oneOf('engine', engine, ['wasm', 'reference']);
  const { simd } = abilities();
  if (engine === 'wasm' && !simd) {
    throw new ParameterError('engine', 'cannot be wasm: this host has no WebAssembly SIMD', engine, 'leave it out');
  }
  return engine ?? (simd ? 'wasm' : 'reference');
}

type Tell = (step: number, fraction: number) => void;

/** Turns the fraction of a step into that of the whole recipe. */
function teller(recipe: readonly Step[], onProgress: PlanesOptions['onProgress']): Tell {
  const efforts = recipe.map(effortOf);
  const whole = efforts.reduce((sum, effort) => sum + effort, 0);
  let furthest = 0;
  return (step, fraction) => {
    const before = efforts.slice(0, step).reduce((sum, effort) => sum + effort, 0);
    furthest = Math.max(furthest, Math.min(1, (before + fraction * efforts[step]) / whole));
    onProgress?.({ fraction: furthest, pass: recipe[step].name });
  };
}

type Run = (
  recipe: readonly Step[],
  frame: Frame,
  planes: readonly Samples[],
  width: number,
  height: number,
  options: PlanesOptions,
  tell: Tell,
) => Promise<readonly Samples[]>;

const onWasm: Run = (recipe, frame, planes, width, height, { threads, signal, onProgress }, tell) =>
  followOnWasm(recipe, frame, planes, width, height, {
    fma: abilities().fma,
    threads: threadsFor(width * height, threads).threads,
    signal,
    onStep: onProgress && tell,
  });

const onReference: Run = async (recipe, frame, planes, width, height, { signal }, tell) => {
  const framed = planes.map((plane, c) => {
    const data = new Float64Array(frame.width * frame.height);
    finish(enter(frame, c, plane, width, height, data));
    return { width: frame.width, height: frame.height, data };
  });
  let step = 0;
  const work = follow(recipe, framed, (begun) => {
    step = begun;
  });
  const picture = await drive(work, { signal, onFraction: (fraction) => tell(step, fraction) });
  return picture.map(({ data }) => data);
};
