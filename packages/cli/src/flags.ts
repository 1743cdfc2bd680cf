/** The flags that several commands share, and how they become options of the library. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Budget, EngineName, Penalty, RepresentOptions, SolverName, SolverOptions } from 'ght';
import { engineNames, OptionError, solverCatalogue, solverDefaults, solverNames } from 'ght';
import type { ImageFile } from './io/index.js';

/** What the shared flags leave in a command's options. */
export interface Flags {
  readonly solver?: SolverName;
  readonly budget?: number;
  readonly totalBudget?: number;
  readonly targetPsnr?: number;
  readonly targetRmse?: number;
  readonly sigma?: number;
  readonly patch?: number;
  readonly atoms?: number;
  readonly stride?: number;
  readonly spread?: true;
  readonly rho?: RelativePenalty;
  readonly rhoAbsolute?: number;
  readonly growth?: number | false;
  readonly effort?: number;
  readonly refit?: true;
  readonly maxIterations?: number;
  readonly tolerance?: number;
  readonly preset?: 'paper';
  readonly channels?: Channels;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly json?: true;
  readonly quiet?: true;
}

/** A penalty in units of ‖D‖₂², as `--rho` has it. */
export type RelativePenalty = Exclude<Penalty, { readonly absolute: number }>;

/** A parser for a flag whose value is a number. */
export function numberOf(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value)) return value;
    throw new OptionError(flag, 'must be a finite number', text, `write it like ${flag} 10`);
  };
}

/** A parser for `--rho`: a number, or two for a rising penalty. */
function penaltyOf(text: string): RelativePenalty {
  const values = text.split('..').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.length > 2 || !values.every(Number.isFinite)) {
    const remedy = 'write it like --rho 0.1 or --rho 0.002..0.2';
    throw new OptionError('--rho', 'must be a finite number, or two with .. between them', text, remedy);
  }
  const [from, to] = values;
  return values.length === 1 ? from : { from, to };
}

/** A parser for `--growth`: a number, or `off`. */
function growthOf(text: string): number | false {
  if (text === 'off') return false;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new OptionError('--growth', 'must be a finite number, or off', text, 'write it like --growth 0.02');
}

/** How a penalty is written after `--rho`. */
export function penaltyText(rho: RelativePenalty, write: (value: number) => string = String): string {
  return typeof rho === 'number' ? write(rho) : `${write(rho.from)}..${write(rho.to)}`;
}

/** A parser for a flag whose value is one of some names. */
export function choiceOf<T extends string>(flag: string, names: readonly T[]): (text: string) => T {
  return (text) => {
    if (names.includes(text as T)) return text as T;
    throw new OptionError(flag, `must be one of ${names.join(', ')}`, text, 'choose a name from that list');
  };
}

/** `--solver`, and the `--effort` of joint OMP; `usual` is the solver of the command if none is given. */
export function solverFlag(command: Command, usual: SolverName = solverDefaults.solver): Command {
  return command
    .addOption(
      new Option('--solver <name>', `${solverNames.join(', ')} (default: ${usual})`).argParser(
        choiceOf('--solver', solverNames),
      ),
    )
    .option(
      '--effort <n>',
      `1, 2 or 3, for joint-omp: a smaller error at the same budget, in more time (default: ${solverDefaults.effort})`,
      numberOf('--effort'),
    );
}

/** `--budget`; `one` and `many` are what the command calls a column of Y. */
export function budgetFlag(command: Command, one = 'patch', many = 'patches'): Command {
  return command.option(
    '--budget <s>',
    `atoms per ${one} on average, S = s·P for P ${many} (default: ${solverDefaults.budget.perPatch})`,
    numberOf('--budget'),
  );
}

/** `--total-budget`. */
export function totalBudgetFlag(command: Command, many = 'patches'): Command {
  return command.option('--total-budget <S>', `atoms in all ${many} together`, numberOf('--total-budget'));
}

/** What the planes of an image are, as `--channels` has it. */
export type Channels = NonNullable<RepresentOptions['channels']>;

/** `--channels`. */
export function channelsFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--channels <what>',
      'colour: three channels are red, green and blue; bands: they are something else, as in microscopes and spectra; auto: colour for ' +
        'three, unless a TIFF calls them grey (default: auto)',
    ).argParser(choiceOf('--channels', ['auto', 'bands', 'colour'])),
  );
}

/** Options with what a file says of its channels, if the flags do not. */
export function withChannels<T extends { readonly channels?: Channels }>(
  options: T,
  { metadata }: Pick<ImageFile, 'metadata'>,
): T {
  return metadata?.bands && (options.channels ?? 'auto') === 'auto' ? { ...options, channels: 'bands' } : options;
}

/** `--spread`. */
export function spreadFlag(command: Command, one = 'patch', many = 'patches'): Command {
  const names = solverNames.filter((name) => solverCatalogue[name].method === 'patchwise').join(', ');
  return command.option(
    '--spread',
    `for ${names}: spend all of S, with one more atom in the ${many} that have the largest residual ` +
      `(default: the same number of atoms in every ${one}, S/P rounded down)`,
  );
}

/** Instead of a budget: `--target-psnr`, `--target-rmse`, `--sigma`; `one` and `whole` are what the command calls a column of Y, and Y. */
export function targetFlags(command: Command, one = 'patch', whole = 'image'): Command {
  const reached = whole === 'image' ? 'the written image, rounded and clipped, reaches' : `the ${whole} reach`;
  return command
    .option(
      '--target-psnr <dB>',
      `instead of --budget: the smallest budget with which ${reached} this PSNR`,
      numberOf('--target-psnr'),
    )
    .option(
      '--target-rmse <x>',
      `instead of --budget: the smallest budget whose RMSE per ${one} is at most x, in the units of the ${whole}`,
      numberOf('--target-rmse'),
    )
    .option(
      '--sigma <x>',
      `instead of --budget: as many atoms as noise of this standard deviation justifies, in the units of the ${whole}`,
      numberOf('--sigma'),
    );
}

/** How the image is cut: `--patch`, `--atoms`, `--stride`. */
export function patchFlags(command: Command): Command {
  return command
    .option('--patch <n>', 'side of a patch in pixels (default: 8)', numberOf('--patch'))
    .option(
      '--atoms <m>',
      'use the overcomplete DCT, with m atoms per side, m×m in all (default: 10, or the patch if larger)',
      numberOf('--atoms'),
    )
    .option('--stride <n>', 'pixels from one patch to the next (default: the patch)', numberOf('--stride'));
}

/** How the solver works. */
export function solverFlags(command: Command): Command {
  const penalised = solverNames.filter((name) => solverCatalogue[name].rho !== null);
  const { qpm, admm } = solverCatalogue;
  const defaults = `${penaltyText(qpm.growing.rho)} and ${penaltyText(admm.growing.rho)}`;
  return command
    .option(
      '--rho <r>',
      `penalty ρ in units of ‖D‖₂², for ${penalised.join(' and ')}; from..to rises from iteration to iteration (default: ${defaults})`,
      penaltyOf,
    )
    .option(
      '--rho-absolute <r>',
      'penalty ρ as it stands in the formulas, instead of --rho',
      numberOf('--rho-absolute'),
    )
    .option(
      '--growth <g>',
      `for ${penalised.join(' and ')}: begin with this share of the budget, which grows to all of it; off: all from the start ` +
        `(default: ${admm.growing.growth})`,
      growthOf,
    )
    .option('--refit', 'end with a least-squares fit on the chosen atoms')
    .option(
      '--max-iterations <n>',
      `stop after this many iterations (default: ${admm.growing.maxIterations} for ${penalised.join(' and ')}, ` +
        `${solverDefaults.maxIterations} for the others and with --growth off)`,
      numberOf('--max-iterations'),
    )
    .option(
      '--tolerance <t>',
      `stop when an iteration changes the RMSE by less than t × full scale; 0: never (default: ${solverDefaults.tolerance.toExponential()})`,
      numberOf('--tolerance'),
    )
    .addOption(
      new Option(
        '--preset <name>',
        'paper: ρ = 0.1 absolute, --growth off, stop at 1e-5, no refit, admm; other flags override it',
      ).argParser(choiceOf('--preset', ['paper'] as const)),
    );
}

/** Where it is computed: `--engine`, `--threads`. */
export function engineFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--engine <name>',
        `${engineNames.join(', ')}; ght info --engines says which are here (default: auto)`,
      ).argParser(choiceOf('--engine', engineNames)),
    )
    .option(
      '--threads <n>',
      'threads of the wasm engine (default: one per core, for large problems)',
      numberOf('--threads'),
    );
}

/** `--json`. */
export function jsonFlag(command: Command): Command {
  return command.option('--json', 'print one JSON object on standard output and nothing else');
}

/** `--quiet`, for commands that write files. */
export function quietFlag(command: Command): Command {
  return command.option('-q, --quiet', 'print errors only');
}

/** Whether the flags ask for no progress display. */
export function silent({ json, quiet }: Pick<Flags, 'json' | 'quiet'>): boolean {
  return json === true || quiet === true;
}

/** The options of a solve that the flags ask for. */
export function solveOptions(flags: Flags): SolverOptions {
  const rho = onlyOne(flags, { rho: '--rho', rhoAbsolute: '--rho-absolute' });
  return defined({
    solver: flags.solver,
    budget: budgetOf(flags),
    spread: flags.spread,
    rho: rho === 'rhoAbsolute' ? { absolute: flags.rhoAbsolute as number } : flags.rho,
    growth: flags.growth,
    effort: flags.effort as SolverOptions['effort'],
    refit: flags.refit,
    maxIterations: flags.maxIterations,
    tolerance: flags.tolerance,
    preset: flags.preset,
    engine: flags.engine,
    threads: flags.threads,
  });
}

/** The options of a representation that the flags ask for. */
export function representOptions(flags: Flags): RepresentOptions {
  return {
    ...solveOptions(flags),
    ...defined({ patch: flags.patch, atoms: flags.atoms, stride: flags.stride, channels: flags.channels }),
  };
}

function budgetOf(flags: Flags): Budget | undefined {
  const names = {
    ...{ budget: '--budget', totalBudget: '--total-budget', sigma: '--sigma' },
    ...{ targetPsnr: '--target-psnr', targetRmse: '--target-rmse' },
  };
  switch (onlyOne(flags, names)) {
    case 'budget':
      return { perPatch: flags.budget as number };
    case 'totalBudget':
      return { total: flags.totalBudget as number };
    case 'targetPsnr':
      return { psnr: flags.targetPsnr as number };
    case 'targetRmse':
      return { rmse: flags.targetRmse as number };
    case 'sigma':
      return { sigma: flags.sigma as number };
    default:
      return undefined;
  }
}

/** Which of some flags that exclude each other was given, if any. */
function onlyOne<K extends keyof Flags>(flags: Flags, names: Readonly<Record<K, string>>): K | undefined {
  const given = (Object.keys(names) as K[]).filter((key) => flags[key] !== undefined);
  if (given.length > 1) {
    const spelt = given.map((key) => names[key]);
    const value = given.map((key) => (key === 'rho' && flags.rho ? penaltyText(flags.rho) : flags[key])).join(' and ');
    throw new OptionError(spelt.join(' and '), 'exclude each other', value, `give only one of them`);
  }
  return given[0];
}

/** Without the keys that hold nothing, since the library refuses what it does not know. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
