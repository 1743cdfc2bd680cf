import type { Command } from 'commander';
import { Option } from 'commander';
import type { ErrorKind, Image, Quality } from 'ght';
import { isGhtError, OptionError, qualities } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import {
  budgetFlag,
  choiceOf,
  engineFlags,
  jsonFlag,
  numberOf,
  patchFlags,
  solverFlag,
  solverFlags,
} from '../flags.js';
import {
  type BatchFile,
  batchOf,
  checkFormat,
  checkOutput,
  formatOfName,
  type ImageFile,
  IncompleteInstallation,
  imageExtensions,
  makeFolder,
  readImage,
  refuseOverwriting,
  removeEmptyFolders,
  writeImage,
} from '../io/index.js';
import { oneLine, say } from '../output/line.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { imageLine } from '../output/summary.js';
import { denoiseByGroups, denoiseOptions } from './denoise-groups.js';
import { denoiseAsPaper } from './denoise-paper.js';
import { checkReference, type Outcome } from './denoised.js';

/** The flags of `ght denoise`. */
export interface DenoiseFlags extends Omit<Flags, 'sigma'> {
  readonly output: string;
  readonly method: 'groups' | 'paper';
  readonly sigma?: number | 'auto';
  readonly quality?: Quality;
  readonly noise?: 'auto' | 'gaussian' | 'poisson-gaussian';
  readonly strength?: number;
  readonly strengthChroma?: number;
  readonly keepGrain?: number;
  readonly impulses?: 'auto' | 'off';
  readonly banding?: 'auto' | 'off';
  readonly gain?: number;
  readonly offset?: number;
  readonly reference?: string;
}

/** `ght denoise`. */
export function denoiseCommand(program: Command, context: Context): void {
  const command = program
    .command('denoise')
    .summary('remove noise from an image, or from all of a folder')
    .description(
      'Removes noise, with one global threshold over groups of similar patches. Nothing need be told: the noise level ' +
        'is estimated and printed. The output has the depth of the input; floats are neither clipped nor rounded.',
    )
    .argument('<IMAGE...>', 'the noisy image; or several, a folder, or a pattern such as "scans/*.png"')
    .requiredOption(
      '-o, --output <file>',
      'write the denoised image (.png .jpg .tiff .webp .npy); for several, the folder to write to, made if missing',
    )
    .option('--sigma <x>', 'deviation of the noise in the units of the image, or auto (default: auto)', levelOrAuto)
    .addOption(
      new Option('--quality <name>', `${qualities.join(', ')} (default: balanced)`).argParser(
        choiceOf('--quality', qualities),
      ),
    )
    .addOption(
      new Option(
        '--noise <kind>',
        'gaussian, or poisson-gaussian: noise that grows with the signal, as of a camera (default: gaussian)',
      ).argParser(choiceOf('--noise', ['gaussian', 'poisson-gaussian'] as const)),
    )
    .option(
      '--gain <g>',
      'of poisson-gaussian noise: what one count adds to a sample; --sigma is then the deviation without signal ' +
        '(default: both estimated)',
      numberOf('--gain'),
    )
    .option(
      '--offset <o>',
      'of poisson-gaussian noise, with --gain: the value of no signal (default: 0)',
      numberOf('--offset'),
    )
    .option('--reference <image>', 'the clean image, to measure the PSNR against')
    .addOption(
      new Option('--method <name>', 'groups, or paper: represent the image under one budget, the rest is noise')
        .default('groups', 'groups')
        .argParser(choiceOf('--method', ['groups', 'paper'] as const)),
    );
  jsonFlag(engineFlags(command)).optionsGroup('With --method paper:');
  solverFlags(patchFlags(solverFlag(budgetFlag(command))))
    .addHelpText(
      'after',
      `
Examples:
  ght denoise noisy.png -o clean.png
  ght denoise noisy.png -o clean.png --quality best --sigma 20
  ght denoise scans -o cleaned
  ght denoise raw.tiff -o clean.tiff --noise poisson-gaussian
  ght denoise noisy.png -o clean.png --method paper --solver admm --budget 10 --reference original.png`,
    )
    .action((paths: string[], flags: DenoiseFlags) => runDenoise(paths, flags, context));
}

function levelOrAuto(text: string): number | 'auto' {
  return text === 'auto' ? text : numberOf('--sigma')(text);
}

async function runDenoise(paths: string[], flags: DenoiseFlags, context: Context): Promise<void> {
  refuseFlagsOfOthers(flags);
  // What is wrong with the flags is wrong for every file.
  if (flags.method === 'groups') denoiseOptions(flags);
  const batch = await batchOf(paths, flags.output);
  const files = batch ?? [{ input: paths[0], output: flags.output }];
  const inputs = files.map(({ input }) => ({ path: input, parameter: 'IMAGE' }));
  if (flags.reference !== undefined) inputs.push({ path: flags.reference, parameter: '--reference' });
  await refuseOverwriting(
    inputs,
    files.map(({ output }) => ({ path: output, parameter: '-o' })),
  );
  if (batch === undefined) await denoiseOne(paths[0], flags, context);
  else await denoiseMany(batch, flags, context);
}

async function denoiseOne(path: string, flags: DenoiseFlags, context: Context): Promise<void> {
  const display = progressDisplay(flags.method === 'paper' ? 'denoise as the paper' : 'denoise', flags.json === true);
  const { file, outcome } = await denoiseFile(path, flags.output, flags, context, display).finally(display.stop);
  context.print(
    flags.json ? JSON.stringify({ task: 'denoise', ...outcome.summary }) : `${imageLine(path, file)}\n${outcome.facts}`,
  );
}

/** One file after the other; one that fails does not stop the others, but is named at the end. */
async function denoiseMany(batch: readonly BatchFile[], flags: DenoiseFlags, context: Context): Promise<void> {
  const made = await makeFolder(flags.output, 'must be a folder for several images');
  const display = progressDisplay('denoise', flags.json === true);
  const done: { input: string; noise: string; summary: object }[] = [];
  const failures: { input: string; kind: ErrorKind; message: string }[] = [];
  try {
    for (const [i, { input, output }] of batch.entries()) {
      const part: ProgressDisplay = {
        onProgress: ({ fraction }) => display.onProgress({ fraction: (i + fraction) / batch.length, doing: input }),
        stop: () => {},
      };
      part.onProgress({ fraction: 0 });
      try {
        checkName(input);
        const { outcome } = await denoiseFile(input, output, flags, context, part);
        done.push({ input, noise: outcome.noise, summary: { input, output, ...outcome.summary } });
      } catch (error) {
        // What the installation lacks is lacking for every file.
        if (!isGhtError(error) || error instanceof IncompleteInstallation) throw error;
        failures.push({ input, kind: error.kind, message: context.explain(error) });
      }
      context.stopped.note = `${done.length} of ${batch.length} images were written to ${flags.output}`;
    }
  } finally {
    display.stop();
    if (made !== undefined && done.length === 0) await removeEmptyFolders(flags.output, made);
  }
  if (failures.length > 0) process.exitCode = 1;
  if (flags.json) {
    const failed = failures.map(({ input, kind, message }) => ({ input, kind, error: message }));
    context.print(JSON.stringify({ task: 'denoise', files: done.map(({ summary }) => summary), failed }));
    return;
  }
  for (const { input, noise } of done) context.print(`${oneLine(input)}: ${noise}`);
  context.print(`wrote ${done.length} of ${batch.length} images to ${oneLine(flags.output)}`);
  for (const { input, message } of failures) say(`${input}: ${message}`);
}

/** The result of one file of several has its name, so the name must be one that an image can be written to. */
function checkName(input: string): void {
  if (formatOfName(input) !== undefined) return;
  const rule = `must end in ${imageExtensions.join(', ')} to be one of several`;
  throw new OptionError('IMAGE', rule, input, 'rename it, or denoise it by itself');
}

async function denoiseFile(
  path: string,
  output: string,
  flags: DenoiseFlags,
  { signal }: Context,
  { onProgress }: ProgressDisplay,
): Promise<{ file: ImageFile; outcome: Outcome }> {
  await checkOutput(output, imageExtensions, '-o');
  const file = await readImage(path);
  checkFormat(output, file.image, file, '-o');
  const reference = flags.reference === undefined ? undefined : await readImage(flags.reference, '--reference');
  if (reference) checkReference(reference, file, flags.reference as string);
  const clean = reference?.image;
  const write = (image: Image) => writeImage(output, image, file, '-o');
  const denoise = flags.method === 'paper' ? denoiseAsPaper : denoiseByGroups;
  return { file, outcome: await denoise(file, flags, { clean, output, write, signal, onProgress }) };
}

/** Flags that the method does not have are refused, not ignored. */
function refuseFlagsOfOthers(flags: DenoiseFlags): void {
  const groups = { quality: '--quality', noise: '--noise', gain: '--gain', offset: '--offset' };
  const paper = {
    ...{ budget: '--budget', solver: '--solver', patch: '--patch', atoms: '--atoms', stride: '--stride' },
    ...{ rho: '--rho', rhoAbsolute: '--rho-absolute', refit: '--refit', maxIterations: '--max-iterations' },
    ...{ tolerance: '--tolerance', preset: '--preset' },
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
