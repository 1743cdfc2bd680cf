import type { Command } from 'commander';
import type { DictionaryName, Image, RepresentOptions } from 'ght';
import {
  dictionaryNames,
  estimateMemory,
  type MemorySize,
  OptionError,
  psnr,
  represent,
  representDefaults,
  solverCatalogue,
  solverDefaults,
} from 'ght';
import { saveCodes } from 'ght/npy';
import type { Context } from '../context.js';
import {
  budgetFlag,
  channelsFlag,
  engineFlags,
  jsonFlag,
  patchFlags,
  quietFlag,
  representOptions,
  silent,
  solverFlag,
  solverFlags,
  spreadFlag,
  targetFlags,
  totalBudgetFlag,
  withChannels,
} from '../flags.js';
import { contextFor, formatFlag, inputFlags, openChosen, pagesFlag, renamed } from '../input-flags.js';
import {
  checkOutputs,
  checkResult,
  formatOfName,
  type ImageFile,
  imageExtensions,
  isStream,
  type Output,
  refuseOverwritingFiles,
  resultFormat,
  resultOutput,
  writeResults,
} from '../io/index.js';
import { refuseTooLarge } from '../memory-limit.js';
import { heatmapPng } from '../output/heatmap.js';
import { historyExtensions, historyFile } from '../output/history.js';
import { checkQuality, jpegQuality } from '../output/picture.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine, imageSummary, range, runFacts, summarise } from '../output/summary.js';
import { decibels } from '../output/table.js';
import { goesInTiles, tileFlags } from '../tile-flags.js';
import { readDictionary } from './matrix.js';
import { inMadeFolder, placeOf } from './output-folder.js';
import type { RepresentFlags } from './represent-flags.js';
import { representTogether } from './represent-joint.js';
import { representPages } from './represent-pages.js';
import { representInTiles } from './represent-tiles.js';
import { forWriting, largestOf } from './written-target.js';

/** `ght represent`. */
export function representCommand(program: Command, context: Context): void {
  const command = program
    .command('represent')
    .summary('represent an image with at most S atoms in all')
    .description(
      'Represents an image with at most S atoms in all, which go to the patches that need them most.\n' +
        'Of several images, with --joint: to the images that need them most, too.\n' +
        'Reads PNG, JPEG, TIFF, WebP, BMP and .npy; the output has the depth of the input.',
    )
    .argument(
      '<IMAGE...>',
      'the image; - is standard input; with --joint: images, folders, or patterns such as "scans/*.png"',
    )
    .option(
      '-o, --output <file>',
      'write the reconstruction (.png .jpg .tiff .webp .avif .bmp .ppm .pfm .fits .exr .npy, or .zarr with the codes); - is standard output; or a folder to write it to under the ' +
        'name of the image',
    )
    .option('--jpeg-quality <q>', 'quality of a .jpg output, from 1 to 100 (default: 95)', jpegQuality);
  solverFlag(command, representDefaults.solver);
  budgetFlag(command);
  spreadFlag(targetFlags(totalBudgetFlag(command)));
  patchFlags(command).option(
    '--dictionary <name|file>',
    'learned: 64×256, learned from photographs; paper: the 64×100 DCT; or your own (.npy: one atom per column, of length 1, its ' +
      'pixels row by row; .npz: from ght learn) (default: learned for joint-omp and 8×8 patches, otherwise the DCT)',
  );
  engineFlags(solverFlags(command))
    .option('--heatmap <file>', 'write the atoms per patch as a picture (.png)')
    .option('--codes <file>', 'write the sparse codes, for ght decode and scipy.sparse.load_npz (.npz)')
    .option('--history <file>', 'write the RMSE of every iteration (.csv or .json)')
    .option(
      '--joint',
      'one budget for all images, or all pages with --pages: the result says what each got; -o is a folder',
    )
    .option(
      '--contact <file>',
      'with --joint: write all images with their heatmaps and shares of the budget as a picture (.png)',
    );
  channelsFlag(command);
  tileFlags(formatFlag(pagesFlag(inputFlags(command))));
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght represent photo.png -o small.png --budget 5
  ght represent photo.png -o paper.png --budget 5 --solver admm --dictionary paper
  ght represent photo.png -o results/ --solver qpm --budget 20 --heatmap atoms.png --history rmse.csv
  ght represent scan.tiff -o scan-40dB.tiff --target-psnr 40
  ght represent huge.tif -o huge.zarr --budget 5
  ght represent a.png b.png c.png -o out/ --joint --budget 5 --contact sheet.png
  ght represent scans/ -o out/ --joint --target-psnr 38 --json
  ght represent photo.png --codes photo.npz && ght decode photo.npz -o again.png
  ght represent photo.png -o own.png --dictionary D.npy --sigma 8
  ght represent photo.png -o omp.png --solver omp --budget 2.5 --spread`,
    )
    .action((paths: string[], flags: RepresentFlags) => runRepresent(paths, flags, context));
}

async function runRepresent(paths: string[], flags: RepresentFlags, given: Context): Promise<void> {
  const context = contextFor(given, flags.output, flags.json === true);
  if (flags.joint) {
    return representTogether(paths, flags, { ...representOptions(flags), ...(await dictionaryOf(flags)) }, context);
  }
  if (flags.contact !== undefined) {
    throw new OptionError('--contact', 'must come with --joint', flags.contact, 'add --joint, or use --heatmap');
  }
  const [path] = paths;
  if (paths.length > 1) {
    const remedy = 'add --joint for one budget for all, or represent one after the other';
    throw new OptionError('IMAGE', 'must be one image without --joint', paths.length, remedy);
  }
  const memory = (size: MemorySize) => estimateMemory('represent', size, representOptions(flags));
  if (await goesInTiles([path], flags.output, flags, memory)) {
    const options = { ...representOptions(flags), ...(await dictionaryOf(flags)) };
    if (flags.output !== undefined) {
      await refuseOverwritingFiles([{ path, parameter: 'IMAGE' }], [{ path: flags.output, parameter: '-o' }]);
    }
    return representInTiles(path, flags, options, context);
  }
  const { output, folder } = await placeOf(flags.output, path, renamed(flags.format));
  const format = folder === undefined ? flags.format : undefined;
  await inMadeFolder(folder, () => representFile(path, { ...flags, output, format }, context));
}

/** Whether `--dictionary` names a dictionary of the library and not a file. */
function isName(text: string): text is DictionaryName {
  return (dictionaryNames as readonly string[]).includes(text);
}

/** The dictionary that `--dictionary` asks for, and the side of its patches. */
async function dictionaryOf({
  dictionary,
  patch,
}: RepresentFlags): Promise<Pick<RepresentOptions, 'dictionary' | 'patch'>> {
  if (dictionary === undefined) return {};
  return isName(dictionary) ? { dictionary } : readDictionary(dictionary, patch);
}

async function representFile(path: string, flags: RepresentFlags, context: Context): Promise<void> {
  const { print, signal } = context;
  const own = await dictionaryOf(flags);
  const asked = { ...representOptions(flags), ...own };
  if (flags.jpegQuality !== undefined && !isStream(flags.output)) {
    checkQuality(flags.output ?? 'no output', flags.jpegQuality);
  }
  const outputs = [
    { path: isStream(flags.output) ? undefined : flags.output, kinds: imageExtensions, parameter: '-o' },
    { path: flags.heatmap, kinds: ['.png'], parameter: '--heatmap' },
    { path: flags.codes, kinds: ['.npz'], parameter: '--codes' },
    { path: flags.history, kinds: historyExtensions, parameter: '--history' },
  ];
  const inputs = [{ path, parameter: 'IMAGE' }];
  if (flags.dictionary !== undefined && !isName(flags.dictionary))
    inputs.push({ path: flags.dictionary, parameter: '--dictionary' });
  await checkOutputs(
    inputs.filter(({ path }) => !isStream(path)),
    outputs,
  );
  if (flags.output !== undefined) await checkResult(flags.output, flags.format);
  const pages = await openChosen(path, flags);
  const usual = flags.preset === undefined ? representDefaults.solver : solverDefaults.solver;
  const display = progressDisplay(solverCatalogue[asked.solver ?? usual].title, silent(flags));
  const representPage = async (number: number, onProgress = display.onProgress) => {
    const file = await pages.read(number);
    if (flags.output) resultFormat(flags.output, file.image, file, flags.format);
    const options = withChannels(forWriting(asked, file), file);
    refuseTooLarge(file.image, options);
    const start = performance.now();
    const result = await represent(file.image, { ...options, signal, onProgress }).finally(display.stop);
    return { file, result, seconds: (performance.now() - start) / 1000 };
  };
  if (pages.numbers.length > 1) return representPages(path, pages, flags, context, representPage);
  const { file, result, seconds } = await representPage(pages.numbers[0]);

  // All contents are ready before the first file is written, so an error changes no file.
  const files: Output[] = [];
  const add = (path: string, bytes: Uint8Array, parameter: string) => files.push({ path, bytes, parameter });
  if (flags.heatmap) add(flags.heatmap, await heatmapPng(result), '--heatmap');
  if (flags.codes) {
    const { grid, dictionary } = result;
    const { peak, alpha, planes } = file.image;
    const bands = planes.length === 3 && withChannels(asked, file).channels === 'bands';
    const sampleType = `${file.sample}${file.depth}`;
    add(flags.codes, await saveCodes(result.codes, { grid, dictionary, peak, alpha, bands, sampleType }), '--codes');
  }
  if (flags.history) add(flags.history, historyFile(flags.history, result.history), '--history');
  const { output, format, jpegQuality } = flags;
  if (output) files.push(await resultOutput(output, result.image, file, { format, jpegQuality }));
  const notKept = await writeResults(files, context.note);

  const summary = summarise('represent', result, { ...result, seconds, spread: flags.spread });
  const psnrWritten = writtenPsnr(result.image, file);
  if (flags.json) {
    const { task, solver, engine, ...rest } = summary;
    print(JSON.stringify({ task, solver, engine, image: imageSummary(file), ...rest, psnrWritten, notKept }));
    return;
  }
  const extra: [string, string][] = [['range', range(result)]];
  if (psnrWritten !== null && file.sample === 'uint') {
    const compressed = flags.output !== undefined && formatOfName(flags.output) === 'jpeg';
    const rounded = `${decibels(psnrWritten)}, rounded and clipped to ${file.depth} bits`;
    extra.push(['written', `${rounded}${compressed ? ', before JPEG compression' : ''}`]);
  }
  if (files.length > 0) extra.push(['wrote', files.map(({ path: name }) => name).join(', ')]);
  print(`${imageLine(path, file)}\n${runFacts(summary, extra)}`);
}

/** The PSNR in dB of an image after rounding and clipping to the format of the input; null if there is no difference. */
function writtenPsnr({ planes }: Image, file: ImageFile): number | null {
  const most = largestOf(file);
  const written = (value: number) => (most === undefined ? value : Math.min(Math.max(Math.round(value), 0), most));
  let sum = 0;
  for (const [c, plane] of planes.entries()) {
    const original = file.image.planes[c];
    for (let i = 0; i < plane.length; i++) sum += (written(plane[i]) - original[i]) ** 2;
  }
  if (sum === 0) return null;
  return psnr(Math.sqrt(sum / (planes.length * planes[0].length)), file.image.peak);
}
