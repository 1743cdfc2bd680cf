import { createHash } from 'node:crypto';
import { readdir, readFile, rm, unlink } from 'node:fs/promises';
import { availableParallelism, cpus, release, type as systemName, totalmem } from 'node:os';
import { dirname, extname, join } from 'node:path';
import type { Command } from 'commander';
import { checkImage, ParameterError, type Samples } from 'ght';
import type { ExperimentName, Findings, NamedImage, Report, Setting } from 'ght-lab';
import { catalogue, experimentNames } from 'ght-lab/catalogue';
import type { Context } from '../context.js';
import { jsonFlag, numberOf } from '../flags.js';
import {
  checkFolder,
  checkOutput,
  destinationOf,
  imageExtensions,
  loadSharp,
  makeFolder,
  readImage,
  writeFileAtomically,
} from '../io/index.js';
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
}

/** The paper has three images; so many of a folder are used at their full size. */
const IMAGES = 3;
/** What a million patches need at the peak of a run, about. */
const FULL_BYTES = 3 * 2 ** 30;

/** `ght reproduce`. */
export function reproduceCommand(program: Command, context: Context): void {
  const command = program
    .command('reproduce')
    .summary('every experiment of the paper, with a verdict on each of its claims')
    .description(
      'Reruns the experiments of the paper on this machine and writes a report: one HTML file with every figure and ' +
        'table, the paper’s numbers beside ours, and a verdict on each claim; beside it report.json, the figures as ' +
        `SVG and PNG, and the tables as CSV.\n\nExperiments:\n${list()}`,
    )
    .argument('[NAME...]', 'the experiments to run (default: all)')
    .option('-o, --output <folder>', 'where the report goes; made if it is missing (default: ght-report)')
    .option('--quick', 'smaller sizes, fewer budgets, one dictionary: about two minutes on two cores')
    .option('--images <folder>', `use the images of this folder, the first ${IMAGES} by name at their full size`)
    .option('--seed <n>', 'seed of dictionaries, signals, patches and noise', numberOf('--seed'), 1)
    .option(
      '--threads <n>',
      'threads of the engine for every run (default: one a core; 1 with --quick)',
      numberOf('--threads'),
    )
    .option('--resume', 'go on with a run that was stopped: experiments that are finished are kept');
  jsonFlag(command)
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
  // The lab cannot be loaded without it, and would not say why.
  await loadSharp();
  // Loaded only here: the plots take longer to load than most commands to run.
  const lab = await import('ght-lab');
  const own = flags.images === undefined ? undefined : await readFolder(flags.images, folder, lab.asGrey);
  const images = own?.slice(0, IMAGES) ?? (await lab.paperSized());
  const collection = own ?? (await lab.halved());
  await preparePlace(folder, names);

  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const setting: Setting = { quick, seed, images, collection, threads, signal };
  const key = keyOf(setting, version);
  const store = finishedRuns(folder, key);
  if (!flags.resume) await Promise.all(names.map((name) => store.remove(name)));
  const done = new Map<ExperimentName, Finished>();
  for (const name of names) {
    const finished = await store.load(name);
    if (finished) done.set(name, finished);
  }

  const { engine, speed } = await lab.probeMachine(setting);
  const toRun = names.filter((name) => !done.has(name));
  const estimates = new Map(toRun.map((name) => [name, lab.estimateSeconds(name, quick, speed)]));
  const total = [...estimates.values()].reduce((sum, seconds) => sum + seconds, 0);
  if (!json) {
    const kept = done.size === 0 ? '' : `, ${done.size} kept from before`;
    print(
      `${plural(toRun.length, 'experiment')} to run${kept}: about ${duration(total)} on ${plural(threads, 'thread')}`,
    );
  }
  context.stopped.note = `what was finished is kept in ${folder}: go on with --resume`;
  const display = progressDisplay('reproduce', json);
  try {
    let before = 0;
    for (const name of toRun) {
      const estimate = estimates.get(name) ?? 0;
      const onProgress = (fraction: number) =>
        display.onProgress({ fraction: (before + fraction * estimate) / total, doing: name });
      onProgress(0);
      const start = performance.now();
      const data = await lab.experiments[name].run({ ...setting, onProgress });
      const finished = { seconds: (performance.now() - start) / 1000, data };
      await store.save(name, finished);
      done.set(name, finished);
      before += estimate;
    }
  } finally {
    display.stop();
  }

  const inOrder = names.map((name) => [name, done.get(name) as Finished] as const);
  const findings = Object.fromEntries(inOrder.map(([name, { data }]) => [name, data])) as Partial<Findings>;
  const report: Report = {
    date: new Date().toISOString(),
    version,
    quick,
    seed,
    machine: thisMachine(),
    engine,
    images: images.map(({ name, source, image: { width, height } }) => ({ name, source, width, height })),
    collection: collection.map(({ name, source }) => ({ name, source })),
    findings,
    seconds: Object.fromEntries(inOrder.map(([name, { seconds }]) => [name, seconds])),
    verdicts: lab.judge(findings),
  };
  const files = lab.reportFiles(report);
  await writeReport(folder, files);
  if (json) {
    print(JSON.stringify(JSON.parse(String(files.get('report.json')))));
    return;
  }
  const rows = report.verdicts.map(({ experiment, outcome, claim }) => [experiment, outcome, claim]);
  print(`\n${table(['experiment', 'verdict', 'claim'], rows, 3)}\n\nwrote ${oneLine(join(folder, 'report.html'))}`);
}

/** Makes the folder of the report, and refuses before the work a place where its files could not be written. */
async function preparePlace(folder: string, names: readonly ExperimentName[]): Promise<void> {
  await makeFolder(folder);
  await makeFolder(join(folder, 'experiments'));
  for (const place of ['figures', 'tables']) await checkFolder(join(folder, place));
  for (const name of names) await checkOutput(join(folder, 'experiments', `${name}.json`), ['.json']);
  await checkOutput(join(folder, 'report.html'), ['.html']);
  await checkOutput(join(folder, 'report.json'), ['.json']);
}

/**
 * Writes the files of a report and removes the figures and tables of the one before it that this one does not have. The
 * JSON, which names them all, comes last: should the run be killed, the next one still knows what there was.
 */
async function writeReport(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  const write = (name: string) => writeFileAtomically(join(folder, name), Buffer.from(files.get(name) ?? ''), '-o');
  const before = await filesOfReport(join(folder, 'report.json'));
  for (const place of new Set([...files.keys()].map((name) => dirname(join(folder, name))))) await makeFolder(place);
  for (const name of files.keys()) if (name !== 'report.json') await write(name);
  // What cannot be removed stays: it does no harm.
  for (const name of before) if (!files.has(name)) await unlink(join(folder, name)).catch(() => {});
  await write('report.json');
}

/** The figures and tables that a report says it has: names in those two folders, whatever else it may say. */
async function filesOfReport(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => 'null');
  try {
    const names: unknown = JSON.parse(text)?.files;
    if (!Array.isArray(names)) return [];
    return names.filter((name) => /^(figures|tables)\/[a-z0-9-]+\.(svg|png|csv)$/.test(name));
  } catch {
    return [];
  }
}

/** What an experiment left behind. */
interface Finished {
  readonly seconds: number;
  readonly data: Findings[ExperimentName];
}

/**
 * The finished experiments of a run, each in a file of its own; those of other settings and those that are damaged are not
 * taken for it.
 */
function finishedRuns(folder: string, key: string) {
  const path = (name: ExperimentName) => join(folder, 'experiments', `${name}.json`);
  return {
    async load(name: ExperimentName): Promise<Finished | undefined> {
      const text = await readFile(path(name), 'utf8').catch(() => undefined);
      try {
        const { seconds, data, ...stored } = JSON.parse(text ?? 'null');
        const sound = stored.key === key && stored.digest === digestOf(JSON.stringify({ seconds, data }));
        return sound ? { seconds, data } : undefined;
      } catch {
        return undefined;
      }
    },
    async save(name: ExperimentName, finished: Finished): Promise<void> {
      const digest = digestOf(JSON.stringify(finished));
      await writeFileAtomically(path(name), Buffer.from(JSON.stringify({ key, digest, ...finished })), '-o');
    },
    async remove(name: ExperimentName): Promise<void> {
      await rm(path(name), { force: true }).catch((error: NodeJS.ErrnoException) => {
        const rule = `must be a folder whose files can be replaced (${error.code})`;
        throw new ParameterError('-o', rule, path(name), 'choose another folder');
      });
    },
  };
}

/** Everything that the findings depend on, the machine apart. */
function keyOf({ quick, seed, images, collection, threads }: Setting, version: string): string {
  const pictures = [...images, ...collection].map(({ name, image: { width, height, planes } }) => {
    return [name, width, height, ...planes.map(digestOf)];
  });
  return JSON.stringify({ version, quick, seed, threads, pictures });
}

function digestOf(content: string | Samples): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The images of a folder, in the order of their names, as the paper's are: grey with full scale 255. */
async function readFolder(
  folder: string,
  output: string,
  asGrey: (image: NamedImage['image']) => NamedImage['image'],
): Promise<NamedImage[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const remedy = error.code === 'ENOTDIR' ? 'this is a file; name the folder it is in' : 'check the path';
    throw new ParameterError('--images', 'must be an existing folder', folder, remedy);
  });
  const chosen = names.filter((name) => imageExtensions.includes(extname(name).toLowerCase())).sort();
  const images: NamedImage[] = [];
  const figures = await destinationOf(join(output, 'figures'));
  for (const name of chosen) {
    if (dirname(await destinationOf(join(folder, name))) === figures) {
      const rule = 'must not hold the images of --images among its figures';
      throw new ParameterError('-o', rule, output, 'choose another folder for the report');
    }
    const { image, format } = await readImage(join(folder, name), '--images');
    checkImage(image);
    if (image.width < 64 || image.height < 64) continue;
    const blocks =
      format === 'jpeg' ? '; its own 8×8 blocks may coincide with the patches and flatter every result' : '';
    images.push({ name, image: asGrey(image), source: `an image of yours${blocks}` });
  }
  if (images.length > 0) return images;
  const rule = 'must hold an image of at least 64×64 pixels';
  throw new ParameterError('--images', rule, folder, `put images there (${imageExtensions.join(', ')})`);
}

function checkNames(given: readonly string[]): ExperimentName[] {
  for (const name of given) {
    if (!(experimentNames as string[]).includes(name)) {
      throw new ParameterError('NAME', `must be one of ${experimentNames.join(', ')}`, name, 'choose from that list');
    }
  }
  return given.length === 0 ? experimentNames : experimentNames.filter((name) => given.includes(name));
}

/** The small problems of a quick run are done before a second thread has started. */
function checkThreads(given: number | undefined, quick: boolean): number {
  const threads = given ?? (quick ? 1 : Math.min(64, availableParallelism()));
  if (Number.isInteger(threads) && threads >= 1 && threads <= 64) return threads;
  throw new ParameterError('--threads', 'must be a whole number from 1 to 64', threads, 'use the number of cores');
}

function checkSeed(seed: number): void {
  if (Number.isSafeInteger(seed) && seed >= 0) return;
  throw new ParameterError('--seed', 'must be a whole number from 0 on', seed, 'use a number such as 1');
}

function refuseSmallMemory(): void {
  if (totalmem() >= FULL_BYTES) return;
  const remedy = 'use --quick, or name the other experiments';
  const rule = `must have ${bytes(FULL_BYTES)} of memory for a million patches`;
  throw new ParameterError('this machine', rule, bytes(totalmem()), remedy);
}

function thisMachine(): Report['machine'] {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${systemName()} ${release()}`,
    node: process.version,
  };
}

function plural(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Seconds up to two minutes, minutes above. */
function duration(seconds: number): string {
  return seconds < 120 ? plural(Math.ceil(seconds), 'second') : plural(Math.round(seconds / 60), 'minute');
}
