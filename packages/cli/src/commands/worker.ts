import type { Command } from 'commander';
import { denoiseTask, representTask, restoreTask } from 'ght-tiles';
import type { Context } from '../context.js';
import { quietFlag } from '../flags.js';
import { oneLine, say } from '../output/line.js';
import { loadQueue } from '../tile-flags.js';

interface WorkerFlags {
  readonly root?: readonly string[];
  readonly http?: readonly string[];
  readonly memory?: string;
  readonly name?: string;
}

/** `ght worker`. */
export function workerCommand(program: Command, context: Context): void {
  const several = (text: string, before: readonly string[] = []) => [...before, text];
  const command = program
    .command('worker')
    .summary('process tiles of runs on a queue, until it is stopped')
    .description(
      'Takes tiles of runs that were started with --workers from a queue and processes them, until it is stopped. Ctrl-C and SIGTERM ' +
        'let it finish its tile. It reads and writes only inside its roots.',
    )
    .argument(
      '<URL>',
      'the Redis of the queue: redis://host:port/, or rediss://user@host:port/ with TLS; the password is in the address or in GHT_REDIS_PASSWORD',
    )
    .requiredOption(
      '--root <name=folder>',
      'a folder that it may read and write, and its name in runs; may be given several times',
      several,
    )
    .option('--http <prefix>', 'also read images whose addresses begin with this; may be given several times', several)
    .option('--memory <amount>', 'leave tiles that need more memory to other workers, such as 2G (default: no limit)')
    .option(
      '--name <name>',
      'its name in reports, which no other worker may have (default: the host, the process number and a random number)',
    );
  quietFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght worker redis://queue/ --root data=/mnt/slides
  ght worker rediss://ght@queue.example/ --root data=/mnt/slides --memory 2G
  ght worker redis://queue/ --root data=. --http https://slides.example/`,
    )
    .action((url: string, flags: WorkerFlags) => runWorker(url, flags, context));
}

async function runWorker(url: string, flags: WorkerFlags, { print, signal, stopped }: Context): Promise<void> {
  const { parseMemory, parseRoots, queueWorker } = await loadQueue();
  const worker = await queueWorker(url, {
    tasks: [denoiseTask(), representTask(), restoreTask()],
    roots: parseRoots(flags.root ?? []),
    http: flags.http ?? [],
    ...(flags.memory !== undefined && { memory: parseMemory(flags.memory) }),
    ...(flags.name !== undefined && { name: flags.name }),
    onTile: (line) => print(oneLine(line)),
    onWarning: say,
  });
  print(`worker ${worker.name} with fingerprint ${worker.fingerprint} waits for tiles`);
  stopped.note = 'its last tile is finished';
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await worker.close();
  signal.throwIfAborted();
}
