/** Programs of this folder, each in a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Whether to run as many as the promise says, instead of as many as a test has time for. */
export const full = process.env.GHT_LOAD === 'full';

/** Node lets its young generation grow for as long as a hundred images; what grows besides would not be seen. */
const steady = '--max-semi-space-size=8';

/** What a program of this folder printed, run by this Node or by another. */
export async function printed<T>(
  program: string,
  args: readonly (string | number)[],
  node = process.execPath,
): Promise<T> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout } = await promisify(execFile)(node, [steady, path, ...args.map(String)], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout);
}
