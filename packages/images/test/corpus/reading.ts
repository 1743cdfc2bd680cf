/** Reads files in a separate process, with limits on time and memory per file. */
import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Sound } from './sound.js';

/** The outcome of reading a file: a `defect` is anything that a user must never see. */
export interface Answer {
  readonly outcome: 'read' | 'refused' | 'defect';
  readonly samples?: readonly number[];
  readonly message?: string;
  /** The peak memory of the process so far. */
  readonly megabytes: number;
}

/** Milliseconds after which a read counts as a hang, however busy the machine is. */
const LONGEST = 120_000;
const MOST_MEGABYTES = 1024;
const program = fileURLToPath(new URL('./reader.js', import.meta.url));

/** A reader of files. It starts again after a crash or a hang, which count as answers. */
export function reading() {
  let child: ChildProcess | undefined;
  let printed = '';
  const start = () => {
    child = fork(program, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
    return child;
  };
  const stop = () => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const ask = (kind: Sound['kind'], path: string): Promise<Answer> =>
    new Promise((resolve) => {
      const reader = child ?? start();
      const settle = (answer: Answer) => {
        clearTimeout(limit);
        reader.removeAllListeners('message').removeAllListeners('exit');
        resolve(answer);
      };
      const broken = (message: string) => {
        child = undefined;
        settle({ outcome: 'defect', message, megabytes: 0 });
      };
      const limit = setTimeout(() => {
        reader.kill('SIGKILL');
        broken(`no answer in ${LONGEST} ms`);
      }, LONGEST);
      reader.on('message', (answer: Answer) => settle(answer));
      reader.on('exit', (code, signal) => broken(`the process ended (${signal ?? code}): ${printed}`));
      reader.send({ kind, path });
    });
  return {
    /** Reads the file at a path. Too much memory, and any output, is a defect. */
    async at(kind: Sound['kind'], path: string): Promise<Answer> {
      printed = '';
      const answer = await ask(kind, path);
      const asked = answer.megabytes > MOST_MEGABYTES ? `${Math.round(answer.megabytes)} MB of memory` : printed;
      if (answer.megabytes > MOST_MEGABYTES) stop();
      return asked === '' ? answer : { ...answer, outcome: 'defect', message: `${asked} (${answer.message ?? ''})` };
    },
    /** The same for bytes, which are saved at the path first. */
    async of(kind: Sound['kind'], path: string, bytes: Uint8Array): Promise<Answer> {
      await writeFile(path, bytes);
      return this.at(kind, path);
    },
    stop,
  };
}
