import { extname } from 'node:path';
import type { Command } from 'commander';
import { type Dictionary, type Image, isGhtError, type Learned, type LearnOptions, learn, OptionError } from 'ght';
import { drawAtoms } from 'ght/draw';
import { type StoredDictionary, saveDictionary, writeNpy } from 'ght/npy';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import { budgetFlag, engineFlags, jsonFlag, numberOf, quietFlag, silent, solveOptions } from '../flags.js';
import { skippedMessage } from '../io/batch.js';
import {
  checkOutputs,
  encodeMat,
  filesOf,
  loadSharp,
  matrixPath,
  type Output,
  readImage,
  writeFileAtomically,
  writeTogether,
} from '../io/index.js';
import { historyExtensions } from '../output/history.js';
import { oneLine } from '../output/line.js';
import { type ProgressDisplay, progressDisplay } from '../output/progress.js';
import { engineText } from '../output/summary.js';
import { count, facts, measure } from '../output/table.js';
import { dictionaryOfSignals, readSignals, sideOf } from './learn-signals.js';
import { MATRIX_FILES, readStored } from './matrix.js';
import { type Failure, sayFailed } from './several.js';

interface LearnFlags extends Omit<Flags, 'atoms'> {
  readonly output: string;
  readonly signals?: string;
  readonly atoms?: number | readonly [number, number];
  readonly separable?: true;
  readonly iterations?: number;
  readonly patches?: number;
  readonly seed?: number;
  readonly init?: string;
  readonly picture?: string;
  readonly history?: string;
}

/** `ght learn`. */
export function learnCommand(program: Command, context: Context): void {
  const command = program
    .command('learn')
    .summary('learn a dictionary from images')
    .description(
      'Learns a dictionary for the patches of images under one global budget, starting from the overcomplete DCT. ' +
        'Images are read one after the other. The dictionary is written each time it has improved, so a run that is ' +
        'stopped can be continued with --init.',
    )
    .argument('[IMAGE...]', 'the images; or a folder, or a pattern such as "photos/*.jpg"')
    .option('--signals <Y>', `instead of images: a matrix of signals, one per column (${MATRIX_FILES})`)
    .requiredOption(
      '-o, --output <file>',
      'write the dictionary: .npz with its factors and facts about it, or .npy or .mat with the matrix alone (N×L)',
    )
    .option('--atoms <n>', 'the number of atoms: a square such as 256, or two factors such as 16x16', atomsOf)
    .option('--separable', 'learn A ⊗ B: fewer numbers, faster to use, almost as good')
    .option('--patch <n>', 'side of a patch in pixels (default: 8)', numberOf('--patch'));
  budgetFlag(command)
    .option('--target-psnr <dB>', 'instead of a budget: what the DCT needs for this PSNR', numberOf('--target-psnr'))
    .option('--iterations <n>', 'the number of iterations (default: 40)', numberOf('--iterations'))
    .option('--patches <n>', 'the most patches to learn from (default: 65536)', numberOf('--patches'))
    .option('--seed <n>', 'the seed of the random choice of patches (default: 1)', numberOf('--seed'))
    .option(
      '--init <dct|file>',
      'start from the DCT, or from a .npz, .npy or .mat file (default: dct, for --signals some of the signals)',
    )
    .option('--picture <file>', 'draw the atoms, the most used first (.png)')
    .option('--history <file>', 'write the RMSE of every iteration (.csv or .json)');
  jsonFlag(quietFlag(engineFlags(command)))
    .addHelpText(
      'after',
      `
Examples:
  ght learn photos --atoms 16x16 --separable --budget 5 -o dictionary.npz
  ght learn photos --init dictionary.npz --iterations 100 -o better.npz --picture atoms.png
  ght learn "photos/*.jpg" --atoms 256 --target-psnr 35 -o dense.npy --history rmse.csv
  ght learn --signals data.mat:Y --atoms 128 --budget 5 -o D.mat`,
    )
    .action((paths: string[], flags: LearnFlags) => runLearn(paths, flags, context));
}

async function runLearn(paths: string[], flags: LearnFlags, context: Context): Promise<void> {
  const start = performance.now();
  const found = paths.length === 0 ? undefined : await filesOf(paths);
  const files = found?.files.map(({ input }) => input) ?? paths;
  const init = flags.init === 'dct' ? undefined : flags.init;
  if ((files.length === 0) === (flags.signals === undefined)) {
    const rule = 'must be given, or --signals in their place';
    throw new OptionError(
      'IMAGE',
      rule,
      files.length === 0 ? 'neither' : 'both',
      'name images, or a matrix of signals',
    );
  }
  const named = flags.signals === undefined ? [] : [{ path: matrixPath(flags.signals).path, parameter: '--signals' }];
  const inputs = [...files.map((path) => ({ path, parameter: 'IMAGE' })), ...named];
  await checkOutputs(inputs, [
    { path: flags.output, kinds: ['.npz', '.npy', '.mat'], parameter: '-o' },
    { path: flags.picture, kinds: ['.png'], parameter: '--picture' },
    { path: flags.history, kinds: historyExtensions, parameter: '--history' },
  ]);
  const Y = flags.signals === undefined ? undefined : await readSignals(flags.signals);
  const initial = init === undefined ? undefined : await readStored(init, '--init');
  const earlier = Number(initial?.about?.iterations ?? 0);
  const options = learnOptions(flags, initial?.dictionary, Y);

  const display = progressDisplay('learning', silent(flags));
  const failed: Failure[] = [];
  const images = { [Symbol.asyncIterator]: () => readAll(files, failed, display, context) };
  const result = await learn(Y?.data ?? images, {
    ...options,
    signal: context.signal,
    onProgress: display.onProgress,
    async onBest(dictionary, { k, heldOut }) {
      const about = { iterations: earlier + k, rmse: heldOut };
      await writeFileAtomically(flags.output, await dictionaryFile(flags.output, { dictionary, about }));
      context.stopped.note = `the best dictionary so far is in ${flags.output}; continue with --init ${flags.output}`;
    },
  })
    .catch((error: unknown) => {
      if (isGhtError(error)) sayFailed(failed);
      throw error;
    })
    .finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  const learned = files.length - failed.length;

  const { dictionary, uses, perPatch, best, rmse, initialRmse, patches } = result;
  const about = { perPatch, iterations: earlier + best, images: learned, patches: patches.training, rmse, initialRmse };
  const outputs: Output[] = [
    { path: flags.output, bytes: await dictionaryFile(flags.output, { dictionary, uses, about }), parameter: '-o' },
  ];
  if (flags.picture) outputs.push({ path: flags.picture, bytes: await picture(result), parameter: '--picture' });
  if (flags.history) {
    outputs.push({ path: flags.history, bytes: historyFile(flags.history, result.history), parameter: '--history' });
  }
  await writeTogether(outputs);
  if (flags.json) {
    const { N, L, factors } = dictionary;
    const { engine, history } = result;
    const shape = { rows: N, atoms: L, separable: factors !== undefined };
    context.print(
      JSON.stringify({ task: 'learn', engine, ...about, best, dictionary: shape, patches, seconds, history, failed }),
    );
    return;
  }
  context.print(
    factsOf(
      result,
      Y ? `${count(Y.cols)} signals` : `${count(learned)} images`,
      seconds,
      outputs.map(({ path }) => path).join(', '),
    ),
  );
  const left = skippedMessage(found?.skipped ?? []);
  if (left !== undefined) context.print(oneLine(left));
  sayFailed(failed);
}

/** The images, one after the other. Of several, one that cannot be read is left out and named at the end. */
async function* readAll(
  files: readonly string[],
  failed: Failure[],
  display: ProgressDisplay,
  { signal, explain }: Context,
): AsyncGenerator<Image> {
  for (const [i, input] of files.entries()) {
    signal.throwIfAborted();
    display.onProgress({ fraction: 0, doing: `reading image ${i + 1} of ${files.length}` });
    try {
      yield (await readImage(input)).image;
    } catch (error) {
      if (files.length === 1 || !isGhtError(error)) throw error;
      failed.push({ input, kind: error.kind, error: explain(error) });
      process.exitCode = 1;
    }
  }
}

function learnOptions(
  flags: LearnFlags,
  given: Dictionary | undefined,
  Y: Awaited<ReturnType<typeof readSignals>> | undefined,
): LearnOptions {
  const { budget, engine, threads } = solveOptions({ ...flags, atoms: undefined });
  const { iterations, patches, seed } = flags;
  const ofSignals = Y !== undefined && given === undefined && flags.init === undefined && !flags.separable;
  const initial = ofSignals ? dictionaryOfSignals(Y, flags.atoms, seed) : given;
  const atoms = ofSignals ? undefined : flags.atoms;
  const patch = Y && !initial ? sideOf(Y) : flags.patch;
  const separable = flags.separable ?? initial?.factors !== undefined;
  const options = { budget, engine, threads, patch, atoms, iterations, patches, seed, initial, separable };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** A parser of `256` and of `16x16`. */
function atomsOf(text: string): number | readonly [number, number] {
  const [, rows, columns] = /^(\d+)(?:[x×](\d+))?$/.exec(text) ?? [];
  if (rows !== undefined) return columns === undefined ? Number(rows) : [Number(rows), Number(columns)];
  throw new OptionError('--atoms', 'must be a number or two factors', text, 'write it like --atoms 256 or 16x16');
}

/** The bytes of a dictionary, by the name of its file. */
async function dictionaryFile(path: string, stored: StoredDictionary): Promise<Uint8Array> {
  if (extname(path).toLowerCase() === '.npz') return saveDictionary(stored);
  const { N, L, atoms } = stored.dictionary;
  if (extname(path).toLowerCase() === '.mat') return encodeMat('D', atoms);
  // NumPy stores a matrix row by row.
  const byRows = Float64Array.from(atoms.data, (_, i) => atoms.data[(i % L) * N + Math.floor(i / L)]);
  return writeNpy({ type: 'f8', shape: [N, L], data: byRows });
}

async function picture({ dictionary, uses }: Learned): Promise<Buffer> {
  const { width, height, planes } = drawAtoms(dictionary, uses);
  const sharp = await loadSharp();
  return sharp(planes[0], { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

/** The history as JSON or as a table with the columns k, rmse, heldOut, ms. */
function historyFile(path: string, history: Learned['history']): Buffer {
  if (path.toLowerCase().endsWith('.json')) return Buffer.from(`${JSON.stringify(history, undefined, 2)}\n`);
  const rows = history.map(({ k, rmse, heldOut, ms }) => [k, rmse, heldOut, ms].join(','));
  return Buffer.from(`${['k,rmse,heldOut,ms', ...rows].join('\n')}\n`);
}

/** How learning went, for people. */
function factsOf(result: Learned, source: string, seconds: number, wrote: string): string {
  const { dictionary, perPatch, patches, rmse, initialRmse, best, history, engine } = result;
  const [A, B] = dictionary.factors ?? [];
  const gain = 20 * Math.log10(initialRmse / rmse);
  return facts([
    ['dictionary', `${dictionary.name}${A && B ? `, separable (${A.cols}×${B.cols})` : ''}`],
    ['budget', `${measure(perPatch)} atoms per patch`],
    ['patches', `${count(patches.training)} of ${source}, and ${count(patches.heldOut)} held out`],
    ['RMSE', `${measure(initialRmse)} → ${measure(rmse)} per held-out patch (${gain.toFixed(2)} dB)`],
    ['iterations', `${history.length}, best ${best}`],
    ['time', `${seconds.toFixed(1)} s on ${engineText(engine)}`],
    ['wrote', wrote],
  ]);
}
