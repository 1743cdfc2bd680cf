import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { InputError, OptionError } from 'ght';
import { imageExtensions } from 'ght-images';

/** A file to be worked on, and where its result goes. */
export interface BatchFile {
  readonly input: string;
  readonly output: string;
}

/**
 * The files that several inputs stand for; undefined for one plain file. A folder stands for the images in it, a pattern
 * with * and ? for the files it matches, since not every shell expands patterns.
 */
export async function filesOf(inputs: readonly string[]): Promise<readonly string[] | undefined> {
  const expanded = await Promise.all(inputs.map(expand));
  if (inputs.length === 1 && expanded[0] === undefined) return undefined;
  return expanded.flatMap((found, i) => found ?? [inputs[i]]);
}

/** The same, each with where its result goes; a plain file is one of several where the output is a folder that exists. */
export async function batchOf(inputs: readonly string[], output: string): Promise<readonly BatchFile[] | undefined> {
  const files = (await filesOf(inputs)) ?? ((await isFolder(output)) ? inputs : undefined);
  return files && inFolder(files, output, '-o');
}

/** Where the result of each file goes in a folder: to the name of the file, with an ending if one is given. */
export function inFolder(files: readonly string[], folder: string, parameter: string, ending = ''): BatchFile[] {
  const taken = new Map<string, string>();
  return files.map((input) => {
    const name = basename(input);
    const other = taken.get(name);
    if (other !== undefined) {
      const value = `${other} and ${input}`;
      throw new OptionError(parameter, 'must not get two files of one name', value, 'give them one after the other');
    }
    taken.set(name, input);
    return { input, output: join(folder, `${name}${ending}`) };
  });
}

/** The files of a folder or a pattern; undefined for anything else. */
async function expand(input: string): Promise<string[] | undefined> {
  const present = await stat(input).catch(() => undefined);
  // What is there is meant, though its name could be a pattern.
  if (present && !present.isDirectory()) return undefined;
  const matches = present ? isImage : patternOf(basename(input));
  if (matches === undefined) return undefined;
  const folder = matches === isImage ? input : dirname(input);
  const names = await readdir(folder).catch(() => []);
  const found = names.filter((name) => !name.startsWith('.') && matches(name)).sort();
  if (found.length > 0) return found.map((name) => join(folder, name));
  const rule = matches === isImage ? 'must hold images' : 'must match a file';
  throw new InputError('IMAGE', rule, input, `images end in ${imageExtensions.join(', ')}`);
}

function isImage(name: string): boolean {
  return imageExtensions.includes(extname(name).toLowerCase());
}

function patternOf(pattern: string): ((name: string) => boolean) | undefined {
  if (!/[*?]/.test(pattern)) return undefined;
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  const expression = new RegExp(`^${source}$`, 'u');
  return (name) => expression.test(name);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
