/** Programs of this folder, each in its own process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Whether to run the full load, instead of a part that is short enough for a test. */
export const full = process.env.GHT_LOAD === 'full';

/** Node lets its young generation grow during the first hundred images, which would hide other growth. */
const steady = '--max-semi-space-size=8';

/** The output of a program of this folder, run by this Node or by another. */
export async function printed<T>(
  program: string,
  args: readonly (string | number)[],
  node = process.execPath,
): Promise<T> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout } = await promisify(execFile)(node, [steady, path, ...args.map(String)], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout);
}
