/**
 * Denoising of a series, page after page: its noise is diagnosed from some of its pages, and the pages are denoised in windows
 * (`windows.ts`) by recipes that follow patches from page to page (`denoisers/groups/volumes.ts`).
 */
import type { Motion, TilePages } from '../../denoisers/denoiser.js';
import { recipeOf, seriesRecipe } from '../../denoisers/groups/recipes.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { InputError } from '../../errors.js';
import { checkShape, copyOf, type Image, type Samples } from '../../image/image.js';
import { allOf } from '../../image/rectangle.js';
import { keepConstantAreas } from '../../noise/constant-areas.js';
import { drive } from '../../work.js';
import { fromAxes, toAxes } from '../denoise/axes.js';
import { type Defects, hasDefects } from '../denoise/defects.js';
import { diagnosisOf, planesFor, reportOf, toInputUnits, toWorkingUnits } from '../denoise/findings.js';
import type { DenoiseSettings } from '../denoise/options.js';
import { recipeFor } from '../denoise/planes.js';
import { recipeIn } from '../denoise/quality.js';
import { type Denoised, denoiseWhole } from '../denoise/whole.js';
import { areAlike } from './alike.js';
import { withoutCoarse } from './coarse.js';
import { coarseDenoiser, diagnoseSeries, type SeriesFindings, scanPage, withoutPageDefects } from './diagnosis.js';
import { isSteady, noiseLevel } from './level.js';
import { halvedMotion, motionOf } from './motion.js';
import type { SeriesSettings } from './options.js';
import { denoiseStack } from './planes.js';
import { firstHeld, type Window, windowFrom } from './windows.js';

/** What became of a page as one of a series. */
export interface SeriesReport {
  /** The mean number of pages through which the patches of this page were followed, from 1 to 8; 1 if it is like none of its neighbours. */
  readonly depthMean: number;
  /** The hot and dead pixels that all pages have at the same places; they were replaced on each. */
  readonly hotPixels: number;
  /** The deviation of the fixed pattern that was removed from all pages, in deviations of the noise; 0 if there is none. */
  readonly fixedPattern: number;
}

/** A denoised page of a series. */
export interface DenoisedPage extends Denoised {
  /** The number of the page, from 0. */
  readonly page: number;
  /** How it was denoised with others; absent if every page was denoised by itself. */
  readonly series?: SeriesReport;
}

/** A page that was read: without its defects, and in the axes of the noise. */
interface Page {
  readonly image: Image;
  readonly working: readonly Samples[];
  readonly axes: readonly Samples[];
  readonly defects: Defects;
  readonly impulses: number;
  /** The level of its noise; 0 if the noise was given. */
  readonly level: number;
  /** Whether it has the noise of the page before it, and whether it is like that page: then both may be in one volume. */
  readonly steady: boolean;
  readonly alike: boolean;
  /** How it moves from there; undefined for the first page. */
  readonly motion?: Motion;
}

/** The share of the coarse scale in the work on a window. */
const COARSE_SHARE = 0.25;

/** Denoises the pages of a series in order. */
export async function* denoisePages(
  images: AsyncIterable<Image>,
  count: number | undefined,
  list: readonly Image[] | undefined,
  settings: SeriesSettings,
): AsyncGenerator<DenoisedPage, void> {
  const { page: each, depth } = settings;
  const input = images[Symbol.asyncIterator]();
  let done = 0;
  let furthest = 0;
  const report = (pass: string, within: number) => {
    furthest = Math.max(furthest, count ? Math.min(1, (done + within) / count) : 0);
    settings.onProgress?.({ pass, page: done, pages: count, ...(count && { fraction: furthest }) });
  };
  try {
    if (depth === undefined) {
      for (let next = await input.next(); !next.done; next = await input.next()) {
        if (settings.skip(done)) {
          done++;
          continue;
        }
        const onProgress = ({ fraction, pass }: { fraction: number; pass: string }) => report(pass, fraction);
        const planes = { ...each.planes, onProgress };
        yield { ...(await denoiseWhole(next.value, { ...each, planes })), page: done++ };
      }
      return;
    }
    const series = new Series(input, depth, settings);
    report('estimate', 0);
    await series.begin(list);
    for (;;) {
      const window = await series.window();
      if (!window) return;
      const [from, to] = window.kept;
      const pages = await series.denoise(window, (fraction, pass) => report(pass, fraction * (to - from)));
      for (const page of pages) {
        each.planes.signal?.throwIfAborted();
        done = page.page + 1;
        yield page;
      }
      done = to;
    }
  } finally {
    await input.return?.();
  }
}

/** The pages of a series that are in memory, and how they are denoised. */
class Series {
  /** Pages that were read but not yet looked at. */
  readonly #raw: Image[] = [];
  readonly #pages = new Map<number, Page>();
  #known = 0;
  #isEnd = false;
  #next = 0;
  #findings: SeriesFindings | undefined;
  #denoiser: LoadedDenoiser | undefined;
  #coarse: LoadedDenoiser | undefined;

  constructor(
    private readonly input: AsyncIterator<Image>,
    private readonly depth: number,
    private readonly settings: SeriesSettings,
  ) {}

  get #found(): SeriesFindings {
    return this.#findings as SeriesFindings;
  }

  /** Diagnoses the noise, from these pages or from the first ones that are read. */
  async begin(list: readonly Image[] | undefined): Promise<void> {
    let pages = list;
    if (!pages) {
      while (!this.#isEnd && !windowFrom(0, this.#raw.length, false)) await this.#read();
      pages = this.#raw;
    }
    if (pages.length > 0) this.#findings = await diagnoseSeries(pages, this.settings.page);
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.input.next();
    if (done) this.#isEnd = true;
    else this.#raw.push(value);
    return !done;
  }

  /** The next window, after its pages were read; undefined after the last one. */
  async window(): Promise<Window | undefined> {
    for (;;) {
      while (this.#raw.length > 0) await this.#take(this.#raw.shift() as Image);
      if (this.#isEnd && this.#next >= this.#known) return undefined;
      const window = windowFrom(this.#next, this.#known, this.#isEnd);
      if (window) return window;
      await this.#read();
    }
  }

  /** Prepares a page that was read. */
  async #take(image: Image): Promise<void> {
    const { page: settings } = this.settings;
    const { signal } = settings.planes;
    const { range, estimate, given, fixed } = this.#found;
    const watch = { signal };
    const own = await drive(scanPage(image, this.#known), watch);
    if (range.copies && !own.copies) {
      const rule = 'must have equal channels, as the first pages have';
      throw new InputError(`images[${this.#known}]`, rule, 'others', 'give all pages as a list');
    }
    const working = await drive(toWorkingUnits(image, range), watch);
    const { planes, defects, impulses } = await drive(withoutPageDefects(working, settings, fixed), watch);
    const axes = await drive(toAxes(planes, estimate.model), watch);
    const before = this.#pages.get(this.#known - 1);
    const pair = [before?.axes[0] ?? axes[0], axes[0], image, given.frame] as const;
    const motion = before && (await drive(motionOf(...pair), watch));
    const level = settings.given ? 0 : await drive(noiseLevel(axes[0], image), watch);
    const steady = !before || isSteady(before.level, level);
    const alike = motion !== undefined && steady && (await drive(areAlike(...pair, motion), watch));
    this.#pages.set(this.#known++, { image, working: planes, axes, defects, impulses, level, steady, motion, alike });
  }

  /** Denoises the pages that a window keeps, and forgets those that no later window holds. */
  async denoise({ held, kept }: Window, onFraction: (fraction: number, pass: string) => void): Promise<DenoisedPage[]> {
    const { page: settings } = this.settings;
    const { range, fine } = this.#found;
    const stack = Array.from({ length: held[1] - held[0] }, (_, i) => this.#pages.get(held[0] + i) as Page);
    const [{ image: first }] = stack;
    const kind = fine.model.kind === 'coloured' ? 'coloured' : 'white';
    const { quality } = planesFor(fine.model, range, settings);
    const recipe = seriesRecipe(recipeOf(recipeIn(quality, kind), kind), this.depth);
    const size = { width: first.width, height: stack.length * first.height };
    this.#denoiser ??= await recipeFor(recipe, size, settings.planes);
    const pages = {
      count: stack.length,
      kept: [kept[0] - held[0], kept[1] - held[0]] as const,
      alike: stack.map(({ alike }) => alike),
      motions: stack.map(({ motion }) => motion),
      depths: new Float64Array(2 * stack.length),
    };
    const all = Array.from({ length: kept[1] - kept[0] }, (_, i) => kept[0] + i);
    const numbers = all.filter((page) => !this.settings.skip(page));
    const denoised = numbers.every((page) => this.#isAlone(page))
      ? undefined
      : await this.#denoiseTogether(stack, pages, onFraction);
    const results: DenoisedPage[] = [];
    for (const page of numbers) {
      if (this.#isAlone(page)) {
        const onProgress = ({ fraction, pass }: { fraction: number; pass: string }) =>
          onFraction((results.length + fraction) / numbers.length, pass);
        results.push(await this.#ownResult(page, onProgress));
        continue;
      }
      const [sum, volumes] = pages.depths.subarray(2 * (page - held[0]));
      const depthMean = volumes > 0 ? sum / volumes : 1;
      results.push(await this.#finished(page, denoised?.[page - kept[0]], depthMean));
    }
    this.#next = kept[1];
    for (const page of this.#pages.keys()) if (page < firstHeld(this.#next)) this.#pages.delete(page);
    return results;
  }

  /** The planes of the pages that are kept; undefined if there is no noise. */
  async #denoiseTogether(
    stack: readonly Page[],
    pages: TilePages & { readonly motions: readonly (Motion | undefined)[] },
    onFraction: (fraction: number, pass: string) => void,
  ): Promise<Samples[][] | undefined> {
    const { page: settings } = this.settings;
    const { signal } = settings.planes;
    const { framed, coarse } = this.#found;
    const [{ image: first }] = stack;
    const before = coarse ? COARSE_SHARE : 0;
    let axes = stack.map((page) => page.axes);
    if (coarse) {
      this.#coarse ??= await coarseDenoiser(first, settings, this.depth);
      const watch = { signal, onFraction: (fraction: number) => onFraction(before * fraction, 'coarse') };
      const { count, alike } = pages;
      const motions = pages.motions.map((motion) => motion && halvedMotion(motion));
      axes = await withoutCoarse(this.#coarse, axes, { count, alike, motions }, first, coarse, watch);
    }
    const watch = { signal, onFraction: (fraction: number) => onFraction(before + (1 - before) * fraction, 'denoise') };
    if (!framed.noisy.includes(true)) return undefined;
    return denoiseStack(this.#denoiser as LoadedDenoiser, axes, pages, first, framed, watch);
  }

  /**
   * Whether a page is denoised with its own noise: if it is like none of its neighbours, and noise was estimated that is coloured or
   * changes from page to page. That of unrelated pages together is a mean that fits none of them.
   */
  #isAlone(page: number): boolean {
    const { estimate, fixed } = this.#found;
    if (this.settings.page.given || fixed || this.depth === 1) return false;
    const steps = [page, page + 1].map((number) => this.#pages.get(number));
    if (steps.some((step) => step?.alike)) return false;
    return estimate.model.kind === 'coloured' || steps.some((step) => step?.steady === false);
  }

  /** The result of a page that is denoised with its own noise. */
  async #ownResult(
    number: number,
    onProgress: NonNullable<DenoiseSettings['planes']['onProgress']>,
  ): Promise<DenoisedPage> {
    const { page: settings, qualityFallback } = this.settings;
    const { image } = this.#pages.get(number) as Page;
    const own = await denoiseWhole(image, { ...settings, planes: { ...settings.planes, onProgress } });
    const series: SeriesReport = { depthMean: 1, hotPixels: 0, fixedPattern: 0 };
    return { ...own, ...(qualityFallback && { qualityFallback }), page: number, series };
  }

  /** The result of a page. */
  async #finished(number: number, axes: readonly Samples[] | undefined, depthMean: number): Promise<DenoisedPage> {
    const { page: settings, qualityFallback } = this.settings;
    const { signal } = settings.planes;
    const { range, estimate, fine, framed, fixed } = this.#found;
    const { image, working, defects, impulses } = this.#pages.get(number) as Page;
    const watch = { signal };
    const denoised = axes ? await drive(fromAxes(axes, estimate.model), watch) : working;
    const units = await drive(toInputUnits(denoised, image, range, settings.keepGrain), watch);
    const changed = framed.noisy.includes(true) || fixed !== undefined || hasDefects(defects, impulses);
    const at = allOf(image);
    const { model, jpeg } = estimate;
    const planes = !changed
      ? image.planes.map(copyOf)
      : model.kind === 'signal-dependent'
        ? units
        : await drive(
            keepConstantAreas({ at, planes: image.planes }, { at, planes: units }, jpeg !== undefined),
            watch,
          );
    const diagnosis = diagnosisOf(image, range, { defects, estimate }, impulses, settings);
    const report = reportOf(diagnosis, fine.model, range, settings);
    const hotPixels = fixed ? fixed.sites.reduce((sum, { length }) => sum + length, 0) : 0;
    const series: SeriesReport = { depthMean, hotPixels, fixedPattern: fixed?.deviation ?? 0 };
    return {
      ...report,
      ...(qualityFallback && { qualityFallback: report.qualityFallback ?? qualityFallback }),
      ...{ image: { ...image, planes }, changed, estimated: settings.given === undefined },
      engine: (this.#denoiser as LoadedDenoiser).info,
      ...{ page: number, series },
    };
  }
}

/** Refuses a page that is none, or is not like the first one. */
export function checkPage(image: Image, first: Image, page: number): void {
  checkShape(image);
  const differs = (rule: string, value: unknown, remedy: string) => {
    throw new InputError(`images[${page}]`, `must have ${rule}, as the first page`, value, remedy);
  };
  const [size, wanted] = [image, first].map(({ width, height }) => `${width}×${height}`);
  if (size !== wanted) differs(`${wanted} pixels`, size, 'denoise pages of another size as another series');
  const planes = image.planes.length;
  if (planes !== first.planes.length) {
    differs(`${first.planes.length} planes`, planes, 'give grey and colour pages as two series');
  }
  if (image.peak !== first.peak) differs(`the peak ${first.peak}`, image.peak, 'scale its samples');
}
