import { readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { OptionError, ResourceError } from 'ght';
import type { ExperimentName, Setting } from 'ght-lab';
import { catalogue, experimentNames } from 'ght-lab/catalogue';
import type { Context } from '../context.js';
import { jsonFlag, numberOf, quietFlag, silent } from '../flags.js';
import { loadSharp, prepareReportFolder, readImageFolder, reportFolder } from '../io/index.js';
import { oneLine } from '../output/line.js';
import { progressDisplay } from '../output/progress.js';
import { bytes, table } from '../output/table.js';

interface ReproduceFlags {
  readonly output?: string;
  readonly quick?: true;
  readonly images?: string;
  readonly seed: number;
  readonly threads?: number;
  readonly resume?: true;
  readonly json?: true;
  readonly quiet?: true;
}

/** The paper has three images: as many of a folder are used at their full size. */
const IMAGES = 3;
/** The approximate peak memory of a run with a million patches. */
const FULL_BYTES = 3 * 2 ** 30;

/** `ght reproduce`. */
export function reproduceCommand(program: Command, context: Context): void {
  const command = program
    .command('reproduce')
    .summary('rerun the experiments of the paper, with a verdict on each claim')
    .description(
      'Reruns the experiments of the paper on this machine and writes a report: one HTML file with every figure and ' +
        'table, the numbers of the paper next to the new ones, and a verdict on each claim. Next to it are report.json, the ' +
        `figures as SVG and PNG, and the tables as CSV.\n\nExperiments:\n${list()}`,
    )
    .argument('[NAME...]', 'the experiments to run (default: all)')
    .option('-o, --output <folder>', 'the folder for the report, made if missing (default: ght-report)')
    .option('--quick', 'smaller sizes, fewer budgets, one dictionary: about two minutes on two idle cores')
    .option('--images <folder>', `use the images of this folder, the first ${IMAGES} by name at their full size`)
    .option('--seed <n>', 'seed of dictionaries, signals, patches and noise', numberOf('--seed'), 1)
    .option(
      '--threads <n>',
      'threads of the engine for every run (default: one per core; 1 with --quick)',
      numberOf('--threads'),
    )
    .option('--resume', 'continue a stopped run: finished experiments are kept');
  jsonFlag(quietFlag(command))
    .addHelpText(
      'after',
      `
Examples:
  ght reproduce --quick
  ght reproduce -o report
  ght reproduce megapixel denoising --images photos
  ght reproduce -o report --resume`,
    )
    .action((names: string[], flags: ReproduceFlags) => runReproduce(names, flags, context));
}

function list(): string {
  const rows = experimentNames.map((name) => ({ name, ...catalogue[name] }));
  const [wide, wider] = (['name', 'paper'] as const).map((key) => Math.max(...rows.map((row) => row[key].length)));
  return rows.map(({ name, paper, title }) => `  ${name.padEnd(wide)}  ${paper.padEnd(wider)}  ${title}`).join('\n');
}

async function runReproduce(given: string[], flags: ReproduceFlags, context: Context): Promise<void> {
  const { print, signal } = context;
  const names = checkNames(given);
  const { quick = false, seed, json = false } = flags;
  const [threads, folder] = [checkThreads(flags.threads, quick), flags.output ?? 'ght-report'];
  checkSeed(seed);
  if (!quick && names.some((name) => name === 'million' || name === 'convergence')) refuseSmallMemory();
  // The lab cannot be loaded without it, and its error would not name the reason.
  await loadSharp();
  // Loaded only here: the plots take longer to load than most commands to run.
  const lab = await import('ght-lab');
  const own = flags.images === undefined ? undefined : await readImageFolder(flags.images, folder, lab.asGrey);
  const images = own?.images.slice(0, IMAGES) ?? (await lab.paperSized());
  const collection = own?.images ?? (await lab.halved());
  await prepareReportFolder(folder, lab.outputsOf(names));

  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const setting: Setting = { quick, seed, images, collection, threads, signal };
  const store = reportFolder(folder);
  const planned = await lab.planRun(names, setting, { version, store, resume: flags.resume });
  if (!json) {
    const kept = planned.kept.length === 0 ? '' : `, ${planned.kept.length} kept from before`;
    const time = `about ${duration(planned.seconds)} on ${plural(threads, 'thread')}`;
    print(`${plural(planned.toRun.length, 'experiment')} to run${kept}: ${time}`);
    if (own?.skipped !== undefined) print(oneLine(own.skipped));
  }
  context.stopped.note = `finished experiments are kept in ${folder}: continue with --resume`;
  const display = progressDisplay('reproduce', silent(flags));
  const report = await planned.run(display.onProgress).finally(() => display.stop());
  const files = await lab.writeReport(report, store);
  if (json) {
    print(JSON.stringify(JSON.parse(String(files.get('report.json')))));
    return;
  }
  const rows = report.verdicts.map(({ experiment, outcome, timing, claim }) => {
    return [experiment, timing ? `${outcome} (timing)` : outcome, claim];
  });
  print(`\n${table(['experiment', 'verdict', 'claim'], rows, 3)}`);
  if (report.verdicts.some(({ timing }) => timing)) {
    print(`\nVerdicts marked (timing) hold for this machine and its load: ${lab.loadText(report.machine)}`);
  }
  print(`\nwrote ${oneLine(join(folder, 'report.html'))}`);
}

function checkNames(given: readonly string[]): ExperimentName[] {
  for (const name of given) {
    if (!(experimentNames as string[]).includes(name)) {
      throw new OptionError('NAME', `must be one of ${experimentNames.join(', ')}`, name, 'choose from that list');
    }
  }
  return given.length === 0 ? experimentNames : experimentNames.filter((name) => given.includes(name));
}

/** Checks the number of threads. A quick run uses one: its small problems are done before a second thread has started. */
function checkThreads(given: number | undefined, quick: boolean): number {
  const threads = given ?? (quick ? 1 : Math.min(64, availableParallelism()));
  if (Number.isInteger(threads) && threads >= 1 && threads <= 64) return threads;
  throw new OptionError('--threads', 'must be a whole number from 1 to 64', threads, 'use the number of cores');
}

function checkSeed(seed: number): void {
  if (Number.isSafeInteger(seed) && seed >= 0) return;
  throw new OptionError('--seed', 'must be a whole number from 0 on', seed, 'use a number such as 1');
}

function refuseSmallMemory(): void {
  if (totalmem() >= FULL_BYTES) return;
  const remedy = 'use --quick, or name the other experiments';
  const rule = `must have ${bytes(FULL_BYTES)} of memory for a million patches`;
  throw new ResourceError('this machine', rule, bytes(totalmem()), remedy);
}

function plural(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Seconds up to two minutes, minutes above. */
function duration(seconds: number): string {
  return seconds < 120 ? plural(Math.ceil(seconds), 'second') : plural(Math.round(seconds / 60), 'minute');
}
