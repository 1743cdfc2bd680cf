/**
 * Removes noise from an image according to its model. White noise is removed directly; noise that grows with the signal,
 * after a variance-stabilising transform; coloured noise by its spectrum, at two scales if the spectrum was estimated.
 */
import type { PlanesNoise } from '../denoisers/frame.js';
import type { EngineInfo } from '../engines/engine.js';
import type { NoiseEstimate } from '../noise/estimate.js';
import type { NoiseModel } from '../noise/model.js';
import { decorrelatedDeviations, decorrelation, recorrelation } from '../signal/colour.js';
import type { Image, Samples } from '../signal/image.js';
import { mapped } from '../signal/image.js';
import type { Stabiliser } from '../signal/stabilise.js';
import { stabiliser } from '../signal/stabilise.js';
import { drive, type Work } from '../work.js';
import { planesFor, type Seen } from './denoise-findings.js';
import type { DenoiseSettings } from './denoise-options.js';
import { denoisePlanes, type PlanesSettings } from './denoise-planes.js';
import { COARSE_SHARE, hasTwoScales, removeCoarse, type Strength, scaled } from './denoise-scales.js';

/** The denoised planes, or undefined if there was no noise; and the noise that was removed. */
export interface NoiseRemoved {
  readonly planes: readonly Samples[] | undefined;
  readonly estimate: NoiseEstimate;
  readonly engine: EngineInfo;
}

/** Removes the noise from an image in usual units. The quality is that for the noise that is left after the coarse scale. */
export async function removeNoise(
  image: Image,
  seen: Seen,
  estimate: NoiseEstimate,
  settings: DenoiseSettings,
): Promise<NoiseRemoved> {
  const { strength, told, sampled, planes: how } = settings;
  const { signal, onProgress } = how;
  const axes = await drive(toAxes(image.planes, estimate.model), { signal });
  const share = isEstimatedColour(estimate.model, told) && hasTwoScales(image) ? COARSE_SHARE : 0;
  const part = (from: number, to: number) =>
    ({
      ...how,
      onProgress: onProgress && ((now) => onProgress({ ...now, fraction: from + (to - from) * now.fraction })),
    }) satisfies PlanesSettings;
  const noise = isEstimatedColour(estimate.model, told)
    ? await removeCoarse(image, axes, estimate, strength, sampled, part(0, share))
    : estimate;
  const { width, height } = image;
  const { quality } = planesFor(noise.model, seen, settings);
  const denoised = await denoisePlanes(axes, width, height, axesNoise(noise.model, strength), {
    ...part(share, 1),
    quality,
  });
  const planes = denoised.noisy.includes(true)
    ? await drive(fromAxes(denoised.planes, noise.model, axes), { signal })
    : undefined;
  return { planes, estimate: noise, engine: denoised.engine };
}

/** Whether the noise is coloured and was estimated: then it is estimated again after the coarse scale. */
export function isEstimatedColour({ kind }: NoiseModel, told: NoiseModel | undefined): boolean {
  return kind === 'coloured' && told === undefined;
}

/**
 * The planes in which the noise is the same everywhere and independent from plane to plane: luma and chromas, after the transform
 * that stabilises noise that grows with the signal. For coloured noise they are copies that may be overwritten.
 */
export function* toAxes(planes: readonly Samples[], model: NoiseModel): Work<readonly Samples[]> {
  const even: Samples[] = [];
  for (const [c, plane] of planes.entries()) even.push(yield* through(plane, stabiliserOf(model, c)?.forward));
  const axes = yield* decorrelation(even);
  if (model.kind !== 'coloured') return axes;
  return axes.map((plane, c) => (plane === planes[c] ? Float64Array.from(plane) : plane));
}

/** The inverse of {@link toAxes}; `into` may be planes of the same size that are no longer needed. */
export function* fromAxes(
  denoised: readonly Samples[],
  model: NoiseModel,
  into?: readonly Samples[],
): Work<readonly Samples[]> {
  const planes: Samples[] = [];
  for (const [c, plane] of (yield* recorrelation(denoised, into)).entries()) {
    planes.push(yield* through(plane, stabiliserOf(model, c)?.inverse));
  }
  return planes;
}

/** The noise of the planes that {@link toAxes} returns, times the strengths. */
export function axesNoise(model: NoiseModel, strength: Strength): PlanesNoise {
  if (model.kind === 'coloured') return scaled(model, strength);
  const even = model.kind === 'white' ? model.sigma : model.planes.map(({ gain, sigma }) => (gain > 0 ? 1 : sigma));
  const deviations = decorrelatedDeviations(even);
  return { sigma: deviations.map((deviation, c) => deviation * strengthOf(strength, c, deviations.length)) };
}

function stabiliserOf(model: NoiseModel, c: number): Stabiliser | undefined {
  return model.kind === 'signal-dependent' && model.planes[c].gain > 0 ? stabiliser(model.planes[c]) : undefined;
}

function strengthOf({ strength, chroma }: Strength, c: number, channels: number): number {
  return channels === 3 && c > 0 ? strength * chroma : strength;
}

function* through(plane: Samples, f: ((value: number) => number) | undefined): Work<Samples> {
  return f ? yield* mapped(plane, f) : plane;
}
