import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Command } from 'commander';
import type { Representation } from 'ght';
import { ParameterError, represent, solverNames } from 'ght';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { budgetFlag, jsonFlag, patchFlags, representOptions, solverFlags, totalBudgetFlag } from '../flags.js';
import { checkOutput, imageExtensions, readImage, writeFileAtomically, writeImage } from '../io/index.js';
import { refuseTooLarge } from '../memory.js';
import { heatmapPng } from '../output/heatmap.js';
import { csv } from '../output/history.js';
import { progressDisplay } from '../output/progress.js';
import { imageLine, imageSummary, solverTitle, summarise } from '../output/summary.js';
import { count, measure, table } from '../output/table.js';

interface CompareFlags extends Flags {
  readonly output?: string;
}

/** `ght compare`. */
export function compareCommand(program: Command, context: Context): void {
  const command = program
    .command('compare')
    .summary('every solver on one image under the same budget')
    .description(
      'Represents an image with every solver under the same budget: the two global ones of the paper, joint OMP,\n' +
        'and the three patch-wise ones, which give every patch the same number of atoms.',
    )
    .argument('<IMAGE>', 'the image')
    .option('-o, --output <folder>', 'write reconstructions, heatmaps and history.csv to this folder');
  totalBudgetFlag(budgetFlag(command));
  solverFlags(patchFlags(command));
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght compare photo.png --budget 10
  ght compare photo.png --budget 5 -o results`,
    )
    .action((path: string, flags: CompareFlags) => runCompare(path, flags, context));
}

async function runCompare(path: string, flags: CompareFlags, { print, signal }: Context): Promise<void> {
  const folder = flags.output;
  if (folder !== undefined) await checkFolder(folder);
  const { rho, ...options } = representOptions(flags);
  const file = await readImage(path);
  refuseTooLarge(file.image, options);
  const runs: { result: Representation; summary: ReturnType<typeof summarise> }[] = [];
  for (const solver of solverNames) {
    const display = progressDisplay(solverTitle(solver), flags.json === true);
    const start = performance.now();
    const penalty = rho !== undefined && (solver === 'qpm' || solver === 'admm') ? { rho } : {};
    const onProgress = display.onProgress;
    const result = await represent(file.image, { ...options, ...penalty, solver, signal, onProgress }).finally(
      display.stop,
    );
    const seconds = (performance.now() - start) / 1000;
    runs.push({ result, summary: summarise('compare', result, { ...result, seconds }) });
  }
  if (folder !== undefined)
    await writeRuns(
      folder,
      path,
      runs.map(({ result }) => result),
      file,
    );

  if (flags.json) {
    const results = runs.map(({ summary: { task: _, ...summary } }) => summary);
    print(JSON.stringify({ task: 'compare', image: imageSummary(file), results }));
    return;
  }
  const header = ['solver', 'nonzeros', 'RMSE a patch', 'RMSE a pixel', 'PSNR', 'iterations', 'seconds'];
  const rows = runs.map(({ summary }) => [
    solverTitle(summary.solver),
    count(summary.nonzeros),
    measure(summary.rmse),
    measure(summary.rmsePixel),
    summary.psnr === null ? '∞' : `${summary.psnr.toFixed(2)} dB`,
    String(summary.iterations),
    summary.seconds.toFixed(2),
  ]);
  const { patches, atoms, budget, engine } = runs[0].summary;
  print(
    `${imageLine(path, file)}\n${count(patches)} patches over ${atoms} atoms, budget ${count(budget)} ` +
      `(${(budget / patches).toFixed(2)} a patch), ${engine.name} engine\n\n${table(header, rows)}`,
  );
  if (folder !== undefined) print(`\nwrote reconstructions, heatmaps and history.csv to ${folder}`);
}

async function checkFolder(folder: string): Promise<void> {
  const place = await stat(folder).catch(() => undefined);
  if (!place?.isDirectory()) {
    throw new ParameterError('-o', 'must be an existing folder', folder, 'create it first');
  }
  await checkOutput(join(folder, 'history.csv'), ['.csv'], '-o');
}

async function writeRuns(
  folder: string,
  path: string,
  results: readonly Representation[],
  file: Awaited<ReturnType<typeof readImage>>,
): Promise<void> {
  // The reconstructions keep the format of the input where its name tells one, and are never squeezed by JPEG.
  const extension = extname(path).toLowerCase();
  const lossless = file.sample === 'float' ? '.tiff' : '.png';
  const kept = imageExtensions.includes(extension) && !['.jpg', '.jpeg', '.webp'].includes(extension);
  for (const result of results) {
    await writeImage(join(folder, `${result.solver}${kept ? extension : lossless}`), result.image, file, '-o');
    await writeFileAtomically(join(folder, `${result.solver}-heatmap.png`), await heatmapPng(result), '-o');
  }
  const histories = csv(results.map(({ solver, history }) => ({ name: solver, history })));
  await writeFileAtomically(join(folder, 'history.csv'), Buffer.from(histories), '-o');
}
