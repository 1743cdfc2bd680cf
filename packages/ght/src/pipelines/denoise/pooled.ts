/**
 * The diagnosis of several images with the same noise. The defects of each are removed; then windows of all of them are put together,
 * and their noise is estimated. Nothing depends on the order of the images.
 */
import { InputError } from '../../errors.js';
import { checkShape, type Image } from '../../image/image.js';
import { POOLED_SIDE, PooledSample } from '../../image/pooled-sample.js';
import { allOf, cut } from '../../image/rectangle.js';
import { sampledImage, sampleLayout } from '../../image/sample.js';
import { imageExponent, shifted, shiftedImage } from '../../image/scale.js';
import { jpegOf, type NoiseEstimate, type NoiseSought, noiseOf, shiftedEstimate } from '../../noise/estimate.js';
import type { JpegInfo } from '../../noise/model.js';
import { drive, part, type Watch, type Work } from '../../work.js';
import { findDefects, impulsesOf, type RemovedBanding, type RemovedImpulses } from './defects.js';
import type { DiagnosisSettings } from './diagnosis.js';
import { type Diagnosis, mergeRanges, scanRange } from './findings.js';
import { withoutMissing } from './missing.js';
import { visibleIn } from './opacity.js';

/** One of several images; with the JPEG that its file is, if that was read. */
export type PooledImage = Image | { readonly image: Image; readonly jpeg?: JpegInfo };

/** The defects of one of several images. */
interface OwnDefects {
  readonly impulses: RemovedImpulses;
  readonly banding: RemovedBanding;
  /** The number of samples in all planes. */
  readonly samples: number;
}

/** The common diagnosis of several images, which are taken one after the other. */
export async function diagnosePooled(
  images: Iterable<PooledImage> | AsyncIterable<PooledImage>,
  settings: DiagnosisSettings,
  { signal, onFraction }: Watch,
): Promise<Diagnosis> {
  const sample = new PooledSample();
  const { jpeg } = settings.estimate;
  const found: (JpegInfo | undefined)[] = [];
  const defects: OwnDefects[] = [];
  let first: Image | undefined;
  for await (const each of images) {
    const { image: given, jpeg: read } = isFile(each) ? each : { image: each, jpeg: undefined };
    checkShape(given);
    const image = await drive(visible(given, settings), { signal });
    first ??= image;
    checkFits(image, first, found.length);
    const known = typeof jpeg === 'object' ? jpeg : read;
    const own = jpeg === 'off' ? undefined : (known ?? (await drive(jpegOf(image), { signal })));
    found.push(own);
    defects.push(await drive(addRepaired(sample, image, settings, own?.origin), { signal }));
  }
  const image = first && sample.image(first.peak);
  if (!image) throw new InputError('images', 'must hold at least one image', 'none', 'give a list of images');
  const common = commonJpeg(found);
  // The windows begin where the grid of their image does.
  const sought = { ...settings.estimate, jpeg: common ? { ...common, origin: [0, 0] as const } : ('off' as const) };
  const estimate = await drive(inUsualUnits(image, sought), { signal, onFraction });
  return { ...estimate, impulses: allImpulses(defects), banding: allBanding(defects) };
}

/** A checked image without what is in transparent pixels, and without missing samples. */
function* visible(given: Image, { missing }: DiagnosisSettings): Work<Image> {
  const image = missing ? (yield* withoutMissing(given)).image : given;
  return yield* visibleIn(
    image,
    mergeRanges([yield* scanRange({ at: allOf(image), planes: image.planes }, image.alpha)]),
  );
}

function isFile(each: PooledImage): each is Exclude<PooledImage, Image> {
  return typeof each === 'object' && each !== null && 'image' in each;
}

/** Adds the windows of an image without its defects, and returns those. */
function* addRepaired(
  sample: PooledSample,
  image: Image,
  settings: DiagnosisSettings,
  origin: JpegInfo['origin'],
): Work<OwnDefects> {
  const e = yield* imageExponent(image);
  const layout = sampleLayout(image, settings.sampled);
  const some = sampledImage(image, layout);
  const working = e === 0 ? some : yield* shiftedImage(some, -e);
  const { planes, impulses, defects } = yield* part(findDefects(working, layout.whole, settings), 0, 0.9);
  const repaired = e === 0 ? { ...working, planes } : yield* shiftedImage({ ...working, planes }, e);
  // The windows of the sample of a large image are not next to each other in the image.
  for (const { to } of layout.windows) {
    const window = repaired.planes.map((plane) => cut(plane, allOf(layout.size), to));
    yield* sample.add({ ...repaired, ...to, planes: window }, origin);
  }
  const { rows, columns, search } = defects.banding;
  const { width, height } = layout.size;
  return {
    impulses: impulsesOf(defects, impulses, width * height, 1),
    banding: { rows: shifted(rows, e), columns: shifted(columns, e), search },
    samples: planes.length * width * height,
  };
}

/** The impulses of all images; the kind is that of the most of them. */
function allImpulses(each: readonly OwnDefects[]): RemovedImpulses {
  const sum = (some: readonly OwnDefects[]) => some.reduce((total, { impulses }) => total + impulses.count, 0);
  const kinds = [...new Set(each.map(({ impulses }) => impulses.kind))].sort();
  const countOf = (kind: string) => sum(each.filter(({ impulses }) => impulses.kind === kind));
  const kind = kinds.reduce((most, other) => (countOf(other) > countOf(most) ? other : most));
  const count = sum(each);
  return { kind, count, fraction: count / each.reduce((total, { samples }) => total + samples, 0) };
}

/** The strongest offsets of all images. */
function allBanding(each: readonly OwnDefects[]): RemovedBanding {
  const searches = each.map(({ banding }) => banding.search);
  return {
    rows: Math.max(...each.map(({ banding }) => banding.rows)),
    columns: Math.max(...each.map(({ banding }) => banding.columns)),
    search: searches.find((search) => search !== 'done') ?? 'done',
  };
}

function checkFits({ width, height, planes, peak }: Image, first: Image, i: number): void {
  if (planes.length !== first.planes.length) {
    const rule = `must have ${first.planes.length} planes, as the first of the images`;
    const remedy = 'diagnose grey and colour images separately';
    throw new InputError(`images[${i}]`, rule, planes.length, remedy);
  }
  if (peak !== first.peak) {
    const rule = `must have the peak ${first.peak}, as the first of the images`;
    throw new InputError(`images[${i}]`, rule, peak, 'scale the samples, or diagnose it separately');
  }
  if (Math.min(width, height) < POOLED_SIDE) {
    const rule = `must have at least ${POOLED_SIDE}×${POOLED_SIDE} pixels to be one of several`;
    throw new InputError(`images[${i}]`, rule, `${width}×${height}`, 'leave it out, or give it alone');
  }
}

/** The tables that most images have; undefined if most have none. Of as many, the first in the order of their text. */
function commonJpeg(found: readonly (JpegInfo | undefined)[]): JpegInfo | undefined {
  const counts = new Map<string, { readonly jpeg: JpegInfo | undefined; count: number }>();
  for (const jpeg of found) {
    const key = jpeg ? JSON.stringify([[...arrayOf(jpeg.luma)], [...arrayOf(jpeg.chroma)], jpeg.subsampling]) : '';
    const entry = counts.get(key) ?? { jpeg, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  return sorted[0]?.[1].jpeg;
}

function arrayOf(table: ArrayLike<number> = []): number[] {
  return Array.from(table);
}

/** The noise of the sample. One far from 1 is scaled first, so that no square overflows. */
function* inUsualUnits(image: Image, sought: NoiseSought): Work<NoiseEstimate> {
  const e = yield* imageExponent(image);
  if (e === 0) return yield* noiseOf(image, sought);
  const { offset } = sought;
  const shiftedSought = offset === undefined ? sought : { ...sought, offset: shifted(offset, -e) };
  return shiftedEstimate(yield* noiseOf(yield* shiftedImage(image, -e), shiftedSought), e);
}
