/**
 * Denoising of a series, page after page: its noise is diagnosed from some of its pages, and the pages are denoised in windows
 * (`windows.ts`) by recipes that follow patches from page to page (`denoisers/groups/volumes.ts`).
 */
import type { Motion, TilePages } from '../../denoisers/denoiser.js';
import { recipeOf, seriesRecipe } from '../../denoisers/groups/recipes.js';
import type { LoadedDenoiser } from '../../engines/engine.js';
import { InputError } from '../../errors.js';
import { checkShape, type Image, type Samples } from '../../image/image.js';
import { gridOf, type Rectangle, type Size } from '../../image/rectangle.js';
import { drive } from '../../work.js';
import { fromAxes } from '../denoise/axes.js';
import type { TileDivision } from '../denoise/context.js';
import { hasDefects } from '../denoise/defects.js';
import { diagnosisOf, planesFor, reportOf } from '../denoise/findings.js';
import type { DenoiseSettings } from '../denoise/options.js';
import { type CleanAxes, cleanPart, partResult } from '../denoise/parts.js';
import { type DenoiseResult, partSide, partSize, tilesFor } from '../denoise/plan.js';
import { denoiseStack, recipeFor } from '../denoise/planes.js';
import { recipeIn } from '../denoise/quality.js';
import type { Denoised } from '../denoise/whole.js';
import { withoutCoarse } from './coarse.js';
import { coarseDenoiser, diagnoseSeries, type SeriesFindings } from './diagnosis.js';
import { type KnownPage, knownPage } from './known-page.js';
import { halvedMotion } from './motion.js';
import type { SeriesSettings } from './options.js';
import { type SeriesPage, scanPage } from './page.js';
import { firstHeld, type Window, windowFrom } from './windows.js';

/** The pages of a window. */
type SeriesPages = TilePages & { readonly motions: readonly (Motion | undefined)[] };

/** What became of a page as one of a series. */
export interface SeriesReport {
  /** The mean number of pages through which the patches of this page were followed, from 1 to 8; 1 if it is like none of its neighbours. */
  readonly depthMean: number;
  /** Why it was denoised by itself: the option `series` asks for it, there is no other page, or it is like none of its neighbours. Absent if it was not. */
  readonly aloneReason?: 'option' | 'only-page' | 'not-alike';
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

/** What became of a page, apart from its pixels. */
export type PageResult = Omit<DenoisedPage, 'image'>;

/** Where the results of a series go. */
export interface SeriesOutput<P extends SeriesPage> {
  /** How pages are divided; undefined for whole pages. */
  readonly tiles?: TileDivision;
  /** Whether a rectangle of a page was written by an earlier attempt at the same run. */
  has(page: number, at: Rectangle): Promise<boolean>;
  /** Writes the planes of a rectangle of a page, without opacity; undefined for those of the input. */
  write(page: number, image: P, at: Rectangle, planes: readonly Samples[] | undefined): Promise<void>;
  /** Denoises a page by itself, writes it, and returns what became of it. */
  alone(page: number, image: P, settings: DenoiseSettings): Promise<DenoiseResult>;
}

/** Below this many pages on average, hardly any patch was followed. */
const FOLLOWED = 1.05;
/** The share of the coarse scale in the work on a window. */
const COARSE_SHARE = 0.25;

/** Denoises the pages of a series in order; yields the report on each page after it was written. */
export async function* denoisePages<P extends SeriesPage>(
  images: AsyncIterable<P>,
  count: number | undefined,
  list: readonly P[] | undefined,
  settings: SeriesSettings,
  output: SeriesOutput<P>,
): AsyncGenerator<PageResult, void> {
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
        const result = await output.alone(done, next.value, { ...each, planes });
        yield { ...result, page: done++ };
      }
      return;
    }
    const series = new Series(input, depth, settings, output);
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
class Series<P extends SeriesPage> {
  /** Pages that were read but not yet looked at. */
  readonly #raw: P[] = [];
  readonly #pages = new Map<number, KnownPage<P>>();
  #known = 0;
  #isEnd = false;
  #next = 0;
  #findings: SeriesFindings | undefined;
  #denoiser: LoadedDenoiser | undefined;
  #coarse: LoadedDenoiser | undefined;

  constructor(
    private readonly input: AsyncIterator<P>,
    private readonly depth: number,
    private readonly settings: SeriesSettings,
    private readonly output: SeriesOutput<P>,
  ) {}

  get #found(): SeriesFindings {
    return this.#findings as SeriesFindings;
  }

  /** Diagnoses the noise, from these pages or from the first ones that are read. */
  async begin(list: readonly P[] | undefined): Promise<void> {
    let pages = list;
    if (!pages) {
      while (!this.#isEnd && !windowFrom(0, this.#raw.length, false)) await this.#read();
      pages = this.#raw;
    }
    if (pages.length > 0) this.#findings = await diagnoseSeries(pages, this.settings.page, this.output.tiles);
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
      while (this.#raw.length > 0) await this.#take(this.#raw.shift() as P);
      if (this.#isEnd && this.#next >= this.#known) return undefined;
      const window = windowFrom(this.#next, this.#known, this.#isEnd);
      if (window) return window;
      await this.#read();
    }
  }

  /** Looks at a page that was read. */
  async #take(page: P): Promise<void> {
    const { page: settings } = this.settings;
    const { tiles } = this.output;
    const number = this.#known;
    const own = await scanPage(page, number, tiles, settings.planes);
    if (this.#found.range.copies && !own.copies) {
      const rule = 'must have equal channels, as the first pages have';
      throw new InputError(`images[${number}]`, rule, 'others', 'give all pages as a list');
    }
    this.#pages.set(number, await knownPage(page, this.#pages.get(number - 1), this.#found, settings, tiles));
    this.#known++;
  }

  /** Denoises the pages that a window keeps, and forgets those that no later window holds. */
  async denoise(window: Window, onFraction: (fraction: number, pass: string) => void): Promise<PageResult[]> {
    const { held, kept } = window;
    const stack = Array.from({ length: held[1] - held[0] }, (_, i) => this.#pages.get(held[0] + i) as KnownPage<P>);
    const pages = {
      count: stack.length,
      kept: [kept[0] - held[0], kept[1] - held[0]] as const,
      alike: stack.map(({ alike }) => alike),
      motions: stack.map(({ motion }) => motion),
      depths: new Float64Array(2 * stack.length),
    };
    const all = Array.from({ length: kept[1] - kept[0] }, (_, i) => kept[0] + i);
    const numbers = all.filter((page) => !this.settings.skip(page));
    await this.#load(stack[0].page, stack.length);
    await this.#denoiseTogether(stack, window, pages, onFraction);
    const results: PageResult[] = [];
    for (const page of numbers) {
      if (this.#isAlone(page)) {
        const onProgress = ({ fraction, pass }: { fraction: number; pass: string }) =>
          onFraction((results.length + fraction) / numbers.length, pass);
        results.push(await this.#ownResult(page, onProgress));
        continue;
      }
      const [sum, volumes] = pages.depths.subarray(2 * (page - held[0]));
      results.push(this.#resultOf(page, volumes > 0 ? sum / volumes : 1));
    }
    this.#next = kept[1];
    for (const page of this.#pages.keys()) if (page < firstHeld(this.#next)) this.#pages.delete(page);
    return results;
  }

  /** Loads the denoisers for stacks of this many pages. */
  async #load({ width, height }: Size, count: number): Promise<void> {
    const { page: settings } = this.settings;
    const { range, fine, coarse } = this.#found;
    const kind = fine.model.kind === 'coloured' ? 'coloured' : 'white';
    const { quality } = planesFor(fine.model, range, settings);
    const recipe = seriesRecipe(recipeOf(recipeIn(quality, kind), kind), this.depth);
    this.#denoiser ??= await recipeFor(recipe, { width, height: count * height }, settings.planes);
    if (coarse) this.#coarse ??= await coarseDenoiser({ width, height }, settings, this.depth);
  }

  /** Denoises the parts of the pages that are kept and not denoised by themselves, and writes them. */
  async #denoiseTogether(
    stack: readonly KnownPage<P>[],
    { held, kept }: Window,
    pages: SeriesPages,
    onFraction: (fraction: number, pass: string) => void,
  ): Promise<void> {
    const { skip } = this.settings;
    const { tiles } = this.output;
    const [{ page: size }] = stack;
    const planes = this.#found.framed.noisy.length * stack.length;
    const step = tiles
      ? partSize(partSide(this.#denoiser as LoadedDenoiser, size, planes, tiles.side), tiles.chunk)
      : size;
    const cells = gridOf(size, step);
    for (const [i, at] of cells.entries()) {
      const open: number[] = [];
      for (let page = kept[0]; page < kept[1]; page++) {
        // An interrupted run has written the same samples.
        if (!skip(page) && !this.#isAlone(page) && !(await this.output.has(page, at))) open.push(page);
      }
      if (open.length === 0) continue;
      const tell = (fraction: number, pass: string) => onFraction((i + fraction) / cells.length, pass);
      const isChanged = open.some((page) => this.#isChanged(stack[page - held[0]]));
      const denoised = isChanged ? await this.#denoisePart(stack, at, size, pages, open, held[0], tell) : [];
      for (const [k, page] of open.entries()) {
        const changed = this.#isChanged(stack[page - held[0]]);
        await this.output.write(page, stack[page - held[0]].page, at, changed ? denoised[k] : undefined);
      }
    }
  }

  /** A part of the pages of these numbers, in the units of the images. */
  async #denoisePart(
    stack: readonly KnownPage<P>[],
    inner: Rectangle,
    size: Size,
    pages: SeriesPages,
    numbers: readonly number[],
    first: number,
    onFraction: (fraction: number, pass: string) => void,
  ): Promise<(readonly Samples[])[]> {
    const { page: settings } = this.settings;
    const { signal } = settings.planes;
    const { estimate, framed, coarse, bands } = this.#found;
    const { tiles } = this.output;
    const denoiser = this.#denoiser as LoadedDenoiser;
    const results: (readonly Samples[])[] = [];
    if (!framed.noisy.includes(true)) {
      for (const { reader, known } of numbers.map((number) => stack[number - first])) {
        results.push(await cleanPart(reader, known, inner, size, settings.keepGrain, signal));
      }
      return results;
    }
    const context = { tiles, settings };
    const { placements, outer: at } = tilesFor(context, denoiser, inner, size, stack.length * framed.noisy.length);
    const parts: CleanAxes[] = [];
    for (const { reader, known } of stack) parts.push(await reader.axes(known, at, undefined, signal));
    let axes = parts.map((each) => each.axes);
    const before = coarse ? COARSE_SHARE : 0;
    if (coarse) {
      const { count, alike, motions } = pages;
      const halved = { count, alike, motions: motions.map((motion) => motion && halvedMotion(motion)) };
      const halves = (p: number, half: Rectangle) => stack[p].reader.halves(stack[p].known, half, signal);
      const watch = { signal, onFraction: (fraction: number) => onFraction(before * fraction, 'coarse') };
      const given = { at, stack: axes, halves };
      axes = await withoutCoarse(this.#coarse as LoadedDenoiser, given, halved, size, coarse, context, watch);
    }
    const onProgress = ({ fraction }: { readonly fraction: number }) =>
      onFraction(before + (1 - before) * fraction, 'denoise');
    // Coloured noise is that of all bands at the brightness of the first.
    const alone = bands !== undefined && estimate.model.kind !== 'coloured';
    const watch = { signal, onProgress };
    const denoised = await denoiseStack(denoiser, { at, stack: axes, pages }, framed, placements, inner, watch, alone);
    for (const number of numbers) {
      const planes = denoised[number - first - pages.kept[0]];
      const back = await drive(fromAxes(planes, estimate.model, undefined, bands), { signal });
      const given = { at, planes: parts[number - first].given };
      const { known } = stack[number - first];
      results.push(await drive(partResult(back, given, inner, known, settings.keepGrain), { signal }));
    }
    return results;
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

  /** Whether the result of a page differs from it. */
  #isChanged({ known, impulses }: KnownPage): boolean {
    const { framed, fixed } = this.#found;
    return framed.noisy.includes(true) || fixed !== undefined || hasDefects(known.defects, impulses);
  }

  /** The result of a page that is denoised with its own noise. */
  async #ownResult(
    number: number,
    onProgress: NonNullable<DenoiseSettings['planes']['onProgress']>,
  ): Promise<PageResult> {
    const { page: settings, qualityFallback } = this.settings;
    const { page } = this.#pages.get(number) as KnownPage<P>;
    const planes = { ...settings.planes, onProgress };
    const own = await this.output.alone(number, page, { ...settings, planes });
    const series: SeriesReport = { ...this.#depthOf(1), hotPixels: 0, fixedPattern: 0 };
    return { ...own, ...(qualityFallback && { qualityFallback }), page: number, series };
  }

  #depthOf(depthMean: number): Pick<SeriesReport, 'depthMean' | 'aloneReason'> {
    if (depthMean >= FOLLOWED) return { depthMean };
    return { depthMean, aloneReason: this.depth === 1 ? 'option' : this.#known === 1 ? 'only-page' : 'not-alike' };
  }

  /** What became of a page that was denoised with others. */
  #resultOf(number: number, depthMean: number): PageResult {
    const { page: settings, qualityFallback } = this.settings;
    const { range, estimate, fine, fixed } = this.#found;
    const known = this.#pages.get(number) as KnownPage<P>;
    const { defects } = known.known;
    const diagnosis = diagnosisOf(known.page, range, { defects, estimate }, known.impulses, settings);
    const report = reportOf(diagnosis, fine.model, range, settings);
    const hotPixels = fixed ? fixed.sites.reduce((sum, { length }) => sum + length, 0) : 0;
    const series: SeriesReport = { ...this.#depthOf(depthMean), hotPixels, fixedPattern: fixed?.deviation ?? 0 };
    return {
      ...report,
      ...(qualityFallback && { qualityFallback: report.qualityFallback ?? qualityFallback }),
      ...{ changed: this.#isChanged(known), estimated: settings.given === undefined },
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
