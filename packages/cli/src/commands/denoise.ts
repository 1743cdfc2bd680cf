import type { Command } from 'commander';
import type { Image } from 'ght';
import {
  checkImage,
  denoise,
  isParameterError,
  ParameterError,
  psnrOf,
  rmsePixel,
  solverDefaults,
  solverTitles,
} from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { budgetFlag, jsonFlag, numberOf, patchFlags, representOptions, solverFlag, solverFlags } from '../flags.js';
import { checkFormat, checkOutput, imageExtensions, readImage, writeImage } from '../io/index.js';
import { refuseTooLarge } from '../memory.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine, imageSummary, runFacts, summarise } from '../output/summary.js';
import { decibels } from '../output/table.js';

interface DenoiseFlags extends Flags {
  readonly output: string;
  readonly reference?: string;
}

/** `ght denoise`. */
export function denoiseCommand(program: Command, context: Context): void {
  const command = program
    .command('denoise')
    .summary('remove noise: what the budget does not reach')
    .description(
      'Denoises an image as the paper does: it is represented under one global budget, and the rest is noise.\n' +
        'With --sigma the budget is the smallest whose residual is no larger than the noise.',
    )
    .argument('<IMAGE>', 'the noisy image')
    .requiredOption('-o, --output <file>', 'write the denoised image (.png .jpg .tiff .webp .npy)')
    .option('--sigma <x>', 'standard deviation of the noise, in the units of the image', numberOf('--sigma'));
  budgetFlag(command);
  solverFlag(command);
  solverFlags(patchFlags(command)).option('--reference <image>', 'the clean image, to measure the PSNR against');
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght denoise noisy.png -o clean.png --sigma 20
  ght denoise noisy.png -o clean.png --sigma 20 --stride 2 --solver joint-omp
  ght denoise noisy.png -o clean.png --budget 10 --reference original.png --json`,
    )
    .action((path: string, flags: DenoiseFlags) => runDenoise(path, flags, context));
}

async function runDenoise(path: string, flags: DenoiseFlags, { print, signal }: Context): Promise<void> {
  const options = representOptions(flags);
  await checkOutput(flags.output, imageExtensions, '-o');
  const file = await readImage(path);
  checkFormat(flags.output, file.image, file, '-o');
  const clean = flags.reference === undefined ? undefined : (await readImage(flags.reference, '--reference')).image;
  if (clean) checkReference(clean, file.image, flags.reference as string);
  refuseTooLarge(file.image, options);

  const display = progressDisplay(solverTitles[options.solver ?? solverDefaults.solver], flags.json === true);
  const start = performance.now();
  const result = await denoise(file.image, { ...options, signal, onProgress: display.onProgress }).finally(
    display.stop,
  );
  const seconds = (performance.now() - start) / 1000;
  await writeImage(flags.output, result.image, file, '-o');

  const level = (image: Image) => (clean ? psnrOf(imageError(image, clean), clean.peak) : null);
  const psnr = level(result.image);
  const psnrNoisy = level(file.image);
  const summary = summarise('denoise', result, { ...result, psnr, seconds });
  if (flags.json) {
    const { task, solver, engine, ...rest } = summary;
    print(JSON.stringify({ task, solver, engine, image: imageSummary(file), ...rest, psnrNoisy }));
    return;
  }
  const before: [string, string][] = psnrNoisy === null ? [] : [['before', decibels(psnrNoisy)]];
  print(`${imageLine(path, file)}\n${runFacts(summary, [...before, ['wrote', flags.output]])}`);
}

function imageError(a: Image, b: Image): number {
  const mean = a.planes.reduce((sum, plane, c) => sum + rmsePixel(plane, b.planes[c]) ** 2, 0) / a.planes.length;
  return Math.sqrt(mean);
}

function checkReference(clean: Image, noisy: Image, path: string): void {
  try {
    checkImage(clean);
  } catch (error) {
    if (!isParameterError(error)) throw error;
    throw new ParameterError(error.parameter.replace('image', '--reference'), error.rule, error.value, error.remedy);
  }
  const size = ({ width, height, planes }: Image) => `${width}×${height}×${planes.length}`;
  if (size(noisy) === size(clean)) return;
  const rule = `must have the size of the noisy image, ${size(noisy)}`;
  throw new ParameterError(
    '--reference',
    rule,
    `${size(clean)} in ${path}`,
    'give the clean version of the same picture',
  );
}
