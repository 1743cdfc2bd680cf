/**
 * The planes in which noise is removed. White noise is removed from luma and chromas; noise that grows with the signal, after a
 * variance-stabilising transform; coloured noise by its spectrum.
 */
import type { PlanesNoise } from '../../denoisers/frame.js';
import { decorrelatedDeviations, decorrelation, recorrelation } from '../../image/colour.js';
import type { Samples } from '../../image/image.js';
import { mapped } from '../../image/image.js';
import type { Stabiliser } from '../../image/stabilise.js';
import { stabiliser } from '../../image/stabilise.js';
import { MOST_NOISE, type NoiseModel } from '../../noise/model.js';
import type { Work } from '../../work.js';
import { type Strength, scaled } from './scales.js';

/** Whether the noise is coloured and was estimated: then it is estimated again after the coarse scale. */
export function isEstimatedColour({ kind }: NoiseModel, given: object | undefined): boolean {
  return kind === 'coloured' && given === undefined;
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
  return {
    sigma: deviations.map((deviation, c) =>
      Math.min(MOST_NOISE, deviation * strengthOf(strength, c, deviations.length)),
    ),
  };
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
