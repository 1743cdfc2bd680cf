/**
 * The noise of a series, diagnosed once: a sample of its pages is put together, after the defects of each page are removed.
 * All pages are then denoised with this noise and in one frame, so that patches of different pages can be compared.
 */
import { blockExtents, frameOf, type PlanesFrame } from '../../denoisers/frame.js';
import { recipeOf, seriesRecipe } from '../../denoisers/groups/recipes.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { halvedPlanes } from '../../image/halves.js';
import type { Image, Samples } from '../../image/image.js';
import { POOLED_SIDE, PooledSample } from '../../image/pooled-sample.js';
import { allOf, type Size } from '../../image/rectangle.js';
import { SAMPLED, sampledPlanes, sampleLayout } from '../../image/sample.js';
import { hasTwoScales } from '../../noise/coloured/coarse.js';
import { jpegOf, type NoiseEstimate, noiseOf } from '../../noise/estimate.js';
import { type JpegInfo, limited, type NoiseModel } from '../../noise/model.js';
import { drive, type Watch, type Work } from '../../work.js';
import { axesNoise, bandsIn, isEstimatedColour, toAxes } from '../denoise/axes.js';
import type { Bands } from '../denoise/bands.js';
import type { TileDivision } from '../denoise/context.js';
import { type Defects, findDefects, type Repaired } from '../denoise/defects.js';
import { exponentOf, type ImageRange, mergeRanges } from '../denoise/findings.js';
import { givenEstimate } from '../denoise/given.js';
import type { DenoiseSettings } from '../denoise/options.js';
import { halfSize } from '../denoise/parts.js';
import { tilesFor } from '../denoise/plan.js';
import { denoiseTiles, recipeFor } from '../denoise/planes.js';
import { coarseSettings, fineEstimate, scaled } from '../denoise/scales.js';
import { checkGivenNoise } from '../given-noise.js';
import { withoutCoarse } from './coarse.js';
import { type SeriesPage, sampleOf, scanPage } from './page.js';
import {
  FEWEST_PAGES,
  type FixedDefects,
  findFixed,
  fixedRemoved,
  mayHaveFixed,
  type PageResidual,
} from './pattern.js';

/** The most pages from which the noise is estimated. */
export const SAMPLE_PAGES = 8;

/** The pixels of each page in which fixed defects are looked for first: this many, or this share of them. */
const [FIXED_SAMPLED, FIXED_SHARE] = [2 ** 14, 16];

/** What all pages of a series have in common. */
export interface SeriesFindings {
  readonly range: ImageRange;
  /** What was found first, and what is left after the coarse scale of coloured noise: the same for noise that is not coloured. */
  readonly estimate: NoiseEstimate;
  readonly fine: NoiseEstimate;
  /** How planes that are not colours are denoised. */
  readonly bands?: Bands;
  /** How the pages and their coarse scale enter denoisers; `given` is the frame of pages with their coarse noise. */
  readonly framed: PlanesFrame;
  readonly given: PlanesFrame;
  readonly coarse?: PlanesFrame;
  readonly fixed?: FixedDefects;
  /** The whole pages that were looked at, without their defects, until they are denoised. */
  readonly repaired: Map<SeriesPage, RepairedPage>;
}

/** A page in working units without its defects. */
export type RepairedPage = Repaired & { readonly defects: Defects };

/** At most this many of `count` pages, spread evenly. */
export function spread(count: number, most: number): number[] {
  const chosen = Math.min(count, most);
  return Array.from({ length: chosen }, (_, i) => Math.floor(((i + 0.5) * count) / chosen));
}

/**
 * The noise of a series from some of these pages; the others are only looked at for their range. Of large pages, samples take their place:
 * then neither offsets of rows nor what is at the same place on all pages is looked for.
 */
export async function diagnoseSeries(
  pages: readonly SeriesPage[],
  settings: DenoiseSettings,
  tiles: TileDivision | undefined,
): Promise<SeriesFindings> {
  const watch = { signal: settings.planes.signal };
  const ranges: ImageRange[] = [];
  for (const [p, page] of pages.entries()) ranges.push(await scanPage(page, p, tiles, watch));
  const range = mergeRanges(ranges);
  checkGivenNoise(settings, range, pages[0].peak);
  const { sampled } = settings;
  const isWhole = pages[0].width * pages[0].height <= sampled;
  const working: Image[] = [];
  const chosen = spread(pages.length, SAMPLE_PAGES);
  for (const p of chosen) {
    const { image } = await sampleOf(pages[p], range, isWhole ? sampled : sampled / SAMPLE_PAGES, watch);
    working.push(image);
  }
  const [first] = working;
  const repair = async (fixed?: FixedDefects) => {
    const repaired: (Image & RepairedPage)[] = [];
    for (const page of working) {
      const all = { at: allOf(page), planes: page.planes };
      const planes = fixed ? await drive(fixedRemoved(fixed, page).without(all), watch) : page.planes;
      repaired.push({ ...page, ...(await drive(findDefects({ ...page, planes }, isWhole, settings), watch)) });
    }
    return repaired;
  };
  let repaired = await repair();
  let estimate = await drive(noiseOfPages(repaired, range, settings), watch);
  const fixed = isWhole ? await fixedDefects(repaired, working, estimate.model, settings) : undefined;
  if (fixed) {
    repaired = await repair(fixed);
    estimate = await drive(noiseOfPages(repaired, range, settings), watch);
  }
  const axes: (readonly Samples[])[] = [];
  const bands =
    settings.bands && repaired[0].planes.length > 1
      ? await drive(bandsOfPages(repaired, estimate.model), watch)
      : undefined;
  for (const { planes } of repaired) axes.push(await drive(toAxes(planes, estimate.model, bands), watch));
  const { coarse: noise } = estimate;
  const given = await frameOfPages(axes, first, axesNoise(estimate.model, settings.strength, bands), watch);
  const known = new Map(isWhole ? chosen.map((p, i) => [pages[p], repaired[i]] as const) : []);
  const found = { range, estimate, bands, given, fixed, repaired: known };
  if (!noise || !hasTwoScales(first)) return { ...found, fine: estimate, framed: given };
  const all = allOf(first);
  const halves: Float32Array[][] = [];
  for (const each of axes) halves.push(await drive(halvedPlanes(each, all), watch));
  const coarse = await frameOfPages(halves, halfSize(first), scaled(noise, settings.strength), watch);
  const denoiser = await coarseDenoiser(first, settings, 1);
  const without: Float64Array[][] = [];
  for (const [p, each] of axes.entries()) {
    const stack = { at: all, stack: [each], halves: async () => halves[p] };
    without.push(...(await withoutCoarse(denoiser, stack, { count: 1 }, first, coarse, { settings }, watch)));
  }
  const fine = isEstimatedColour(estimate.model, settings.given)
    ? await drive(fineNoise(repaired, without, estimate), watch)
    : estimate;
  const framed = await frameOfPages(without, first, axesNoise(fine.model, settings.strength, bands), watch);
  return { ...found, fine, framed, coarse };
}

/** The denoiser of the coarse scale of pages of this size. */
export function coarseDenoiser(size: Size, { planes }: DenoiseSettings, depth: number): Promise<LoadedDenoiser> {
  const recipe = recipeOf(coarseSettings(planes).quality === 'fast' ? 'fast' : 'balanced', 'coloured');
  return recipeFor(seriesRecipe(recipe, depth), halfSize(size), planes);
}

/** The frame of pages with this noise. */
async function frameOfPages(
  pages: readonly (readonly Samples[])[],
  size: Size,
  noise: Parameters<typeof frameOf>[2],
  watch: Watch,
): Promise<PlanesFrame> {
  const extents = [];
  for (const planes of pages) extents.push(...(await drive(blockExtents(planes, size), watch)));
  return frameOf(extents, pages.length * size.width * size.height, noise);
}

/** The noise of pages after their coarse scale; windows of channels and axes are taken from the same places. */
function* fineNoise(
  pages: readonly Image[],
  axes: readonly (readonly Samples[])[],
  estimate: NoiseEstimate,
): Work<NoiseEstimate> {
  const both = pages.map((page, p) => ({ ...page, planes: [...page.planes, ...axes[p]] }));
  const pooled = yield* pooledPages(both, estimate.jpeg);
  const channels = pages[0].planes.length;
  const image = { ...pooled, planes: pooled.planes.slice(0, channels) };
  return yield* fineEstimate(image, pooled.planes.slice(channels), estimate);
}

/** What is at the same place on all pages whose content moves. */
async function fixedDefects(
  repaired: readonly Image[],
  working: readonly Image[],
  model: NoiseModel,
  settings: DenoiseSettings,
): Promise<FixedDefects | undefined> {
  if (repaired.length < FEWEST_PAGES || !(settings.impulses || settings.banding)) return undefined;
  const watch = { signal: settings.planes.signal };
  const [size] = working;
  const axes: (readonly Samples[])[] = [];
  for (const { planes } of repaired) axes.push(await drive(toAxes(planes, model), watch));
  const framed = await frameOfPages(axes, size, axesNoise(model, { strength: 1, chroma: 1 }), watch);
  if (!framed.noisy[0]) return undefined;
  const kind = model.kind === 'coloured' ? 'coloured' : 'white';
  const denoiser = await recipeFor(recipeOf('fast', kind), size, settings.planes);
  const residualsOf = async (stack: typeof axes, extent: Size) => {
    const at = allOf(extent);
    const residuals: PageResidual[][] = framed.noisy.map(() => []);
    for (const planes of stack) {
      const { placements } = tilesFor({ settings }, denoiser, at, extent, planes.length);
      const denoised = await denoiseTiles(denoiser, { at, planes }, framed, placements, at, watch);
      for (const [c, plane] of planes.entries()) {
        // Of pages of bytes, the planes are bytes, which do not hold a difference.
        const removed = Float64Array.from(plane, (value, i) => value - denoised[c][i]);
        residuals[c].push({ denoised: denoised[c], removed });
      }
    }
    return residuals;
  };
  const { scales } = framed.frame;
  // Most series have none, which a sample shows in a fraction of the time.
  const layout = sampleLayout(size, Math.max(FIXED_SAMPLED, (size.width * size.height) / FIXED_SHARE));
  if (!layout.whole) {
    const some = axes.map((planes) => sampledPlanes(planes, size, layout));
    const residuals = await residualsOf(some, layout.size);
    if (!(await drive(mayHaveFixed(residuals, layout.size.width, working, scales, settings), watch))) return undefined;
  }
  return drive(findFixed(await residualsOf(axes, size), working, scales, model, settings), watch);
}

/** The noise of pages in working units, without defects. */
function* noiseOfPages(pages: readonly Image[], range: ImageRange, settings: DenoiseSettings): Work<NoiseEstimate> {
  const e = exponentOf(range);
  const [first] = pages;
  const { given, estimate } = settings;
  if (given) return yield* givenEstimate(first, e, given, estimate.jpeg);
  const offset = estimate.offset === undefined ? undefined : limited(estimate.offset, -e);
  const jpeg =
    typeof estimate.jpeg === 'object' ? estimate.jpeg : estimate.jpeg === 'off' ? undefined : yield* jpegOf(first);
  const pooled = yield* pooledPages(pages, jpeg);
  if (!jpeg) return yield* noiseOf(pooled, { ...estimate, offset, jpeg: 'off' });
  // The windows begin where the grid of blocks does.
  const found = yield* noiseOf(pooled, { ...estimate, offset, jpeg: { ...jpeg, origin: [0, 0] } });
  return { ...found, jpeg };
}

/** How planes that are not colours are denoised, from what the pages show. */
function* bandsOfPages(pages: readonly Image[], model: NoiseModel): Work<Bands> {
  return yield* bandsIn(yield* pooledPages(pages, undefined), model);
}

/** Pages below each other as one image; of large pages, or if there is a grid of blocks, windows of all of them. */
function* pooledPages(pages: readonly Image[], jpeg: JpegInfo | undefined): Work<Image> {
  const [{ width, height, planes, peak }] = pages;
  const isLarge = pages.length * width * height > SAMPLED;
  if ((jpeg || isLarge) && Math.min(width, height) >= POOLED_SIDE) {
    const sample = new PooledSample();
    for (const page of pages) yield* sample.add(page, jpeg?.origin);
    return sample.image(peak) as Image;
  }
  const joined = planes.map((_, c) => {
    const all = new Float64Array(pages.length * width * height);
    for (const [p, page] of pages.entries()) all.set(page.planes[c], p * width * height);
    return all;
  });
  return { width, height: pages.length * height, planes: joined, peak };
}
