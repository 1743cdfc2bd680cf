/**
 * The properties of a whole image that denoising any part of it depends on: its units, whether its channels are copies of each
 * other, its defects and its noise. All of it is plain data. The first two are merged from parts, in any order. The others come
 * from the image, or from a sample of it if it is large.
 */
import type { BandingReport } from '../noise/banding.js';
import type { NoiseEstimate } from '../noise/estimate.js';
import { noiseOf, shiftedEstimate } from '../noise/estimate.js';
import type { ImpulseReport } from '../noise/impulses.js';
import type { NoiseModel } from '../noise/model.js';
import { shiftedModel } from '../noise/model.js';
import { toldInWords } from '../noise/words.js';
import type { Image, Samples } from '../signal/image.js';
import { copyOf, mapped, refuseBadNumber } from '../signal/image.js';
import type { Part, Size } from '../signal/rectangle.js';
import { imageUnit, shifted, shiftedImage } from '../signal/scale.js';
import { part, stretches, type Work } from '../work.js';
import { type Defects, findDefects, impulsesOf, type Repaired } from './defects.js';
import type { DenoiseSettings } from './denoise-options.js';
import { type DenoiseQuality, qualityWords, usedQuality } from './denoise-quality.js';

/** What every part of an image is looked at for; plain data. */
export interface Seen {
  /** The least and the greatest sample of all channels. */
  readonly least: number;
  readonly most: number;
  /** The number of channels, and whether all are copies of the first, so that only that one is denoised. */
  readonly channels: number;
  readonly copies: boolean;
}

/** Looks at a part of an image. The first NaN or infinity is refused, with its place in the image. */
export function* lookAt({ at, planes }: Part): Work<Seen> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [channel, plane] of planes.entries()) {
    yield* refuseBadNumber(plane, (i) => {
      const [x, y] = [at.left + (i % at.width), at.top + Math.floor(i / at.width)];
      return `image pixel (x ${x}, y ${y}, channel ${channel})`;
    });
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) {
        if (plane[i] < least) least = plane[i];
        if (plane[i] > most) most = plane[i];
      }
      yield to / plane.length;
    }
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

/** What was seen in all parts of an image. */
export function seenInAll(parts: readonly Seen[]): Seen {
  return parts.reduce((all, each) => ({
    least: Math.min(all.least, each.least),
    most: Math.max(all.most, each.most),
    channels: all.channels,
    copies: all.copies && each.copies,
  }));
}

/** The exponent of the unit in which an image is denoised. */
function exponentOf({ least, most }: Seen): number {
  return imageUnit(Math.max(Math.abs(least), Math.abs(most)));
}

/**
 * The planes of an image or a part of one that are denoised: the first of copies, and in units of 2^e if the image is far from 1,
 * because engines return float32.
 */
export function* inUsualUnits(image: Image, seen: Seen): Work<Image> {
  const shown = seen.copies ? { ...image, planes: image.planes.slice(0, 1) } : image;
  const e = exponentOf(seen);
  return e === 0 ? shown : yield* shiftedImage(shown, -e);
}

/** The defects and the noise of an image; plain data, in usual units. */
export interface Findings {
  readonly defects: Defects;
  readonly estimate: NoiseEstimate;
}

/** Blocks for the decision between white and coloured noise. The strength of coloured noise is estimated again after the coarse scale. */
const BLOCKS_FOR_KIND = 15_000;

/** Finds the defects and the noise of an image in usual units, which is whole or a sample; also returns the image without defects. */
export function* find(
  image: Image,
  isWhole: boolean,
  seen: Seen,
  settings: DenoiseSettings,
): Work<Findings & Repaired> {
  const repaired = yield* part(findDefects(image, isWhole, settings), 0, 0.5);
  const told = settings.told && toldEstimate(shiftedModel(settings.told, -exponentOf(seen)), image.planes.length);
  const shown = { ...image, planes: repaired.planes };
  const estimate = told ?? (yield* part(noiseOf(shown, settings.estimate, BLOCKS_FOR_KIND), 0.5, 1));
  return { ...repaired, estimate };
}

/** The given noise of every plane that is denoised, as a certain estimate. */
function toldEstimate(model: NoiseModel, channels: number): NoiseEstimate {
  return { model: ofChannels(model, (list) => list.slice(0, channels)), trust: 1, words: toldInWords(model) };
}

/** Repeats the noise of one channel for all channels, which are copies of it. */
function ofCopies(estimate: NoiseEstimate, channels: number): NoiseEstimate {
  const repeated = <T>([first]: readonly T[]): T[] => Array.from({ length: channels }, () => first);
  return { ...estimate, model: ofChannels(estimate.model, repeated) };
}

/** Changes the list of channels of white and signal-dependent noise; coloured noise stays that of the denoised planes. */
function ofChannels(model: NoiseModel, change: <T>(list: readonly T[]) => T[]): NoiseModel {
  if (model.kind === 'white') return { ...model, sigma: change(model.sigma) };
  return model.kind === 'signal-dependent' ? { ...model, planes: change(model.planes) } : model;
}

/** The inverse of {@link inUsualUnits} for denoised planes, after a share of the removed noise is put back. */
export function* asGiven(
  planes: readonly Samples[],
  noisy: Pick<Image, 'planes'>,
  seen: Seen,
  keepGrain: number,
): Work<readonly Samples[]> {
  const e = exponentOf(seen);
  const given: Samples[] = [];
  for (const [c, original] of noisy.planes.entries()) {
    let plane = planes[seen.copies ? 0 : c];
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

/** How planes with this noise, in usual units, are denoised: with the given quality, or with the one that takes its place. */
export function planesFor(
  noise: NoiseModel,
  seen: Seen,
  { planes, strength }: DenoiseSettings,
): DenoiseSettings['planes'] {
  const e = exponentOf(seen);
  const samples = { least: shifted(seen.least, -e), most: shifted(seen.most, -e) };
  return { ...planes, quality: usedQuality(planes.quality, noise, samples, strength.strength) };
}

/** The noise and the defects that were removed from an image. */
export interface NoiseReport {
  /** The noise that was removed, in the units of the image. */
  readonly noise: NoiseModel;
  /** How certain the estimate is, from 0 to 1; 1 for noise that was given. */
  readonly trust: number;
  /** What was found and removed, in sentences for people. */
  readonly words: readonly string[];
  /** Impulses that were replaced first. */
  readonly impulses: Pick<ImpulseReport, 'count' | 'fraction' | 'kind' | 'words'>;
  /** Row and column offsets that were removed first. */
  readonly banding: Pick<BandingReport, 'rows' | 'columns' | 'words'>;
  /** The quality that was used. */
  readonly quality: DenoiseQuality;
}

/** The report on an image with this many impulses in the planes that were denoised. */
export function reportOf(
  { width, height }: Size,
  seen: Seen,
  defects: Defects,
  count: number,
  estimate: NoiseEstimate,
  settings: DenoiseSettings,
): NoiseReport {
  const { channels, copies } = seen;
  const e = exponentOf(seen);
  const all = copies ? ofCopies(estimate, channels) : estimate;
  const { model, trust, words } = e === 0 ? all : shiftedEstimate(all, e);
  const impulses = impulsesOf(defects, count, width * height, copies ? channels : 1);
  const { banding } = defects;
  const { quality } = planesFor(estimate.model, seen, settings);
  const sentences = [impulses.words, banding.words, words, qualityWords(settings.planes.quality, quality)];
  return {
    ...{ noise: model, trust, impulses, banding, quality },
    words: sentences.filter((sentence) => sentence !== ''),
  };
}
