// The command in a process that stays, for tests: loading it takes longer than most of its runs. A message asks for one run; both
// streams then end with a mark, that of standard error with the exit code.
import { run } from '../dist/main.js';

process.on('message', async ({ folder, args, mark }) => {
  process.chdir(folder);
  process.exitCode = 0;
  await run(args);
  // The command adds these once per process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.stdout.write(mark);
  process.stderr.write(`${mark}${process.exitCode}${mark}`);
});
