import type { EngineInfo } from '../engines/engine.js';
import type { Quality } from '../groups/recipes.js';
import type { BandingReport } from '../noise/banding.js';
import { findBanding, withoutBanding } from '../noise/banding.js';
import type { NoiseEstimate } from '../noise/estimate.js';
import { noiseOf, shiftedEstimate } from '../noise/estimate.js';
import type { ImpulseReport } from '../noise/impulses.js';
import { findImpulses, withoutImpulses } from '../noise/impulses.js';
import type { NoiseModel } from '../noise/model.js';
import { shiftedModel } from '../noise/model.js';
import { toldInWords } from '../noise/words.js';
import type { Image, Samples } from '../signal/image.js';
import { checkPixels, checkShape, copyOf } from '../signal/image.js';
import { imageExponent, shiftedImage } from '../signal/scale.js';
import { drive, part, rising, stretches, type Work } from '../work.js';
import type { DenoiseOptions, DenoiseSettings } from './denoise-options.js';
import { settleDenoise } from './denoise-options.js';
import { removeNoise } from './remove-noise.js';

/** A denoised image. */
export interface Denoised {
  /** The denoised image in the units of the input, neither rounded nor clipped. */
  readonly image: Image;
  /** The noise that was removed, in the units of the image. */
  readonly noise: NoiseModel;
  /** Whether the noise was estimated from the image. */
  readonly estimated: boolean;
  /** How certain the estimate is, from 0 to 1; 1 for noise that was given. */
  readonly trust: number;
  /** What was found and removed, in sentences for people. */
  readonly words: readonly string[];
  /** Impulses that were replaced first. */
  readonly impulses: Pick<ImpulseReport, 'count' | 'fraction' | 'kind' | 'words'>;
  /** Row and column offsets that were removed first. */
  readonly banding: Pick<BandingReport, 'rows' | 'columns' | 'words'>;
  /** Whether the image differs from the input. */
  readonly changed: boolean;
  /** The quality that was used. */
  readonly quality: Quality;
  /** The engine that computed the result, and why it was chosen. */
  readonly engine: EngineInfo;
}

/**
 * Removes noise, with one global threshold over all patches of all planes. No options are needed: the noise, white or coloured,
 * is estimated, and impulses and banding are removed first if they are found. RGB is denoised as luma and two chromas, with groups
 * of similar patches found on luma. Equal channels stay equal, and alpha is passed through.
 *
 * Values may have any scale, and images any size. Only the estimate of the noise needs at least 3×3 pixels, or 32×32 if the noise
 * grows with the signal. An image without noise is returned bit for bit. The input must not change before the promise has settled,
 * because it is not copied.
 */
export async function denoise(noisy: Image, options: DenoiseOptions = {}): Promise<Denoised> {
  checkShape(noisy);
  const settings = settleDenoise(noisy.planes.length, options);
  const { signal, quality } = settings.planes;
  const e = await drive(checkedExponent(noisy), { signal });
  // An image far from 1 is denoised in units of 2^e, because engines return float32.
  const inUnits = e === 0 ? noisy : await drive(shiftedImage(noisy, -e), { signal });
  const told = settings.told && shiftedModel(settings.told, -e);
  const { planes, estimate, impulses, banding, engine } = await takeOut(inUnits, { ...settings, told });
  const there = planes && { ...noisy, planes };
  const image = there && e !== 0 ? await drive(shiftedImage(there, e), { signal }) : there;
  const { model, trust, words } = e === 0 ? estimate : shiftedEstimate(estimate, e);
  const { count, fraction, kind } = impulses;
  const { rows, columns } = banding;
  return {
    image: { ...noisy, planes: image?.planes ?? noisy.planes.map(copyOf) },
    noise: model,
    estimated: settings.told === undefined,
    trust,
    words: [impulses.words, banding.words, words].filter((sentence) => sentence !== ''),
    impulses: { count, fraction, kind, words: impulses.words },
    banding: { rows, columns, words: banding.words },
    changed: planes !== undefined,
    quality,
    engine,
  };
}

function* checkedExponent(image: Image): Work<number> {
  yield* checkPixels(image);
  return yield* imageExponent(image);
}

/** Blocks for the decision between white and coloured noise. The strength of coloured noise is estimated again after the coarse scale. */
const BLOCKS_FOR_KIND = 15_000;

/** The progress after the search for impulses and banding, and after the estimate of the noise. */
const DEFECTS_SHARE = 0.05;
const ESTIMATE_SHARE = 0.1;

/** Maps the progress of the work after the estimate to its share of the whole. */
function rest(onProgress: DenoiseOptions['onProgress']): DenoiseOptions['onProgress'] {
  const from = ESTIMATE_SHARE;
  return onProgress && (({ fraction, pass }) => onProgress({ fraction: from + (1 - from) * fraction, pass }));
}

/** Removes defects and noise from an image in usual units. The planes are undefined if nothing was removed. */
async function takeOut(noisy: Image, settings: DenoiseSettings) {
  const { signal, onProgress } = settings.planes;
  const onFraction = rising(onProgress && ((fraction) => onProgress({ fraction, pass: 'estimate' })));
  const looking = part(withoutDefects(noisy, settings), 0, DEFECTS_SHARE);
  const { image, impulses, banding } = await drive(looking, { signal, onFraction });
  // If all channels are copies of each other, only one is denoised.
  const copies = image.planes.length > 1 && (await drive(allTheSame(image.planes), { signal }));
  const shown = copies ? { ...image, planes: image.planes.slice(0, 1) } : image;
  const told = settings.told && toldEstimate(settings.told, shown.planes.length);
  const estimating = part(noiseOf(shown, settings.estimate, BLOCKS_FOR_KIND), DEFECTS_SHARE, ESTIMATE_SHARE);
  const estimate = told ?? (await drive(estimating, { signal, onFraction }));
  const {
    planes: denoised,
    engine,
    ...found
  } = await removeNoise(shown, estimate, {
    ...settings,
    planes: { ...settings.planes, onProgress: rest(onProgress) },
  });
  const all = denoised && copies ? image.planes.map((_, c) => (c === 0 ? denoised[0] : copyOf(denoised[0]))) : denoised;
  const changed = all ?? (image === noisy ? undefined : image.planes);
  return {
    planes: changed && (await drive(withGrain(changed, noisy.planes, settings.keepGrain), { signal })),
    estimate: copies ? ofCopies(found.estimate, image.planes.length) : found.estimate,
    impulses,
    banding,
    engine,
  };
}

const NO_IMPULSES: ImpulseReport = { count: 0, fraction: 0, kind: 'none', words: '', sites: [] };
const NO_BANDING: BandingReport = { rows: 0, columns: 0, words: '', rowOffsets: [], columnOffsets: [] };

/** The image without impulses and banding; the image itself if there are none. */
function* withoutDefects(noisy: Image, settings: DenoiseSettings) {
  const { width, height } = noisy;
  let { planes } = noisy;
  const impulses = settings.impulses ? yield* findImpulses(planes, width, height) : NO_IMPULSES;
  if (impulses.count > 0) planes = yield* withoutImpulses(planes, width, height, impulses);
  const banding = settings.banding ? yield* findBanding(planes, width, height) : NO_BANDING;
  if (banding.rows > 0 || banding.columns > 0) planes = yield* withoutBanding(planes, width, height, banding);
  return { image: planes === noisy.planes ? noisy : { ...noisy, planes }, impulses, banding };
}

/** Puts back a share of the removed noise. */
function* withGrain(planes: readonly Samples[], noisy: readonly Samples[], share: number): Work<readonly Samples[]> {
  if (share === 0) return planes;
  const grainy: Samples[] = [];
  for (const [c, plane] of planes.entries()) {
    const mixed = new Float64Array(plane.length);
    for (const [from, to] of stretches(plane.length)) {
      for (let i = from; i < to; i++) mixed[i] = plane[i] + share * (noisy[c][i] - plane[i]);
      yield to / plane.length;
    }
    grainy.push(mixed);
  }
  return grainy;
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

function* allTheSame([first, ...others]: readonly Samples[]): Work<boolean> {
  for (const other of others) {
    for (const [from, to] of stretches(first.length)) {
      for (let i = from; i < to; i++) if (other[i] !== first[i]) return false;
      yield to / first.length;
    }
  }
  return true;
}
