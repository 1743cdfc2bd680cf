import type { EngineInfo } from '../engines/engine.js';
import { groupBytes } from '../engines/wasm/run/group-memory.js';
import { abilities, threadsFor } from '../engines/wasm/run/host.js';
import { followOnWasm } from '../engines/wasm/run/recipe.js';
import { knownOptions, notNegative, oneOf, ParameterError, wholeNumber } from '../errors.js';
import { enter, type Frame, frameOf, leave, planeFor } from '../groups/frame.js';
import type { Plane } from '../groups/matching.js';
import type { Quality, Step } from '../groups/recipes.js';
import { effortOf, isPass, qualities, recipeOf } from '../groups/recipes.js';
import { follow } from '../groups/reference.js';
import { marginOf, type Rectangle, tilesOf } from '../groups/tiles.js';
import type { Samples } from '../signal/image.js';
import { checkPixels, checkShape, copyOf } from '../signal/image.js';
import { drive } from '../work.js';

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
  /** The side of the tiles a large image is cut into; whole, or as large as fits a gibibyte, unless told. */
  readonly tile?: number;
}

/** Denoised planes, and what denoised them. */
export interface DenoisedPlanes {
  readonly planes: Samples[];
  /** Which of them had noise to take out; the others are copies of what was given. */
  readonly noisy: readonly boolean[];
  readonly engine: EngineInfo;
}

const optionNames = ['quality', 'engine', 'threads', 'signal', 'onProgress', 'tile'];

/** The most a tile may need, in bytes: what a page in a browser can have without asking. */
const MOST_BYTES = 2 ** 30;
/** What is enough for a tile whose margin is a small part of it: so much more work at most. */
const ENOUGH_BYTES = 2 ** 27;
const CHEAP_MARGIN = 1.05;
/** The smallest tile worth its margin. */
const LEAST_TILE = 240;

/** Bytes that denoising planes of this size needs beside them, about. */
export function planesMemory(width: number, height: number, channels: number, quality: Quality = 'balanced'): number {
  for (const [name, value] of Object.entries({ width, height, channels })) {
    wholeNumber(name, value, 1, Number.POSITIVE_INFINITY, 'give the size of the image');
  }
  const recipe = recipeOf(oneOf('quality', quality, qualities));
  const side = tileSide(recipe, width, height, channels) + 2 * marginOf(recipe);
  const [wide, high] = [Math.min(width, side), Math.min(height, side)];
  // The result, and what the passes of one tile need.
  return 4 * width * height * channels + groupBytes(recipe, wide, high, channels);
}

/**
 * The side of a tile: as large as fits. Where margins cost next to nothing there is no reason to fill a gibibyte, and tiles
 * are smaller.
 */
function tileSide(recipe: readonly Step[], width: number, height: number, channels: number): number {
  let side = Math.max(width, height);
  const margin = 2 * marginOf(recipe);
  const bytes = () => groupBytes(recipe, Math.min(width, side + margin), Math.min(height, side + margin), channels);
  const limit = () => ((side + margin) ** 2 < CHEAP_MARGIN * side ** 2 ? ENOUGH_BYTES : MOST_BYTES);
  while (side > LEAST_TILE && bytes() > limit()) side = Math.floor(0.9 * side);
  return Math.max(side, LEAST_TILE);
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
): Promise<DenoisedPlanes> {
  knownOptions(options, optionNames);
  const { quality, engine: name, threads } = settlePlanes(options);
  const image = { width, height, planes, peak: 1 };
  checkShape(image);
  if (sigma.length !== planes.length) {
    const rule = `must hold a deviation for each of the ${planes.length} planes`;
    throw new ParameterError('sigma', rule, sigma.length, 'give one number a plane');
  }
  sigma.forEach((value, c) => {
    notNegative(`sigma[${c}]`, value, 'give the deviation of the noise in the units of the plane');
  });
  const { signal, onProgress, tile } = options;
  if (tile !== undefined) wholeNumber('tile', tile, 1, 2 ** 20, 'use a side such as 1024');
  await drive(checkPixels(image), { signal });
  const engine =
    name === 'wasm'
      ? { name, ...(await threadsFor(width * height, threads)) }
      : { name, threads: 1, why: 'the mathematics as written' };
  const recipe = recipeOf(quality);
  const least = Math.max(...recipe.filter(isPass).map(({ patch }) => patch));
  const { frame, noisy } = await drive(frameOf(planes, width, height, sigma, least), { signal });
  const result = planes.map((plane, c) => (noisy[c] ? planeFor(frame, c, plane.length) : copyOf(plane)));
  const side = tile ?? tileSide(recipe, width, height, planes.length);
  const tiles = noisy.includes(true) ? tilesOf(recipe, width, height, side) : [];
  const run = name === 'wasm' ? onWasm : onReference;
  const shared = { recipe, planes, width, height, threads: engine.threads, room: {}, signal };
  for (const [i, each] of tiles.entries()) {
    const { outer } = each;
    const tell = teller(recipe, ({ fraction, pass }) =>
      onProgress?.({ fraction: (i + fraction) / tiles.length, pass }),
    );
    const framed = { ...frame, width: Math.max(outer.width, least), height: Math.max(outer.height, least) };
    const denoised = await run({ ...shared, frame: framed, part: outer, tell: onProgress && tell });
    for (const [c, plane] of result.entries()) {
      if (noisy[c]) await drive(leave(framed, c, denoised[c], each, plane, width), { signal });
    }
  }
  onProgress?.({ fraction: 1, pass: recipe[recipe.length - 1].name });
  return { planes: result, noisy, engine };
}

/** Checks how planes are to be denoised, and fills in what is not told. */
export function settlePlanes({ quality = 'balanced', engine, threads }: PlanesOptions) {
  oneOf('quality', quality, qualities);
  if (threads !== undefined) wholeNumber('threads', threads, 1, 64, 'use the number of cores');
  return { quality, engine: engineOf(engine), threads };
}

function engineOf(engine: PlanesOptions['engine']): 'wasm' | 'reference' {
  if (engine !== undefined) oneOf('engine', engine, ['wasm', 'reference']);
  const { obstacle } = abilities();
  if (engine === 'wasm' && obstacle) {
    throw new ParameterError('engine', `cannot be wasm: ${obstacle}`, engine, 'leave it out');
  }
  return engine ?? (obstacle ? 'reference' : 'wasm');
}

type Tell = (step: number, fraction: number) => void;

/** Turns the fraction of a step into that of the whole recipe. */
function teller(recipe: readonly Step[], onProgress: NonNullable<PlanesOptions['onProgress']>): Tell {
  const efforts = recipe.map(effortOf);
  const whole = efforts.reduce((sum, effort) => sum + effort, 0);
  let furthest = 0;
  return (step, fraction) => {
    const before = efforts.slice(0, step).reduce((sum, effort) => sum + effort, 0);
    furthest = Math.max(furthest, Math.min(1, (before + fraction * efforts[step]) / whole));
    onProgress({ fraction: furthest, pass: recipe[step].name });
  };
}

/** A tile at work: `part` of the planes, in its frame. */
interface TileAtWork {
  readonly recipe: readonly Step[];
  readonly frame: Frame;
  readonly planes: readonly Samples[];
  readonly width: number;
  readonly height: number;
  readonly part: Rectangle;
  readonly threads: number;
  /** The memory that one tile leaves to the next. */
  readonly room: { memory?: WebAssembly.Memory };
  readonly signal?: AbortSignal;
  readonly tell?: Tell;
}

/** Denoises a tile; what comes back is still in the frame. */
type Run = (tile: TileAtWork) => Promise<readonly Samples[]>;

const onWasm: Run = ({ recipe, frame, planes, width, height, tell, ...options }) =>
  followOnWasm(recipe, frame, planes, width, height, { ...options, fma: abilities().fma, onStep: tell });

const onReference: Run = async ({ recipe, frame, planes, width, part, signal, tell }) => {
  const picture: Plane[] = [];
  for (const [c, plane] of planes.entries()) {
    const data = new Float64Array(frame.width * frame.height);
    await drive(enter(frame, c, plane, width, part, data), { signal });
    picture.push({ width: frame.width, height: frame.height, data });
  }
  let step = 0;
  const work = follow(recipe, picture, (begun) => {
    step = begun;
  });
  const denoised = await drive(work, { signal, onFraction: (fraction) => tell?.(step, fraction) });
  return denoised.map(({ data }) => data);
};
