/**
 * Impulses: single samples that contain no information about the picture, such as salt and pepper, hot and dead pixels, and random
 * values. Each plane is searched independently, first as a whole, then sample by sample. Every threshold is a ratio of differences,
 * so neither the scale nor the offset of the samples matters.
 *
 * Is there a population of impulses? A sample x stands out from its eight neighbours, whose range is R = max − min, by
 *
 *     g = (x − max) / R  if x > max        g = (min − x) / R  if x < min        (Dixon's ratio)
 *
 * Only neighbours that vary (R > 0) and are not clipped (none at the least or greatest value of the plane) count. So flat
 * drawings, halftones, stars on black and clipped noise have no such samples. Bright and dark samples are counted separately:
 * N(a) is the number with g ≥ a.
 *
 * - One value (salt, or pepper). L is the most frequent value among samples with g ≥ 1.5, K is its count, and B is the number of
 *   others that are nearer to L than to their neighbours. The tail of a noise decreases, so it has B > K. A plane has impulses of
 *   one value if K exceeds B by a factor of 4.
 * - Any value. In Gaussian noise N falls at least as a^−8, in photographs about as a^−3. So N(2a) should be no more than an eighth
 *   of N(a). A plane has impulses of any value if, for a = 2 or 4, N(2a) is more than a third of N(a).
 *
 * In both cases the excess must be significant: with n samples, k of them counted, and q the largest expected share,
 * P(Binomial(n, q) ≥ k) < exp(−n·KL(k/n ‖ q)) (Chernoff) must be below 10⁻⁶. The samples must also be spread at random: over a
 * grid of cells, χ² = Σ (k − e)²/e against the expected counts e, per degree of freedom, is about 1 for independent sites. It is far
 * less for a regular pattern, and far more for a texture or for text in one part of the picture.
 *
 * Which samples are impulses? A sample of the value L is one if it is less likely to be a sample of the picture. With the
 * median m and the mean absolute deviation s of the good samples around it,
 *
 *     p > ½ exp(−2 |L − m| / s)
 *
 * where p is the share of impulses. Where L is more frequent within 7×7 samples than p explains (by 4 deviations), it belongs to
 * the picture, such as a white sky. A sample of any other value is an impulse if its distance from the median of its neighbours is
 * more than 5 times their scale, and if at most one of them is similar to it. So lines and edges are kept.
 */
import type { Samples } from '../../image/image.js';
import type { Work } from '../../work.js';
import { FILL_REACH, filled } from './fill.js';
import { type Level, populations, type Sign } from './population.js';
import { SEARCH_REACH, samplesOfAnyValue, samplesOfLevels } from './samples.js';

/** The kind of impulses in an image. */
export type ImpulseKind = 'none' | 'salt-and-pepper' | 'hot pixels' | 'impulses';

/** The impulses of an image. */
export interface ImpulseReport {
  /** The number of samples that are impulses, in all planes together. */
  readonly count: number;
  /** Their share of all samples. */
  readonly fraction: number;
  /** Salt and pepper have one value each, hot (or dead) pixels are few, and all others are called impulses. */
  readonly kind: ImpulseKind;
  /** The indices of the impulses in each plane, in increasing order. */
  readonly sites: readonly Uint32Array[];
}

/** Which samples of a plane are impulses, as found in the whole plane or in a sample of it; plain data. */
export interface ImpulseRule {
  readonly levels: readonly Level[];
  readonly signs: readonly Sign[];
  /** The smallest scale of impulses of any value, per round of the search. */
  readonly floors: readonly number[];
}

/** How far a plane without impulses depends on samples of the plane with them. */
export const IMPULSE_REACH = SEARCH_REACH + FILL_REACH;

/** Below this share of the samples, impulses of one sign are called hot pixels. */
const HOT_PIXEL_SHARE = 0.005;

/** Finds the impulses of each plane, and the rule that finds them in a part of it. The planes are not changed. */
export function* findImpulses(
  planes: readonly Samples[],
  width: number,
  height: number,
): Work<ImpulseReport & { readonly rules: readonly (ImpulseRule | null)[] }> {
  const sites: Uint32Array[] = [];
  const rules: (ImpulseRule | null)[] = [];
  for (const plane of planes) {
    const population = yield* populations(plane, width, height);
    const any = population.levels.length > 0 || population.signs.length > 0;
    const found = any ? yield* search(plane, width, height, population) : { sites: new Uint32Array(0), floors: [] };
    sites.push(found.sites);
    rules.push(any ? { ...population, floors: found.floors } : null);
  }
  const count = sites.reduce((sum, { length }) => sum + length, 0);
  return { ...impulseReport(rules, count, planes.length * width * height), sites, rules };
}

/** The impulses of each plane of a part of an image by the rules of the whole. */
export function* impulsesByRule(
  planes: readonly Samples[],
  width: number,
  height: number,
  rules: readonly (ImpulseRule | null)[],
): Work<Uint32Array[]> {
  const sites: Uint32Array[] = [];
  for (const [c, plane] of planes.entries()) {
    const rule = rules[c];
    sites.push(rule ? (yield* search(plane, width, height, rule, rule.floors)).sites : new Uint32Array(0));
  }
  return sites;
}

function* search(
  plane: Samples,
  width: number,
  height: number,
  { levels, signs }: Pick<ImpulseRule, 'levels' | 'signs'>,
  given?: readonly number[],
): Work<{ readonly sites: Uint32Array; readonly floors: readonly number[] }> {
  const found = new Uint8Array(plane.length);
  if (levels.length > 0) yield* samplesOfLevels(plane, width, height, levels, found);
  const floors = signs.length > 0 ? yield* samplesOfAnyValue(plane, width, height, signs, found, given) : [];
  return { sites: marked(found), floors };
}

/** The report on impulses that were found by rules, `count` in all of the samples. */
export function impulseReport(
  rules: readonly (ImpulseRule | null)[],
  count: number,
  samples: number,
): Omit<ImpulseReport, 'sites'> {
  const signs = rules.flatMap((rule) => [...(rule?.levels ?? []).map(({ sign }) => sign), ...(rule?.signs ?? [])]);
  const ofOneValue = rules.some((rule) => rule !== null && rule.levels.length > 0);
  const fraction = count / samples;
  const few = fraction < HOT_PIXEL_SHARE && !(ofOneValue && signs.includes(1) && signs.includes(-1));
  const kind = count === 0 ? 'none' : few ? 'hot pixels' : ofOneValue ? 'salt-and-pepper' : 'impulses';
  return { count, fraction, kind };
}

/** The planes with impulses interpolated from their neighbours. All other samples, and planes without impulses, stay as they are. */
export function* withoutImpulses(
  planes: readonly Samples[],
  width: number,
  height: number,
  { sites }: Pick<ImpulseReport, 'sites'>,
): Work<Samples[]> {
  const without: Samples[] = [];
  for (const [c, plane] of planes.entries()) {
    without.push(sites[c].length === 0 ? plane : yield* filled(plane, width, height, sites[c]));
  }
  return without;
}

/** The indices that are marked. */
function marked(found: Uint8Array): Uint32Array {
  const indices = new Uint32Array(found.reduce((sum, mark) => sum + mark, 0));
  for (let i = 0, k = 0; i < found.length; i++) if (found[i]) indices[k++] = i;
  return indices;
}
