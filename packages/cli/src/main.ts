import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EnvironmentError, type GhtError, InputError, isGhtError, OptionError, ResourceError } from 'ght';
import { compareCommand } from './commands/compare.js';
import { deblurCommand } from './commands/deblur.js';
import { decodeCommand } from './commands/decode.js';
import { denoiseCommand } from './commands/denoise.js';
import { diagnoseCommand } from './commands/diagnose.js';
import { infoCommand } from './commands/info.js';
import { inpaintCommand } from './commands/inpaint.js';
import { learnCommand } from './commands/learn.js';
import { mcpCommand } from './commands/mcp.js';
import { representCommand } from './commands/represent.js';
import { reproduceCommand } from './commands/reproduce.js';
import { runsCommand } from './commands/runs.js';
import { serveCommand } from './commands/serve.js';
import { solveCommand } from './commands/solve.js';
import { studioCommand } from './commands/studio.js';
import { upscaleCommand } from './commands/upscale.js';
import { workerCommand } from './commands/worker.js';
import type { Context } from './context.js';
import type { Flags } from './flags.js';
import { printLine, unwritable } from './io/standard-output.js';
import { say } from './output/line.js';

/** The flag for each parameter of the library. */
const flagOf: Readonly<Record<string, string>> = {
  'budget.perPatch': '--budget',
  'budget.total': '--total-budget',
  'budget.psnr': '--target-psnr',
  'budget.rmse': '--target-rmse',
  'budget.sigma': '--sigma',
  sigma: '--sigma',
  quality: '--quality',
  noise: '--noise',
  'noise.gain': '--gain',
  'noise.sigma': '--sigma',
  'noise.offset': '--offset',
  'noise.spectrum': '--noise-spectrum',
  strength: '--strength',
  strengthChroma: '--strength-chroma',
  keepGrain: '--keep-grain',
  missing: '--missing',
  impulses: '--impulses',
  banding: '--banding',
  spread: '--spread',
  patch: '--patch',
  atoms: '--atoms',
  stride: '--stride',
  rho: '--rho',
  'rho.from': '--rho',
  'rho.to': '--rho',
  growth: '--growth',
  maxIterations: '--max-iterations',
  tolerance: '--tolerance',
  engine: '--engine',
  threads: '--threads',
  Y: '--signals',
  dictionary: '--dictionary',
  iterations: '--iterations',
  patches: '--patches',
  seed: '--seed',
  mask: '--mask',
  kernel: '--kernel',
  factor: '--factor',
  blur: '--blur',
  initial: '--init',
  image: 'IMAGE',
  file: 'IMAGE',
  output: '-o',
  codes: 'CODES',
  peak: '--peak',
  images: 'IMAGE',
  tile: '--tile',
  root: '--root',
  memory: '--memory',
  http: '--http',
  name: '--name',
  run: '--cancel',
};

/**
 * Runs the command with these arguments and sets the exit code: 0; 1 when some of several images failed, or for an internal
 * error; 2 for invalid input or usage; 130 or 143 when stopped.
 */
export async function run(args: readonly string[]): Promise<void> {
  const stop = new AbortController();
  const interrupted = { SIGINT: 130, SIGTERM: 143 } as const;
  let stoppedBy: keyof typeof interrupted | undefined;
  for (const name of Object.keys(interrupted) as (keyof typeof interrupted)[]) {
    process.once(name, () => {
      stoppedBy = name;
      stop.abort();
    });
  }
  // A reader that stops early (`ght … | head -1`) is not an error, and files are still written.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EPIPE') return;
    process.exit(report(unwritable(cause), args));
  });
  // If no program reads the error line or the progress, the exit code still shows the failure.
  process.stderr.on('error', () => {});
  const stopped = { note: 'nothing was written' };
  try {
    let quiet = false;
    const print = (text: string) => quiet || printLine(text);
    const note = (text: string) => quiet || process.stderr.write(`${text}\n`);
    const explain = (error: GhtError) => inFlags(error, args).message;
    const program = ght({ print, note, explain, run: runWithin, signal: stop.signal, stopped }).hook(
      'preAction',
      (_program, command) => {
        const flags = command.opts<Flags>();
        // The object of --json is all that is printed, with --quiet too.
        quiet = flags.quiet === true && flags.json !== true;
      },
    );
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = stoppedBy ? interrupted[stoppedBy] : report(error, args);
    if (stoppedBy) say(`stopped; ${stopped.note}`);
  }
}

/** Runs a command inside another program, such as a server. Its errors name flags, as on the command line. */
export async function runWithin(args: readonly string[], context: Omit<Context, 'explain' | 'run'>): Promise<void> {
  try {
    const explain = (error: GhtError) => inFlags(error, args).message;
    await ght({ ...context, explain, run: runWithin }).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new OptionError(...missing(error));
    throw isGhtError(error) ? inFlags(error, args) : error;
  }
}

/** The parts of the error about a flag that is missing, the only one that commander finds in checked arguments. */
function missing({ message }: CommanderError): [string, string, undefined, string] {
  const flag = /--[a-z-]+/.exec(message)?.[0] ?? 'the arguments';
  return [flag, 'must be given', undefined, 'add it'];
}

/** The program without an effect, for its list of commands and flags. */
export function programOf(): Command {
  return ght(nowhere);
}

/** The context of a program that is used only for its help and its list of commands. */
const nowhere: Context = {
  print: () => {},
  note: () => {},
  explain: ({ message }) => message,
  run: async () => {},
  signal: new AbortController().signal,
  stopped: { note: '' },
};

function ght(context: Context): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const program = new Command('ght')
    .description('Joint sparse representation, denoising and restoration of images under one global budget.')
    .version(version, '-V, --version')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText(
      'after',
      `
Examples:
  ght represent photo.png -o out.png --budget 10 --heatmap atoms.png
  ght decode codes.npz -o photo.png
  ght compare photo.png --budget 10
  ght denoise noisy.png -o clean.png
  ght inpaint photo.png --mask scratches.png -o out.png
  ght deblur photo.png --kernel gaussian:1.6 -o sharp.png
  ght upscale photo.png --factor 2 -o large.png
  ght diagnose photo.jpg
  ght reproduce --quick    the experiments of the paper, in two minutes
  ght studio               the studio, in the browser
  ght serve                an HTTP service with the same commands; ght mcp: tools for programs that speak MCP
  ght COMMAND --help       the flags of a command, with examples

Exit codes:
  0    done
  1    some of several images failed, with one line for each; or an internal error
  2    invalid input or usage, with one line on standard error
  130  stopped by Ctrl-C
  143  stopped by SIGTERM`,
    );
  representCommand(program, context);
  decodeCommand(program, context);
  compareCommand(program, context);
  denoiseCommand(program, context);
  inpaintCommand(program, context);
  deblurCommand(program, context);
  upscaleCommand(program, context);
  solveCommand(program, context);
  learnCommand(program, context);
  reproduceCommand(program, context);
  infoCommand(program, context);
  diagnoseCommand(program, context);
  workerCommand(program, context);
  runsCommand(program, context);
  studioCommand(program, context);
  serveCommand(program, context);
  mcpCommand(program, context);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  return program;
}

/** Prints an error as one line and returns the exit code. */
function report(error: unknown, args: readonly string[]): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // `ght` alone prints the help.
    if (error.code === 'commander.help' && args.length === 0) return printHelp();
    return refuse(wrongArguments(error, args));
  }
  if (isGhtError(error)) return refuse(inFlags(error, args).message);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError && /array length|allocation failed/i.test(message)) {
    const remedy = 'use a smaller image, a larger --stride, or a smaller --patch and fewer --atoms';
    return refuse(new ResourceError('the run', 'must fit in memory', message, remedy, { cause: error }).message);
  }
  say(`internal error: ${message}`);
  return 1;
}

/** Prints a line about invalid input or usage, and returns its exit code. */
function refuse(message: string): number {
  say(message);
  return 2;
}

/** The error of commander, with the help command to read. */
function wrongArguments(error: CommanderError, args: readonly string[]): string {
  const program = ght(nowhere);
  const command = program.commands.find((each) => each.name() === args[0]);
  const message = error.code === 'commander.help' ? `unknown command '${args.at(-1)}'` : error.message;
  const what = message
    .replace(/^error: /, '')
    .replace(/\n(\(Did you mean .*\))$/, ' $1')
    .replace(/\.$/, '');
  return `${what}: see ght ${command ? `${command.name()} ` : ''}--help`;
}

/** The classes of errors by their kinds. */
const classOf = {
  option: OptionError,
  input: InputError,
  resource: ResourceError,
  environment: EnvironmentError,
} as const;

/** The same error with flags instead of options of the library. */
function inFlags(error: GhtError, args: readonly string[]): GhtError {
  const { parameter, value } = error;
  // In `ght solve`, the patches of the library are signals. "patch-wise" stays, as the name of a kind of solver.
  const worded = (text: string) => (args[0] === 'solve' ? text.replace(/\bpatch(es)?\b(?!-)/g, wordForPatch) : text);
  const [rule, remedy] = [worded(error.rule), worded(error.remedy)];
  const named = (name: string, shown = value) => new classOf[error.kind](name, rule, shown, remedy, { cause: error });
  const textOf = (flag: string) => {
    const at = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
    return at < 0 ? undefined : args[at] === flag ? args[at + 1] : args[at].slice(flag.length + 1);
  };
  const penalty = textOf('--rho-absolute');
  if (parameter === 'rho' && penalty !== undefined) {
    return named('--rho-absolute', Number(penalty));
  }
  // An invalid budget comes from the flag that sets its target.
  const target = ['--target-psnr', '--target-rmse', '--sigma'].find((flag) => textOf(flag) !== undefined);
  if (parameter === 'budget' && target) return named(target);
  if (parameter.startsWith('noise.spectrum.data')) {
    return named(parameter.replace('noise.spectrum.data', '--noise-spectrum '));
  }
  if (/^noise\b/.test(parameter) && textOf('--noise-model') !== undefined) {
    return named(parameter.replace(/^noise\.?/, '--noise-model ').trim());
  }
  // `image pixel (x 4, y 2, channel 0)` begins with the name of its parameter.
  const [first, ...place] = parameter.split(' ');
  const flag = flagOf[first];
  return flag ? named([flag, ...place].join(' ')) : error;
}

function wordForPatch(_patch: string, plural = ''): string {
  return plural === '' ? 'signal' : 'signals';
}

function printHelp(): number {
  ght(nowhere).outputHelp({ error: false });
  return 2;
}
