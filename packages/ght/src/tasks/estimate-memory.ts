import { tileSide } from '../denoisers/tiles.js';
import type { EngineName } from '../engines/engines.js';
import { usualEngine } from '../engines/engines.js';
import { notNegative, OptionError, oneOf, positive, wholeNumber } from '../errors.js';
import { patchGrid } from '../image/patches.js';
import { SAMPLED } from '../image/sample.js';
import type { NoiseModel } from '../noise/model.js';
import { MOST_PART_BYTES } from '../pipelines/denoise/plan.js';
import type { Quality } from '../pipelines/denoise/quality.js';
import { qualities, qualityExtent } from '../pipelines/denoise/quality.js';
import type { RepresentOptions } from '../pipelines/represent/options.js';
import {
  atomsPerSide,
  representDefaults,
  resolveRepresentOptions,
  usualDictionary,
} from '../pipelines/represent/options.js';
import { budgetFor } from '../pipelines/solve/options.js';
import { expectedAtoms, resolveBudget } from '../sparse/budget/budget.js';

/** The size of an image whose memory is estimated. */
export interface MemorySize {
  /** Pixels per row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** The number of planes, without alpha. */
  readonly channels: number;
  /**
   * Bytes of all samples of the image, alpha included. If it is given, the estimate includes the image, and for `denoise` the copies that
   * the kind of noise needs and the file of the result. @default the estimate is without the image
   */
  readonly bytes?: number;
}

/** Options of the estimate for `denoise`. All are optional. */
export interface DenoiseMemoryOptions {
  /** The quality. @default 'balanced' */
  readonly quality?: Quality;
  /** The engine. @default 'auto' */
  readonly engine?: EngineName;
  /** The kind of noise, for an estimate that includes the image. @default 'white' */
  readonly noise?: NoiseModel['kind'];
  /** Whether the image is denoised in tiles; the estimate is then without the image and the result. @default false */
  readonly tiled?: boolean;
}

/** Options of the estimate for `inpaint`, `deblur`, `upscale` and `restore`. All are optional. */
export interface RestoreMemoryOptions {
  /** The quality. @default 'balanced' */
  readonly quality?: Quality;
  /** The engine. @default 'auto' */
  readonly engine?: EngineName;
  /** The side of the result by that of the image: above 1 for an enlarged image. @default 1 */
  readonly factor?: number;
  /**
   * What the loop works on, if it is not the result: the surroundings of the missing pixels, or the luma of an enlarged image.
   *
   * @default the size and the channels of the result
   */
  readonly loop?: Pick<MemorySize, 'width' | 'height' | 'channels'>;
  /** Whether the image is restored in tiles, with its planes in files between passes. @default false */
  readonly tiled?: boolean;
}

/**
 * Approximate peak memory of a task, in bytes, for an image of this size. Nothing is computed, so that a program can refuse an image or
 * reduce it first. For a restoration, the task is `restore`.
 *
 * @example
 * ```js
 * import { estimateMemory } from 'ght';
 *
 * const bytes = estimateMemory('denoise', { width: 6000, height: 4000, channels: 3 }, { quality: 'best' });
 * console.log(`${Math.round(bytes / 2 ** 20)} MiB`);
 * ```
 */
export function estimateMemory(task: 'represent', size: MemorySize, options?: RepresentOptions): number;
export function estimateMemory(task: 'denoise', size: MemorySize, options?: DenoiseMemoryOptions): number;
export function estimateMemory(task: 'restore', size: MemorySize, options?: RestoreMemoryOptions): number;
export function estimateMemory(
  task: 'represent' | 'denoise' | 'restore',
  size: MemorySize,
  options: RepresentOptions & DenoiseMemoryOptions & RestoreMemoryOptions = {},
): number {
  oneOf('task', task, ['represent', 'denoise', 'restore']);
  if (typeof size !== 'object' || size === null) {
    throw new OptionError('size', 'must be an object', size, 'give { width, height, channels }');
  }
  for (const name of ['width', 'height', 'channels'] as const) {
    wholeNumber(name, size[name], 1, Number.POSITIVE_INFINITY, 'give the size of the image');
  }
  if (size.bytes !== undefined) notNegative('bytes', size.bytes, 'give the bytes of all samples, or leave it out');
  if (task === 'represent') return (size.bytes ?? 0) + representing(size, options);
  return task === 'denoise' ? denoising(size, options) : restoring(size, options);
}

function representing({ width, height, channels }: MemorySize, options: RepresentOptions): number {
  const settings = resolveRepresentOptions(options);
  const { patch = representDefaults.patch, stride = patch, atoms } = options;
  const P = patchGrid(width, height, patch, stride).count * channels;
  const N = patch ** 2;
  const dictionary = options.dictionary ?? usualDictionary(settings.solver, patch, atoms);
  const named = { learned: 256, paper: 100 } as const;
  const L = typeof dictionary === 'string' ? named[dictionary] : (dictionary?.L ?? atomsPerSide(patch, atoms) ** 2);
  const S = expectedAtoms(resolveBudget(budgetFor(settings, L), N, L, P, 1), N, P);
  const engine = usualEngine(settings.engine).problemBytes({ N, L, P, S });
  // The engine, whose memory may be freed late; the codes; the rebuilt image; the dictionary, its Gram matrix and tables.
  return engine + 12 * S + 4 * P + 8 * width * height * channels + 8 * (3 * N * L + 2 * L * L);
}

/** The result, and the passes of one tile. */
function passes({ width, height, channels }: MemorySize, quality: Quality = 'balanced', engine?: EngineName): number {
  const given = oneOf('quality', quality, qualities);
  // For coloured noise, finest takes the place of learned.
  const { margin, bytes } = qualityExtent(usualEngine(engine ?? 'auto'), given === 'learned' ? 'finest' : given);
  const side = tileSide({ margin, bytes }, width, height, channels) + 2 * margin;
  return 4 * width * height * channels + bytes(Math.min(width, side), Math.min(height, side), channels);
}

/** The approximate number of float64 copies of all samples that denoising makes besides its passes, by the kind of noise. */
const COPIES: Readonly<Record<NoiseModel['kind'], number>> = {
  /** None but the decorrelated planes of RGB. */
  white: 0,
  /** The stabilised samples, and those after the inverse. */
  'signal-dependent': 2,
  /** The samples that are overwritten at two scales, and those of half the size. */
  coloured: 1.25,
};

/** Bytes per sample that the estimate of the noise takes: float32 and float64 copies. */
const ESTIMATE_BYTES = 20;
/** Memory that is freed late, as a part of what one tile or the estimate takes. */
const FREED_LATE = 0.3;

function denoising(size: MemorySize, { quality, engine, noise = 'white', tiled }: DenoiseMemoryOptions): number {
  const { width, height, channels } = size;
  const needed = passes(size, quality, engine);
  if (tiled) {
    const estimate = ESTIMATE_BYTES * channels * Math.min(width * height, SAMPLED);
    return (1 + FREED_LATE) * Math.max(Math.min(MOST_PART_BYTES, needed), estimate);
  }
  if (size.bytes === undefined) return needed;
  const copies = (channels === 3 && noise !== 'coloured' ? 1 : 0) + COPIES[noise];
  // The image, and the file of the result before and after compression.
  return 3 * size.bytes + 8 * copies * width * height * channels + needed;
}

/**
 * Bytes of a restoration besides its prior, as measured: of a data step, per pixel of one plane; of data and estimates, per sample of
 * the loop; of the copy and the result, per sample of the image.
 */
const RESTORED = { step: 80, loop: 60, image: 20 } as const;

function restoring(size: MemorySize, { quality, engine, factor = 1, loop, tiled }: RestoreMemoryOptions): number {
  positive('factor', factor, 'give the side of the result by that of the image, such as 2');
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.round(factor * side)));
  const worked = loop ?? { width, height, channels: size.channels };
  const pixels = worked.width * worked.height;
  const largest = Math.max(width * height, pixels) * size.channels;
  const held = (size.bytes ?? 0) + RESTORED.step * pixels + RESTORED.image * largest;
  const prior = passes(worked, quality, engine);
  // In tiles, the data of all planes are in memory, but the estimates of one plane only.
  if (tiled) return held + 16 * pixels * worked.channels + Math.min(MOST_PART_BYTES, prior);
  return held + RESTORED.loop * pixels * worked.channels + prior;
}
