import type { EngineInfo } from '../engines/engine.js';
import { knownOptions, notNegative, oneOf, ParameterError } from '../errors.js';
import type { Quality } from '../groups/recipes.js';
import { estimateNoise } from '../measures/noise.js';
import { estimatePoissonGaussian } from '../measures/poisson-gaussian.js';
import { decorrelate, decorrelatedDeviations, recorrelate } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import { checkImage } from '../signal/image.js';
import { imageExponent, shifted, shiftedImage } from '../signal/scale.js';
import type { PoissonGaussian } from '../signal/stabilise.js';
import { stabiliser } from '../signal/stabilise.js';
import { denoisePlanes } from './denoise-planes.js';

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
  /** `wasm` is fast and in float32, `reference` the mathematics as written; wasm where the host has it unless told. */
  readonly engine?: 'wasm' | 'reference';
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
  readonly quality: Quality;
  readonly engine: EngineInfo;
}

const optionNames = ['sigma', 'noise', 'quality', 'engine', 'threads', 'signal', 'onProgress'];

/**
 * Removes noise, with one global threshold over all patches of all planes. Nothing need be given: the noise level is
 * estimated. RGB is denoised as luma and two chromas, with groups of similar patches found on luma; an RGB image whose
 * channels are all the same stays so; alpha is passed through. Any size, any scale of values.
 */
export async function denoise(noisy: Image, options: DenoiseOptions = {}): Promise<Denoised> {
  knownOptions(options, optionNames);
  checkImage(noisy);
  const { quality = 'balanced', engine, threads, signal, onProgress } = options;
  signal?.throwIfAborted();
  const e = imageExponent(noisy);
  if (e !== 0) return denoiseInUnits(noisy, options, e);
  // Of channels that are copies of each other one is denoised.
  const copies = noisy.planes.length > 1 && noisy.planes.every((plane) => sameSamples(plane, noisy.planes[0]));
  const image = copies ? { ...noisy, planes: [noisy.planes[0]] } : noisy;
  const { noise, estimated } = settleNoise(image, noisy.planes.length, options);

  const stabilisers = noise.map((each) => (each.gain > 0 ? stabiliser(each) : undefined));
  const stable = image.planes.map((plane, c) => through(plane, stabilisers[c]?.forward));
  const deviations = noise.map(({ sigma }, c) => (stabilisers[c] ? 1 : sigma));
  const turned = decorrelate(stable);
  const { planes, engine: info } = await denoisePlanes(
    turned,
    image.width,
    image.height,
    decorrelatedDeviations(deviations),
    { quality, engine, threads, signal, onProgress },
  );
  const restored = recorrelate(planes, turned).map((plane, c) => through(plane, stabilisers[c]?.inverse));
  const all = <T>(each: readonly T[]) => (copies ? noisy.planes.map(() => each[0]) : each);
  return {
    image: { ...noisy, planes: all(restored) },
    noise: all(noise),
    estimated,
    quality,
    engine: info,
  };
}

/** An image far from 1 is denoised in units of 2^e: what comes out of the engine is float32. */
async function denoiseInUnits(noisy: Image, options: DenoiseOptions, e: number): Promise<Denoised> {
  const { sigma, noise } = options;
  const level = (value: number) => shifted(value, -e);
  const told = (each: PoissonGaussian) => ({
    ...each,
    gain: level(each.gain),
    sigma: level(each.sigma),
    offset: level(each.offset ?? 0),
  });
  const result = await denoise(shiftedImage(noisy, -e), {
    ...options,
    ...(typeof sigma === 'number' ? { sigma: level(sigma) } : Array.isArray(sigma) ? { sigma: sigma.map(level) } : {}),
    ...(typeof noise === 'object' && noise !== null ? { noise: told(noise) } : {}),
  });
  return {
    ...result,
    image: { ...shiftedImage(result.image, e), peak: noisy.peak },
    noise: result.noise.map((each) => {
      return { gain: shifted(each.gain, e), sigma: shifted(each.sigma, e), offset: shifted(each.offset, e) };
    }),
  };
}

/** The noise of each plane, as told or as estimated; `channels` is how many planes the user sees. */
function settleNoise(image: Image, channels: number, { sigma, noise = 'gaussian' }: DenoiseOptions) {
  const gaussian = (each: number) => ({ gain: 0, sigma: each, offset: 0 });
  const { planes } = image;
  if (noise !== 'gaussian') {
    if (sigma !== undefined) {
      const rule = 'must be left out for noise that depends on the signal';
      throw new ParameterError('sigma', rule, sigma, 'give { gain, sigma, offset } as noise instead');
    }
    if (typeof noise === 'object' && noise !== null) {
      knownOptions(noise, ['gain', 'sigma', 'offset']);
      notNegative('noise.gain', noise.gain, 'give what one count adds to a sample');
      notNegative('noise.sigma', noise.sigma, 'give the deviation of the noise without signal, or 0');
      const { gain, sigma: read, offset = 0 } = noise;
      return { noise: planes.map(() => ({ gain, sigma: read, offset })), estimated: false };
    }
    oneOf('noise', noise, ['gaussian', 'poisson-gaussian']);
    return {
      noise: estimatePoissonGaussian(image).map(({ gain, sigma: read }) => ({ gain, sigma: read, offset: 0 })),
      estimated: true,
    };
  }
  if (sigma === undefined || sigma === 'auto') return { noise: estimateNoise(image).map(gaussian), estimated: true };
  const list = typeof sigma === 'number' ? planes.map(() => sigma) : sigma;
  if (!Array.isArray(list) || (list.length !== planes.length && list.length !== channels)) {
    const rule = `must be a number, one for each of the ${channels} planes, or auto`;
    throw new ParameterError('sigma', rule, sigma, 'give the deviation of the noise in the units of the image');
  }
  list.forEach((each) => {
    notNegative('sigma', each, 'give the deviation of the noise in the units of the image');
  });
  return { noise: list.slice(0, planes.length).map(gaussian), estimated: false };
}

function through(plane: Samples, f: ((value: number) => number) | undefined): Samples {
  return f ? Float64Array.from(plane, f) : plane;
}

function sameSamples(a: Samples, b: Samples): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
