/**
 * Estimates the noise of an image from the image alone. Its spectrum is estimated first. If that is white, the estimate of one
 * deviation per plane (`noise/white/sigma.ts`) is more accurate, and is used; otherwise the noise is coloured. If the image was a JPEG
 * and its tables are not given, they are found in the pixels.
 */
import { decorrelation } from '../image/colour.js';
import type { Image, Samples } from '../image/image.js';
import { shifted } from '../image/scale.js';
import { part, stretches, type Work } from '../work.js';
import { coarseNoise, hasTwoScales } from './coloured/coarse.js';
import { colouredModel } from './coloured/model.js';
import type { SpectrumEstimate, SpectrumOptions } from './coloured/spectrum.js';
import { colouredNoise } from './coloured/spectrum.js';
import { constantAreas, isDrawn } from './constant-areas.js';
import { findJpeg } from './jpeg/find.js';
import { JPEG_PEAK, jpegQuality, jpegSteps } from './jpeg/jpeg.js';
import type { ColouredNoise, JpegInfo, NoiseModel } from './model.js';
import { mappedColour, mappedModel } from './model.js';
import { growingNoise, poissonGaussianEstimate } from './signal-dependent/poisson-gaussian.js';
import { isWhite } from './white/gate.js';
import { noiseEstimate } from './white/sigma.js';

/** The estimated noise of an image. */
export interface NoiseEstimate {
  /** The noise as data, in the units of the image. */
  readonly model: NoiseModel;
  /** How certain the estimate is, from 0 to 1: 1 if flat areas show the noise alone, less if it may include texture. */
  readonly confidence: number;
  /** Why the confidence is below 1: no flat area shows the noise alone, so that the estimate is lowered. Absent if it is 1. */
  readonly confidenceReason?: 'no-flat-area';
  /** True if the image was drawn, such as text or a diagram: equal samples everywhere show that it has no noise. */
  readonly isDrawn?: boolean;
  /** For coloured noise: the level of each plane at middle and at the finest frequencies. */
  readonly levels?: readonly SpectrumLevel[];
  /** For coloured noise: that of the image at half its size, which is removed first. Left out for images below 128×128 pixels. */
  readonly coarse?: ColouredNoise;
  /** The JPEG that the image was, if it is known: the model includes its quantisation steps. */
  readonly jpeg?: JpegInfo;
  /** The approximate quality of that JPEG, from 1 to 100, at which most programs write its tables. */
  readonly jpegQuality?: number;
}

/** The level of coloured noise in one plane. */
export interface SpectrumLevel {
  /** The deviation at middle frequencies: waves of 3 to 8 pixels. */
  readonly middle: number;
  /** The deviation at the finest frequencies: waves of 2 to 2.7 pixels. */
  readonly finest: number;
  /** An upper bound of the deviation at the coarsest frequencies, waves above 8 pixels: it includes shading and texture. */
  readonly coarsest: number;
  /** From 0 to 1: 1 if flat areas show the noise of this plane. */
  readonly confidence: number;
}

/** Options of the noise estimate. All are optional. */
export interface NoiseOptions {
  /**
   * The kind of noise to estimate. `auto`: white or coloured, whichever is found. `white`: one deviation per plane. `coloured`: a
   * deviation per frequency. `signal-dependent`: noise that grows with the signal, as in a raw image.
   *
   * @default 'auto'
   */
  readonly kind?: 'auto' | NoiseModel['kind'];
  /** The JPEG that the image was, as read from its file; `auto` searches the pixels for it; `off` does not. @default 'auto' */
  readonly jpeg?: JpegInfo | 'auto' | 'off';
  /** For noise that grows with the signal: the sample value without signal. @default estimated */
  readonly offset?: number;
  /** Stops the work: the promise rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal;
  /** Called with the fraction done, rising from 0 to 1, about every 30 ms. @default none */
  readonly onProgress?: (progress: { readonly fraction: number }) => void;
}

/** The options that say what to estimate. */
export type NoiseSought = Pick<NoiseOptions, 'kind' | 'jpeg' | 'offset'> & {
  /** Whether three planes are red, green and blue. @default true */
  readonly colour?: boolean;
};

/** The progress after the search for a JPEG, and after the estimate of the spectrum. */
const JPEG_DONE = 0.2;
const SPECTRUM_DONE = 0.8;
/** The progress after the test whether white noise grows with the signal. */
const GROWTH_DONE = 0.85;

/** The noise of a checked image in usual units, where its opacity is not 0. `blocks` limits the number of blocks, for callers that need only the kind. */
export function* noiseOf(
  image: Image,
  { kind = 'auto', jpeg: known = 'auto', offset, colour = true }: NoiseSought,
  blocks?: number,
): Work<NoiseEstimate> {
  const { width, height, alpha } = image;
  const still = (isJpeg: boolean) => constantAreas(image.planes, width, height, isJpeg, alpha);
  if (kind === 'white') return yield* whiteNoise(image, yield* still(false));
  if (kind === 'signal-dependent') {
    const constant = yield* still(false);
    const planes = yield* poissonGaussianEstimate(image, offset, constant);
    return { model: { kind, planes }, confidence: 1 };
  }
  const jpeg =
    typeof known === 'object' ? known : known === 'auto' ? yield* part(jpegOf(image), 0, JPEG_DONE) : undefined;
  if (!jpeg && kind === 'auto' && (yield* isDrawn(image.planes, width, height, alpha))) {
    return { model: { kind: 'white', sigma: image.planes.map(() => 0) }, confidence: 1, isDrawn: true };
  }
  const constant = yield* still(jpeg !== undefined);
  const planes = colour ? yield* part(decorrelation(image.planes), JPEG_DONE, JPEG_DONE) : image.planes;
  const spectrum = yield* part(spectrumOf(image, planes, { jpeg, blocks, constant }), JPEG_DONE, SPECTRUM_DONE);
  if (kind === 'auto' && isWhite(spectrum, jpeg !== undefined, colour)) {
    const planes = yield* part(growingNoise(image, constant), SPECTRUM_DONE, GROWTH_DONE);
    if (planes) return { model: { kind: 'signal-dependent', planes }, confidence: 1 };
    return yield* part(whiteNoise(image, constant), GROWTH_DONE, 1);
  }
  const estimate = colouredEstimate(image, spectrum, jpeg);
  if (!hasTwoScales(image)) return estimate;
  return {
    ...estimate,
    coarse: yield* part(coarseNoise(planes, image, spectrum.planes, jpeg !== undefined), SPECTRUM_DONE, 1),
  };
}

function* whiteNoise(image: Image, constant: Uint8Array | undefined): Work<NoiseEstimate> {
  const sigma = yield* noiseEstimate(image, constant);
  return { model: { kind: 'white', sigma }, confidence: 1 };
}

/** The spectrum of decorrelated planes of an image. */
export function spectrumOf(
  { width, height, planes: original, peak }: Image,
  planes: readonly Samples[],
  options: Pick<SpectrumOptions, 'jpeg' | 'constant' | 'blocks'>,
): Work<SpectrumEstimate> {
  return colouredNoise(planes, width, height, { peak, original, ...options });
}

/** The noise of an image from its spectrum, including the steps of its JPEG. */
export function colouredEstimate(
  { planes, peak }: Image,
  spectrum: SpectrumEstimate,
  jpeg: JpegInfo | undefined,
): NoiseEstimate {
  const steps = jpeg && jpegSteps(jpeg, planes.length, peak / JPEG_PEAK);
  return {
    model: colouredModel(spectrum, { jpegSteps: steps }),
    ...confidenceOf(spectrum.planes[0]),
    levels: spectrum.planes.map(({ middle, finest, coarsest, confidence }) => ({
      middle,
      finest,
      coarsest,
      confidence,
    })),
    jpeg,
    jpegQuality: jpeg && jpegQuality(jpeg),
  };
}

/** The confidence in an estimate is that in its first plane. */
function confidenceOf({ confidence }: SpectrumLevel): Pick<NoiseEstimate, 'confidence' | 'confidenceReason'> {
  return confidence < 1 ? { confidence, confidenceReason: 'no-flat-area' } : { confidence };
}

/** Converts the estimate of an image in units of 2^e to the units of the user. */
export function shiftedEstimate(estimate: NoiseEstimate, e: number): NoiseEstimate {
  return mappedEstimate(estimate, (value) => shifted(value, e));
}

/** The estimate in other units, into which `times` converts a deviation or a brightness. */
export function mappedEstimate(estimate: NoiseEstimate, times: (value: number) => number): NoiseEstimate {
  const levels = estimate.levels?.map(({ middle, finest, coarsest, confidence }) => {
    return { middle: times(middle), finest: times(finest), coarsest: times(coarsest), confidence };
  });
  const coarse = estimate.coarse && mappedColour(estimate.coarse, times);
  return { ...estimate, model: mappedModel(estimate.model, times), levels, ...(coarse && { coarse }) };
}

/** The JPEG that an image was, if its samples are 8-bit integers, as they are or scaled to another peak. */
export function* jpegOf({ width, height, planes, peak }: Image): Work<JpegInfo | undefined> {
  const unit = peak / JPEG_PEAK;
  for (const plane of planes) {
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) {
        const level = plane[i] / unit;
        if (!(level >= 0 && level <= JPEG_PEAK && Number.isInteger(level))) return undefined;
      }
      yield 0;
    }
  }
  const grey = unit === 1 ? planes : planes.map((plane) => Uint8Array.from(plane, (value) => value / unit));
  return yield* findJpeg(grey, width, height);
}
