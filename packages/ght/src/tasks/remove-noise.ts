/**
 * Removes noise from an image according to its model. White noise is removed directly; noise that grows with the signal,
 * after a variance-stabilising transform; coloured noise by its spectrum, at two scales if the spectrum was estimated.
 */
import type { EngineInfo } from '../engines/engine.js';
import type { NoiseEstimate } from '../noise/estimate.js';
import { decorrelatedDeviations, decorrelation, recorrelation } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import { mapped } from '../signal/image.js';
import type { PoissonGaussian, Stabiliser } from '../signal/stabilise.js';
import { stabiliser } from '../signal/stabilise.js';
import { drive, type Work } from '../work.js';
import type { DenoiseSettings } from './denoise-options.js';
import { denoisePlanes } from './denoise-planes.js';
import { denoiseScales, type Strength, scaled } from './denoise-scales.js';

/** The denoised planes, or undefined if there was no noise; and the noise that was removed. */
export interface NoiseRemoved {
  readonly planes: readonly Samples[] | undefined;
  readonly estimate: NoiseEstimate;
  readonly engine: EngineInfo;
}

/** Removes the noise from an image in usual units. */
export async function removeNoise(
  image: Image,
  estimate: NoiseEstimate,
  settings: DenoiseSettings,
): Promise<NoiseRemoved> {
  const { model } = estimate;
  const { width, height } = image;
  const { strength, planes: how } = settings;
  const { signal } = how;
  if (model.kind !== 'coloured') {
    const noise = model.kind === 'white' ? model.sigma.map((sigma) => ({ gain: 0, sigma, offset: 0 })) : model.planes;
    return { ...(await removeEven(image, noise, settings)), estimate };
  }
  const planes = await drive(axes(image.planes), { signal });
  const outcome =
    settings.told === undefined
      ? await denoiseScales(image, planes, estimate, strength, how)
      : { ...(await denoisePlanes(planes, width, height, scaled(model, strength), how)), estimate };
  if (!outcome.noisy.includes(true)) return { ...outcome, planes: undefined };
  return { ...outcome, planes: await drive(recorrelation(outcome.planes, planes), { signal }) };
}

/** The decorrelated planes in float64, as copies that may be overwritten. */
function* axes(planes: readonly Samples[]): Work<Float64Array[]> {
  const turned = yield* decorrelation(planes);
  return turned.map((plane, c) => (plane === planes[c] ? Float64Array.from(plane) : (plane as Float64Array)));
}

/** Removes white noise, and noise that a variance-stabilising transform makes white. */
async function removeEven(
  image: Image,
  noise: readonly Required<PoissonGaussian>[],
  { strength, planes: settings }: DenoiseSettings,
): Promise<{ readonly planes: readonly Samples[] | undefined; readonly engine: EngineInfo }> {
  const { signal } = settings;
  const stabilisers = noise.map((each) => (each.gain > 0 ? stabiliser(each) : undefined));
  const stable = await drive(stabilised(image.planes, stabilisers), { signal });
  const deviations = decorrelatedDeviations(noise.map(({ sigma }, c) => (stabilisers[c] ? 1 : sigma)));
  const sigma = deviations.map((deviation, c) => deviation * strengthOf(strength, c, deviations.length));
  const denoised = await denoisePlanes(stable, image.width, image.height, { sigma }, settings);
  const planes = denoised.noisy.includes(true)
    ? await drive(restored(denoised.planes, stable, stabilisers), { signal })
    : undefined;
  return { planes, engine: denoised.engine };
}

function strengthOf({ strength, chroma }: Strength, c: number, channels: number): number {
  return channels === 3 && c > 0 ? strength * chroma : strength;
}

/** Decorrelated planes in which the noise is the same everywhere. */
function* stabilised(planes: readonly Samples[], stabilisers: readonly (Stabiliser | undefined)[]) {
  const even: Samples[] = [];
  for (const [c, plane] of planes.entries()) even.push(yield* through(plane, stabilisers[c]?.forward));
  return yield* decorrelation(even);
}

/** The inverse of {@link stabilised}; the stabilised planes are overwritten. */
function* restored(
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

function* through(plane: Samples, f: ((value: number) => number) | undefined): Work<Samples> {
  return f ? yield* mapped(plane, f) : plane;
}
