/**
 * The noise of an image at every frequency of an 8×8 block, per plane and per brightness, from the image alone.
 *
 * Blocks are sorted by brightness (`blocks.ts`), and in each bin b the flattest give V_b(f) and R_b, which tells noise (about 1)
 * from texture (1.4 and more; `flat-blocks.ts`). A brightness without a flat block would give pure texture, so the bins are
 * not believed one by one. In every plane:
 *
 * 1. The level of a bin is √(mean of V over 2 ≤ r < 5). The anchor a is the bin of lowest level among those with R ≤ 1.2 whose
 *    level is at most 2.5 times the lowest of all; without one it is the lowest, and believed in part. A bin below
 *    0.35 of the median level in deep shadows or bright lights is not asked: the camera has pressed them together.
 * 2. The spectrum S(f) is the geometric mean of V(f) over the anchor and the bins whose level is within a factor e^0.15 of its
 *    level and whose R is at most 1.2, or at most that of the anchor. It is multiplied by the square of how much the anchor is
 *    believed (`belief`), which is 1 where R_a ≤ 1.2.
 * 3. Every bin has S(f) times a level. That of the bins in 2 is the mean of V_b(f)/S(f) over f. That of the others is the 20%
 *    quantile, since texture is least where that is smallest. It is at most 2² where R ≤ 1.2, else 1.25². So an anchor with belief β
 *    keeps min(1, 1.25 β) of its deviations. Frequencies below 1.5, and those where S is below 0.1 of its mean over
 *    2 ≤ r < 5, such as JPEG has emptied, are left out.
 * 4. Frequencies r < 2 are at most 1.35 times the deviation at 2 ≤ r < 3.2, since shading is not noise; in chroma, where
 *    shading is weak and noise is not, 4 times. The mean has 1.6 times its neighbours. The bins are smoothed by (1 2 1)/4.
 */
import type { Samples } from '../signal/image.js';
import { part, stretches, type Work } from '../work.js';
import { brightnessBins, MOST_BLOCKS, samplingFor } from './blocks.js';
import { type CentredPlane, type Flattest, flattest } from './flat-blocks.js';
import {
  FINEST,
  FREQUENCIES,
  LOW,
  levelOver,
  MIDDLE,
  meanOver,
  RADIUS,
  REFERENCE,
  RING,
  SIDE,
  slopeOf,
} from './frequencies.js';
import { JPEG_PEAK, jpegSteps } from './jpeg.js';
import type { JpegInfo } from './model.js';
import { quantile } from './order.js';
import { whiteLimit } from './white-limit.js';

/** R up to this is noise. */
export const BELIEVABLE = 1.2;
/** The anchor's level is at most so many times the lowest. */
const ANCHOR_LEVEL = 2.5;
/** Levels are the same within this factor. */
const SAME_LEVEL = Math.exp(0.15);
/** Pressed together: below this share of the median level, and outside this part of the range. */
const CRUSHED = { level: 0.35, dark: 32 / 255, bright: 192 / 255 } as const;
/** The level of a bin is this quantile over the frequencies from this radius on that have this share of the mean variance. */
const LEVEL = { quantile: 0.2, radius: 1.5, share: 0.1 } as const;
/** The most a bin may exceed the anchor, as a factor of deviations: believable, and not. */
const MOST = { believable: 2, doubtful: 1.25 } as const;
/** The most that low frequencies may have of the deviation at 2 ≤ r < 3.2. */
const LOW_MOST = { luma: 1.35, chroma: 4 } as const;
/** What is texture: nothing is believed from this R on, where the slope of the spectrum is steep; it is noise where it is flat. */
const TEXTURE = { ratio: 1.7, steep: 0.65, flat: 0.85, blocks: 1500 } as const;
/** The deviation of the mean, against the larger of its two neighbours. */
const MEAN_FACTOR = 1.6;
/**
 * Deviations up to this share of the largest sample are none: grey in three channels has chromas that are nothing but the
 * rounding of float64.
 */
const ROUNDING = 1e-14;
/** The share of the work after which blocks are sorted by brightness. */
const SORTED = 0.2;
/** 2 to this power is the largest scale, so that it and its reciprocal are numbers. */
const LARGEST_EXPONENT = 1000;

/** What {@link colouredNoise} needs to know beside the planes. */
export interface SpectrumOptions {
  /** The value that counts as full scale, such as 255: tells shadows and lights. */
  readonly peak: number;
  /** The channels of the image before decorrelation, by which clipped blocks are left out. Without them none are. */
  readonly original?: readonly Samples[];
  /** Given for a JPEG: then its own blocks are measured. */
  readonly jpeg?: JpegInfo;
  /** The most blocks that are looked at. @default 60000 */
  readonly blocks?: number;
}

/** The noise of one plane. */
export interface PlaneSpectrum {
  /** `deviations[b][8 * v + u]`: the deviation at brightness b of the frequency with u half waves along a row, v along a column. */
  readonly deviations: readonly Float64Array[];
  /** R at each brightness: about 1 where the flattest blocks hold noise, 1.4 and more where they hold texture. */
  readonly ratios: readonly number[];
  /** The index of the brightness whose spectrum was believed. */
  readonly anchor: number;
  /**
   * From 0 to 1: min(1, 1.2/R) of the anchor. 1 says that flat areas were found. Less says that there were none; the
   * deviations are then at most 1.25 times this share of what was measured.
   */
  readonly trust: number;
  /** The deviation at middle frequencies, 2 ≤ r < 5, root mean square over brightness. */
  readonly middle: number;
  /** The same at 3 ≤ r < 5, which coarse texture does not reach: what white noise has at the finest frequencies as well. */
  readonly reference: number;
  /** The same at the finest frequencies, r > 6. */
  readonly finest: number;
  /**
   * The most that the deviation can be at the lowest frequencies, r < 2: as measured in the flattest blocks, shading and texture
   * included.
   */
  readonly coarsest: number;
}

/** The noise of an image by frequency and brightness. */
export interface SpectrumEstimate {
  /** The brightness at which deviations are known, rising: the mean of a block of the first plane. */
  readonly brightness: readonly number[];
  /** The noise of each plane. */
  readonly planes: readonly PlaneSpectrum[];
  /** How many blocks were looked at: 0 for an image that is smaller than one. */
  readonly blocks: number;
}

/**
 * Estimates the noise of planes as `decorrelate` makes them: luma and two chromas, or any other number of planes, each for
 * itself. Deterministic; deviations scale with the image. The offset matters only for what counts as shadows and lights.
 */
export function* colouredNoise(
  planes: readonly Samples[],
  width: number,
  height: number,
  { peak, original = [], jpeg, blocks: most = MOST_BLOCKS }: SpectrumOptions,
): Work<SpectrumEstimate> {
  const bins = yield* part(brightnessBins(planes[0], original, width, height, jpeg, most), 0, SORTED);
  if (bins.length === 0) return nothingKnown(planes.length);
  const sampling = samplingFor(jpeg);
  const isColour = planes.length === 3;
  // Luma is √3 times the mean of R, G and B.
  const full = isColour ? Math.sqrt(3) * peak : peak;
  const isEnd = bins.map(({ brightness }) => brightness < CRUSHED.dark * full || brightness > CRUSHED.bright * full);
  const squares = new Float64Array(FREQUENCIES * Math.max(...bins.map(({ at }) => at.length)));
  const centredPlanes: CentredPlane[] = [];
  for (const samples of planes) centredPlanes.push(yield* part(centred(samples, width), SORTED, SORTED));
  const rounding = ROUNDING * Math.max(...centredPlanes.map(({ mean, scale }) => Math.abs(mean) + 2 / scale));
  const blocks = bins.reduce((sum, { at }) => sum + at.length, 0);
  const found: PlaneSpectrum[] = [];
  for (const [c, plane] of centredPlanes.entries()) {
    const least = (rounding * plane.scale) ** 2;
    const measured: Flattest[] = [];
    for (const [b, { at }] of bins.entries()) {
      const share = (n: number) => SORTED + ((1 - SORTED) * n) / (planes.length * bins.length);
      const n = c * bins.length + b;
      const { variance, ratio } = yield* part(flattest(plane, at, sampling, squares), share(n), share(n + 1));
      measured.push({ variance: variance.map((value) => (value > least ? value : 0)), ratio });
    }
    found.push(planeSpectrum(measured, isEnd, isColour && c > 0, blocks, plane.scale));
  }
  if (isColour && jpeg) found[0] = atMost(found[0], whiteLimit(found, jpegSteps(jpeg, 3, peak / JPEG_PEAK)[0]));
  return {
    brightness: bins.map(({ brightness }) => brightness),
    planes: found,
    blocks,
  };
}

/** The estimate of an image that no block fits into. */
function nothingKnown(channels: number): SpectrumEstimate {
  const deviations = [new Float64Array(FREQUENCIES)];
  const levels = { middle: 0, reference: 0, finest: 0, coarsest: 0 };
  const plane: PlaneSpectrum = { deviations, ratios: [1], anchor: 0, trust: 0, ...levels };
  return { brightness: [0], planes: Array.from({ length: channels }, () => plane), blocks: 0 };
}

/** The plane about its mean, in a power of two as unit, up to 2 in magnitude, so that squares neither overflow nor vanish and nothing is rounded. */
function* centred(samples: Samples, width: number): Work<CentredPlane> {
  const { length } = samples;
  let [mean, least, most] = [0, samples[0], samples[0]];
  for (const [from, to] of stretches(length)) {
    for (let i = from; i < to; i++) {
      mean += samples[i] / length;
      if (samples[i] < least) least = samples[i];
      if (samples[i] > most) most = samples[i];
    }
    yield to / length;
  }
  const size = Math.max(most - mean, mean - least);
  const e = size > 0 ? Math.floor(Math.log2(size)) : 0;
  return { samples, width, mean, scale: 2 ** -Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, e)) };
}

/** What the bins of a plane say together. */
function planeSpectrum(
  bins: readonly Flattest[],
  isEnd: readonly boolean[],
  isChroma: boolean,
  blocks: number,
  scale: number,
): PlaneSpectrum {
  const lowMost = isChroma ? LOW_MOST.chroma : LOW_MOST.luma;
  const ratios = bins.map(({ ratio }) => ratio);
  const { anchor, like } = anchorOf(bins, isEnd);
  const trust = Math.min(1, BELIEVABLE / ratios[anchor]);
  const measured = geometricMean(like.map((b) => bins[b].variance));
  const believed = belief(ratios[anchor], slopeOf(measured), isChroma, blocks);
  const spectrum = measured.map((value) => value * believed ** 2);
  const levels = levelsOf(bins, spectrum, like);
  const variances = smoothed(levels.map((level) => limited(spectrum, level, lowMost)));
  const deviations = variances.map((variance) => variance.map((value) => Math.sqrt(value) / scale));
  const all = levelsOf(bins, measured, like);
  const level = all.reduce((sum, value) => sum + value, 0) / all.length;
  const coarsest = Math.sqrt(level * meanOver(measured, LOW)) / scale;
  return { deviations, ratios, anchor, trust, coarsest, ...bandsOf(deviations) };
}

/** The level of deviations in the bands that are reported. */
function bandsOf(deviations: readonly Float64Array[]): Pick<PlaneSpectrum, 'middle' | 'reference' | 'finest'> {
  const [middle, reference, finest] = [MIDDLE, REFERENCE, FINEST].map((band) => levelOver(deviations, band));
  return { middle, reference, finest };
}

/** All deviations of a plane times a factor. */
export function times(plane: PlaneSpectrum, factor: number): PlaneSpectrum {
  const deviations = plane.deviations.map((at) => at.map((value) => factor * value));
  return { ...plane, deviations, ...bandsOf(deviations) };
}

/** The spectrum with no deviation above a limit; the mean keeps its factor. */
function atMost(plane: PlaneSpectrum, limit: number): PlaneSpectrum {
  const deviations = plane.deviations.map((at) =>
    at.map((value, f) => Math.min(value, f === 0 ? MEAN_FACTOR * limit : limit)),
  );
  return { ...plane, deviations, coarsest: Math.min(plane.coarsest, limit), ...bandsOf(deviations) };
}

/**
 * How much of the deviations is believed where the flattest blocks have R > 1.2, from 0 to 1. In chroma, and where the spectrum is
 * flat, which texture's is not, 1.2/R. Where it falls with frequency as that of texture does, it is likely to be texture, and from
 * R = 1.7 on nothing is believed. Fewer than 1500 blocks say too little for that.
 */
function belief(ratio: number, slope: number, isChroma: boolean, blocks: number): number {
  const trust = Math.min(1, BELIEVABLE / ratio);
  if (isChroma || blocks < TEXTURE.blocks) return trust;
  const strict = Math.min(1, Math.max(0, (TEXTURE.ratio - ratio) / (TEXTURE.ratio - BELIEVABLE)));
  const share = Math.min(1, Math.max(0, (TEXTURE.flat - slope) / (TEXTURE.flat - TEXTURE.steep)));
  return trust + share * (strict - trust);
}

/** The bin that is believed most, and all whose spectra are averaged with its own: those of the same level. */
function anchorOf(bins: readonly Flattest[], isEnd: readonly boolean[]): { anchor: number; like: number[] } {
  const level = bins.map(({ variance }) => Math.sqrt(meanOver(variance, MIDDLE)));
  const median = quantile(Float64Array.from(level), 0.5);
  const asked = [...bins.keys()].filter((b) => !(isEnd[b] && level[b] < CRUSHED.level * median));
  const lowest = (among: readonly number[]) => among.reduce((best, b) => (level[b] < level[best] ? b : best));
  // Areas without any noise at all were drawn, not photographed: they tell nothing about the others.
  const photographed = asked.filter((b) => level[b] > 0);
  const sure = photographed.filter(
    (b) => bins[b].ratio <= BELIEVABLE && level[b] <= ANCHOR_LEVEL * level[lowest(photographed)],
  );
  const anchor = lowest(sure.length > 0 ? sure : asked);
  const believable = Math.max(BELIEVABLE, bins[anchor].ratio);
  const like = asked.filter(
    (b) =>
      level[b] <= SAME_LEVEL * level[anchor] && level[anchor] <= SAME_LEVEL * level[b] && bins[b].ratio <= believable,
  );
  return { anchor, like };
}

/** exp(mean of log), frequency by frequency; the mean of the block is left 0. */
function geometricMean(variances: readonly Float64Array[]): Float64Array {
  return new Float64Array(FREQUENCIES).map((_, f) =>
    f === 0 ? 0 : Math.exp(variances.reduce((sum, variance) => sum + Math.log(variance[f]), 0) / variances.length),
  );
}

/** The variance of every bin as a multiple of the spectrum. */
function levelsOf(bins: readonly Flattest[], spectrum: Float64Array, like: readonly number[]): number[] {
  const least = LEVEL.share * meanOver(spectrum, MIDDLE);
  if (least === 0) return bins.map(() => 0);
  const used = RADIUS.flatMap((r, f) => (r >= LEVEL.radius && spectrum[f] >= least ? [f] : []));
  return bins.map(({ variance, ratio }, b) => {
    const multiples = Float64Array.from(used, (f) => variance[f] / spectrum[f]);
    const level = like.includes(b)
      ? multiples.reduce((sum, value) => sum + value, 0) / multiples.length
      : quantile(multiples, LEVEL.quantile);
    return Math.min(level, (ratio <= BELIEVABLE ? MOST.believable : MOST.doubtful) ** 2);
  });
}

/** The spectrum times a level, its lowest frequencies limited and its mean set. */
function limited(spectrum: Float64Array, level: number, lowMost: number): Float64Array {
  const variance = spectrum.map((value) => value * level);
  const most = lowMost ** 2 * meanOver(variance, RING);
  for (const f of LOW) variance[f] = Math.min(variance[f], most);
  variance[0] = MEAN_FACTOR ** 2 * Math.max(variance[1], variance[SIDE]);
  return variance;
}

/** (1 2 1)/4 over brightness; the first and the last stay. */
function smoothed(variances: readonly Float64Array[]): readonly Float64Array[] {
  return variances.map((variance, b) => {
    if (b === 0 || b === variances.length - 1) return variance;
    const [before, after] = [variances[b - 1], variances[b + 1]];
    return variance.map((value, f) => (before[f] + 2 * value + after[f]) / 4);
  });
}
