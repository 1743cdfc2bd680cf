import type { Denoiser } from '../../denoisers/denoiser.js';
import type { PriorName, RecipeName } from '../../denoisers/groups/recipes.js';
import { recipeNames } from '../../denoisers/groups/recipes.js';
import { checkWeights, type Weights } from '../../denoisers/learned/shipped.js';
import type { EngineInfo } from '../../engines/engine.js';
import type { EngineName } from '../../engines/engines.js';
import { checkEngineName } from '../../engines/engines.js';
import { kindOf, knownOptions, notNegative, OptionError, oneOf } from '../../errors.js';
import type { Image } from '../../image/image.js';
import type { RestorationEntry } from '../../operators/loop.js';
import { checkThreads } from '../solve/options.js';
import type { Findings } from './findings.js';

/** The qualities of restorations. */
type RestorationQuality = RecipeName | 'learned';

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
  /**
   * The trade-off between speed and quality: `fast`, `balanced` or `best`; for `deblur` and `upscale` also `learned`, a model trained on
   * photographs as the prior, whose file of 0.6 MB is read when it is used first. Filling holes with the model is worse than `best`, so
   * `inpaint` refuses it.
   *
   * @default 'balanced'
   */
  readonly quality?: RestorationQuality;
  /**
   * A denoiser of your own as the prior, in place of the passes over groups of similar patches. The quality then only decides on the
   * number of steps. @default the prior of the quality
   */
  readonly prior?: Denoiser;
  /** The engine that computes the result, by name; `auto` is the fastest that the host supports. @default 'auto' */
  readonly engine?: EngineName;
  /** The number of threads of the wasm engine, from 1 to 64. @default the number of cores, or 1 for a small image */
  readonly threads?: number;
  /**
   * The address of the script of the threads, which is the file `ght/worker` of the package, for a bundler or a host that does not have
   * it where the library expects it. @default the file in the package
   */
  readonly worker?: string | URL;
  /** The weights of the learned model: their address or their bytes, as in the options of `denoise`. @default the file in the package */
  readonly weights?: string | URL | Uint8Array;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called regularly with the fraction done and the current step. */
  readonly onProgress?: (progress: RestoreProgress) => void;
}

/** The result of a restoration, apart from the pixels. */
export interface RestoreResult extends Findings {
  /** The quality that was used. */
  readonly quality: RestorationQuality;
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
  readonly quality: RestorationQuality;
  readonly prior?: Denoiser;
  readonly engine: EngineName;
  readonly threads?: number;
  readonly worker?: string | URL;
  readonly weights?: Weights;
  readonly signal?: AbortSignal;
  readonly onProgress?: RestorationOptions['onProgress'];
}

/** The tasks of restoration. */
export type RestorationTask = 'inpaint' | 'deblur' | 'upscale' | 'restore';

/** The prior of a quality, and how often it is applied. */
interface RestorationRecipe {
  readonly prior: PriorName | 'learned';
  readonly steps: number;
  /** The least deviation of the last step, in units of the loop. @default 0 */
  readonly least?: number;
}

/** The learned model was trained for noise from 1/64 of the range, so that no step has less. */
const learned = { prior: 'learned', least: 4 } as const;

/** Measured on pictures that were set aside for it. */
const restorationRecipes: Readonly<
  Record<RestorationTask, Readonly<Record<RecipeName, RestorationRecipe> & { readonly learned?: RestorationRecipe }>>
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
    learned: { ...learned, steps: 12 },
  },
  upscale: {
    fast: { prior: 'threshold', steps: 8 },
    balanced: { prior: 'rank', steps: 8 },
    best: { prior: 'rank', steps: 12 },
    learned: { ...learned, steps: 12 },
  },
  restore: {
    fast: { prior: 'threshold', steps: 8 },
    balanced: { prior: 'threshold', steps: 12 },
    best: { prior: 'rank', steps: 12 },
  },
};

/** The recipe of a quality that was checked. */
export function restorationRecipe(task: RestorationTask, quality: RestorationQuality): RestorationRecipe {
  const recipe = restorationRecipes[task][quality];
  if (!recipe) throw new Error(`${task} has no quality ${quality}`);
  return recipe;
}

const commonNames = ['quality', 'prior', 'engine', 'threads', 'worker', 'weights', 'signal', 'onProgress'];

/** Checks the options that all restorations have; `others` are the names of those that this one has besides. */
export function resolveRestoreOptions(
  task: RestorationTask,
  options: RestorationOptions,
  others: readonly string[],
): RestoreSettings {
  knownOptions(options, [...others, ...commonNames]);
  const { quality = 'balanced', prior, threads, worker, weights, signal, onProgress } = options;
  if (prior !== undefined && typeof prior?.run !== 'function') {
    const remedy = 'implement the interface Denoiser, or leave it out';
    throw new OptionError('prior', 'must be a denoiser with a function run', kindOf(prior), remedy);
  }
  checkThreads(options);
  checkWeights('weights', weights);
  oneOf('quality', quality, [...recipeNames, 'learned']);
  if (!restorationRecipes[task][quality]) {
    const remedy = 'use best, which is better here than the learned model';
    throw new OptionError('quality', `must be ${recipeNames.join(', ')} for ${task}`, quality, remedy);
  }
  return {
    quality,
    engine: checkEngineName(options.engine),
    ...{ prior, threads, worker, weights, signal, onProgress },
  };
}

/** Checks the noise that the caller knows of. */
export function checkSigma(sigma: number): number {
  return notNegative('sigma', sigma, 'give the deviation of the noise in the units of the image, or 0 for none');
}
