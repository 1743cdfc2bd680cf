import { extname } from 'node:path';
import type { Command } from 'commander';
import {
  type Codes,
  describeBySubject,
  InputError,
  OptionError,
  psnr,
  ResourceError,
  type SolveOptions,
  solve,
  solverCatalogue,
  solverDefaults,
} from 'ght';
import { saveCodes, writeNpy, zip } from 'ght/npy';
import type { Context } from '../context.js';
import type { Flags } from '../flags.js';
import {
  budgetFlag,
  engineFlags,
  jsonFlag,
  quietFlag,
  silent,
  solveOptions,
  solverFlag,
  solverFlags,
  spreadFlag,
  targetFlags,
  totalBudgetFlag,
} from '../flags.js';
import { checkOutputs, encodeMat, matrixPath, type Output, readMatrix, writeTogether } from '../io/index.js';
import { historyExtensions, historyFile } from '../output/history.js';
import { oneLine } from '../output/line.js';
import { progressDisplay } from '../output/progress.js';
import { runFacts, summarise } from '../output/summary.js';
import { MATRIX_FILES, readStored } from './matrix.js';

interface SolveFlags extends Flags {
  readonly signals: string;
  readonly dictionary: string;
  readonly output: string;
  readonly dense?: true;
  readonly history?: string;
  readonly nonnegative?: true;
  readonly weights?: string;
  readonly missing?: true;
  readonly groups?: string;
  readonly precision?: 'float64';
}

/** A dense result, in bytes. */
const MOST_DENSE = 2 ** 31;

/** `ght solve`. */
export function solveCommand(program: Command, context: Context): void {
  const command = program
    .command('solve')
    .summary('the general problem: any signals, any dictionary')
    .description('Minimises ‖DZ − Y‖² with at most S nonzeros in all of Z, for any D (N×L) and Y (N×P) in files.')
    .requiredOption('--signals <Y>', `the signals, N×P, one per column (${MATRIX_FILES})`)
    .requiredOption('--dictionary <D>', 'the dictionary, N×L, one atom per column, or a .npz of ght learn')
    .requiredOption(
      '-o, --output <Z>',
      'write the codes, L×P: sparse, for scipy.sparse.load_npz (.npz) or MATLAB (.mat), or dense (.npy)',
    )
    .option('--dense', 'write a dense matrix Z also to .npz and .mat');
  totalBudgetFlag(command, 'signals');
  budgetFlag(command, 'signal', 'signals');
  spreadFlag(command, 'signal', 'signals');
  targetFlags(command, 'signal', 'signals');
  solverFlag(command);
  command
    .option('--nonnegative', 'allow no coefficient below zero')
    .option('--weights <W>', 'a weight of at least 0 for every sample, N×P; 0 for one that is missing')
    .option('--missing', 'take samples that are NaN or infinite as missing')
    .option(
      '--groups <G>',
      'the number of the group of each signal, 1×P, from 0: signals of a group share their atoms',
    );
  engineFlags(solverFlags(command))
    .option('--precision <name>', 'float64: only engines that compute in it')
    .option('--history <file>', 'write the RMSE of every iteration (.csv or .json)');
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght solve --signals Y.npy --dictionary D.npy --total-budget 2000 --solver admm -o codes.npz
  ght solve --signals Y.npy --dictionary D.npy --budget 2.5 --solver omp --spread -o codes.npz
  ght solve --signals Y.npy --dictionary D.npy --nonnegative --budget 5 -o codes.npz
  ght solve --signals data.mat:Y --dictionary data.mat:D --target-rmse 0.1 --solver joint-omp -o codes.mat
  python3 -c "import scipy.sparse; print(scipy.sparse.load_npz('codes.npz'))"`,
    )
    .action((flags: SolveFlags) => runSolve(flags, context));
}

async function runSolve(flags: SolveFlags, { print, signal }: Context): Promise<void> {
  const options = solveOptions(flags);
  const inputs = [
    { path: matrixPath(flags.signals).path, parameter: '--signals' },
    { path: matrixPath(flags.dictionary).path, parameter: '--dictionary' },
  ];
  for (const name of ['weights', 'groups'] as const) {
    const text = flags[name];
    if (text !== undefined) inputs.push({ path: matrixPath(text).path, parameter: `--${name}` });
  }
  const outputs = [
    { path: flags.output, kinds: ['.npz', '.npy', '.mat'], parameter: '-o' },
    { path: flags.history, kinds: historyExtensions, parameter: '--history' },
  ];
  await checkOutputs(inputs, outputs);
  const Y = await readMatrix(flags.signals, '--signals', 'Y');
  const { dictionary: D } = await readStored(flags.dictionary, '--dictionary');
  if (Y.rows !== D.N) {
    const rule = `must have as many rows as the dictionary, ${D.N}`;
    throw new InputError('--signals', rule, `${Y.rows}×${Y.cols}`, 'give Y as N×P and D as N×L; transpose if need be');
  }
  const more = await constraintsOf(flags, Y);
  const usual = Object.keys(more).some((name) => name !== 'precision') ? 'joint-omp' : solverDefaults.solver;
  const display = progressDisplay(solverCatalogue[options.solver ?? usual].title, silent(flags));
  const start = performance.now();
  const solution = await solve(D, Y.data, { ...options, ...more, signal, onProgress: display.onProgress }).finally(
    display.stop,
  );
  const seconds = (performance.now() - start) / 1000;
  const files: Output[] = [{ path: flags.output, bytes: await codesFile(flags, solution.codes), parameter: '-o' }];
  if (flags.history) {
    const bytes = historyFile(flags.history, solution.history);
    files.push({ path: flags.history, bytes, parameter: '--history' });
  }
  await writeTogether(files);

  const rmsePixel = solution.rmse / Math.sqrt(D.N);
  const peak = Y.data.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const level = peak > 0 ? psnr(rmsePixel, peak) : null;
  const summary = summarise('solve', solution, { rmsePixel, psnr: level, seconds, spread: flags.spread });
  if (flags.json) {
    const { patches: _, rmsePixel: rmseSample, ...rest } = summary;
    print(JSON.stringify({ ...rest, rmseSample, signals: { rows: Y.rows, columns: Y.cols, peak } }));
    return;
  }
  // Whether a matrix was recognised as separable decides how fast it is.
  const facts = runFacts(summary, [
    ['engine', describeBySubject(solution.engine).engine ?? ''],
    ['wrote', flags.output],
  ]);
  print(`${oneLine(flags.signals)}: ${Y.rows}×${Y.cols}\n${facts}`);
}

/** The additional rules for the codes that the flags ask for. */
async function constraintsOf(
  { nonnegative, weights, missing, groups, precision }: SolveFlags,
  { rows, cols }: { readonly rows: number; readonly cols: number },
): Promise<SolveOptions> {
  if (weights !== undefined && missing) {
    throw new OptionError('--weights and --missing', 'exclude each other', 'both', 'give missing samples the weight 0');
  }
  const W = weights === undefined ? undefined : await readMatrix(weights, '--weights', 'W');
  if (W && (W.rows !== rows || W.cols !== cols)) {
    const rule = `must be as many as the samples, ${rows}×${cols}`;
    throw new InputError('--weights', rule, `${W.rows}×${W.cols}`, 'give one for each sample');
  }
  const G = groups === undefined ? undefined : await readMatrix(groups, '--groups', 'G');
  return {
    ...(nonnegative && { nonnegative }),
    ...((W || missing) && { weights: W?.data ?? ('finite' as const) }),
    ...(G && { groups: G.data }),
    ...(precision && { precision }),
  };
}

/** The bytes of the codes, by the name of their file. */
async function codesFile({ output, dense }: SolveFlags, codes: Codes): Promise<Uint8Array> {
  const kind = extname(output).toLowerCase();
  const { L, P, indptr, indices, values } = codes;
  if (kind === '.mat' && !dense) return encodeMat('Z', codes);
  if (kind === '.npz' && !dense) return saveCodes(codes);
  if (8 * L * P >= MOST_DENSE) {
    const remedy = 'write the sparse codes: .npz or .mat without --dense';
    throw new ResourceError('-o', 'must be a dense matrix of less than 2 GiB', `${L}×${P}`, remedy);
  }
  // MATLAB stores a matrix column by column, NumPy row by row.
  const byColumns = kind === '.mat';
  const data = new Float64Array(L * P);
  for (let p = 0; p < P; p++) {
    for (let i = indptr[p]; i < indptr[p + 1]; i++)
      data[byColumns ? p * L + indices[i] : indices[i] * P + p] = values[i];
  }
  if (byColumns) return encodeMat('Z', { rows: L, cols: P, data });
  const bytes = writeNpy({ type: 'f8', shape: [L, P], data });
  return kind === '.npy' ? bytes : zip([{ name: 'Z.npy', bytes }]);
}
