/** Denoises stacks: along time or depth as series, page by page from a file into a file. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type DenoisedPage,
  type DenoiseOptions,
  denoiseSeries,
  describe,
  describeBySubject,
  estimateMemory,
  InputError,
  OptionError,
  psnr,
  type SeriesOptions,
} from 'ght';
import {
  type ImageFile,
  lengthOf,
  type PageAxis,
  type PagePlace,
  pageAt,
  pagesOf,
  pixelLimit,
  placeOf,
  type Stack,
} from 'ght-images';
import {
  denoiseStackParts,
  type HasPage,
  openStack,
  type PageParts,
  type Picture,
  type StackSource,
  type WritePage,
} from 'ght-tiles';
import type { Context } from '../context.js';
import { silent, withChannels } from '../flags.js';
import { stackAxesOf } from '../input-flags.js';
import { fitsInMemory, memorySizeIn, refuseTooLargeToDenoise } from '../memory-limit.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { engineText, imageLine, imageSummary } from '../output/summary.js';
import { count, decibels, facts } from '../output/table.js';
import type { DenoiseFlags } from './denoise-flags.js';
import { denoiseSummary, foundRows, kindOf } from './denoise-groups.js';
import { checkReference } from './denoised.js';
import { checkModelFits } from './noise-model.js';
import type { FoundStack } from './series-flags.js';
import { refuseWithStacks, writeStackResults } from './stack-output.js';
import { axesText, stackSummary } from './stack-text.js';

/** A series of a stack, and what was found in it. */
interface Series {
  /** Its place along the other axes. */
  readonly place: PagePlace;
  /** The numbers of its pages, in order. */
  readonly pages: readonly number[];
  /** The result of its last page, without the image. */
  result?: Omit<DenoisedPage, 'image'>;
}

/** Denoises a stack and writes the result. */
export async function denoiseStack(
  path: string,
  found: FoundStack,
  flags: DenoiseFlags,
  options: DenoiseOptions,
  context: Context,
): Promise<void> {
  const { source } = found;
  const display = progressDisplay('denoise', silent(flags));
  const start = performance.now();
  let reference: StackSource | undefined;
  try {
    refuseWithStacks(flags);
    const axis = seriesAxis(source.stack, flags.seriesAxis);
    const all = seriesOf(source.stack, axis);
    reference = await referenceOf(source, flags, context);
    const first = await firstOf(source, context.signal);
    checkModelFits(options, source.picture.channels, first, flags.peak);
    const work = { source, flags, options, signal: context.signal, onProgress: display.onProgress, reference };
    let psnrs: readonly number[] = [];
    let continued = 0;
    const whole = async (write: WritePage, has: HasPage) => {
      // PSNRs need all results.
      ({ psnrs, continued } = await denoiseAll(all, work, write, reference ? async () => false : has));
    };
    const inParts = async (parts: PageParts) => {
      continued = await denoiseInParts(all, work, parts);
    };
    const name = await nameOfRun(found.frames ?? [path], axis, flags, options);
    const fill = goesInParts(source.picture, found, flags, options) ? { inParts } : { whole };
    const notKept = await writeStackResults(path, found, flags, fill, context, name);
    display.stop();
    const run = { axis, all, first, continued, psnr: meanOf(psnrs), seconds: (performance.now() - start) / 1000 };
    context.print(
      flags.json ? JSON.stringify({ ...summaryOf(source, run), notKept }) : textOf(path, source, run, flags, options),
    );
  } finally {
    display.stop();
    await reference?.close();
    await source.close();
  }
}

/** Options that do not change the result. */
const indifferent: readonly string[] = ['threads', 'worker', 'onProgress', 'signal'];

/** What the result depends on: a run of the same name continues one that was stopped. */
async function nameOfRun(
  inputs: readonly string[],
  axis: PageAxis,
  { series, peak, axes, float, quality }: DenoiseFlags,
  options: DenoiseOptions,
): Promise<string> {
  const files = [];
  for (const input of inputs) {
    const { size, mtimeMs } = await stat(input);
    files.push([resolve(input), size, mtimeMs]);
  }
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const deciding = Object.entries(options).filter(([name]) => !indifferent.includes(name));
  return JSON.stringify([version, files, axis, series, peak, axes, float, quality, deciding]);
}

/** The axis of the series: time if there are several, else depth. */
function seriesAxis(stack: Stack, asked: PageAxis | undefined): PageAxis {
  if (asked === undefined || stack.axes.some(({ name }) => name === asked)) {
    return asked ?? (lengthOf(stack, 't') > 1 ? 't' : 'z');
  }
  const rule = `must be an axis of the stack, which has ${axesText(stack)}`;
  throw new OptionError('--series-axis', rule, asked, 'leave it out');
}

/** The series of a stack: the pages along the axis, for every place along the others. */
function seriesOf(stack: Stack, axis: PageAxis): Series[] {
  const pages = Array.from({ length: pagesOf(stack) }, (_, page) => page);
  const starts = pages.filter((page) => (placeOf(stack, page)[axis] ?? 0) === 0);
  return starts.map((start) => {
    const { [axis]: _, ...place } = placeOf(stack, start);
    const along = Array.from({ length: lengthOf(stack, axis) }, (__, i) => pageAt(stack, { ...place, [axis]: i }));
    return { place, pages: along };
  });
}

/** What denoising a stack needs. */
interface Work {
  readonly source: StackSource;
  readonly flags: DenoiseFlags;
  readonly options: DenoiseOptions;
  readonly signal: AbortSignal;
  readonly onProgress: ProgressDisplay['onProgress'];
  readonly reference: StackSource | undefined;
}

/** The pages that are in memory at a time, and the bytes that each sample needs besides its own. */
const [PAGES, SAMPLE_BYTES] = [24, 8];

/** Whether pages are denoised in parts: on request, or because those of a window do not fit in memory. */
function goesInParts(picture: Picture, { frames }: FoundStack, flags: DenoiseFlags, options: DenoiseOptions): boolean {
  const { tile, quality, reference } = flags;
  const size = memorySizeIn(picture);
  const samples = picture.width * picture.height * picture.channels;
  const needed =
    PAGES * (size.bytes + SAMPLE_BYTES * samples) +
    estimateMemory('denoise', size, { quality, noise: kindOf(options) });
  const isTooLarge = picture.width * picture.height > pixelLimit || !fitsInMemory(needed);
  if (tile === undefined && (frames || !isTooLarge)) return false;
  if (reference === undefined) return true;
  throw new OptionError('--reference', 'must be left out for a stack in tiles', reference, 'remove it');
}

/** The first page as it is printed, of which one pixel is read. */
async function firstOf({ read, picture, format }: StackSource, signal: AbortSignal): Promise<ImageFile> {
  const at = format === 'frames' ? undefined : { left: 0, top: 0, width: 1, height: 1 };
  const file = await read(0, signal, at);
  const { width, height } = picture;
  return { ...file, image: { ...file.image, width, height } };
}

/** What both ways of denoising need of a series. */
async function seriesWork(series: Series, { options, flags, source, signal }: Work, has: HasPage) {
  const { onProgress: _, ...others } = options;
  const there = new Set<number>();
  for (const [i, page] of series.pages.entries()) if (await has(page)) there.add(i);
  const settings: SeriesOptions = {
    ...withChannels(others, source.picture),
    ...{ series: flags.series, skip: (i) => there.has(i), signal },
  };
  return { there, settings };
}

/** Denoises one series after the other. Of their pages, only those of a window are in memory. */
async function denoiseAll(all: readonly Series[], work: Work, write: WritePage, has: HasPage) {
  const { source, flags, options, signal, onProgress, reference } = work;
  const total = pagesOf(source.stack);
  const psnrs: number[] = [];
  let done = 0;
  let continued = 0;
  for (const [s, series] of all.entries()) {
    const { there, settings } = await seriesWork(series, work, has);
    continued += there.size;
    /** The pages that have been read and not yet written. */
    const files = new Map<number, ImageFile>();
    const images = async function* () {
      for (const [i, page] of series.pages.entries()) {
        const file = await source.read(page, signal);
        if (s + i === 0) refuseTooLargeToDenoise(file.image, flags.quality, kindOf(options));
        files.set(i, file);
        yield file.image;
      }
    };
    const report = ({ pass }: { pass: string }) =>
      onProgress({ fraction: done / total, doing: `${pass}, page ${done + 1} of ${total}` });
    for await (const { image, ...result } of denoiseSeries(images(), { ...settings, onProgress: report })) {
      const file = files.get(result.page);
      if (!file) throw new Error(`page ${result.page} was not read`);
      const page = series.pages[result.page];
      if (reference) {
        const clean = await reference.read(page, signal);
        checkReference(clean, file, flags.reference ?? '');
        psnrs.push(psnr(image, clean.image));
      }
      await write(page, image, file);
      for (const i of files.keys()) if (i <= result.page) files.delete(i);
      series.result = result;
      done = s * series.pages.length + result.page + 1;
      onProgress({ fraction: done / total, doing: `page ${done} of ${total}` });
    }
  }
  return { psnrs, continued };
}

/** The same in parts: of the pages of a window, only a tile of each is in memory. */
async function denoiseInParts(all: readonly Series[], work: Work, parts: PageParts): Promise<number> {
  const { source, flags, onProgress } = work;
  const { width, height } = source.picture;
  const total = pagesOf(source.stack);
  const has: HasPage = (page) => parts.has(page, { left: 0, top: 0, width, height });
  let continued = 0;
  for (const [s, series] of all.entries()) {
    const { there, settings } = await seriesWork(series, work, has);
    continued += there.size;
    const before = s * series.pages.length;
    const report = ({ pass, page, fraction = 0 }: { pass: string; page: number; fraction?: number }) =>
      onProgress({
        fraction: (before + fraction * series.pages.length) / total,
        doing: `${pass}, page ${before + page + 1} of ${total}`,
      });
    const options = { ...settings, tile: flags.tile, onProgress: report };
    for await (const result of denoiseStackParts(source, series.pages, parts, options)) series.result = result;
  }
  return continued;
}

/** The clean stack of `--reference`. */
async function referenceOf(
  source: StackSource,
  flags: DenoiseFlags,
  { signal }: Context,
): Promise<StackSource | undefined> {
  const { reference, peak } = flags;
  if (reference === undefined) return undefined;
  const clean = await openStack(reference, { axes: stackAxesOf(flags), peak, parameter: '--reference', signal });
  if (clean && pagesOf(clean.stack) === pagesOf(source.stack)) return clean;
  await clean?.close();
  const rule = `must be a stack of ${pagesOf(source.stack)} pages, as the noisy one`;
  throw new InputError('--reference', rule, reference, 'give the clean version of the same stack');
}

function meanOf(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(mean) ? mean : null;
}

/** What is printed of a run. */
interface DenoisedStack {
  readonly axis: PageAxis;
  readonly all: readonly Series[];
  readonly first: ImageFile;
  /** The number of pages that were there from a run that was stopped. */
  readonly continued: number;
  readonly psnr: number | null;
  readonly seconds: number;
}

function summaryOf({ stack }: StackSource, { axis, all, first, continued, psnr, seconds }: DenoisedStack): object {
  const series = all.map(({ place, pages, result }) => ({
    ...{ place, pages: pages.length },
    ...(result && { ...denoiseSummary(result), series: result.series ?? null }),
  }));
  const engine = all[0].result?.engine ?? null;
  return {
    ...{ task: 'denoise', method: 'groups', engine, image: imageSummary(first) },
    ...{ stack: stackSummary(stack), axis, series, continued, psnr, seconds },
  };
}

/** The most series of which the noise is printed. */
const MOST_PRINTED = 6;

function textOf(
  path: string,
  { stack }: StackSource,
  run: DenoisedStack,
  { output }: DenoiseFlags,
  options: DenoiseOptions,
): string {
  const { axis, all, first, continued, psnr, seconds } = run;
  const [{ result }] = all;
  const each = all.length === 1 ? '' : `, ${count(all.length)} series of ${count(all[0].pages.length)} each`;
  const rows: (readonly [string, string])[] = [
    ['stack', `${count(pagesOf(stack))} pages, ${axesText(stack)}`],
    ['series', `along ${axis}${each}`],
    ...foundIn(all, options),
    ...(continued > 0
      ? [['continued', `${count(continued)} pages were there from a run that was stopped`] as const]
      : []),
    ...(psnr === null ? [] : [['PSNR', `${decibels(psnr)}, the mean of the pages, against the reference`] as const]),
    ['time', `${seconds.toFixed(2)} s${result ? ` on ${engineText(result.engine)}` : ''}`],
    ['wrote', output],
  ];
  return `${imageLine(path, first)}\n${facts(rows)}`;
}

/** What was found in the only series, or a line for each of several. */
function foundIn(all: readonly Series[], options: DenoiseOptions): (readonly [string, string])[] {
  const [{ result }] = all;
  if (all.length === 1 && result) {
    const { series } = describeBySubject(result);
    return [...foundRows(result, options), ...(series ? [['pages', series] as const] : [])];
  }
  const lines = all.slice(0, MOST_PRINTED).flatMap((each) => {
    const place = Object.entries(each.place).map(([name, at]) => `${name} = ${at}`);
    return each.result ? [[place.join(', '), describe(each.result).join('; ')] as const] : [];
  });
  const others = all.length - MOST_PRINTED;
  return others > 0 ? [...lines, ['…', `and ${count(others)} more series`]] : lines;
}
