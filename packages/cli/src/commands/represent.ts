import type { Command } from 'commander';
import { Option } from 'commander';
import { type DictionaryName, dictionaryNames, represent, saveCodes, solverCatalogue, solverDefaults } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import {
  budgetFlag,
  choiceOf,
  engineFlags,
  jsonFlag,
  numberOf,
  patchFlags,
  representOptions,
  solverFlag,
  solverFlags,
  totalBudgetFlag,
} from '../flags.js';
import {
  checkFormat,
  checkOutputs,
  imageExtensions,
  imageOutput,
  type Output,
  readImage,
  writeTogether,
} from '../io/index.js';
import { refuseTooLarge } from '../memoryLimit.js';
import { heatmapPng } from '../output/heatmap.js';
import { historyExtensions, historyFile } from '../output/history.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine, imageSummary, runFacts, spread, summarise } from '../output/summary.js';

interface RepresentFlags extends Flags {
  readonly dictionary?: DictionaryName;
  readonly output?: string;
  readonly heatmap?: string;
  readonly codes?: string;
  readonly history?: string;
}

/** `ght represent`. */
export function representCommand(program: Command, context: Context): void {
  const command = program
    .command('represent')
    .summary('represent an image with at most S atoms in all')
    .description(
      'Represents an image with at most S atoms in all, which go to the patches that need them.\n' +
        'Reads PNG, JPEG, TIFF and WebP (8 and 16 bit), float TIFF and .npy; writes the depth it read.',
    )
    .argument('<IMAGE>', 'the image')
    .option('-o, --output <file>', 'write the reconstruction (.png .jpg .tiff .webp .npy)');
  solverFlag(command);
  budgetFlag(command);
  totalBudgetFlag(command).option(
    '--target-psnr <dB>',
    'instead of a budget: the smallest that reaches this PSNR',
    numberOf('--target-psnr'),
  );
  patchFlags(command).addOption(
    new Option(
      '--dictionary <name>',
      'learned: 64×256, learned from photographs, for joint-omp; paper: the 64×100 DCT',
    ).argParser(choiceOf('--dictionary', dictionaryNames)),
  );
  engineFlags(solverFlags(command))
    .option('--heatmap <file>', 'write the atoms a patch as a picture (.png)')
    .option('--codes <file>', 'write the sparse codes, readable by scipy.sparse.load_npz (.npz)')
    .option('--history <file>', 'write the RMSE of every iteration (.csv or .json)');
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght represent photo.png -o small.png --budget 5
  ght represent photo.png -o better.png --budget 5 --solver joint-omp --dictionary learned
  ght represent photo.png --solver qpm --budget 20 --heatmap atoms.png --history rmse.csv
  ght represent scan.tiff -o scan-40dB.tiff --solver joint-omp --target-psnr 40 --codes scan.npz`,
    )
    .action((path: string, flags: RepresentFlags) => runRepresent(path, flags, context));
}

async function runRepresent(path: string, flags: RepresentFlags, { print, signal }: Context): Promise<void> {
  const named = flags.dictionary === undefined ? {} : { dictionary: flags.dictionary };
  const options = { ...representOptions(flags), ...named };
  const outputs = [
    { path: flags.output, kinds: imageExtensions, parameter: '-o' },
    { path: flags.heatmap, kinds: ['.png'], parameter: '--heatmap' },
    { path: flags.codes, kinds: ['.npz'], parameter: '--codes' },
    { path: flags.history, kinds: historyExtensions, parameter: '--history' },
  ];
  await checkOutputs([{ path, parameter: 'IMAGE' }], outputs);
  const file = await readImage(path);
  if (flags.output) checkFormat(flags.output, file.image, file, '-o');
  refuseTooLarge(file.image, options);

  const display = progressDisplay(solverCatalogue[options.solver ?? solverDefaults.solver].title, flags.json === true);
  const start = performance.now();
  const result = await represent(file.image, { ...options, signal, onProgress: display.onProgress }).finally(
    display.stop,
  );
  const seconds = (performance.now() - start) / 1000;

  // Everything is made before anything is written: an error on the way leaves no file touched.
  const files: Output[] = [];
  const add = (path: string, bytes: Uint8Array, parameter: string) => files.push({ path, bytes, parameter });
  if (flags.heatmap) add(flags.heatmap, await heatmapPng(result), '--heatmap');
  if (flags.codes) add(flags.codes, await saveCodes(result.codes), '--codes');
  if (flags.history) add(flags.history, historyFile(flags.history, result.history), '--history');
  if (flags.output) files.push(await imageOutput(flags.output, result.image, file, '-o'));
  await writeTogether(files);

  const summary = summarise('represent', result, { ...result, seconds });
  if (flags.json) {
    const { task, solver, engine, ...rest } = summary;
    print(JSON.stringify({ task, solver, engine, image: imageSummary(file), ...rest }));
    return;
  }
  const extra: [string, string][] = [['spread', spread(result)]];
  if (files.length > 0) extra.push(['wrote', files.map(({ path: name }) => name).join(', ')]);
  print(`${imageLine(path, file)}\n${runFacts(summary, extra)}`);
}
