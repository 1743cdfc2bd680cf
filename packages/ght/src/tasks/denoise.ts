import type { EngineInfo } from '../engines/engine.js';
import type { EngineName } from '../engines/engines.js';
import { checkEngineName } from '../engines/engines.js';
import { knownOptions, notNegative, OptionError, oneOf } from '../errors.js';
import type { Quality } from '../groups/recipes.js';
import { qualities } from '../groups/recipes.js';
import { noiseEstimate } from '../measures/noise.js';
import { poissonGaussianEstimate } from '../measures/poisson-gaussian.js';
import { decorrelatedDeviations, decorrelation, recorrelation } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import { checkPixels, checkShape, copyOf, mapped } from '../signal/image.js';
import { imageExponent, shifted, shiftedImage } from '../signal/scale.js';
import type { PoissonGaussian, Stabiliser } from '../signal/stabilise.js';
import { stabiliser } from '../signal/stabilise.js';
import { drive, stretches, type Work } from '../work.js';
import type { PlanesSettings } from './denoise-planes.js';
import { denoisePlanes } from './denoise-planes.js';
import { checkThreads } from './options.js';

/** How an image is denoised. All are optional. */
export interface DenoiseOptions {
  /** The deviation of Gaussian noise in the units of the image, for all planes or for each; `auto`, estimated, unless told. */
  readonly sigma?: number | readonly number[] | 'auto';
  /**
   * `gaussian` unless told. `poisson-gaussian`: the noise grows with the signal; how is estimated, or told by its gain, the
   * deviation of its read noise and the value of no signal. Then `sigma` is left out.
   */
  readonly noise?: 'gaussian' | 'poisson-gaussian' | PoissonGaussian;
  /** `fast`, `balanced` or `best`; `balanced` unless told. */
  readonly quality?: Quality;
  /** Where it is computed: an engine by name, or `auto`, the fastest that the host has. @default 'auto' */
  readonly engine?: EngineName;
  /** Threads of the wasm engine; as many as there are cores, where the image is large enough, unless told. */
  readonly threads?: number;
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the work is: from 0 to 1, never falling, and the name of the pass. */
  readonly onProgress?: (progress: { readonly fraction: number; readonly pass: string }) => void;
}

/** A denoised image. */
export interface Denoised {
  /** In the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** The noise that was taken out of each plane, in the units of the image; its gain is 0 if it is Gaussian. */
  readonly noise: readonly Required<PoissonGaussian>[];
  /** Whether that was estimated from the image. */
  readonly estimated: boolean;
  /** The quality that was asked for, or the default. */
  readonly quality: Quality;
  /** What computed it, and why. */
  readonly engine: EngineInfo;
}

const optionNames = ['sigma', 'noise', 'quality', 'engine', 'threads', 'signal', 'onProgress'];

/**
 * Removes noise, with one global threshold over all patches of all planes. Nothing need be given: the noise level is
 * estimated. RGB is denoised as luma and two chromas, with groups of similar patches found on luma; an RGB image whose
 * channels are all the same stays so; alpha is passed through. Any scale of values, and any size: only to estimate the noise
 * takes 3×3 pixels, or 32×32 where it grows with the signal. An image without noise comes back to the last bit. The image must
 * not change before the promise has settled: nothing is copied first.
 */
export async function denoise(noisy: Image, options: DenoiseOptions = {}): Promise<Denoised> {
  knownOptions(options, optionNames);
  checkShape(noisy);
  const told = toldNoise(noisy.planes.length, options);
  const settings = settleDenoise(options);
  const { signal, quality } = settings;
  const e = await drive(checkedExponent(noisy), { signal });
  // An image far from 1 is denoised in units of 2^e: what comes out of the engine is float32.
  const inUnits = e === 0 ? noisy : await drive(shiftedImage(noisy, -e), { signal });
  const { planes, noise, estimated, engine } = await takeOut(
    inUnits,
    told && shiftedNoise(told, -e),
    options.noise,
    settings,
  );
  const there = planes && { ...noisy, planes };
  const image = there && e !== 0 ? await drive(shiftedImage(there, e), { signal }) : there;
  return {
    image: { ...noisy, planes: image?.planes ?? noisy.planes.map(copyOf) },
    noise: shiftedNoise(noise, e),
    estimated,
    quality,
    engine,
  };
}

/** Checks how an image is to be denoised, and fills in the defaults. */
function settleDenoise({ quality, engine, threads, signal, onProgress }: DenoiseOptions): PlanesSettings {
  if (threads !== undefined) checkThreads(threads);
  return {
    quality: oneOf('quality', quality ?? 'balanced', qualities),
    engine: checkEngineName(engine),
    ...{ threads, signal, onProgress },
  };
}

function* checkedExponent(image: Image): Work<number> {
  yield* checkPixels(image);
  return yield* imageExponent(image);
}

type Noise = readonly Required<PoissonGaussian>[];

function shiftedNoise(noise: Noise, e: number): Noise {
  return noise.map(({ gain, sigma, offset }) => {
    return { gain: shifted(gain, e), sigma: shifted(sigma, e), offset: shifted(offset, e) };
  });
}

/** The noise taken out of an image in usual units; no planes where there is none. */
async function takeOut(noisy: Image, told: Noise | undefined, kind: DenoiseOptions['noise'], settings: PlanesSettings) {
  const { signal } = settings;
  const { copies, noise, stabilisers, stable } = await drive(prepare(noisy, told, kind), { signal });
  const deviations = decorrelatedDeviations(noise.map(({ sigma }, c) => (stabilisers[c] ? 1 : sigma)));
  const denoised = await denoisePlanes(stable, noisy.width, noisy.height, { sigma: deviations }, settings);
  const planes = denoised.noisy.includes(true)
    ? await drive(restore(denoised.planes, stable, stabilisers), { signal })
    : undefined;
  return {
    planes: planes && copies ? noisy.planes.map((_, c) => (c === 0 ? planes[0] : planes[0].slice())) : planes,
    noise: copies ? noisy.planes.map(() => noise[0]) : noise,
    estimated: told === undefined,
    engine: denoised.engine,
  };
}

/** Everything before the denoising: the noise of each plane, and planes in which it is the same everywhere. */
function* prepare(noisy: Image, told: Noise | undefined, kind: DenoiseOptions['noise']) {
  // Of channels that are copies of each other one is denoised.
  const copies = noisy.planes.length > 1 && (yield* allTheSame(noisy.planes));
  const image = copies ? { ...noisy, planes: noisy.planes.slice(0, 1) } : noisy;
  const noise = told?.slice(0, image.planes.length) ?? (yield* estimate(image, kind));
  const stabilisers = noise.map((each) => (each.gain > 0 ? stabiliser(each) : undefined));
  const planes: Samples[] = [];
  for (const [c, plane] of image.planes.entries()) planes.push(yield* through(plane, stabilisers[c]?.forward));
  return { copies, noise, stabilisers, stable: yield* decorrelation(planes) };
}

/** The way back from there; what was stable before is not needed any more, and is written over. */
function* restore(
  denoised: readonly Samples[],
  stable: readonly Samples[],
  stabilisers: readonly (Stabiliser | undefined)[],
): Work<Samples[]> {
  const planes: Samples[] = [];
  for (const [c, plane] of (yield* recorrelation(denoised, stable)).entries()) {
    planes.push(yield* through(plane, stabilisers[c]?.inverse));
  }
  return planes;
}

const gaussian = (sigma: number) => ({ gain: 0, sigma, offset: 0 });

function* estimate(image: Image, kind: DenoiseOptions['noise']): Work<Noise> {
  if (kind === 'poisson-gaussian') return yield* poissonGaussianEstimate(image);
  return (yield* noiseEstimate(image)).map(gaussian);
}

/** The noise of each plane as it was told, checked; undefined where it is to be estimated. */
function toldNoise(channels: number, { sigma, noise = 'gaussian' }: DenoiseOptions): Noise | undefined {
  const everywhere = <T>(each: T) => Array.from({ length: channels }, () => each);
  if (noise !== 'gaussian') {
    if (sigma !== undefined) {
      const rule = 'must be left out for noise that depends on the signal';
      throw new OptionError('sigma', rule, sigma, 'give { gain, sigma, offset } as noise instead');
    }
    if (typeof noise === 'object' && noise !== null) {
      knownOptions(noise, ['gain', 'sigma', 'offset']);
      const { gain, sigma: read, offset = 0 } = noise;
      notNegative('noise.gain', gain, 'give what one count adds to a sample');
      notNegative('noise.sigma', read, 'give the deviation of the noise without signal, or 0');
      if (!Number.isFinite(offset)) {
        const remedy = 'give the value of no signal, such as 0';
        throw new OptionError('noise.offset', 'must be a finite number', offset, remedy);
      }
      return everywhere({ gain, sigma: read, offset });
    }
    oneOf('noise', noise, ['gaussian', 'poisson-gaussian']);
    return undefined;
  }
  if (sigma === undefined || sigma === 'auto') return undefined;
  const list = typeof sigma === 'number' ? everywhere(sigma) : sigma;
  if (!Array.isArray(list) || list.length !== channels) {
    const rule = `must be a number, one for each of the ${channels} planes, or auto`;
    throw new OptionError('sigma', rule, sigma, 'give the deviation of the noise in the units of the image');
  }
  list.forEach((each) => {
    notNegative('sigma', each, 'give the deviation of the noise in the units of the image');
  });
  return list.map(gaussian);
}

function* through(plane: Samples, f: ((value: number) => number) | undefined): Work<Samples> {
  return f ? yield* mapped(plane, f) : plane;
}

function* allTheSame([first, ...others]: readonly Samples[]): Work<boolean> {
  for (const other of others) {
    for (const [from, to] of stretches(first.length)) {
      for (let i = from; i < to; i++) if (other[i] !== first[i]) return false;
      yield to / first.length;
    }
  }
  return true;
}
