import { dirname, extname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Diagnosis } from 'ght';
import { describe, diagnose, OptionError } from 'ght';
import { readHeader } from 'ght-images/node';
import type { Context } from '../context.js';
import { jsonFlag, quietFlag, silent } from '../flags.js';
import { type ChosenPages, inputFlags, openChosen, pagesFlag, readChosen } from '../input-flags.js';
import { type Found, skippedMessage } from '../io/batch.js';
import { filesOf, type ImageFile, inFolder, isStream, writeFileAtomically } from '../io/index.js';
import { oneLine, say } from '../output/line.js';
import { noisePlot } from '../output/noise.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine } from '../output/summary.js';
import { facts } from '../output/table.js';
import { defectFlags, missingOption, noiseKind } from './denoise-flags.js';
import { diagnoseTogether } from './diagnose-together.js';
import { checkWritten, type DiagnoseFlags, factsOf, isEmpty, soughtBy, summaryOf } from './diagnosed.js';
import { unitsOf, writeNoiseModel } from './noise-model.js';
import { inMadeFolder, OutputFolders, placeOf } from './output-folder.js';
import { eachFile, sayFailed } from './several.js';

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
      '-o, --output <file>',
      'write the noise as a model (.json) for ght denoise --noise-model; of several images of one camera, the noise that they have in common',
    )
    .option(
      '--plot <file>',
      'draw the standard deviation over frequency and over brightness (.svg .png); or the folder for one SVG per image, ' +
        'made if missing',
    );
  defectFlags(command, 'look for');
  command.addOption(
    missingOption('keep or fill, as for denoise: they do not count (default: such an image is refused)'),
  );
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
  ght diagnose shoot -o camera.json
  ght diagnose raw.tiff --noise poisson-gaussian --json`,
  );
}

async function runDiagnose(paths: string[], flags: DiagnoseFlags, context: Context): Promise<void> {
  const found = await filesOf(paths);
  if (found && flags.output !== undefined && found.files.length > 1) {
    return diagnoseTogether(found, flags.output, flags, context);
  }
  if (found && flags.output === undefined) return diagnoseSeveral(found, flags, context);
  const path = found?.files[0].input ?? paths[0];
  const { output: plot, folder } = await placeOf(flags.plot, path, (name) => `${name}.svg`);
  return inMadeFolder(folder, () => diagnoseOne(path, { ...flags, plot }, context));
}

async function diagnoseOne(path: string, flags: DiagnoseFlags, context: Context): Promise<void> {
  await checkWritten([path], flags);
  const pages = await openChosen(path, flags);
  if (pages.numbers.length > 1) return diagnosePages(path, pages, flags, context);
  const { file, diagnosis } = await diagnosePage(path, await pages.read(pages.numbers[0]), flags, context, flags.plot);
  if (flags.output !== undefined) {
    const { camera } = (isStream(path) ? undefined : await readHeader(path)) ?? {};
    const about = { ...unitsOf(file, flags.peak), images: 1, camera: isEmpty(camera) ? undefined : camera };
    await writeNoiseModel(flags.output, diagnosis, about);
  }
  if (flags.json) {
    context.print(JSON.stringify({ task: 'diagnose', ...summaryOf(file, diagnosis) }));
    return;
  }
  const wrote = [flags.output, flags.plot].flatMap((name): [string, string][] => (name ? [['wrote', name]] : []));
  context.print(`${imageLine(path, file)}\n${facts([...factsOf(file.image.peak, diagnosis), ...wrote])}`);
}

/** The pages of a file one by one; a plot is drawn of one only. */
async function diagnosePages(path: string, pages: ChosenPages, flags: DiagnoseFlags, context: Context) {
  for (const [flag, value] of Object.entries({ '--plot': flags.plot, '-o': flags.output })) {
    if (value === undefined) continue;
    throw new OptionError(flag, 'must be left out for several pages', value, 'choose one page with --pages');
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
    await checkWritten([each.input], { plot: each.output });
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

/** The diagnosis of one image; its noise is drawn if `--plot` is given. */
async function diagnosePage(
  path: string,
  file: ImageFile,
  flags: DiagnoseFlags,
  { signal }: Context,
  plot?: string,
): Promise<{ file: ImageFile; diagnosis: Diagnosis }> {
  const { onProgress, stop } = progressDisplay('diagnose', silent(flags));
  const options = { ...soughtBy(flags), jpeg: file.jpeg, signal, onProgress };
  const diagnosis = await diagnose(file.image, options).finally(stop);
  if (plot !== undefined) {
    await writeFileAtomically(plot, await noisePlot(extname(plot).toLowerCase(), path, file, diagnosis), '--plot');
  }
  return { file, diagnosis };
}
