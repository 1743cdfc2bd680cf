import type { Command } from 'commander';
import { describeBySubject, InputError, psnr, solve, solverCatalogue, solverDefaults } from 'ght';
import { saveCodes } from 'ght/npy';
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
  totalBudgetFlag,
} from '../flags.js';
import { checkOutputs, type Output, writeTogether } from '../io/index.js';
import { historyExtensions, historyFile } from '../output/history.js';
import { oneLine } from '../output/line.js';
import { progressDisplay } from '../output/progress.js';
import { runFacts, summarise } from '../output/summary.js';
import { readColumns, readMatrix } from './matrix.js';

interface SolveFlags extends Flags {
  readonly signals: string;
  readonly dictionary: string;
  readonly output: string;
  readonly history?: string;
}

/** `ght solve`. */
export function solveCommand(program: Command, context: Context): void {
  const command = program
    .command('solve')
    .summary('the general problem: any signals, any dictionary')
    .description('Minimises ‖DZ − Y‖² with at most S nonzeros in all of Z, for any D (N×L) and Y (N×P) in .npy files.')
    .requiredOption('--signals <Y.npy>', 'the signals, N×P, one per column')
    .requiredOption('--dictionary <file>', 'the dictionary, N×L, one atom per column (.npy), or a .npz of ght learn')
    .requiredOption('-o, --output <file>', 'write the sparse codes, L×P, readable by scipy.sparse.load_npz (.npz)');
  totalBudgetFlag(command, 'signals');
  budgetFlag(command, 'signal', 'signals');
  spreadFlag(command, 'signal', 'signals');
  solverFlag(command);
  engineFlags(solverFlags(command)).option('--history <file>', 'write the RMSE of every iteration (.csv or .json)');
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght solve --signals Y.npy --dictionary D.npy --total-budget 2000 --solver admm -o codes.npz
  ght solve --signals Y.npy --dictionary D.npy --budget 2.5 --solver omp --spread -o codes.npz
  python3 -c "import scipy.sparse; print(scipy.sparse.load_npz('codes.npz'))"`,
    )
    .action((flags: SolveFlags) => runSolve(flags, context));
}

async function runSolve(flags: SolveFlags, { print, signal }: Context): Promise<void> {
  const options = solveOptions(flags);
  const inputs = [
    { path: flags.signals, parameter: '--signals' },
    { path: flags.dictionary, parameter: '--dictionary' },
  ];
  const outputs = [
    { path: flags.output, kinds: ['.npz'], parameter: '-o' },
    { path: flags.history, kinds: historyExtensions, parameter: '--history' },
  ];
  await checkOutputs(inputs, outputs);
  const Y = await readColumns(flags.signals, '--signals');
  const { dictionary: D } = await readMatrix(flags.dictionary, '--dictionary');
  if (Y.rows !== D.N) {
    const rule = `must have as many rows as the dictionary, ${D.N}`;
    throw new InputError('--signals', rule, `${Y.rows}×${Y.cols}`, 'give Y as N×P and D as N×L; transpose if need be');
  }
  const display = progressDisplay(solverCatalogue[options.solver ?? solverDefaults.solver].title, silent(flags));
  const start = performance.now();
  const solution = await solve(D, Y.data, { ...options, signal, onProgress: display.onProgress }).finally(display.stop);
  const seconds = (performance.now() - start) / 1000;
  const files: Output[] = [{ path: flags.output, bytes: await saveCodes(solution.codes), parameter: '-o' }];
  if (flags.history) {
    const bytes = historyFile(flags.history, solution.history);
    files.push({ path: flags.history, bytes, parameter: '--history' });
  }
  await writeTogether(files);

  const rmsePixel = solution.rmse / Math.sqrt(D.N);
  const peak = Y.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
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
