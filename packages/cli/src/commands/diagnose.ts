import { dirname, extname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Diagnosis } from 'ght';
import { describe, describeBySubject, diagnose, OptionError } from 'ght';
import type { Context } from '../context.js';
import { jsonFlag, quietFlag, silent } from '../flags.js';
import { type ChosenPages, type InputFlags, inputFlags, openChosen, pagesFlag, readChosen } from '../input-flags.js';
import { type Found, skippedMessage } from '../io/batch.js';
import { checkOutputs, filesOf, type ImageFile, inFolder, writeFileAtomically } from '../io/index.js';
import { oneLine, say } from '../output/line.js';
import { noisePlot, plotExtensions } from '../output/noise.js';
import { progressDisplay } from '../output/progress.js';
import { channelNames, imageLine, imageSummary } from '../output/summary.js';
import { facts, measure } from '../output/table.js';
import { defectFlags, type NoiseKind, noiseKind } from './denoise-flags.js';
import { plainNoise } from './denoise-groups.js';
import { inMadeFolder, OutputFolders, placeOf } from './output-folder.js';
import { eachFile, sayFailed } from './several.js';

interface DiagnoseFlags extends InputFlags {
  readonly noise?: NoiseKind;
  readonly impulses?: 'auto' | 'off';
  readonly banding?: 'auto' | 'off';
  readonly plot?: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** `ght diagnose`, and its former name `ght noise`. */
export function diagnoseCommand(program: Command, context: Context): void {
  const run = (paths: string[], flags: DiagnoseFlags) => runDiagnose(paths, flags, context);
  diagnoseFlags(program.command('diagnose')).action(run);
  diagnoseFlags(program.command('noise', { hidden: true })).action((paths: string[], flags: DiagnoseFlags) => {
    say('ght noise is now called ght diagnose');
    return run(paths, flags);
  });
}

function diagnoseFlags(command: Command): Command {
  command
    .summary('what is wrong with an image: its noise, impulses and banding')
    .description(
      'Says what denoise finds in an image, without changing it: whether the noise is white or coloured, how strong it is in ' +
        'the units of the image, and how certain that is; impulses such as salt and pepper, and offsets of rows and columns.',
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
  defectFlags(command, 'look for');
  pagesFlag(inputFlags(command));
  return jsonFlag(quietFlag(command)).addHelpText(
    'after',
    `
Examples:
  ght diagnose photo.jpg
  ght diagnose photo.jpg --plot noise.png
  ght diagnose scans --plot plots
  ght diagnose "scans/**" --json
  ght diagnose stack.tiff --pages all
  ght diagnose raw.tiff --noise poisson-gaussian --json`,
  );
}

async function runDiagnose(paths: string[], flags: DiagnoseFlags, context: Context): Promise<void> {
  const found = await filesOf(paths);
  if (found) return diagnoseSeveral(found, flags, context);
  const { output, folder } = await placeOf(flags.plot, paths[0], (name) => `${name}.svg`);
  return inMadeFolder(folder, () => diagnoseOne(paths[0], { ...flags, plot: output }, context));
}

async function diagnoseOne(path: string, flags: DiagnoseFlags, context: Context): Promise<void> {
  await checkPlot(path, flags.plot);
  const pages = await openChosen(path, flags);
  if (pages.numbers.length > 1) return diagnosePages(path, pages, flags, context);
  const { file, diagnosis } = await diagnosePage(path, await pages.read(pages.numbers[0]), flags, context, flags.plot);
  if (flags.json) {
    context.print(JSON.stringify({ task: 'diagnose', ...summaryOf(file, diagnosis) }));
    return;
  }
  const wrote: [string, string][] = flags.plot === undefined ? [] : [['wrote', flags.plot]];
  context.print(`${imageLine(path, file)}\n${facts([...factsOf(file, diagnosis), ...wrote])}`);
}

/** The pages of a file one by one; a plot is drawn of one only. */
async function diagnosePages(path: string, pages: ChosenPages, flags: DiagnoseFlags, context: Context) {
  if (flags.plot !== undefined) {
    throw new OptionError('--plot', 'must be left out for several pages', flags.plot, 'choose one page with --pages');
  }
  const found: { readonly page: number; readonly file: ImageFile; readonly diagnosis: Diagnosis }[] = [];
  for (const page of pages.numbers)
    found.push({ page, ...(await diagnosePage(path, await pages.read(page), flags, context)) });
  if (flags.json) {
    const summaries = found.map(({ page, file, diagnosis }) => ({ page, ...summaryOf(file, diagnosis) }));
    context.print(JSON.stringify({ task: 'diagnose', pages: summaries }));
    return;
  }
  const rows = found.map(({ page, diagnosis }) => [`page ${page}`, describe(diagnosis).join('; ')] as const);
  context.print(`${imageLine(path, found[0].file)}, ${found.length} pages\n${facts(rows)}`);
}

async function diagnoseSeveral(found: Found, flags: DiagnoseFlags, context: Context): Promise<void> {
  const { plot } = flags;
  const files = plot === undefined ? found.files : inFolder(found.files, plot, '--plot', (name) => `${name}.svg`);
  const folders = new OutputFolders('--plot');
  if (plot !== undefined) await folders.make(plot, 'must be a folder for several images');
  let drawn = 0;
  const { done, failed } = await eachFile(files, context, async (each: { input: string; output?: string }) => {
    if (each.output !== undefined) await folders.make(dirname(each.output));
    await checkPlot(each.input, each.output);
    const page = await readChosen(each.input, flags);
    const { file, diagnosis } = await diagnosePage(each.input, page, flags, context, each.output);
    drawn++;
    if (plot !== undefined) context.stopped.note = `${drawn} of ${files.length} plots were written to ${plot}`;
    return { input: each.input, plot: each.output, summary: summaryOf(file, diagnosis) };
  }).finally(() => folders.removeEmpty());
  if (flags.json) {
    const summaries = done.map(({ input, plot, summary }) => ({ input, ...(plot && { plot }), ...summary }));
    context.print(JSON.stringify({ task: 'diagnose', files: summaries, failed, skipped: found.skipped }));
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

/** The diagnosis of one image; its noise is drawn if `--plot` is given. */
async function diagnosePage(
  path: string,
  file: ImageFile,
  flags: DiagnoseFlags,
  { signal }: Context,
  plot?: string,
): Promise<{ file: ImageFile; diagnosis: Diagnosis }> {
  const { onProgress, stop } = progressDisplay('diagnose', silent(flags));
  const { noise = 'auto', impulses, banding } = flags;
  const options = { kind: kindOf[noise], jpeg: file.jpeg, impulses, banding, signal, onProgress };
  const diagnosis = await diagnose(file.image, options).finally(stop);
  if (plot !== undefined) {
    await writeFileAtomically(plot, await noisePlot(extname(plot).toLowerCase(), path, file, diagnosis), '--plot');
  }
  return { file, diagnosis };
}

function summaryOf(file: ImageFile, diagnosis: Diagnosis) {
  const { model, confidence, confidenceReason, levels, jpeg, jpegQuality, impulses, banding } = diagnosis;
  const white = model.kind === 'white' ? model.sigma : null;
  return {
    ...{ format: file.format, image: imageSummary(file), messages: describe(diagnosis), confidence, confidenceReason },
    sigma: white,
    share: white?.map((level) => level / file.image.peak) ?? null,
    levels: levels ?? null,
    jpeg: jpeg ? { ...jpeg, luma: listOf(jpeg.luma), chroma: jpeg.chroma && listOf(jpeg.chroma) } : null,
    jpegQuality: jpegQuality ?? null,
    model: plainNoise(model),
    impulses,
    banding,
  };
}

function listOf(table: ArrayLike<number>): number[] {
  return Array.from(table);
}

/** What was found, and the level of each plane in the units of the image. */
function factsOf({ image }: ImageFile, diagnosis: Diagnosis): [string, string][] {
  const { model, confidence, confidenceReason, levels } = diagnosis;
  const share = (level: number) => `${((100 * level) / image.peak).toFixed(2)}% of full scale`;
  const { impulses, banding, noise = '' } = describeBySubject(diagnosis);
  const rows: [string, string][] = [['noise', noise]];
  if (impulses !== undefined) rows.unshift(['impulses', impulses]);
  if (banding !== undefined) rows.unshift(['banding', banding]);
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
