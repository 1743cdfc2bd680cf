/** The command in a process that stays from run to run: loading it takes longer than most of its runs. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Ended, ended } from './ended.js';

const program = fileURLToPath(new URL('warm-process.js', import.meta.url));

/** What no run prints. */
const MARK = '\0the end of this run\0';

/** Runs the command in the process. If the process ends, that is the end of the run. */
async function runIn(child: ChildProcess, folder: string, args: readonly string[]): Promise<Ended> {
  const texts = ['', ''];
  const completed = new Promise<Ended>((resolve) => {
    for (const [i, stream] of [child.stdout, child.stderr].entries()) {
      stream?.setEncoding('utf8').on('data', (text) => {
        texts[i] += text;
        const [stdout, stderr] = texts.map((each) => each.split(MARK));
        if (stdout.length > 1 && stderr.length > 2) {
          resolve({ code: Number(stderr[1]), stdout: stdout[0], stderr: stderr[0] });
        }
      });
    }
  });
  const died = ended(child);
  child.send({ folder, args, mark: MARK });
  const end = await Promise.race([completed, died]);
  child.removeAllListeners();
  child.stdout?.removeAllListeners('data');
  child.stderr?.removeAllListeners('data');
  return end;
}

/** The command in a process that starts with the first run. Runs that are asked for at once follow one another. */
export function warmCommand() {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(folder: string, args: readonly string[]): Promise<Ended> {
      const end = last.then(() => {
        if (!child?.connected) child = fork(program, { silent: true });
        return runIn(child, folder, args);
      });
      last = end.catch(() => {});
      return end;
    },
    async stop(): Promise<void> {
      if (!child?.connected) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
