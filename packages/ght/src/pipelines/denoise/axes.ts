/**
 * The planes in which noise is removed. White noise is removed from luma and chromas; noise that grows with the signal, after a
 * variance-stabilising transform; coloured noise by its spectrum. Planes that are not colours are bands (bands.ts).
 */
import type { PlanesNoise } from '../../denoisers/frame.js';
import { decorrelatedDeviations, decorrelation, recorrelation } from '../../image/colour.js';
import type { Image, Samples } from '../../image/image.js';
import { mapped } from '../../image/image.js';
import type { Stabiliser } from '../../image/stabilise.js';
import { stabiliser } from '../../image/stabilise.js';
import { type ColouredNoise, MOST_NOISE, type NoiseModel } from '../../noise/model.js';
import type { Work } from '../../work.js';
import { type Bands, bandsOf, mixedBands, separateBands } from './bands.js';
import { type Strength, scaled } from './scales.js';

/** Whether the noise is coloured and was estimated: then it is estimated again after the coarse scale. */
export function isEstimatedColour({ kind }: NoiseModel, given: object | undefined): boolean {
  return kind === 'coloured' && given === undefined;
}

/**
 * The planes in which the noise is the same everywhere: luma and chromas, or bands as they are mixed, after the transform that
 * stabilises noise that grows with the signal. For coloured noise they are copies that may be overwritten.
 */
export function* toAxes(planes: readonly Samples[], model: NoiseModel, bands?: Bands): Work<readonly Samples[]> {
  const even: Samples[] = [];
  for (const [c, plane] of planes.entries()) even.push(yield* through(plane, stabiliserOf(model, c)?.forward));
  const axes = yield* bands ? mixedBands(even, bands) : decorrelation(even);
  if (model.kind !== 'coloured') return axes;
  return axes.map((plane, c) => (plane === planes[c] ? Float64Array.from(plane) : plane));
}

/** The inverse of {@link toAxes}; `into` may be planes of the same size that are no longer needed. */
export function* fromAxes(
  denoised: readonly Samples[],
  model: NoiseModel,
  into?: readonly Samples[],
  bands?: Bands,
): Work<readonly Samples[]> {
  const planes: Samples[] = [];
  // What bands have in common holds for the result as well.
  const even = yield* bands ? mixedBands(denoised, bands) : recorrelation(denoised, into);
  for (const [c, plane] of even.entries()) {
    planes.push(yield* through(plane, stabiliserOf(model, c)?.inverse));
  }
  return planes;
}

/** The noise of the planes that {@link toAxes} returns, times the strengths. */
export function axesNoise(model: NoiseModel, strength: Strength, bands?: Bands): PlanesNoise {
  if (model.kind === 'coloured') return scaled(model, strength);
  const even = evenDeviations(model);
  const deviations = bands ? even.map((deviation, c) => deviation * bands.left[c]) : decorrelatedDeviations(even);
  return {
    sigma: deviations.map((deviation, c) =>
      Math.min(MOST_NOISE, deviation * strengthOf(strength, c, deviations.length)),
    ),
  };
}

/** The deviations of noise that is not coloured, after the transform that stabilises it. */
function evenDeviations(model: Exclude<NoiseModel, ColouredNoise>): readonly number[] {
  return model.kind === 'white' ? model.sigma : model.planes.map(({ gain, sigma }) => (gain > 0 ? 1 : sigma));
}

/** How planes that are bands are denoised, from what they show and their noise. */
export function* bandsIn({ planes, width, height }: Image, model: NoiseModel): Work<Bands> {
  if (model.kind === 'coloured') return separateBands(planes.length);
  const even = yield* toAxes(planes, model, separateBands(planes.length));
  return yield* bandsOf(even, evenDeviations(model), { width, height });
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
