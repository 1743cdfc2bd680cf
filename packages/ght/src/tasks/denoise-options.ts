import type { EngineName } from '../engines/engines.js';
import { checkEngineName } from '../engines/engines.js';
import { knownOptions, notNegative, OptionError, oneOf, positive } from '../errors.js';
import type { Quality } from '../groups/recipes.js';
import { qualities } from '../groups/recipes.js';
import type { NoiseSought } from '../noise/estimate.js';
import type { JpegInfo, NoiseModel } from '../noise/model.js';
import { checkJpeg } from '../noise/model.js';
import type { NoiseSpectrum } from '../noise/told-spectrum.js';
import { toldSpectrum } from '../noise/told-spectrum.js';
import type { PoissonGaussian } from '../signal/stabilise.js';
import type { PlanesSettings } from './denoise-planes.js';
import type { Strength } from './denoise-scales.js';
import { checkThreads } from './options.js';

/** Noise that grows with the signal: what is left out is estimated. */
export interface ToldPoissonGaussian extends Partial<PoissonGaussian> {}

/** How an image is denoised. All are optional. */
export interface DenoiseOptions {
  /**
   * The deviation of white Gaussian noise in the units of the image, for all planes or for each; `auto` estimates it.
   *
   * @default 'auto'
   */
  readonly sigma?: number | readonly number[] | 'auto';
  /**
   * What kind of noise it is. `auto`: white or coloured, whichever is found; camera files and JPEGs are coloured. `gaussian`:
   * white. `poisson-gaussian`: it grows with the signal, as in a raw image; how is estimated, or told by its gain, the deviation of
   * its read noise and the value of no signal, or by the last alone. `{ spectrum }`: it has this spectrum everywhere. `sigma` is
   * left out for all but `auto` and `gaussian`, and makes `auto` white.
   *
   * @default 'auto'
   */
  readonly noise?:
    | 'auto'
    | 'gaussian'
    | 'poisson-gaussian'
    | ToldPoissonGaussian
    | { readonly spectrum: NoiseSpectrum };
  /**
   * The JPEG that the image was, as its file tells: its steps count as noise. `auto` looks for it in the pixels, `none` looks for
   * none.
   *
   * @default 'auto'
   */
  readonly jpeg?: JpegInfo | 'auto' | 'none';
  /** Times the deviation of the noise: above 1 smooths more, below 1 less; above 0. @default 1 */
  readonly strength?: number;
  /** Times that of the two chromas of RGB beside. @default 1 */
  readonly strengthChroma?: number;
  /** The share of what was taken out that is put back, from 0 to 1, for those who like some grain. @default 0 */
  readonly keepGrain?: number;
  /** Whether salt and pepper, hot and dead pixels are looked for and replaced first. @default 'auto' */
  readonly impulses?: 'auto' | 'off';
  /** Whether offsets of whole rows and columns are looked for and taken out first. @default 'auto' */
  readonly banding?: 'auto' | 'off';
  /** How much work is done: `fast`, `balanced` or `best`. @default 'balanced' */
  readonly quality?: Quality;
  /** Where it is computed: an engine by name, or `auto`, the fastest that the host has. @default 'auto' */
  readonly engine?: EngineName;
  /** Threads of the wasm engine, from 1 to 64. @default as many as there are cores, where the image is large enough */
  readonly threads?: number;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called now and then with the fraction done, from 0 to 1 and never falling, and the name of the pass at work: `estimate` first. */
  readonly onProgress?: (progress: { readonly fraction: number; readonly pass: string }) => void;
}

/** Options with everything checked and filled in. */
export interface DenoiseSettings {
  /** The noise as it was told; undefined where it is estimated. */
  readonly told: NoiseModel | undefined;
  /** How it is estimated otherwise. */
  readonly estimate: NoiseSought;
  readonly strength: Strength;
  readonly keepGrain: number;
  readonly impulses: boolean;
  readonly banding: boolean;
  readonly planes: PlanesSettings;
}

const optionNames = [
  ...['sigma', 'noise', 'jpeg', 'strength', 'strengthChroma', 'keepGrain', 'impulses', 'banding'],
  ...['quality', 'engine', 'threads', 'signal', 'onProgress'],
];

/** Checks how an image of so many channels is to be denoised, and fills in the defaults. */
export function settleDenoise(channels: number, options: DenoiseOptions): DenoiseSettings {
  knownOptions(options, optionNames);
  const { jpeg = 'auto', strength = 1, strengthChroma = 1, keepGrain = 0, threads, signal, onProgress } = options;
  const { impulses = 'auto', banding = 'auto', quality = 'balanced' } = options;
  const { told, kind, offset } = noiseAsked(channels, options);
  if (typeof jpeg !== 'object') oneOf('jpeg', jpeg, ['auto', 'none']);
  else checkJpeg(jpeg);
  if (!(typeof keepGrain === 'number' && keepGrain >= 0 && keepGrain <= 1)) {
    throw new OptionError('keepGrain', 'must be a share from 0 to 1', keepGrain, 'use a share such as 0.2');
  }
  if (threads !== undefined) checkThreads(threads);
  return {
    told,
    estimate: { kind, jpeg, offset },
    strength: {
      strength: positive('strength', strength, 'use 1, or 1.4 for a smoother picture'),
      chroma: positive('strengthChroma', strengthChroma, 'use 1, or 1.4 for less colour in the noise'),
    },
    keepGrain,
    impulses: oneOf('impulses', impulses, ['auto', 'off']) === 'auto',
    banding: oneOf('banding', banding, ['auto', 'off']) === 'auto',
    planes: {
      quality: oneOf('quality', quality, qualities),
      engine: checkEngineName(options.engine),
      ...{ threads, signal, onProgress },
    },
  };
}

/** The noise as it is told, or what kind is to be estimated. */
function noiseAsked(
  channels: number,
  { sigma, noise = 'auto' }: DenoiseOptions,
): { readonly told?: NoiseModel; readonly kind: NoiseSought['kind']; readonly offset?: number } {
  const everywhere = <T>(each: T) => Array.from({ length: channels }, () => each);
  if (noise === 'auto' || noise === 'gaussian') {
    const kind = noise === 'auto' ? 'auto' : 'white';
    if (sigma === undefined || sigma === 'auto') return { kind };
    const list = typeof sigma === 'number' ? everywhere(sigma) : sigma;
    if (!Array.isArray(list) || list.length !== channels) {
      const rule = `must be a number, one for each of the ${channels} planes, or auto`;
      throw new OptionError('sigma', rule, sigma, 'give the deviation of the noise in the units of the image');
    }
    for (const each of list) notNegative('sigma', each, 'give the deviation of the noise in the units of the image');
    return { told: { kind: 'white', sigma: list }, kind };
  }
  if (sigma !== undefined) {
    const rule = 'must be left out for noise that is not white';
    throw new OptionError('sigma', rule, sigma, 'give { gain, sigma, offset } as noise instead');
  }
  if (typeof noise === 'object' && noise !== null && 'spectrum' in noise) {
    knownOptions(noise, ['spectrum']);
    return { told: toldSpectrum(noise.spectrum, channels), kind: 'auto' };
  }
  if (typeof noise === 'object' && noise !== null) {
    knownOptions(noise, ['gain', 'sigma', 'offset']);
    const { gain, sigma: read, offset } = noise;
    if (offset !== undefined && !Number.isFinite(offset)) {
      throw new OptionError(
        'noise.offset',
        'must be a finite number',
        offset,
        'give the value of no signal, such as 0',
      );
    }
    if (gain === undefined && read === undefined) return { kind: 'signal-dependent', offset };
    notNegative('noise.gain', gain, 'give what one count adds to a sample');
    notNegative('noise.sigma', read, 'give the deviation of the noise without signal, or 0');
    const plane = { gain: gain as number, sigma: read as number, offset: offset ?? 0 };
    return { told: { kind: 'signal-dependent', planes: everywhere(plane) }, kind: 'signal-dependent' };
  }
  oneOf('noise', noise, ['auto', 'gaussian', 'poisson-gaussian']);
  return { kind: 'signal-dependent' };
}
