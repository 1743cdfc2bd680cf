import type { Command } from 'commander';
import { OptionError } from 'ght';
import type { RunReport } from 'ght-queue';
import type { Context } from '../context.js';
import { jsonFlag } from '../flags.js';
import { oneLine, say } from '../output/line.js';
import { table } from '../output/table.js';
import { loadQueue } from '../tile-flags.js';

interface RunsFlags {
  readonly cancel?: string;
  readonly clean?: boolean;
  readonly json?: boolean;
}

/** `ght runs`. */
export function runsCommand(program: Command, context: Context): void {
  const command = program
    .command('runs')
    .summary('show, cancel or clean up runs on a queue')
    .description(
      'Shows the runs on a queue: how far each is, which workers may help, and which tiles failed where and why.',
    )
    .argument('<URL>', 'the Redis of the queue: redis://host:port/, or rediss://user@host:port/ with TLS')
    .option('--cancel <run>', 'end a run; what is done stays, and the command that started it continues it')
    .option('--clean', 'forget all runs that have ended or were interrupted');
  jsonFlag(command)
    .addHelpText(
      'after',
      `
Examples:
  ght runs redis://queue/
  ght runs redis://queue/ --cancel 3f9a4c2d7e81b605
  ght runs redis://queue/ --clean`,
    )
    .action((url: string, flags: RunsFlags) => runRuns(url, flags, context));
}

async function runRuns(url: string, { cancel, clean, json }: RunsFlags, { print }: Context): Promise<void> {
  if (cancel !== undefined && clean) {
    throw new OptionError('--cancel and --clean', 'exclude each other', 'both', 'give only one of them');
  }
  const queue = await loadQueue();
  // What others have left in Redis is reported, and does not hide the runs.
  const options = { onWarning: say };
  if (cancel !== undefined) {
    await queue.cancel(url, cancel, options);
    print(json ? JSON.stringify({ task: 'runs', cancelled: [cancel] }) : `cancelled ${oneLine(cancel)}`);
    return;
  }
  if (clean) {
    const removed = await queue.clean(url, options);
    print(
      json
        ? JSON.stringify({ task: 'runs', removed })
        : `removed ${removed.length === 0 ? 'none' : removed.join(', ')}`,
    );
    return;
  }
  const runs = await queue.runs(url, options);
  const workers = await queue.workers(url, options);
  if (json) {
    print(JSON.stringify({ task: 'runs', runs, workers }));
    return;
  }
  print(
    runs.length === 0
      ? 'no runs'
      : table(['run', 'plan', 'state', 'pass', 'tiles', 'done', 'workers'], runs.map(row), 4),
  );
  for (const { run, failures, refused } of runs) {
    for (const { pass, tile, worker, reason } of failures)
      print(oneLine(`${run}: tile ${tile} of ${pass} failed at ${worker}: ${reason}`));
    if (refused.length > 0) print(`${run}: left alone by ${refused.join(', ')}, whose results would differ`);
  }
  print(
    `${workers.length} worker${workers.length === 1 ? '' : 's'}${workers.length > 0 ? `: ${workers.map(({ name }) => name).join(', ')}` : ''}`,
  );
}

function row({ run, plan, state, pass, done, tiles, fraction, workers }: RunReport): string[] {
  return [run, plan, state, pass, `${done} of ${tiles}`, `${Math.round(100 * fraction)}%`, String(workers.length)];
}
