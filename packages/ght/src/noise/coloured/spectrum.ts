/**
 * The noise of an image at every frequency of an 8×8 block, per plane and per brightness, from the image alone.
 *
 * Blocks are sorted by brightness (`blocks.ts`). In each bin b the flattest give V_b(f) and R_b, which distinguishes noise (about
 * 1) from texture (1.4 and more; `flat-blocks.ts`). A brightness without a flat block would give pure texture, so the bins are
 * not used independently. In every plane:
 *
 * 1. The level of a bin is √(mean of V over 2 ≤ r < 5). The anchor a is the bin of lowest level among those with R ≤ 1.2 whose
 *    level is at most 2.5 times the lowest of all. If there is none, it is the lowest bin, with reduced confidence. A bin below
 *    0.35 of the median level in deep shadows is ignored, and also in highlights if R > 1.2: the camera has compressed that range.
 *    So is a bin with R > 2 far below a level that others agree on.
 * 2. The spectrum S(f) is the geometric mean of V(f) over the anchor and the bins whose level is within a factor e^0.15 of its
 *    level and whose R is at most 1.2, or at most that of the anchor.
 * 3. Every bin has S(f) times a level. That of the bins in 2 is the mean of V_b(f)/S(f) over f. That of the others is the 20%
 *    quantile, since texture is least where that is smallest. The level is at most 2² if R ≤ 1.2, else 1.25². Frequencies below 1.5,
 *    and those where S is below 0.1 of its mean over 2 ≤ r < 5, such as JPEG has set to zero, are left out. If R_a > 1.2, the
 *    flattest blocks may contain texture, and all deviations are multiplied by the belief in the anchor (`belief`).
 * 4. Frequencies r < 2 are at most 1.35 times the deviation at 2 ≤ r < 3.2, since shading is not noise; in chroma, where
 *    shading is weak and noise is not, at most 4 times. The mean has 1.6 times the deviation of its neighbours. The bins are
 *    smoothed by (1 2 1)/4.
 * 5. In a colour picture, the chromas correct luma (`chroma-evidence.ts`).
 *
 * The share of blocks with structure says how sharp the picture is: those whose energy at 3 ≤ r < 5 is more than four times that of
 * the noise, which includes the steps of a JPEG. A soft picture has next to none, and can be smoothed more (`model.ts`).
 */
import type { Samples } from '../../image/image.js';
import { part, stretches, type Work } from '../../work.js';
import { JPEG_PEAK, jpegSteps, STEP_SHARE } from '../jpeg/jpeg.js';
import type { JpegInfo } from '../model.js';
import { quantile } from '../order.js';
import { whiteLimit } from '../white/limit.js';
import { doubtfulBins } from './agreement.js';
import { brightnessBins, MOST_BLOCKS, samplingFor } from './blocks.js';
import { chromaEvidence } from './chroma-evidence.js';
import { type CentredPlane, type Flattest, flattest } from './flat-blocks.js';
import { FINEST, FREQUENCIES, LOW, levelOver, MIDDLE, meanOver, RADIUS, REFERENCE, RING, SIDE } from './frequencies.js';

/** The largest R that counts as noise. */
const BELIEVABLE = 1.2;
/** The largest level of the anchor, as a multiple of the lowest level. */
const ANCHOR_LEVEL = 2.5;
/** Levels within this factor count as equal. */
const SAME_LEVEL = Math.exp(0.15);
/** Compressed shadows and highlights: below this share of the median level, and outside this part of the range. */
const CRUSHED = { level: 0.35, dark: 32 / 255, bright: 192 / 255 } as const;
/** The most that a camera compresses the noise of its shadows and highlights, as a factor. */
const MOST_COMPRESSED = 10;
/** The level of a bin is this quantile, over frequencies from this radius on with at least this share of the mean variance. */
const LEVEL = { quantile: 0.2, radius: 1.5, share: 0.1 } as const;
/** The largest level of a bin relative to the anchor, as a factor of deviations: with R ≤ 1.2, and above. */
const MOST = { believable: 2, doubtful: 1.25 } as const;
/** The largest deviation of low frequencies, as a multiple of that at 2 ≤ r < 3.2. */
const LOW_MOST = { luma: 1.35, chroma: 4 } as const;
/**
 * Belief in luma that may contain texture: how much it falls per unit of R above 1.2, and the least, in soft and in sharp pictures. With
 * fewer blocks than these, R varies by chance.
 */
const TEXTURE = { soft: { fall: 0.5, least: 0.5 }, sharp: { fall: 2, least: 0.1 }, blocks: 1500 } as const;
/** The share of blocks with structure up to which a picture is soft, and from which on it is sharp. */
const SOFT = { most: 0.1, sharp: 0.3 } as const;
/** The largest noise that may leave blocks of a JPEG empty, in steps. */
const EMPTY_STEPS = 0.25;
/** A block has structure if its energy is more than this multiple of that of the noise. */
const STRUCTURE = 4;
/** The deviation of the mean, relative to the larger of its two neighbours. */
const MEAN_FACTOR = 1.6;
/**
 * Deviations up to this share of the largest sample count as 0: the chromas of a grey image in three channels contain only the
 * rounding errors of float64.
 */
const ROUNDING = 1e-14;
/** The progress after blocks are sorted by brightness. */
const SORTED = 0.2;
/** The largest exponent of a scale, so that the scale and its reciprocal are finite. */
const LARGEST_EXPONENT = 1000;

/** When a weak bin is ignored: in deep shadows always, in highlights if its noise is uneven, otherwise never. */
type End = 'always' | 'uneven' | 'never';

/** What {@link colouredNoise} needs in addition to the planes. */
export interface SpectrumOptions {
  /** The full scale, such as 255: it defines shadows and highlights. */
  readonly peak: number;
  /** The channels of the image before decorrelation, to leave out clipped blocks. @default no block is left out */
  readonly original?: readonly Samples[];
  /** The JPEG that the image was: the noise is then measured on the blocks of its grid. @default none */
  readonly jpeg?: JpegInfo;
  /** Marks the areas without noise (`../constant-areas.ts`), to leave them out. @default none */
  readonly constant?: Uint8Array;
  /** The largest number of blocks that are used. @default 30000 */
  readonly blocks?: number;
}

/** The noise of one plane. */
export interface PlaneSpectrum {
  /** `deviations[b][8 * v + u]`: the deviation at brightness b of the frequency with u half waves along a row, v along a column. */
  readonly deviations: readonly Float64Array[];
  /** R at each brightness: about 1 where the flattest blocks contain noise, 1.4 and more where they contain texture. */
  readonly ratios: readonly number[];
  /** The index of the brightness whose spectrum was used. */
  readonly anchor: number;
  /**
   * From 0 to 1: min(1, 1.2/R) of the anchor. 1 means that flat areas were found. Less means that there were none, and the
   * deviations are below the measured ones.
   */
  readonly confidence: number;
  /** The share of the measured deviations that is used: less than 1 if they may contain texture. */
  readonly believed: number;
  /** The share of blocks with structure above the noise, from 0 in a flat picture to 1 in one that is sharp everywhere. */
  readonly structure: number;
  /** The deviation at middle frequencies, 2 ≤ r < 5, root mean square over brightness. */
  readonly middle: number;
  /** The same at 3 ≤ r < 5, which coarse texture does not reach. White noise has the same deviation at the finest frequencies. */
  readonly reference: number;
  /** The same at the finest frequencies, r > 6. */
  readonly finest: number;
  /**
   * An upper bound of the deviation at the lowest frequencies, r < 2, as measured in the flattest blocks. It includes shading and
   * texture.
   */
  readonly coarsest: number;
}

/** The noise of an image by frequency and brightness. */
export interface SpectrumEstimate {
  /** The brightnesses at which deviations are known, in increasing order: means of blocks of the first plane. */
  readonly brightness: readonly number[];
  /** The noise of each plane. */
  readonly planes: readonly PlaneSpectrum[];
  /** The number of blocks used: 0 for an image smaller than a block. */
  readonly blocks: number;
}

/**
 * Estimates the noise of planes as `decorrelate` returns them: luma and two chromas, or any other number of planes, each by
 * itself. The result is deterministic, and deviations scale with the image. An offset of the samples matters only for what counts
 * as shadows and highlights.
 */
export function* colouredNoise(
  planes: readonly Samples[],
  width: number,
  height: number,
  { peak, original = [], jpeg, constant, blocks: most = MOST_BLOCKS }: SpectrumOptions,
): Work<SpectrumEstimate> {
  const bins = yield* part(brightnessBins(planes[0], original, width, height, jpeg, most, constant), 0, SORTED);
  if (bins.length === 0) return nothingKnown(planes.length);
  const sampling = samplingFor(jpeg);
  const isColour = planes.length === 3;
  // Luma is √3 times the mean of R, G and B.
  const full = isColour ? Math.sqrt(3) * peak : peak;
  const ends = bins.map(({ brightness }): End => {
    if (brightness < CRUSHED.dark * full) return 'always';
    // Not the paper of a scanned page, which is bright too: its noise is even.
    return brightness > CRUSHED.bright * full ? 'uneven' : 'never';
  });
  const squares = new Float64Array(FREQUENCIES * Math.max(...bins.map(({ at }) => at.length)));
  const centredPlanes: CentredPlane[] = [];
  for (const samples of planes) centredPlanes.push(yield* part(centred(samples, width), SORTED, SORTED));
  const rounding = ROUNDING * Math.max(...centredPlanes.map(({ mean, scale }) => Math.abs(mean) + 2 / scale));
  const blocks = bins.reduce((sum, { at }) => sum + at.length, 0);
  const steps = jpeg && jpegSteps(jpeg, planes.length, peak / JPEG_PEAK);
  const found: PlaneSpectrum[] = [];
  for (const [c, plane] of centredPlanes.entries()) {
    const least = (rounding * plane.scale) ** 2;
    const measured: Flattest[] = [];
    for (const [b, { at }] of bins.entries()) {
      const share = (n: number) => SORTED + ((1 - SORTED) * n) / (planes.length * bins.length);
      const n = c * bins.length + b;
      const { variance, ...rest } = yield* part(flattest(plane, at, sampling, squares), share(n), share(n + 1));
      measured.push({ variance: variance.map((value) => (value > least ? value : 0)), ...rest });
    }
    const structure: StructureOf = (deviations) => structureOf(measured, deviations, steps?.[c], plane.scale);
    const unlimited = planeSpectrum(measured, ends, isColour && c > 0, plane.scale, structure);
    const spectrum = steps && measured.some(isEmpty) ? belowSteps(unlimited, steps[c]) : unlimited;
    found.push({ ...spectrum, structure: structure(spectrum.deviations) });
  }
  if (isColour && steps) found[0] = atMost(found[0], whiteLimit(found, steps[0], blocks >= TEXTURE.blocks));
  else if (isColour) found[0] = corrected(found[0], chromaEvidence(found));
  return {
    brightness: bins.map(({ brightness }) => brightness),
    planes: found,
    blocks,
  };
}

/** The estimate of an image that is smaller than a block. */
function nothingKnown(channels: number): SpectrumEstimate {
  const deviations = [new Float64Array(FREQUENCIES)];
  const levels = { middle: 0, reference: 0, finest: 0, coarsest: 0 };
  const plane: PlaneSpectrum = {
    deviations,
    ratios: [1],
    anchor: 0,
    confidence: 0,
    believed: 1,
    structure: 0,
    ...levels,
  };
  return { brightness: [0], planes: Array.from({ length: channels }, () => plane), blocks: 0 };
}

/** The plane about its mean, scaled exactly by a power of two to magnitudes up to 2, so that squares neither overflow nor underflow. */
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

/** The spectrum of a plane from all of its bins. */
function planeSpectrum(
  bins: readonly Flattest[],
  ends: readonly End[],
  isChroma: boolean,
  scale: number,
  structure: StructureOf,
): Omit<PlaneSpectrum, 'structure'> {
  const lowMost = isChroma ? LOW_MOST.chroma : LOW_MOST.luma;
  const ratios = bins.map(({ ratio }) => ratio);
  const { anchor, like } = anchorOf(bins, ends);
  const confidence = Math.min(1, BELIEVABLE / ratios[anchor]);
  const measured = geometricMean(like.map((b) => bins[b].variance));
  const levels = levelsOf(bins, measured, like);
  const variances = smoothed(levels.map((level) => limited(measured, level, lowMost)));
  const whole = variances.map((variance) => variance.map((value) => Math.sqrt(value) / scale));
  const blocks = bins.reduce((sum, { energies }) => sum + energies.length, 0);
  const isCertain = confidence === 1 || isChroma || blocks < TEXTURE.blocks;
  const believed = isCertain ? confidence : belief(ratios[anchor], softness(structure(whole)));
  const deviations = whole.map((at) => at.map((value) => believed * value));
  const level = levels.reduce((sum, value) => sum + value, 0) / levels.length;
  const coarsest = Math.sqrt(level * meanOver(measured, LOW)) / scale;
  return { deviations, ratios, anchor, confidence, believed, coarsest, ...bandsOf(deviations) };
}

/** Whether a JPEG has rounded the flattest blocks of a brightness to one value. */
function isEmpty({ variance }: Flattest): boolean {
  return meanOver(variance, MIDDLE) === 0;
}

/**
 * The spectrum of a JPEG in which blocks of some brightness are empty. Noise above a quarter of a step would have left something in them; what
 * the other blocks have in common beyond that is texture, such as that of text.
 */
function belowSteps<Plane extends Pick<PlaneSpectrum, 'deviations' | 'coarsest'>>(
  plane: Plane,
  steps: Float64Array,
): Plane {
  const deviations = plane.deviations.map((at) => at.map((value, f) => Math.min(value, EMPTY_STEPS * steps[f])));
  const coarsest = Math.min(plane.coarsest, EMPTY_STEPS * Math.max(...LOW.map((f) => steps[f])));
  return { ...plane, deviations, coarsest, ...bandsOf(deviations) };
}

/** The share of blocks with structure above noise of these deviations. */
type StructureOf = (deviations: readonly Float64Array[]) => number;

/** The share of blocks whose energy shows structure above the noise and the steps of a JPEG. */
function structureOf(
  bins: readonly Flattest[],
  deviations: readonly Float64Array[],
  steps: Float64Array | undefined,
  scale: number,
): number {
  let [blocks, structured] = [0, 0];
  for (const [b, { energies }] of bins.entries()) {
    const noise = deviations[b].map(
      (value, f) => (scale * Math.hypot(value, STEP_SHARE.luma * (steps?.[f] ?? 0))) ** 2,
    );
    const limit = STRUCTURE * meanOver(noise, REFERENCE);
    blocks += energies.length;
    for (const energy of energies) if (energy > limit) structured++;
  }
  return structured / blocks;
}

/** The level of deviations in the bands that are reported. */
function bandsOf(deviations: readonly Float64Array[]): Pick<PlaneSpectrum, 'middle' | 'reference' | 'finest'> {
  const [middle, reference, finest] = [MIDDLE, REFERENCE, FINEST].map((band) => levelOver(deviations, band));
  return { middle, reference, finest };
}

/** Multiplies all deviations of a plane by a factor. */
export function times(plane: PlaneSpectrum, factor: number): PlaneSpectrum {
  const deviations = plane.deviations.map((at) => at.map((value) => factor * value));
  return { ...plane, deviations, ...bandsOf(deviations) };
}

/** Multiplies the deviations of a plane by a factor for every frequency. */
function corrected(plane: PlaneSpectrum, factors: Float64Array): PlaneSpectrum {
  const deviations = plane.deviations.map((at) => at.map((value, f) => factors[f] * value));
  return { ...plane, deviations, ...bandsOf(deviations) };
}

/** Limits the deviations of a spectrum; the limit of the mean is larger by its factor. */
function atMost(plane: PlaneSpectrum, limit: number): PlaneSpectrum {
  const deviations = plane.deviations.map((at) =>
    at.map((value, f) => Math.min(value, f === 0 ? MEAN_FACTOR * limit : limit)),
  );
  return { ...plane, deviations, coarsest: Math.min(plane.coarsest, limit), ...bandsOf(deviations) };
}

/**
 * The share of the measured deviations of luma that is used if the flattest blocks have R > 1.2. In a soft picture even texture is weak,
 * and R > 1.2 mostly means that the noise is uneven: the share falls slowly, to a half. In a sharp picture it is likely to be texture.
 */
function belief(ratio: number, soft: number): number {
  const [whole, none] = [TEXTURE.soft, TEXTURE.sharp].map(({ fall, least }) => {
    return Math.max(least, 1 - fall * (ratio - BELIEVABLE));
  });
  return none + soft * (whole - none);
}

/** How soft a picture with this share of blocks with structure is: from 0 for a sharp one to 1. */
export function softness(structure: number): number {
  return Math.min(1, Math.max(0, (SOFT.sharp - structure) / (SOFT.sharp - SOFT.most)));
}

/** The anchor, and the bins of the same level whose spectra are averaged with it. */
function anchorOf(bins: readonly Flattest[], ends: readonly End[]): { anchor: number; like: number[] } {
  const level = bins.map(({ variance }) => Math.sqrt(meanOver(variance, MIDDLE)));
  const median = quantile(Float64Array.from(level), 0.5);
  const kept = [...bins.keys()].filter((b) => {
    const isUneven = bins[b].ratio > BELIEVABLE;
    return !(level[b] < CRUSHED.level * median && (ends[b] === 'always' || (ends[b] === 'uneven' && isUneven)));
  });
  const lowest = (among: readonly number[]) => among.reduce((best, b) => (level[b] < level[best] ? b : best));
  // No camera compresses its noise that much: the others are text or texture.
  const isDoubtful = doubtfulBins(bins, level);
  const some = [...bins.keys()].filter((b) => level[b] > 0 && !isDoubtful[b]);
  const isPlausible =
    some.length === 0 || (kept.length > 0 && level[lowest(kept)] <= MOST_COMPRESSED * level[lowest(some)]);
  const asked = isPlausible ? kept : [...bins.keys()];
  // Areas without any noise were drawn, not photographed: they contain no information about the others.
  const photographed = asked.filter((b) => level[b] > 0 && !isDoubtful[b]);
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

/** exp(mean of log), frequency by frequency; 0 for the mean of the block. */
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

/** The spectrum times a level, with limited low frequencies and the variance of the mean. */
function limited(spectrum: Float64Array, level: number, lowMost: number): Float64Array {
  const variance = spectrum.map((value) => value * level);
  const most = lowMost ** 2 * meanOver(variance, RING);
  for (const f of LOW) variance[f] = Math.min(variance[f], most);
  variance[0] = MEAN_FACTOR ** 2 * Math.max(variance[1], variance[SIDE]);
  return variance;
}

/** Smooths by (1 2 1)/4 over brightness; the first and the last stay as they are. */
function smoothed(variances: readonly Float64Array[]): readonly Float64Array[] {
  return variances.map((variance, b) => {
    if (b === 0 || b === variances.length - 1) return variance;
    const [before, after] = [variances[b - 1], variances[b + 1]];
    return variance.map((value, f) => (before[f] + 2 * value + after[f]) / 4);
  });
}
