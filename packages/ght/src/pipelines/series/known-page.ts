/**
 * What is known about a page of a series. It depends on the page and the one before it alone, so it is the same for any parts and any
 * window.
 */
import type { Motion } from '../../denoisers/denoiser.js';
import type { Image, Samples } from '../../image/image.js';
import { allOf, type Rectangle } from '../../image/rectangle.js';
import { drive, type Work } from '../../work.js';
import { toAxes } from '../denoise/axes.js';
import type { TileDivision } from '../denoise/context.js';
import { findDefects } from '../denoise/defects.js';
import type { DenoiseSettings } from '../denoise/options.js';
import { type Known, type PartReader, partReader, WholeReader } from '../denoise/parts.js';
import { measuredParts } from '../denoise/plan.js';
import { areAlike } from './alike.js';
import type { SeriesFindings } from './diagnosis.js';
import { isSteady, noiseLevel } from './level.js';
import { motionOf } from './motion.js';
import { type ReadPair, type SeriesPage, sampleOf } from './page.js';
import { fixedRemoved } from './pattern.js';

/** A page, and what is known about it. */
export interface KnownPage<P extends SeriesPage = SeriesPage> {
  readonly page: P;
  readonly reader: PartReader;
  readonly known: Known;
  readonly impulses: number;
  /** The level of the noise of each plane by which pages are compared; none if the noise was given. */
  readonly levels: readonly number[];
  /** Whether it has the noise of the page before it, and whether it is like that page: then both may be in one volume. */
  readonly steady: boolean;
  readonly alike: boolean;
  /** How it moves from there; undefined for the first page. */
  readonly motion?: Motion;
}

/** Reads a page, and finds what is to be known about it. */
export async function knownPage<P extends SeriesPage>(
  page: P,
  before: KnownPage<P> | undefined,
  { range, estimate, bands, fixed, given: framed, repaired: found }: SeriesFindings,
  settings: DenoiseSettings,
  tiles: TileDivision | undefined,
): Promise<KnownPage<P>> {
  const watch = { signal: settings.planes.signal };
  const { image, whole, given } = await sampleOf(page, range, settings.sampled, watch);
  const first = fixed && fixedRemoved(fixed, page);
  function* repairedPage() {
    const even = first ? yield* first.without({ at: allOf(page), planes: image.planes }) : image.planes;
    return yield* findDefects({ ...image, planes: even }, whole, settings);
  }
  const { defects, planes, impulses: count } = found.get(page) ?? (await drive(repairedPage(), watch));
  found.delete(page);
  const repaired = { planes, impulses: count };
  const known = { range, peak: page.peak, defects, estimate, bands };
  const parts = measuredParts({ tiles, image: page });
  const reader = tiles ? partReader(page, first) : new WholeReader(page, first);
  if (reader instanceof WholeReader && whole) reader.keep({ ...repaired, given, peak: image.peak });
  let impulses = 0;
  if (defects.impulses.some((rule) => rule !== null)) {
    for (const at of parts) impulses += (await reader.clean(known, at, watch.signal)).impulses;
  }
  const levels = settings.given ? [] : await drive(levelsOf(repaired.planes, image, known), watch);
  const steady = !before || levels.every((level, c) => isSteady(before.levels[c], level));
  const axes = async (of: Pick<KnownPage, 'reader' | 'known'>, at: Rectangle) =>
    compared((await of.reader.axes(of.known, at, undefined, watch.signal)).axes, known);
  const own = { page, reader, known, impulses, levels, steady };
  if (!before) return { ...own, alike: false };
  const pair: ReadPair = async (at) => [await axes(before, at), await axes(own, at)];
  const motion = await motionOf(pair, parts, page, framed.frame, watch);
  const alike = steady && (await areAlike(pair, parts, page, framed.frame, motion, watch));
  return { ...own, motion, alike };
}

/** The axes by which pages are compared: all bands, or the first of colours. */
function compared(axes: readonly Samples[], { bands }: Known): readonly Samples[] {
  return bands ? axes : axes.slice(0, 1);
}

/** The levels of the noise of a page, or of a sample of it. */
function* levelsOf(planes: readonly Samples[], size: Image, known: Known): Work<number[]> {
  const levels: number[] = [];
  for (const axis of compared(yield* toAxes(planes, known.estimate.model, known.bands), known)) {
    levels.push(yield* noiseLevel(axis, size));
  }
  return levels;
}
