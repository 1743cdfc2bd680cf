/**
 * The properties of a whole image that denoising any part of it depends on: its units, whether its channels are copies of each
 * other, its defects and its noise. All of it is plain data. The first two are merged from parts, in any order. The others come
 * from the image, or from a sample of it if it is large.
 */

import type { Image, Samples } from '../../image/image.js';
import { copyOf, limitsOf, mapped, refuseBadNumber } from '../../image/image.js';
import type { Part, Size } from '../../image/rectangle.js';
import { imageUnit, shifted, shiftedImage } from '../../image/scale.js';
import type { NoiseEstimate } from '../../noise/estimate.js';
import { noiseOf, shiftedEstimate } from '../../noise/estimate.js';
import type { NoiseModel } from '../../noise/model.js';
import { limited } from '../../noise/model.js';
import { part, stretches, type Work } from '../../work.js';
import { bandsIn } from './axes.js';
import type { Bands } from './bands.js';
import { ofCopies, ofDenoised } from './copies.js';
import {
  type Defects,
  findDefects,
  impulsesOf,
  type RemovedBanding,
  type RemovedImpulses,
  type Repaired,
} from './defects.js';
import { givenEstimate } from './given.js';
import { withoutHidden } from './opacity.js';
import type { DenoiseSettings } from './options.js';
import { type ChosenQuality, chooseQuality } from './quality.js';

/** The range of an image and whether its channels are equal; plain data. */
export interface ImageRange {
  /** The least and the greatest sample of all channels. */
  readonly least: number;
  readonly most: number;
  /** The number of channels, and whether all are copies of the first, so that only that one is denoised. */
  readonly channels: number;
  readonly copies: boolean;
}

/** The range of a part without any visible pixel, which does not change that of another one. */
const NOTHING_SEEN = { least: Number.MAX_VALUE, most: -Number.MAX_VALUE } as const;

/** The visible range of a part of an image. The first NaN or infinity is refused, with its place in the image. */
export function* scanRange({ at, planes: given }: Part, alpha?: Samples): Work<ImageRange> {
  const planes = yield* withoutHidden({ planes: given, alpha });
  if (!planes) return { ...NOTHING_SEEN, channels: given.length, copies: given.length > 1 };
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [channel, plane] of planes.entries()) {
    const limits = yield* limitsOf(plane);
    if (!limits) {
      yield* refuseBadNumber(plane, (i) => {
        const [x, y] = [at.left + (i % at.width), at.top + Math.floor(i / at.width)];
        return `image pixel (x ${x}, y ${y}, channel ${channel})`;
      });
      continue;
    }
    least = Math.min(least, limits.least);
    most = Math.max(most, limits.most);
  }
  return { least, most, channels: planes.length, copies: planes.length > 1 && (yield* allTheSame(planes)) };
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

/** The range of all parts together. */
export function mergeRanges(ranges: readonly ImageRange[]): ImageRange {
  const all = ranges.reduce((sum, each) => ({
    least: Math.min(sum.least, each.least),
    most: Math.max(sum.most, each.most),
    channels: sum.channels,
    copies: sum.copies && each.copies,
  }));
  return all.least > all.most ? { ...all, least: 0, most: 0 } : all;
}

/** The exponent of the unit in which an image is denoised. */
export function exponentOf({ least, most }: ImageRange): number {
  return imageUnit(Math.max(Math.abs(least), Math.abs(most)));
}

/**
 * The planes of an image or a part of one that are denoised: the first of copies, and in units of 2^e if the image is far from 1,
 * because engines return float32.
 */
export function* toWorkingUnits(image: Image, range: ImageRange): Work<Image> {
  const shown = range.copies ? { ...image, planes: image.planes.slice(0, 1) } : image;
  const e = exponentOf(range);
  return e === 0 ? shown : yield* shiftedImage(shown, -e);
}

/** The defects and the noise of an image; plain data, in working units. */
export interface Findings {
  readonly defects: Defects;
  readonly estimate: NoiseEstimate;
  /** How planes that are not colours are denoised. */
  readonly bands?: Bands;
}

/** The settings that say which defects and which noise to look for. */
export type Sought = Pick<DenoiseSettings, 'given' | 'estimate' | 'impulses' | 'banding'> &
  Partial<Pick<DenoiseSettings, 'bands'>>;

/** Blocks for the decision between white and coloured noise. The strength of coloured noise is estimated again after the coarse scale. */
const BLOCKS_FOR_KIND = 15_000;

/** Finds the defects and the noise of an image in working units, which is whole or a sample; also returns the image without defects. */
export function* find(image: Image, isWhole: boolean, range: ImageRange, settings: Sought): Work<Findings & Repaired> {
  const repaired = yield* part(findDefects(image, isWhole, settings), 0, 0.5);
  const e = exponentOf(range);
  const shown = { ...image, planes: repaired.planes };
  const { given } = settings;
  const { jpeg, offset } = settings.estimate;
  const sought = offset === undefined ? settings.estimate : { ...settings.estimate, offset: limited(offset, -e) };
  const noise = given ? givenEstimate(shown, e, given, jpeg) : noiseOf(shown, sought, BLOCKS_FOR_KIND);
  const estimate = yield* part(noise, 0.5, 1);
  if (!settings.bands || shown.planes.length === 1) return { ...repaired, estimate };
  return { ...repaired, estimate, bands: yield* part(bandsIn(shown, estimate.model), 1, 1) };
}

/** The inverse of {@link toWorkingUnits} for denoised planes, after a share of the removed noise is put back. */
export function* toInputUnits(
  planes: readonly Samples[],
  noisy: Pick<Image, 'planes'>,
  range: ImageRange,
  keepGrain: number,
): Work<readonly Samples[]> {
  const e = exponentOf(range);
  const given: Samples[] = [];
  for (const [c, original] of noisy.planes.entries()) {
    let plane = planes[range.copies ? 0 : c];
    if (keepGrain > 0) plane = yield* withGrain(plane, original, keepGrain, e);
    if (e !== 0) plane = yield* mapped(plane, (value) => shifted(value, e));
    given.push(given.includes(plane) ? copyOf(plane) : plane);
  }
  return given;
}

/** Puts back a share of the removed noise; the noisy samples are in units of 2^-e. */
function* withGrain(plane: Samples, noisy: Samples, share: number, e: number): Work<Float64Array> {
  const mixed = new Float64Array(plane.length);
  for (const [from, to] of stretches(plane.length)) {
    for (let i = from; i < to; i++) mixed[i] = plane[i] + share * (shifted(noisy[i], -e) - plane[i]);
    yield to / plane.length;
  }
  return mixed;
}

/** The quality for planes with this noise, in working units: the requested one, or the one that takes its place. */
function qualityFor(noise: NoiseModel, range: ImageRange, { planes, strength }: DenoiseSettings): ChosenQuality {
  const e = exponentOf(range);
  const samples = { least: shifted(range.least, -e), most: shifted(range.most, -e) };
  return chooseQuality(planes.quality, noise, samples, strength.strength);
}

/** How planes with this noise, in working units, are denoised. */
export function planesFor(noise: NoiseModel, range: ImageRange, settings: DenoiseSettings): DenoiseSettings['planes'] {
  return { ...settings.planes, quality: qualityFor(noise, range, settings).quality };
}

/** The noise of an image, and the defects that `denoise` removes before it. `describe` makes sentences of it. */
export interface Diagnosis extends NoiseEstimate {
  /** Impulses: the number of samples that are salt and pepper, or hot or dead pixels. */
  readonly impulses: RemovedImpulses;
  /** The deviation of the offsets of whole rows and of whole columns, in the units of the image. */
  readonly banding: RemovedBanding;
}

/** The diagnosis of an image, the defects that were removed from it, and the quality that was used. `describe` makes sentences of it. */
export interface NoiseReport extends Omit<Diagnosis, 'model'>, ChosenQuality {
  /** The noise of the image as it was given, without its defects, in the units of the image: what `diagnose` returns. */
  readonly noise: NoiseModel;
  /** How certain the estimate is, from 0 to 1; 1 for noise that was given without it. */
  readonly confidence: number;
  /** Impulses that were replaced first. */
  readonly impulses: RemovedImpulses;
  /** Row and column offsets that were removed first. */
  readonly banding: RemovedBanding;
}

/** The noise in the units of the image. A model that was given is returned as given, because it may have been limited. */
function inInputUnits(
  estimate: NoiseEstimate,
  e: number,
  { channels, copies }: ImageRange,
  { given }: Sought,
): NoiseEstimate {
  if (given === undefined || given.measured) return shiftedEstimate(estimate, e);
  const certain = ofDenoised({ model: given.model, confidence: 1 }, copies ? 1 : channels);
  return copies ? ofCopies(certain, channels) : certain;
}

/** The diagnosis of an image with these findings and this many impulses in the planes that are denoised. */
export function diagnosisOf(
  { width, height }: Size,
  range: ImageRange,
  { defects, estimate }: Findings,
  count: number,
  settings: Sought,
): Diagnosis {
  const { channels, copies } = range;
  const e = exponentOf(range);
  const all = copies ? ofCopies(estimate, channels) : estimate;
  const impulses = impulsesOf(defects, count, width * height, copies ? channels : 1);
  const { rows, columns, search } = defects.banding;
  const banding = { rows: shifted(rows, e), columns: shifted(columns, e), search };
  return { ...(e === 0 ? all : inInputUnits(all, e, range, settings)), impulses, banding };
}

/** The report on an image with this diagnosis. The quality is that for the noise of the fine scale, in working units. */
export function reportOf(
  { model, ...found }: Diagnosis,
  fine: NoiseModel,
  range: ImageRange,
  settings: DenoiseSettings,
): NoiseReport {
  return { noise: model, ...found, ...qualityFor(fine, range, settings) };
}
