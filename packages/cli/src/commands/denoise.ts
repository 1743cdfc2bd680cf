import type { Command } from 'commander';
import { Option } from 'commander';
import type { MemorySize } from 'ght';
import { estimateMemory, OptionError, qualities } from 'ght';
import type { Context } from '../context.js';
import {
  budgetFlag,
  channelsFlag,
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
import { contextFor, extensionOf, formatFlag, inputFlags, pagesFlag, renamed } from '../input-flags.js';
import { batchOf, FORMAT_REMEDY, isStream, refuseOverwritingFiles } from '../io/index.js';
import { checkQuality, jpegQuality } from '../output/picture.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine } from '../output/summary.js';
import { goesInTiles, tileFlags } from '../tile-flags.js';
import { denoiseFile, type Task } from './denoise-file.js';
import { denoiseFilm } from './denoise-film.js';
import { type DenoiseFlags, defectFlags, missingOption, noiseKind } from './denoise-flags.js';
import { denoiseOptions, kindOf } from './denoise-groups.js';
import { denoiseMany } from './denoise-many.js';
import { denoiseStack } from './denoise-stack.js';
import { denoiseInTiles } from './denoise-tiles.js';
import { isFilm, seriesFlags, stackIn } from './series-flags.js';

/** `ght denoise`. */
export function denoiseCommand(program: Command, context: Context): void {
  const command = program
    .command('denoise')
    .summary('remove noise from an image, a stack, a film, or all images of a folder')
    .description(
      'Removes noise, with one global threshold over groups of similar patches. No options are needed: the noise is ' +
        'estimated, white or coloured as in camera files and JPEGs, and what was found is printed. Salt and pepper, hot ' +
        'pixels and banding are removed first where they are found. The output has the depth of the input; floats are ' +
        'neither clipped nor rounded. The pages of a stack (TIFF, .npy, Zarr) and the frames of a film (Y4M) are denoised as a series.',
    )
    .argument(
      '<IMAGE...>',
      'the noisy image; or several, a folder, or a pattern such as "scans/*.png" or, with all subfolders, "scans/**"; - is ' +
        'standard input',
    )
    .requiredOption(
      '-o, --output <file>',
      'write the denoised image (.png .jpg .tiff .webp .avif .bmp .ppm .pfm .fits .exr .npy .zarr), stack (.tif .npy .zarr) or film (.y4m); - is standard output; or the folder to write to, made if ' +
        'missing: results have the names of the images, in the same subfolders',
    )
    .option('--jpeg-quality <q>', 'quality of .jpg outputs, from 1 to 100 (default: 95)', jpegQuality)
    .addOption(
      new Option(
        '--quality <name>',
        'fast, balanced, best, learned or finest: about 0.4, 1.5, 5.3, 2 and 7.5 seconds per megapixel in grey on two cores, and ' +
          '3.4, 5.6, 12, 18 and 18 CPU seconds for photographs in colour. ' +
          'learned is a model trained on photographs, for colour the one of the package ght-colour if it is installed, and finest its blend with best. For coloured noise, as in camera files ' +
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
    .option(
      '--noise-model <file>',
      'the noise as ght diagnose -o has written it (.json), measured on other images of the same camera and settings',
    )
    .option(
      '--same-camera',
      'of several images: all without camera data in their files are of one camera with the same settings, so that their noise is ' +
        'measured together; those with such data are grouped by it anyway',
    )
    .option('--separate', 'of several images: measure the noise of each by itself')
    .addOption(missingOption('keep them, or fill them smoothly (default: such an image is refused)'))
    .option('--reference <image>', 'the clean image, to measure the PSNR against')
    .option(
      '--float',
      'write 32-bit floats, neither rounded nor clipped (.tiff .npy .zarr; default: the samples of the input)',
    )
    .addOption(
      new Option(
        '--method <name>',
        'groups; or paper: represent the image under one budget and treat the rest as noise',
      )
        .default('groups', 'groups')
        .argParser(choiceOf('--method', ['groups', 'paper'] as const)),
    );
  defectFlags(channelsFlag(command), 'remove');
  tileFlags(formatFlag(seriesFlags(pagesFlag(inputFlags(command)))));
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
  ght denoise stack.tiff -o clean.tiff
  ght denoise stack.tiff -o clean.tiff --pages all
  ght denoise cells.tif -o clean.tif --channels bands
  ght denoise cells.zarr -o clean.zarr --series-axis z
  ght denoise frames -o cleaned --series auto
  ffmpeg -i in.mp4 -f yuv4mpegpipe - | ght denoise - -o - | ffmpeg -i - out.mp4
  curl https://example.org/photo.jpg | ght denoise - -o - --format png > clean.png
  ght denoise scan.tiff -o clean.tiff --noise-spectrum psd.npy
  ght denoise shoot -o clean --noise-model camera.json
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
  if (flags.sameCamera && flags.separate) {
    throw new OptionError('--same-camera and --separate', 'exclude each other', 'both', 'give only one of them');
  }
  const context = contextFor(given, flags.output, flags.json === true);
  // Errors in the flags are the same for every file, so they are checked first.
  const options = flags.method === 'groups' ? await denoiseOptions(flags) : undefined;
  // Standard input is not waited for if its image could not be processed anyway.
  const isRefused = isStream(paths[0]) && (isTiled(flags) || /\.zarr$/i.test(flags.output));
  if (!isRefused && (await isFilm(paths))) {
    if (!options) throw new OptionError('--method', 'must be groups for a film', 'paper', 'remove it');
    return denoiseFilm(paths[0], flags, options, context);
  }
  const stack = options ? await stackIn(paths, flags, context) : undefined;
  if (stack && options) return denoiseStack(paths[0], stack, flags, options, context);
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
  if (batch === undefined && flags.sameCamera) {
    throw new OptionError('--same-camera', 'must come with several images', paths[0], 'remove it, or give a folder');
  }
  if (batch === undefined) checkFormatFlags(flags);
  const files = batch?.files ?? [{ input: paths[0], output: flags.output }];
  const inputs = files.map(({ input }) => ({ path: input, parameter: 'IMAGE' }));
  for (const [path, parameter] of [
    [flags.reference, '--reference'],
    [flags.noiseSpectrum, '--noise-spectrum'],
    [flags.noiseModel, '--noise-model'],
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

/** Whether tiles are requested. */
function isTiled({ tile, workers }: DenoiseFlags): boolean {
  return tile !== undefined || workers !== undefined;
}

/** Flags that the method does not have are refused, not ignored. */
function refuseFlagsOfOthers(flags: DenoiseFlags): void {
  const groups = {
    ...{ quality: '--quality', noise: '--noise', gain: '--gain', offset: '--offset' },
    ...{ strength: '--strength', strengthChroma: '--strength-chroma', keepGrain: '--keep-grain' },
    ...{ impulses: '--impulses', banding: '--banding', noiseSpectrum: '--noise-spectrum' },
    ...{ noiseModel: '--noise-model', sameCamera: '--same-camera', separate: '--separate' },
    ...{ series: '--series', seriesAxis: '--series-axis', missing: '--missing' },
  };
  const paper = {
    ...{ budget: '--budget', solver: '--solver', patch: '--patch', atoms: '--atoms', stride: '--stride' },
    ...{ rho: '--rho', rhoAbsolute: '--rho-absolute', refit: '--refit', maxIterations: '--max-iterations' },
    ...{ growth: '--growth', effort: '--effort', tolerance: '--tolerance', preset: '--preset', spread: '--spread' },
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
