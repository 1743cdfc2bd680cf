import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { DenoiseOptions, Image, MemorySize } from 'ght';
import { estimateMemory, InputError, OptionError, qualities } from 'ght';
import type { ImagePages } from 'ght-images/node';
import type { Context } from '../context.js';
import {
  budgetFlag,
  choiceOf,
  engineFlags,
  jsonFlag,
  numberOf,
  patchFlags,
  quietFlag,
  silent,
  solverFlag,
  solverFlags,
  spreadFlag,
} from '../flags.js';
import {
  contextFor,
  extensionOf,
  formatFlag,
  inputFlags,
  openChosen,
  pagesFlag,
  readOptions,
  renamed,
} from '../input-flags.js';
import { type Skipped, skippedMessage } from '../io/batch.js';
import {
  type BatchFile,
  batchOf,
  checkResult,
  FORMAT_REMEDY,
  formatOfName,
  type ImageFile,
  imageExtensions,
  isStream,
  openInput,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { oneLine } from '../output/line.js';
import { checkQuality, jpegQuality } from '../output/picture.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { imageLine } from '../output/summary.js';
import { goesInTiles, tileFlags } from '../tile-flags.js';
import { type DenoiseFlags, defectFlags, noiseKind } from './denoise-flags.js';
import { denoiseByGroups, denoiseOptions, kindOf } from './denoise-groups.js';
import { denoisePages, type Write } from './denoise-pages.js';
import { denoiseAsPaper } from './denoise-paper.js';
import { denoiseInTiles } from './denoise-tiles.js';
import { checkReference, type Outcome } from './denoised.js';
import { OutputFolders } from './output-folder.js';
import { eachFile, sayFailed } from './several.js';

/** `ght denoise`. */
export function denoiseCommand(program: Command, context: Context): void {
  const command = program
    .command('denoise')
    .summary('remove noise from an image, or from all of a folder')
    .description(
      'Removes noise, with one global threshold over groups of similar patches. No options are needed: the noise is ' +
        'estimated, white or coloured as in camera files and JPEGs, and what was found is printed. Salt and pepper, hot ' +
        'pixels and banding are removed first where they are found. The output has the depth of the input; floats are ' +
        'neither clipped nor rounded.',
    )
    .argument(
      '<IMAGE...>',
      'the noisy image; or several, a folder, or a pattern such as "scans/*.png" or, with all subfolders, "scans/**"; - is ' +
        'standard input',
    )
    .requiredOption(
      '-o, --output <file>',
      'write the denoised image (.png .jpg .tiff .webp .bmp .npy .zarr); - is standard output; or the folder to write to, made if ' +
        'missing: results have the names of the images, in the same subfolders',
    )
    .option('--jpeg-quality <q>', 'quality of .jpg outputs, from 1 to 100 (default: 95)', jpegQuality)
    .addOption(
      new Option(
        '--quality <name>',
        'fast, balanced, best, learned or finest: about 0.4, 1.5, 5.3, 2 and 7.5 seconds per megapixel in grey on two cores. ' +
          'learned is a model trained on photographs, and finest its blend with best. For coloured noise, as in camera files ' +
          'and JPEGs, finest takes the place of learned; for very weak noise, best takes the place of both (default: balanced)',
      ).argParser(choiceOf('--quality', qualities)),
    )
    .option(
      '--strength <x>',
      'remove more or less: multiplies the standard deviation of the noise by x; 1.4 suits soft photographs (default: 1)',
      numberOf('--strength'),
    )
    .option(
      '--strength-chroma <x>',
      'the same for colour noise only, in addition to --strength (default: 1)',
      numberOf('--strength-chroma'),
    )
    .option(
      '--keep-grain <share>',
      'put back a share of what was removed, from 0 to 1 (default: 0)',
      numberOf('--keep-grain'),
    )
    .option(
      '--sigma <x>',
      'standard deviation of white noise in the units of the image, or one per channel as in 5,7,6; or auto (default: auto)',
      levelsOrAuto,
    )
    .addOption(
      new Option(
        '--noise <kind>',
        'auto: white or coloured, as estimated; white; poisson-gaussian: noise that grows with the signal, ' +
          'as in raw and low-light images (default: auto)',
      ).argParser(noiseKind),
    )
    .option(
      '--gain <g>',
      'for poisson-gaussian noise: how much one count adds to a sample; --sigma is then the standard deviation without ' +
        'signal (default: both estimated)',
      numberOf('--gain'),
    )
    .option(
      '--offset <o>',
      'for poisson-gaussian noise: the sample value without signal (default: 0 with --gain, estimated otherwise)',
      numberOf('--offset'),
    )
    .option(
      '--noise-spectrum <file>',
      'the spectrum of the noise as a .npy: 8×8 standard deviations of the DCT, or a power spectral density of another size',
    )
    .option('--reference <image>', 'the clean image, to measure the PSNR against')
    .addOption(
      new Option(
        '--method <name>',
        'groups; or paper: represent the image under one budget and treat the rest as noise',
      )
        .default('groups', 'groups')
        .argParser(choiceOf('--method', ['groups', 'paper'] as const)),
    );
  defectFlags(command, 'remove');
  tileFlags(formatFlag(pagesFlag(inputFlags(command))));
  jsonFlag(quietFlag(engineFlags(command))).optionsGroup('With --method paper:');
  solverFlags(patchFlags(solverFlag(spreadFlag(budgetFlag(command)))))
    .addHelpText(
      'after',
      `
Examples:
  ght denoise noisy.png -o clean.png
  ght denoise photo.jpg -o clean.png --strength 1.4 --keep-grain 0.1
  ght denoise noisy.png -o clean.png --quality best --sigma 20
  ght denoise rgb.png -o clean.png --sigma 5,7,6
  ght denoise scans -o cleaned
  ght denoise "scans/**" -o cleaned --format jpg --jpeg-quality 92
  ght denoise raw.tiff -o clean.tiff --noise poisson-gaussian --peak 4095
  ght denoise slide.tif -o clean.zarr
  ght denoise slide.tif -o clean.tif --workers redis://queue/
  ght denoise stack.tiff -o clean.tiff --pages all
  curl https://example.org/photo.jpg | ght denoise - -o - --format png > clean.png
  ght denoise scan.tiff -o clean.tiff --noise-spectrum psd.npy
  ght denoise noisy.png -o clean.png --method paper --solver admm --budget 10 --reference original.png`,
    )
    .action((paths: string[], flags: DenoiseFlags) => runDenoise(paths, flags, context));
}

function levelsOrAuto(text: string): number | readonly number[] | 'auto' {
  if (text === 'auto') return text;
  const levels = text.split(',').map(numberOf('--sigma'));
  return levels.length === 1 ? levels[0] : levels;
}

async function runDenoise(paths: string[], flags: DenoiseFlags, given: Context): Promise<void> {
  refuseFlagsOfOthers(flags);
  const context = contextFor(given, flags.output, flags.json === true);
  // Errors in the flags are the same for every file, so they are checked first.
  const options = flags.method === 'groups' ? await denoiseOptions(flags) : undefined;
  const memory = (size: MemorySize) =>
    estimateMemory('denoise', size, { quality: flags.quality, noise: kindOf(options ?? {}) });
  if (await goesInTiles(paths, flags.output, flags, memory)) {
    if (!options) throw new OptionError('--method', 'must be groups for an image in tiles', 'paper', 'remove it');
    if (paths.length > 1) {
      const rule = 'must be one image if it is processed in tiles';
      throw new OptionError('IMAGE', rule, paths.length, 'denoise one after the other');
    }
    await refuseOverwritingFiles([{ path: paths[0], parameter: 'IMAGE' }], [{ path: flags.output, parameter: '-o' }]);
    return denoiseInTiles(paths[0], flags, options, context);
  }
  const task: Task = { flags, options, context };
  const batch = await batchOf(paths, flags.output, renamer(flags));
  if (batch && isStream(flags.output)) {
    throw new OptionError('-o', 'must be a folder for several images', flags.output, 'name a folder');
  }
  if (batch === undefined) checkFormatFlags(flags);
  const files = batch?.files ?? [{ input: paths[0], output: flags.output }];
  const inputs = files.map(({ input }) => ({ path: input, parameter: 'IMAGE' }));
  for (const [path, parameter] of [
    [flags.reference, '--reference'],
    [flags.noiseSpectrum, '--noise-spectrum'],
  ] as const) {
    if (path !== undefined) inputs.push({ path, parameter });
  }
  await refuseOverwritingFiles(
    inputs,
    files.map(({ output }) => ({ path: output, parameter: '-o' })),
  );
  if (batch === undefined) await denoiseOne(paths[0], task);
  else await denoiseMany(batch.files, batch.skipped, task);
}

/** The task, which is the same for every file. */
interface Task {
  readonly flags: DenoiseFlags;
  /** The options of the method `groups`; undefined for the method `paper`. */
  readonly options: DenoiseOptions | undefined;
  readonly context: Context;
}

async function denoiseOne(path: string, task: Task): Promise<void> {
  const { flags, context } = task;
  const display = progressDisplay(flags.method === 'paper' ? 'denoise as the paper' : 'denoise', silent(flags));
  const { file, outcome } = await denoiseFile(path, flags.output, task, display).finally(display.stop);
  if (flags.json) {
    context.print(JSON.stringify({ task: 'denoise', ...outcome.summary }));
    return;
  }
  context.print(`${imageLine(path, file)}\n${outcome.facts}`);
  if (outcome.advice !== undefined) context.print(outcome.advice);
}

async function denoiseMany(batch: readonly BatchFile[], skipped: readonly Skipped[], task: Task): Promise<void> {
  const { flags, context } = task;
  const folders = new OutputFolders();
  await folders.make(flags.output, 'must be a folder for several images');
  const display = progressDisplay('denoise', silent(flags));
  let written = 0;
  const { done, failed } = await eachFile(batch, context, async ({ input, output }, i) => {
    const onProgress: ProgressDisplay['onProgress'] = ({ fraction }) =>
      display.onProgress({ fraction: (i + fraction) / batch.length, doing: input });
    onProgress({ fraction: 0 });
    checkName(input, output);
    await folders.make(dirname(output));
    const { outcome } = await denoiseFile(input, output, task, { onProgress, stop: () => {} });
    written++;
    context.stopped.note = `${written} of ${batch.length} images were written to ${flags.output}`;
    return { input, output, outcome };
  }).finally(async () => {
    display.stop();
    await folders.removeEmpty();
  });
  if (flags.json) {
    const files = done.map(({ input, output, outcome }) => ({ input, output, ...outcome.summary }));
    context.print(JSON.stringify({ task: 'denoise', files, failed, skipped }));
    return;
  }
  for (const { input, outcome } of done) context.print(`${oneLine(input)}: ${outcome.noise}`);
  context.print(`wrote ${done.length} of ${batch.length} images to ${oneLine(flags.output)}`);
  const left = skippedMessage(skipped);
  if (left !== undefined) context.print(oneLine(left));
  if (done.length > 0) context.print(countChanged(done.map(({ outcome }) => outcome)));
  sayFailed(failed);
}

/** How many images changed, and advice for those that did not, or perhaps not enough. */
function countChanged(outcomes: readonly Outcome[]): string {
  const changed = outcomes.filter((outcome) => outcome.changed).length;
  const advised = outcomes.flatMap(({ advice }) => advice ?? []);
  const lines = [...new Set(advised)].map((advice) => {
    return `${advised.filter((each) => each === advice).length} of ${outcomes.length}: ${advice}`;
  });
  return [`${changed} changed, ${outcomes.length - changed} left as they were`, ...lines].join('\n');
}

/** With several files, a result has the name of its input, so its extension must be one that can be written. */
function checkName(input: string, output: string): void {
  if (formatOfName(output) !== undefined) return;
  const rule = `must end in ${imageExtensions.join(', ')} to be one of several`;
  throw new OptionError('IMAGE', rule, input, 'rename it, use --format, or denoise it by itself');
}

/** Names a result in a folder: the name of the image with the extension of the given format. */
function renamer({ format, jpegQuality }: DenoiseFlags): ((name: string) => string) | undefined {
  if (jpegQuality !== undefined && format !== undefined) checkQuality(`image${extensionOf(format)}`, jpegQuality);
  return renamed(format);
}

/** For one file, the name of the output determines the format. */
function checkFormatFlags({ output, format, jpegQuality }: DenoiseFlags): void {
  if (isStream(output)) return;
  if (format !== undefined) {
    throw new OptionError(
      '--format',
      'must come with -o - or a folder as -o',
      extensionOf(format).slice(1),
      FORMAT_REMEDY,
    );
  }
  checkQuality(output, jpegQuality);
}

async function denoiseFile(
  path: string,
  output: string,
  { flags, options, context }: Task,
  { onProgress }: ProgressDisplay,
): Promise<{ file: ImageFile; outcome: Outcome }> {
  // In a folder the name of the output has the format already.
  const format = isStream(output) ? flags.format : undefined;
  await checkResult(output, format);
  const input = await openChosen(path, flags);
  const reference =
    flags.reference === undefined ? undefined : await openInput(flags.reference, '--reference', readOptions(flags));
  const denoisePage = async (number: number, write: Write, progress = onProgress) => {
    const file = await input.read(number);
    resultFormat(output, file.image, file, format);
    const clean = await referenceOf(reference, number, file, flags.reference ?? '');
    const given = {
      ...{ clean: clean?.image, output, signal: context.signal, onProgress: progress },
      write: (image: Image) => write(image, file),
    };
    const outcome = options ? denoiseByGroups(file, options, given) : denoiseAsPaper(file, flags, given);
    return { file, outcome: await outcome };
  };
  if (input.numbers.length > 1) return denoisePages(input, output, format, denoisePage, onProgress);
  return denoisePage(input.numbers[0], async (image, file) => {
    await writeResults([await resultOutput(output, image, file, { format, jpegQuality: flags.jpegQuality })]);
  });
}

/** The clean version of a page: the page of the same number, or the only one there is. */
async function referenceOf(
  reference: ImagePages | undefined,
  number: number,
  noisy: ImageFile,
  path: string,
): Promise<ImageFile | undefined> {
  if (!reference) return undefined;
  if (reference.count > 1 && number >= reference.count) {
    throw new InputError('--reference', `must have a page ${number}`, path, 'give the clean version of the same pages');
  }
  const clean = await reference.page(reference.count === 1 ? 0 : number);
  checkReference(clean, noisy, path);
  return clean;
}

/** Flags that the method does not have are refused, not ignored. */
function refuseFlagsOfOthers(flags: DenoiseFlags): void {
  const groups = {
    ...{ quality: '--quality', noise: '--noise', gain: '--gain', offset: '--offset' },
    ...{ strength: '--strength', strengthChroma: '--strength-chroma', keepGrain: '--keep-grain' },
    ...{ impulses: '--impulses', banding: '--banding', noiseSpectrum: '--noise-spectrum' },
  };
  const paper = {
    ...{ budget: '--budget', solver: '--solver', patch: '--patch', atoms: '--atoms', stride: '--stride' },
    ...{ rho: '--rho', rhoAbsolute: '--rho-absolute', refit: '--refit', maxIterations: '--max-iterations' },
    ...{ effort: '--effort', tolerance: '--tolerance', preset: '--preset', spread: '--spread' },
  };
  const others: Readonly<Record<string, string>> = flags.method === 'paper' ? groups : paper;
  const given = Object.keys(others).find((key) => flags[key as keyof DenoiseFlags] !== undefined);
  if (given === undefined) return;
  const [rule, remedy] =
    flags.method === 'paper'
      ? ['must be left out with --method paper', 'remove one of the two']
      : ['belongs to --method paper', 'add --method paper, or remove it'];
  throw new OptionError(others[given], rule, flags[given as keyof DenoiseFlags], remedy);
}
