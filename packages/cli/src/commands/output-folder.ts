/** Outputs that are folders, for one image or several. */
import { basename, join } from 'node:path';
import { isFolder } from '../io/batch.js';
import { makeFolder, removeEmptyFolders } from '../io/index.js';

/** The path of the result of one input: the given file, or the name of the input in the given folder. */
export async function placeOf(
  output: string | undefined,
  input: string,
  rename: (name: string) => string = (name) => name,
): Promise<{ readonly output: string | undefined; readonly folder: string | undefined }> {
  if (output === undefined || !(await isFolder(output))) return { output, folder: undefined };
  return { output: join(output, rename(basename(input))), folder: output };
}

/** Creates folders when they are needed, and removes those that stay empty. */
export class OutputFolders {
  readonly #made: { readonly folder: string; readonly topmost: string }[] = [];

  constructor(readonly parameter = '-o') {}

  async make(folder: string, rule?: string): Promise<void> {
    const topmost = await makeFolder(folder, rule, this.parameter);
    if (topmost !== undefined) this.#made.push({ folder, topmost });
  }

  async removeEmpty(): Promise<void> {
    for (const { folder, topmost } of this.#made.toReversed()) await removeEmptyFolders(folder, topmost);
  }
}

/** Does work that writes into a folder, and creates the folder if it is missing. */
export async function inMadeFolder(folder: string | undefined, work: () => Promise<void>): Promise<void> {
  const folders = new OutputFolders();
  if (folder !== undefined) await folders.make(folder);
  await work().finally(() => folders.removeEmpty());
}
