import { dirname, extname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { NoiseEstimate } from 'ght';
import { describe, describeBySubject, estimateNoise, OptionError } from 'ght';
import type { Context } from '../context.js';
import { jsonFlag, quietFlag, silent } from '../flags.js';
import { type ChosenPages, type InputFlags, inputFlags, openChosen, pagesFlag, readChosen } from '../input-flags.js';
import { type Found, skippedMessage } from '../io/batch.js';
import { checkOutputs, filesOf, type ImageFile, inFolder, writeFileAtomically } from '../io/index.js';
import { oneLine } from '../output/line.js';
import { noisePlot, plotExtensions } from '../output/noise.js';
import { progressDisplay } from '../output/progress.js';
import { channelNames, imageLine, imageSummary } from '../output/summary.js';
import { facts, measure } from '../output/table.js';
import { type NoiseKind, noiseKind } from './denoise-flags.js';
import { plainNoise } from './denoise-groups.js';
import { inMadeFolder, OutputFolders, placeOf } from './output-folder.js';
import { eachFile, sayFailed } from './several.js';

interface NoiseFlags extends InputFlags {
  readonly noise?: NoiseKind;
  readonly plot?: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** `ght noise`. */
export function noiseCommand(program: Command, context: Context): void {
  const command = program
    .command('noise')
    .summary('the kind and strength of the noise of an image')
    .description(
      'Estimates the noise of an image as denoise does, and prints what was found: white or coloured, how strong in the ' +
        'units of the image, and how certain the estimate is. The image is not changed.',
    )
    .argument(
      '<IMAGE...>',
      'the noisy image; or several, a folder, or a pattern such as "scans/*.png" or, with all subfolders, "scans/**"; - is ' +
        'standard input',
    )
    .addOption(
      new Option(
        '--noise <kind>',
        'auto: white or coloured, as estimated; white; poisson-gaussian: noise that grows with the signal ' +
          '(default: auto)',
      ).argParser(noiseKind),
    )
    .option(
      '--plot <file>',
      'draw the standard deviation over frequency and over brightness (.svg .png); or the folder for one SVG per image, ' +
        'made if missing',
    );
  pagesFlag(inputFlags(command));
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght noise photo.jpg
  ght noise photo.jpg --plot noise.png
  ght noise scans --plot plots
  ght noise "scans/**" --json
  ght noise stack.tiff --pages all
  ght noise raw.tiff --noise poisson-gaussian --json`,
    )
    .action((paths: string[], flags: NoiseFlags) => runNoise(paths, flags, context));
}

async function runNoise(paths: string[], flags: NoiseFlags, context: Context): Promise<void> {
  const found = await filesOf(paths);
  if (found) return noiseOfSeveral(found, flags, context);
  const { output, folder } = await placeOf(flags.plot, paths[0], (name) => `${name}.svg`);
  return inMadeFolder(folder, () => noiseOfOne(paths[0], { ...flags, plot: output }, context));
}

async function noiseOfOne(path: string, flags: NoiseFlags, context: Context): Promise<void> {
  await checkPlot(path, flags.plot);
  const pages = await openChosen(path, flags);
  if (pages.numbers.length > 1) return noiseOfPages(path, pages, flags, context);
  const { file, estimate } = await noiseOfPage(path, await pages.read(pages.numbers[0]), flags, context, flags.plot);
  if (flags.json) {
    context.print(JSON.stringify({ task: 'noise', ...summaryOf(file, estimate) }));
    return;
  }
  const wrote: [string, string][] = flags.plot === undefined ? [] : [['wrote', flags.plot]];
  context.print(`${imageLine(path, file)}\n${facts([...factsOf(file, estimate), ...wrote])}`);
}

/** The pages of a file one by one; a plot is drawn of one only. */
async function noiseOfPages(path: string, pages: ChosenPages, flags: NoiseFlags, context: Context) {
  if (flags.plot !== undefined) {
    throw new OptionError('--plot', 'must be left out for several pages', flags.plot, 'choose one page with --pages');
  }
  const found: { readonly page: number; readonly file: ImageFile; readonly estimate: NoiseEstimate }[] = [];
  for (const page of pages.numbers)
    found.push({ page, ...(await noiseOfPage(path, await pages.read(page), flags, context)) });
  if (flags.json) {
    const summaries = found.map(({ page, file, estimate }) => ({ page, ...summaryOf(file, estimate) }));
    context.print(JSON.stringify({ task: 'noise', pages: summaries }));
    return;
  }
  const rows = found.map(({ page, estimate }) => [`page ${page}`, describeBySubject(estimate).noise ?? ''] as const);
  context.print(`${imageLine(path, found[0].file)}, ${found.length} pages\n${facts(rows)}`);
}

async function noiseOfSeveral(found: Found, flags: NoiseFlags, context: Context): Promise<void> {
  const { plot } = flags;
  const files = plot === undefined ? found.files : inFolder(found.files, plot, '--plot', (name) => `${name}.svg`);
  const folders = new OutputFolders('--plot');
  if (plot !== undefined) await folders.make(plot, 'must be a folder for several images');
  let drawn = 0;
  const { done, failed } = await eachFile(files, context, async (each: { input: string; output?: string }) => {
    if (each.output !== undefined) await folders.make(dirname(each.output));
    await checkPlot(each.input, each.output);
    const page = await readChosen(each.input, flags);
    const { file, estimate } = await noiseOfPage(each.input, page, flags, context, each.output);
    drawn++;
    if (plot !== undefined) context.stopped.note = `${drawn} of ${files.length} plots were written to ${plot}`;
    return { input: each.input, plot: each.output, summary: summaryOf(file, estimate) };
  }).finally(() => folders.removeEmpty());
  if (flags.json) {
    const summaries = done.map(({ input, plot, summary }) => ({ input, ...(plot && { plot }), ...summary }));
    context.print(JSON.stringify({ task: 'noise', files: summaries, failed, skipped: found.skipped }));
    return;
  }
  for (const { input, summary } of done) context.print(`${oneLine(input)}: ${summary.messages.join('; ')}`);
  if (plot !== undefined) context.print(`wrote ${done.length} of ${files.length} plots to ${oneLine(plot)}`);
  const left = skippedMessage(found.skipped);
  if (left !== undefined) context.print(oneLine(left));
  sayFailed(failed);
}

/** Refuses a plot that cannot be written, before any work is done. */
function checkPlot(input: string, plot: string | undefined): Promise<void> {
  return checkOutputs(
    [{ path: input, parameter: 'IMAGE' }],
    [{ path: plot, kinds: plotExtensions, parameter: '--plot' }],
  );
}

const kindOf = { auto: 'auto', white: 'white', 'poisson-gaussian': 'signal-dependent' } as const;

/** Estimates the noise of one image, and draws it if `--plot` is given. */
async function noiseOfPage(
  path: string,
  file: ImageFile,
  flags: NoiseFlags,
  { signal }: Context,
  plot?: string,
): Promise<{ file: ImageFile; estimate: NoiseEstimate }> {
  const { onProgress, stop } = progressDisplay('noise', silent(flags));
  const options = { kind: kindOf[flags.noise ?? 'auto'], jpeg: file.jpeg, signal, onProgress };
  const estimate = await estimateNoise(file.image, options).finally(stop);
  if (plot !== undefined) {
    await writeFileAtomically(plot, await noisePlot(extname(plot).toLowerCase(), path, file, estimate), '--plot');
  }
  return { file, estimate };
}

function summaryOf(file: ImageFile, estimate: NoiseEstimate) {
  const { model, confidence, confidenceReason, levels, jpeg, jpegQuality } = estimate;
  const white = model.kind === 'white' ? model.sigma : null;
  return {
    ...{ format: file.format, image: imageSummary(file), messages: describe(estimate), confidence, confidenceReason },
    sigma: white,
    share: white?.map((level) => level / file.image.peak) ?? null,
    levels: levels ?? null,
    jpeg: jpeg ? { ...jpeg, luma: listOf(jpeg.luma), chroma: jpeg.chroma && listOf(jpeg.chroma) } : null,
    jpegQuality: jpegQuality ?? null,
    model: plainNoise(model),
  };
}

function listOf(table: ArrayLike<number>): number[] {
  return Array.from(table);
}

/** What was found, and the level of each plane in the units of the image. */
function factsOf({ image }: ImageFile, estimate: NoiseEstimate): [string, string][] {
  const { model, confidence, confidenceReason, levels } = estimate;
  const share = (level: number) => `${((100 * level) / image.peak).toFixed(2)}% of full scale`;
  const rows: [string, string][] = [['noise', describeBySubject(estimate).noise ?? '']];
  if (model.kind === 'white') {
    const names = channelNames(model.sigma.length);
    for (const [c, level] of model.sigma.entries()) rows.push([names[c], `σ = ${measure(level)} (${share(level)})`]);
  }
  if (levels) {
    const names = levels.length === 3 ? ['luma', 'chroma 1', 'chroma 2'] : channelNames(levels.length);
    for (const [c, { middle, finest }] of levels.entries()) {
      const middles = `σ = ${measure(middle)} at middle frequencies (${share(middle)})`;
      rows.push([names[c], `${middles}, ${measure(finest)} at the finest`]);
    }
  }
  const uncertain = confidenceReason === 'no-flat-area';
  const reason = uncertain ? ': no flat area shows the noise alone' : levels ? ': flat areas show the noise alone' : '';
  rows.push(['confidence', `${confidence.toFixed(2)} of 1${reason}`]);
  return rows;
}
