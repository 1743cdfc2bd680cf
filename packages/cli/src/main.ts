import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { isParameterError } from 'ght';
import { compareCommand } from './commands/compare.js';
import { denoiseCommand } from './commands/denoise.js';
import { infoCommand } from './commands/info.js';
import { representCommand } from './commands/represent.js';
import { solveCommand } from './commands/solve.js';
import type { Context } from './context.js';

/** What the library calls a parameter, and the flag that sets it. */
const flagOf: Readonly<Record<string, string>> = {
  'budget.perPatch': '--budget',
  'budget.total': '--total-budget',
  'budget.psnr': '--target-psnr',
  'budget.sigma': '--sigma',
  budget: '--target-psnr or --sigma',
  patch: '--patch',
  atoms: '--atoms',
  stride: '--stride',
  rho: '--rho',
  maxIterations: '--max-iterations',
  tolerance: '--tolerance',
  signals: '--signals',
  dictionary: '--dictionary',
  image: 'IMAGE',
};

/** Runs the command with these arguments and sets the exit code: 0, 2 for anything the user can mend, 130 or 143 when stopped. */
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
  // A reader that has had enough (`ght … | head -1`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  try {
    const context: Context = { print: (text) => process.stdout.write(`${text}\n`), signal: stop.signal };
    await ght(context).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = stoppedBy ? interrupted[stoppedBy] : report(error);
    if (stoppedBy) process.stderr.write('ght: stopped; nothing was written\n');
  }
}

function ght(context: Context): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const program = new Command('ght')
    .description('Joint sparse representation and denoising of images under one global budget.')
    .version(version, '-V, --version')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText(
      'after',
      `
Examples:
  ght represent photo.png -o out.png --budget 10 --heatmap atoms.png
  ght compare photo.png --budget 10
  ght denoise noisy.png -o clean.png --sigma 20
  ght COMMAND --help    the flags of a command, with examples

Errors are one line on standard error with exit code 2.`,
    );
  representCommand(program, context);
  compareCommand(program, context);
  denoiseCommand(program, context);
  solveCommand(program, context);
  infoCommand(program, context);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  return program;
}

/** Prints the one line an error deserves and gives the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help') return printHelp();
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    process.stderr.write(`ght: ${message}: see ght --help or ght COMMAND --help\n`);
    return 2;
  }
  if (isParameterError(error)) {
    const flag = flagOf[error.parameter];
    process.stderr.write(`ght: ${flag ? error.message.replace(error.parameter, flag) : error.message}\n`);
    return 2;
  }
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`ght: an error that should not happen: ${message.replace(/\s*\n\s*/g, ' ')}\n`);
  return 1;
}

/** `ght` alone: what there is. */
function printHelp(): number {
  ght({ print: () => {}, signal: new AbortController().signal }).outputHelp({ error: false });
  return 2;
}
