import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { EnvironmentError, OptionError } from 'ght';
import type { Context } from '../context.js';
import { numberOf } from '../flags.js';
import { type Serving, serveFolder } from '../static-server.js';

/** The port that is tried first, so that bookmarks stay valid. */
const USUAL_PORT = 4173;

/** `ght studio`. */
export function studioCommand(program: Command, context: Context): void {
  program
    .command('studio')
    .summary('serve the studio: represent, compare and denoise images in the browser')
    .description(
      'Serves the studio on this machine only: a page that represents, compares and denoises images in the browser.\n' +
        'Nothing is uploaded: the page does all the work.',
    )
    .option('--port <n>', `the port (default: ${USUAL_PORT}, or a free one if that is taken)`, numberOf('--port'))
    .addHelpText(
      'after',
      `
Examples:
  ght studio --port 8080
  ght studio`,
    )
    .action((flags: { readonly port?: number }) => runStudio(flags.port, context));
}

async function runStudio(port: number | undefined, { print, signal }: Context): Promise<void> {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65535)) {
    throw new OptionError('--port', 'must be a whole number from 0 to 65535', port, 'use a number such as 8080');
  }
  const serving = await start(builtPage(), port);
  print(`The studio is at ${serving.url}\nCtrl-C stops it.`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await serving.close();
  print('The studio is closed.');
}

async function start(folder: string, port: number | undefined): Promise<Serving> {
  try {
    return await serveFolder(folder, port ?? USUAL_PORT);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const taken = code === 'EADDRINUSE';
    if (!taken && code !== 'EACCES') throw cause;
    if (port === undefined) return serveFolder(folder, 0);
    const rule = taken ? 'must be a port that no other program uses' : 'must be a port that you may use';
    throw new EnvironmentError('--port', rule, port, 'choose another, or leave it out to get a free one', { cause });
  }
}

function builtPage(): string {
  const folder = join(dirname(createRequire(import.meta.url).resolve('ght-studio/package.json')), 'dist');
  if (existsSync(join(folder, 'index.html'))) return folder;
  throw new EnvironmentError('the studio', 'must have been built', folder, 'run npm run build');
}
