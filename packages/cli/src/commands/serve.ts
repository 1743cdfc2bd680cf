import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { Option } from 'commander';
import { EnvironmentError, InputError, OptionError } from 'ght';
import type { Context } from '../context.js';
import { numberOf } from '../flags.js';
import { isLoopback } from '../service/access.js';
import type { Service, ServiceOptions } from '../service/server.js';

interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly tokenFile?: string;
  readonly concurrency: number;
  readonly waiting: number;
  readonly timeout: number;
  readonly maxBody: number;
  readonly maxPixels: number;
}

/** Characters of a token that cannot be guessed. */
const LEAST_TOKEN = 16;

/** `ght serve`. */
export function serveCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .summary('an HTTP service: denoise, represent, inpaint, deblur, upscale and diagnose images that are sent to it')
    .description(
      'Serves the commands over HTTP: POST an image to /denoise, /represent, /inpaint, /deblur, /upscale or /diagnose, with the flags ' +
        'of the command as query or fields of a form, and get an image back. No request names a file of this machine.\n' +
        'GET /openapi.json describes all of it, /health and /metrics are for operation. SIGTERM ends it after the requests that run.',
    )
    .option('--port <n>', 'the port; 0 for a free one', numberOf('--port'), 8080)
    .addOption(
      new Option('--host <address>', 'the address to listen on; others than this machine need a token').default(
        '127.0.0.1',
        '127.0.0.1',
      ),
    )
    .option(
      '--token-file <file>',
      'a file with the token that clients send as Authorization: Bearer …; or in the environment, GHT_SERVE_TOKEN',
    )
    .option('--concurrency <n>', 'images that are worked on at once', numberOf('--concurrency'), availableParallelism())
    .option('--waiting <n>', 'requests that may wait; more are answered with 429', numberOf('--waiting'), 64)
    .option('--timeout <s>', 'seconds that the work on an image may take, without the wait', numberOf('--timeout'), 300)
    .option('--max-body <mb>', 'megabytes of a request', numberOf('--max-body'), 100)
    .option('--max-pixels <mp>', 'megapixels of an image', numberOf('--max-pixels'), 50)
    .addHelpText(
      'after',
      `
Examples:
  ght serve --port 9000 --concurrency 2 --timeout 60
  ght serve --host 0.0.0.0 --token-file /run/secrets/ght-token
  curl --data-binary @noisy.png "http://127.0.0.1:8080/denoise?quality=best" -o clean.png
  curl -F image=@photo.png -F mask=@scratches.png http://127.0.0.1:8080/inpaint -o out.png`,
    )
    .action((flags: ServeFlags) => runServe(program, flags, context));
}

async function runServe(program: Command, flags: ServeFlags, { print, signal, stopped }: Context): Promise<void> {
  const { host, port } = flags;
  whole('--port', port, 0, 65535);
  const token = await tokenOf(flags);
  if (token === undefined && !isLoopback(host)) {
    const remedy = 'write a long random text into a file and name it with --token-file, or remove --host';
    throw new OptionError('--host', 'must be this machine if there is no token', host, remedy);
  }
  const service = await start({
    ...{ host, port, token, commands: program.commands, version: program.version() ?? '' },
    concurrency: whole('--concurrency', flags.concurrency, 1, 1024),
    waiting: whole('--waiting', flags.waiting, 0, 1e6),
    timeoutMs: 1000 * above('--timeout', flags.timeout, 86_400),
    mostBytes: 1e6 * above('--max-body', flags.maxBody, 2000),
    mostPixels: 1e6 * above('--max-pixels', flags.maxPixels, 268),
  });
  print(`ght serves at ${service.url}\nCtrl-C or SIGTERM stops it.`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stopped.note = 'all requests were answered';
  await service.close();
  print('The server has stopped.');
}

async function start(options: ServiceOptions): Promise<Service> {
  const { startService } = await import('../service/server.js');
  try {
    return await startService(options);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') {
      const rule = code === 'EACCES' ? 'must be a port that you may use' : 'must be a port that no other program uses';
      throw new EnvironmentError('--port', rule, options.port, 'choose another', { cause });
    }
    if (code !== 'EADDRNOTAVAIL' && code !== 'ENOTFOUND') throw cause;
    const rule = 'must be an address of this machine';
    throw new EnvironmentError('--host', rule, options.host, 'use 127.0.0.1, or 0.0.0.0 for all', { cause });
  }
}

/** The token in a file or in the environment. */
async function tokenOf({ tokenFile }: ServeFlags): Promise<string | undefined> {
  const text =
    tokenFile === undefined
      ? process.env.GHT_SERVE_TOKEN || undefined
      : await readFile(tokenFile, 'utf8').catch((cause: NodeJS.ErrnoException) => {
          const rule = `must be a file that can be read (${cause.code})`;
          throw new InputError('--token-file', rule, tokenFile, 'check the path', { cause });
        });
  const token = text?.trim();
  if (token === undefined || (token.length >= LEAST_TOKEN && /^[\x21-\x7e]+$/.test(token))) return token;
  const parameter = tokenFile === undefined ? 'GHT_SERVE_TOKEN' : '--token-file';
  const rule = `must be a token of at least ${LEAST_TOKEN} printable characters without spaces`;
  throw new InputError(parameter, rule, `${token.length} characters`, 'make one with: openssl rand -hex 32');
}

function whole(flag: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new OptionError(flag, `must be a whole number from ${least} to ${most}`, value, 'choose one');
}

function above(flag: string, value: number, most: number): number {
  if (value > 0 && value <= most) return value;
  throw new OptionError(flag, `must be above 0 and at most ${most}`, value, 'choose such a number');
}
