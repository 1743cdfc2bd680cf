import { checkWeights } from '../../denoisers/learned/shipped.js';
import type { EngineName } from '../../engines/engines.js';
import { checkEngineName } from '../../engines/engines.js';
import { knownOptions, notNegative, OptionError, oneOf, positive } from '../../errors.js';
import { isColour } from '../../image/colour.js';
import { SAMPLED } from '../../image/sample.js';
import type { PoissonGaussian } from '../../image/stabilise.js';
import type { NoiseSpectrum } from '../../noise/coloured/given-spectrum.js';
import { givenSpectrum } from '../../noise/coloured/given-spectrum.js';
import type { NoiseEstimate, NoiseSought } from '../../noise/estimate.js';
import { type GivenNoise, givenNoise, type NoiseModelFile } from '../../noise/given-model.js';
import type { JpegInfo, NoiseModel } from '../../noise/model.js';
import { checkJpeg } from '../../noise/model.js';
import { checkThreads } from '../solve/options.js';
import type { MissingSamples } from './missing.js';
import type { PlanesSettings } from './planes.js';
import { type Quality, qualities } from './quality.js';
import type { Strength } from './scales.js';

/** Options of `denoise`. All are optional. */
export interface DenoiseOptions {
  /**
   * The standard deviation of white Gaussian noise in the units of the image, at least 0: one number for all planes, or a list with
   * one per plane. `auto` estimates it.
   *
   * @default 'auto'
   */
  readonly sigma?: number | readonly number[] | 'auto';
  /**
   * The kind of noise. `auto`: white or coloured, whichever is found; camera files and JPEGs have coloured noise. `white`: the same deviation at all frequencies.
   * `poisson-gaussian`: noise that grows with the signal, as in a raw image, with estimated parameters. `{ gain, sigma, offset }`:
   * the same with given parameters: the gain, the deviation of the read noise, and the sample value without signal; `{ offset }`
   * alone leaves the others to be estimated. `{ spectrum }`: noise with this spectrum everywhere. A diagnosis, as `diagnose` returns
   * it: this noise, as it was measured on this image or on others with the same noise; or the same as a file holds it, the parsed JSON of
   * `saveNoiseModel` or `ght diagnose -o`, which is scaled to the peak of the image. If the noise is coloured and the image was a JPEG, the
   * steps of its own tables are counted, in place of those of the images that were measured. A noise model alone: this noise, unchanged.
   * The option `sigma` is allowed only with `auto` and `white`; with `auto`, it makes the noise white.
   *
   * @default 'auto'
   */
  readonly noise?:
    | 'auto'
    | 'white'
    | 'poisson-gaussian'
    | Partial<PoissonGaussian>
    | { readonly spectrum: NoiseSpectrum }
    | NoiseModel
    | NoiseEstimate
    | NoiseModelFile;
  /**
   * The JPEG that the image was, as read from its file: its quantisation steps count as noise. `auto` searches the pixels for it,
   * `off` does not.
   *
   * @default 'auto'
   */
  readonly jpeg?: JpegInfo | 'auto' | 'off';
  /** Multiplies the deviation of the noise; must be above 0. Above 1 smooths more, below 1 less. @default 1 */
  readonly strength?: number;
  /** Multiplies the deviation in the two chromas of RGB, in addition to `strength`; must be above 0. @default 1 */
  readonly strengthChroma?: number;
  /**
   * What the planes are. `colour`: red, green and blue, which are denoised as luma and two chromas. `bands`: anything else, such as the
   * channels of a microscope or of a spectrum; what they have in common is used, and each is denoised with groups of its own. `auto`: colour
   * for three planes, bands for any other number.
   *
   * @default 'auto'
   */
  readonly channels?: 'auto' | 'bands' | 'colour';
  /**
   * What becomes of missing samples, those that are NaN. `keep`: they are missing in the result too. `fill`: they get values that
   * continue their surroundings smoothly; `inpaint` also finds texture. All others are denoised as if nothing were missing. Infinities are refused.
   *
   * @default an image with NaN is refused
   */
  readonly missing?: MissingSamples;
  /** The share of the removed noise that is put back, from 0 to 1, to keep some grain. @default 0 */
  readonly keepGrain?: number;
  /** `auto` detects and replaces salt and pepper, hot and dead pixels first; `off` does not. @default 'auto' */
  readonly impulses?: 'auto' | 'off';
  /** `auto` detects and removes offsets of whole rows and columns first; `off` does not. @default 'auto' */
  readonly banding?: 'auto' | 'off';
  /**
   * The trade-off between speed and quality. `fast`, `balanced` and `best` compare patches of the image with each other. `learned` is a
   * model trained on photographs, whose file of 0.6 MB is read when it is used first, for colour in Node that of the package `ght-colour` if it is installed; `finest` is its blend with `best`, for
   * coloured noise with `balanced`. The model is for white noise and noise that grows with the signal: for coloured noise, `finest` takes
   * the place of `learned`. For noise below 1/64 of the range of the samples, `best` takes the place of both. The result says which
   * quality was used.
   *
   * @default 'balanced'
   */
  readonly quality?: Quality;
  /** The engine that computes the result, by name; `auto` is the fastest that the host supports. @default 'auto' */
  readonly engine?: EngineName;
  /** The number of threads of the wasm engine, from 1 to 64. @default the number of cores, or 1 for a small image */
  readonly threads?: number;
  /**
   * The address of the script of the threads, which is the file `ght/worker` of the package, for a bundler or a host that does not have
   * it where the library expects it. @default the file in the package
   */
  readonly worker?: string | URL;
  /**
   * The weights of the learned model, which are the file `ght/weights/grey.npz` of the package: their address or their bytes, for a bundler
   * or a host that does not have the file where the library expects it. @default the file in the package
   */
  readonly weights?: string | URL | Uint8Array;
  /**
   * The same of the model for colour pictures, the file `ght-colour/colour.npz` of the package `ght-colour`. Pages have it by this option alone.
   * @default in Node the file of that package, if it is installed and `weights` is not given
   */
  readonly colourWeights?: string | URL | Uint8Array;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called regularly with the fraction done, from 0 to 1 and never decreasing, and the current pass; the first is `estimate`. */
  readonly onProgress?: (progress: { readonly fraction: number; readonly pass: string }) => void;
}

/** Checked options with all defaults. */
export interface DenoiseSettings {
  /** The given noise; undefined if it is estimated. */
  readonly given: GivenNoise | undefined;
  /** How the noise is estimated if it is not given. */
  readonly estimate: NoiseSought;
  readonly strength: Strength;
  readonly keepGrain: number;
  readonly impulses: boolean;
  readonly banding: boolean;
  /** Whether the planes are bands, and not colours or grey. */
  readonly bands: boolean;
  /** The most pixels in which defects and noise are searched; of a larger image, a sample is looked at. */
  readonly sampled: number;
  /** What becomes of missing samples; undefined if there must be none. */
  readonly missing: MissingSamples | undefined;
  readonly planes: PlanesSettings;
}

const optionNames = [
  ...['sigma', 'noise', 'jpeg', 'strength', 'strengthChroma', 'keepGrain', 'impulses', 'banding', 'channels'],
  ...['missing', 'quality', 'engine', 'threads', 'worker', 'weights', 'colourWeights', 'signal', 'onProgress'],
];

/** Checks the options for an image with this number of channels, and fills in the defaults. */
export function resolveDenoiseOptions(channels: number, options: DenoiseOptions): DenoiseSettings {
  knownOptions(options, optionNames);
  const { jpeg = 'auto', strength = 1, strengthChroma = 1, keepGrain = 0, signal, onProgress } = options;
  const {
    impulses = 'auto',
    banding = 'auto',
    quality = 'balanced',
    threads,
    worker,
    weights,
    colourWeights,
  } = options;
  const { given, kind, offset } = noiseAsked(channels, options);
  const colour = isColour(channels, options.channels);
  if (typeof jpeg !== 'object') oneOf('jpeg', jpeg, ['auto', 'off']);
  else checkJpeg(jpeg);
  if (!(typeof keepGrain === 'number' && keepGrain >= 0 && keepGrain <= 1)) {
    throw new OptionError('keepGrain', 'must be a share from 0 to 1', keepGrain, 'use a share such as 0.2');
  }
  checkThreads(options);
  checkWeights('weights', weights);
  checkWeights('colourWeights', colourWeights);
  const chroma = positive('strengthChroma', strengthChroma, 'use 1, or 1.4 for less colour in the noise');
  return {
    given,
    estimate: { kind, jpeg, offset, colour },
    strength: {
      strength: positive('strength', strength, 'use 1, or 1.4 for a smoother picture'),
      chroma: colour ? chroma : 1,
    },
    keepGrain,
    impulses: oneOf('impulses', impulses, ['auto', 'off']) === 'auto',
    banding: oneOf('banding', banding, ['auto', 'off']) === 'auto',
    bands: !colour,
    sampled: SAMPLED,
    missing: options.missing === undefined ? undefined : oneOf('missing', options.missing, ['keep', 'fill'] as const),
    planes: {
      quality: oneOf('quality', quality, qualities),
      engine: checkEngineName(options.engine),
      ...{ threads, worker, weights, colourWeights, signal, onProgress },
    },
  };
}

/** Whether noise is given as a model, an estimate or a file. */
function isMeasured(noise: unknown): noise is NoiseModel | NoiseEstimate | NoiseModelFile {
  return typeof noise === 'object' && noise !== null && ('kind' in noise || 'model' in noise || 'format' in noise);
}

/** The given noise, or the kind of noise to estimate. */
function noiseAsked(
  channels: number,
  { sigma, noise = 'auto' }: DenoiseOptions,
): { readonly given?: GivenNoise; readonly kind: NoiseSought['kind']; readonly offset?: number } {
  const everywhere = <T>(each: T) => Array.from({ length: channels }, () => each);
  if (noise === 'auto' || noise === 'white') {
    const kind = noise === 'auto' ? 'auto' : 'white';
    if (sigma === undefined || sigma === 'auto') return { kind };
    const list = typeof sigma === 'number' ? everywhere(sigma) : sigma;
    if (!Array.isArray(list) || list.length !== channels) {
      const rule = `must be a number, one for each of the ${channels} planes, or auto`;
      throw new OptionError('sigma', rule, sigma, 'give the deviation of the noise in the units of the image');
    }
    for (const each of list) notNegative('sigma', each, 'give the deviation of the noise in the units of the image');
    return { given: { model: { kind: 'white', sigma: list } }, kind };
  }
  if (sigma !== undefined) {
    const rule = 'must be left out for noise that is not white';
    throw new OptionError('sigma', rule, sigma, 'give { gain, sigma, offset } as noise instead');
  }
  if (isMeasured(noise)) return { given: givenNoise(noise, channels), kind: 'auto' };
  if (typeof noise === 'object' && noise !== null && 'spectrum' in noise) {
    knownOptions(noise, ['spectrum']);
    return { given: { model: givenSpectrum(noise.spectrum, channels) }, kind: 'auto' };
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
    return { given: { model: { kind: 'signal-dependent', planes: everywhere(plane) } }, kind: 'signal-dependent' };
  }
  oneOf('noise', noise, ['auto', 'white', 'poisson-gaussian']);
  return { kind: 'signal-dependent' };
}
