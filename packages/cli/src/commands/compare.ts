import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Representation } from 'ght';
import { OptionError, represent, solverCatalogue, solverNames } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import {
  budgetFlag,
  engineFlags,
  jsonFlag,
  patchFlags,
  quietFlag,
  representOptions,
  silent,
  solverFlags,
  spreadFlag,
  totalBudgetFlag,
} from '../flags.js';
import { type InputFlags, inputFlags, pagesFlag, readChosen } from '../input-flags.js';
import type { ImageFile } from '../io/index.js';
import { checkOutputs, imageExtensions, imageOutput, type Output, writeTogether } from '../io/index.js';
import { refuseTooLarge } from '../memory-limit.js';
import { heatmapPng } from '../output/heatmap.js';
import { csv } from '../output/history.js';
import { oneLine } from '../output/line.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine, imageSummary, summarise, unspentMessage } from '../output/summary.js';
import { count, decibels, measure, table } from '../output/table.js';

interface CompareFlags extends Flags, InputFlags {
  readonly output?: string;
}

/** `ght compare`. */
export function compareCommand(program: Command, context: Context): void {
  const command = program
    .command('compare')
    .summary('compare all solvers on one image under the same budget')
    .description(
      'Represents an image with every solver under the same budget and with the overcomplete DCT: the two global ones of the paper, joint OMP, ' +
        'and the three patch-wise ones, which give every patch the same number of atoms, S/P rounded down.',
    )
    .argument('<IMAGE>', 'the image')
    .option('-o, --output <folder>', 'write reconstructions, heatmaps and history.csv to this existing folder');
  spreadFlag(totalBudgetFlag(budgetFlag(pagesFlag(inputFlags(command)))));
  engineFlags(solverFlags(patchFlags(command)));
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght compare photo.png --budget 10
  ght compare photo.png --budget 2.5 --spread
  mkdir results && ght compare photo.png --budget 5 -o results`,
    )
    .action((path: string, flags: CompareFlags) => runCompare(path, flags, context));
}

async function runCompare(path: string, flags: CompareFlags, { print, signal }: Context): Promise<void> {
  const folder = flags.output;
  const { rho, growth, spread, ...given } = representOptions(flags);
  // All solvers have the same dictionary, the overcomplete DCT. Joint OMP would use the learned one.
  const options = {
    ...given,
    ...(given.atoms === undefined && (given.patch ?? 8) === 8 ? { dictionary: 'paper' as const } : {}),
  };
  if (folder !== undefined) await checkFolder(folder);
  const file = await readChosen(path, flags);
  if (folder !== undefined) await checkFiles(folder, path, file);
  refuseTooLarge(file.image, options);
  const runs: { result: Representation; summary: ReturnType<typeof summarise> }[] = [];
  for (const solver of solverNames) {
    const display = progressDisplay(solverCatalogue[solver].title, silent(flags));
    const start = performance.now();
    const own = {
      ...(rho !== undefined && solverCatalogue[solver].rho !== null ? { rho } : {}),
      ...(growth !== undefined && solverCatalogue[solver].growing !== null ? { growth } : {}),
      ...(spread && solverCatalogue[solver].method === 'patchwise' ? { spread } : {}),
    };
    const onProgress = display.onProgress;
    const result = await represent(file.image, { ...options, ...own, solver, signal, onProgress }).finally(
      display.stop,
    );
    const seconds = (performance.now() - start) / 1000;
    runs.push({ result, summary: summarise('compare', result, { ...result, seconds, spread }) });
  }
  const results = runs.map(({ result }) => result);
  if (folder !== undefined) await writeRuns(folder, results, file);

  if (flags.json) {
    const summaries = runs.map(({ summary: { task: _, ...summary } }) => summary);
    print(JSON.stringify({ task: 'compare', image: imageSummary(file), results: summaries }));
    return;
  }
  const header = ['solver', 'nonzeros', 'RMSE per patch', 'RMSE per pixel', 'PSNR', 'iterations', 'seconds'];
  const rows = runs.map(({ summary }) => [
    solverCatalogue[summary.solver].title,
    count(summary.nonzeros),
    measure(summary.rmse),
    measure(summary.rmsePixel),
    decibels(summary.psnr ?? Number.POSITIVE_INFINITY),
    String(summary.iterations),
    summary.seconds.toFixed(2),
  ]);
  const { patches, atoms, budget, engine } = runs[0].summary;
  print(
    `${imageLine(path, file)}\n${count(patches)} patches over ${atoms} atoms, budget ${count(budget)} ` +
      `(${(budget / patches).toFixed(2)} per patch), ${engine.name} engine\n\n${table(header, rows)}`,
  );
  const floored = runs.find(({ summary }) => unspentMessage(summary) !== undefined);
  if (floored) print(`\npatch-wise solvers: ${unspentMessage(floored.summary)}`);
  if (folder !== undefined) print(`\nwrote reconstructions, heatmaps and history.csv to ${oneLine(folder)}`);
}

async function checkFolder(folder: string): Promise<void> {
  const place = await stat(folder).catch(() => undefined);
  if (place?.isDirectory()) return;
  const remedy = place ? 'this is a file; name a folder' : 'create it first';
  throw new OptionError('-o', 'must be an existing folder', folder, remedy);
}

/** Checks before the work that all files can be written: one could be a folder, read-only, or the image itself. */
async function checkFiles(folder: string, path: string, file: ImageFile): Promise<void> {
  const output = (name: string, kinds: readonly string[]) => ({ path: join(folder, name), kinds, parameter: '-o' });
  const outputs = solverNames.flatMap((solver) => [
    output(pictureName(solver, file), imageExtensions),
    output(`${solver}-heatmap.png`, ['.png']),
  ]);
  await checkOutputs([{ path, parameter: 'IMAGE' }], [...outputs, output('history.csv', ['.csv'])]);
}

/** The reconstructions keep the format of the input, unless it has lossy compression. */
function pictureName(solver: string, { format }: ImageFile): string {
  return `${solver}.${format === 'tiff' || format === 'npy' ? format : 'png'}`;
}

async function writeRuns(folder: string, results: readonly Representation[], file: ImageFile): Promise<void> {
  const files: Output[] = [];
  const add = (name: string, bytes: Uint8Array) => files.push({ path: join(folder, name), bytes, parameter: '-o' });
  for (const result of results) {
    files.push(await imageOutput(join(folder, pictureName(result.solver, file)), result.image, file, '-o'));
    add(`${result.solver}-heatmap.png`, await heatmapPng(result));
  }
  add('history.csv', Buffer.from(csv(results.map(({ solver, history }) => ({ name: solver, history })))));
  await writeTogether(files);
}
