import type { Denoiser } from '../../denoisers/denoiser.js';
import type { PriorName, RecipeName } from '../../denoisers/groups/recipes.js';
import { recipeNames } from '../../denoisers/groups/recipes.js';
import type { EngineInfo } from '../../engines/engine.js';
import type { EngineName } from '../../engines/engines.js';
import { checkEngineName } from '../../engines/engines.js';
import { kindOf, knownOptions, notNegative, OptionError, oneOf } from '../../errors.js';
import type { Image } from '../../image/image.js';
import type { RestorationEntry } from '../../operators/loop.js';
import { checkThreads } from '../solve/options.js';
import type { Findings } from './findings.js';

/** Progress of a restoration. */
export interface RestoreProgress {
  /** From 0 to 1, never decreasing. */
  readonly fraction: number;
  /** The number of the current step, from 1; 0 while the start is computed. */
  readonly step: number;
  /** The number of steps. */
  readonly steps: number;
}

/** Options that all restorations have. All are optional. */
export interface RestorationOptions {
  /** The trade-off between speed and quality: `fast`, `balanced` or `best`. @default 'balanced' */
  readonly quality?: RecipeName;
  /**
   * A denoiser of your own as the prior, in place of the passes over groups of similar patches. The quality then only decides on the
   * number of steps. @default the prior of the quality
   */
  readonly prior?: Denoiser;
  /** The engine that computes the result, by name; `auto` is the fastest that the host supports. @default 'auto' */
  readonly engine?: EngineName;
  /** The number of threads of the wasm engine, from 1 to 64. @default the number of cores, or 1 for a small image */
  readonly threads?: number;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called regularly with the fraction done and the current step. */
  readonly onProgress?: (progress: RestoreProgress) => void;
}

/** The result of a restoration, apart from the pixels. */
export interface RestoreResult extends Findings {
  /** The quality that was used. */
  readonly quality: RecipeName;
  /** What happened, step by step. */
  readonly history: readonly RestorationEntry[];
  /** The engine that computed the result, and why it was chosen. */
  readonly engine: EngineInfo;
}

/** A restored image. */
export interface Restored extends RestoreResult {
  /** The restored image in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
}

/** Checked options with all defaults. */
export interface RestoreSettings {
  readonly quality: RecipeName;
  readonly prior?: Denoiser;
  readonly engine: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: RestorationOptions['onProgress'];
}

/** The tasks of restoration. */
export type RestorationTask = 'inpaint' | 'deblur' | 'upscale' | 'restore';

/** The prior of a quality, and how often it is applied. Measured on pictures that were set aside for it. */
export const restorationRecipes: Readonly<
  Record<RestorationTask, Readonly<Record<RecipeName, { readonly prior: PriorName; readonly steps: number }>>>
> = {
  inpaint: {
    fast: { prior: 'fast', steps: 12 },
    balanced: { prior: 'balanced', steps: 12 },
    best: { prior: 'rank', steps: 20 },
  },
  deblur: {
    fast: { prior: 'threshold', steps: 5 },
    balanced: { prior: 'threshold', steps: 8 },
    best: { prior: 'rank', steps: 8 },
  },
  upscale: {
    fast: { prior: 'threshold', steps: 8 },
    balanced: { prior: 'rank', steps: 8 },
    best: { prior: 'rank', steps: 12 },
  },
  restore: {
    fast: { prior: 'threshold', steps: 8 },
    balanced: { prior: 'threshold', steps: 12 },
    best: { prior: 'rank', steps: 12 },
  },
};

const commonNames = ['quality', 'prior', 'engine', 'threads', 'signal', 'onProgress'];

/** Checks the options that all restorations have; `others` are the names of those that this one has besides. */
export function resolveRestoreOptions(options: RestorationOptions, others: readonly string[]): RestoreSettings {
  knownOptions(options, [...others, ...commonNames]);
  const { quality = 'balanced', prior, threads, signal, onProgress } = options;
  if (prior !== undefined && typeof prior?.run !== 'function') {
    const remedy = 'implement the interface Denoiser, or leave it out';
    throw new OptionError('prior', 'must be a denoiser with a function run', kindOf(prior), remedy);
  }
  if (threads !== undefined) checkThreads(threads);
  return {
    quality: oneOf('quality', quality, recipeNames),
    engine: checkEngineName(options.engine),
    ...{ prior, threads, signal, onProgress },
  };
}

/** Checks the noise that the caller knows of. */
export function checkSigma(sigma: number): number {
  return notNegative('sigma', sigma, 'give the deviation of the noise in the units of the image, or 0 for none');
}
