/**
 * What is known about a page of a series. It depends on the page and the one before it alone, so it is the same for any parts and any
 * window.
 */
import type { Motion } from '../../denoisers/denoiser.js';
import type { Image, Samples } from '../../image/image.js';
import { allOf, type Rectangle } from '../../image/rectangle.js';
import { drive } from '../../work.js';
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
  /** The level of its noise; 0 if the noise was given. */
  readonly level: number;
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
  { range, estimate, bands, fixed, given: framed }: SeriesFindings,
  settings: DenoiseSettings,
  tiles: TileDivision | undefined,
): Promise<KnownPage<P>> {
  const watch = { signal: settings.planes.signal };
  const { image, whole, given } = await sampleOf(page, range, settings.sampled, watch);
  const first = fixed && fixedRemoved(fixed, page);
  const planes = first ? await drive(first.without({ at: allOf(page), planes: image.planes }), watch) : image.planes;
  const { defects, ...repaired } = await drive(findDefects({ ...image, planes }, whole, settings), watch);
  const known = { range, peak: page.peak, defects, estimate, bands };
  const parts = measuredParts({ tiles, image: page });
  const reader = tiles ? partReader(page, first) : new WholeReader(page, first);
  if (reader instanceof WholeReader && whole) reader.keep({ ...repaired, given, peak: image.peak });
  let impulses = 0;
  if (defects.impulses.some((rule) => rule !== null)) {
    for (const at of parts) impulses += (await reader.clean(known, at, watch.signal)).impulses;
  }
  const level = settings.given ? 0 : await drive(levelOf(repaired.planes, image, known), watch);
  const steady = !before || isSteady(before.level, level);
  const firstAxis = async (of: Pick<KnownPage, 'reader' | 'known'>, at: Rectangle) =>
    (await of.reader.axes(of.known, at, undefined, watch.signal)).axes[0];
  const own = { page, reader, known, impulses, level, steady };
  if (!before) return { ...own, alike: false };
  const pair: ReadPair = async (at) => [await firstAxis(before, at), await firstAxis(own, at)];
  const motion = await motionOf(pair, parts, page, framed.frame, watch);
  const alike = steady && (await areAlike(pair, parts, page, framed.frame, motion, watch));
  return { ...own, motion, alike };
}

/** The level of the noise in the first axis of a page or a sample of it. */
function* levelOf(planes: readonly Samples[], size: Image, { estimate, bands }: Known) {
  const [axis] = yield* toAxes(planes, estimate.model, bands);
  return yield* noiseLevel(axis, size);
}
