/** Impulses and banding are removed before the noise. They are found in the whole image or in a sample, and removed part by part. */

import type { Image, Samples } from '../../image/image.js';
import { allOf, cut, type Part, type Rectangle } from '../../image/rectangle.js';
import { type BandingReport, type BandOffsets, findBanding, withoutBanding } from '../../noise/banding/banding.js';
import {
  findImpulses,
  IMPULSE_REACH,
  type ImpulseReport,
  type ImpulseRule,
  impulseReport,
  impulsesByRule,
  withoutImpulses,
} from '../../noise/impulses/impulses.js';
import type { Work } from '../../work.js';
import type { DenoiseSettings } from './options.js';

/** Whether banding was searched, and if not, why: it is switched off, or the image is too large to be read as a whole. */
export const bandingSearches = ['done', 'off', 'image-too-large'] as const;

/** The row and column offsets that were removed from an image. */
export interface RemovedBanding extends Pick<BandingReport, 'rows' | 'columns'> {
  /** Whether offsets were searched: `done`, `off` by the options, or not because the whole image is too large to be read at once. */
  readonly search: (typeof bandingSearches)[number];
}

/** The impulses that were replaced in an image. */
export type RemovedImpulses = Omit<ImpulseReport, 'sites'>;

/** The defects of an image; plain data. */
export interface Defects extends BandOffsets {
  /** How impulses are found in each plane; null for a plane without impulses. */
  readonly impulses: readonly (ImpulseRule | null)[];
  /** The strength of row and column offsets. */
  readonly banding: RemovedBanding;
}

/** An image, or a part of one, without defects. */
export interface Repaired {
  readonly planes: readonly Samples[];
  /** The number of impulses that were replaced. */
  readonly impulses: number;
}

const NO_BANDING: BandingReport = { rows: 0, columns: 0, rowOffsets: [], columnOffsets: [] };

/**
 * The defects of an image, and the image without them. For a large image a sample is searched; it has no whole rows and columns, so
 * banding is not found.
 */
export function* findDefects(
  image: Image,
  isWhole: boolean,
  settings: Pick<DenoiseSettings, 'impulses' | 'banding'>,
): Work<Repaired & { readonly defects: Defects }> {
  const { width, height } = image;
  let { planes } = image;
  const found = settings.impulses ? yield* findImpulses(planes, width, height) : undefined;
  if (found && found.count > 0) planes = yield* withoutImpulses(planes, width, height, found);
  const search = !settings.banding ? 'off' : isWhole ? 'done' : 'image-too-large';
  const bands = search === 'done' ? yield* findBanding(planes, width, height) : NO_BANDING;
  planes = yield* withoutBanding(planes, allOf(image), bands);
  const [rowOffsets, columnOffsets] = [bands.rowOffsets, bands.columnOffsets].map((all) =>
    all.map((some) => some ?? null),
  );
  const banding: RemovedBanding = { rows: bands.rows, columns: bands.columns, search };
  // A sample may have no impulse by chance, a whole plane does not.
  const impulses = planes.map((_, c) => (found && !(isWhole && found.sites[c].length === 0) ? found.rules[c] : null));
  const count = found ? countOf(found.sites, (i) => image.alpha?.[i] !== 0) : 0;
  return { planes, impulses: count, defects: { impulses, rowOffsets, columnOffsets, banding } };
}

/** How far a part without defects depends on samples around it. */
export function defectReach({ impulses }: Defects): number {
  return impulses.some((rule) => rule !== null) ? IMPULSE_REACH : 0;
}

/**
 * The rectangle `kept` of a part of an image without its defects. The part has {@link defectReach} more samples on each side. Impulses are
 * counted where the opacity is not 0.
 */
export function* withoutDefects(
  { at, planes }: Part,
  defects: Defects,
  kept: Rectangle,
  alpha?: Samples,
): Work<Repaired> {
  const { width, height } = at;
  const sites = yield* impulsesByRule(planes, width, height, defects.impulses);
  const filled = yield* withoutImpulses(planes, width, height, { sites });
  const repaired = filled.map((plane, c) => {
    // All parts of a plane with impulses have the same type.
    const same = plane === planes[c] && defects.impulses[c] && !(plane instanceof Float64Array);
    return cut(same ? Float32Array.from(plane) : plane, at, kept);
  });
  const inside = (i: number) => {
    const [x, y] = [at.left + (i % width) - kept.left, at.top + Math.floor(i / width) - kept.top];
    return alpha?.[i] !== 0 && x >= 0 && x < kept.width && y >= 0 && y < kept.height;
  };
  return { planes: yield* withoutBanding(repaired, kept, defects), impulses: countOf(sites, inside) };
}

/** The number of impulses at some places. */
export function countOf(sites: ImpulseReport['sites'], counts: (i: number) => boolean): number {
  return sites.reduce((sum, some) => sum + some.filter(counts).length, 0);
}

/** Whether an image has defects, given the number of its impulses. */
export function hasDefects({ banding }: Defects, impulses: number): boolean {
  return impulses > 0 || banding.rows > 0 || banding.columns > 0;
}

/** The report on the impulses of planes of this many pixels, each of which stands for `copies` equal planes. */
export function impulsesOf({ impulses }: Defects, count: number, pixels: number, copies: number): RemovedImpulses {
  return impulseReport(impulses, copies * count, copies * pixels * impulses.length);
}
