import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { InputError, OptionError } from 'ght';
import { formatOfName, readExtensions } from 'ght-images';

/** A file to be worked on. */
export interface FoundFile {
  readonly input: string;
  /** Its path below the folder that was given, or below the part of a pattern before the first wildcard. */
  readonly relative: string;
}

/** A file and where its result goes. */
export interface BatchFile {
  readonly input: string;
  readonly output: string;
}

/** What lies in a folder that was given and is not worked on. */
export interface Skipped {
  readonly path: string;
  readonly reason: 'not an image' | 'a subfolder' | 'a folder that cannot be read';
}

/** The files that several inputs stand for, and what was left out. */
export interface Found {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly Skipped[];
}

/**
 * The files that several inputs stand for; undefined for one plain file. A folder stands for the images in it. A pattern
 * stands for the files it matches, since not every shell expands patterns: * and ? match within a name, ** any folders, and
 * a pattern that ends in ** the images in all of them. Hidden files are left out, and links to folders are not followed.
 */
export async function filesOf(inputs: readonly string[]): Promise<Found | undefined> {
  const expanded = await Promise.all(inputs.map(expand));
  if (inputs.length === 1 && expanded[0] === undefined) return undefined;
  return {
    files: expanded.flatMap((found, i) => found?.files ?? [{ input: inputs[i], relative: basename(inputs[i]) }]),
    skipped: expanded.flatMap((found) => found?.skipped ?? []),
  };
}

/** Says what was left out; undefined if nothing was. */
export function skippedMessage(skipped: readonly Skipped[]): string | undefined {
  const of = (reason: Skipped['reason']) => skipped.filter((each) => each.reason === reason);
  const [files, folders, closed] = [of('not an image'), of('a subfolder'), of('a folder that cannot be read')];
  const counted = (list: readonly Skipped[], one: string, many: string) =>
    `${list.length} ${list.length === 1 ? one : many}`;
  const endings = [...new Set(files.map(({ path }) => extname(path) || 'no extension'))].sort();
  const parts = [
    ...(files.length > 0
      ? [`${counted(files, 'file that is not an image', 'files that are not images')} (${endings.join(', ')})`]
      : []),
    ...(folders.length > 0
      ? [`${counted(folders, 'subfolder', 'subfolders')} (to include all: "${join(dirname(folders[0].path), '**')}")`]
      : []),
    ...(closed.length > 0 ? [`${counted(closed, 'folder', 'folders')} that cannot be read`] : []),
  ];
  return parts.length === 0 ? undefined : `skipped ${parts.join(' and ')}`;
}

/**
 * The same, each with where its result goes; undefined for one plain file, unless the output is a folder. `rename` gives the
 * name of a result.
 */
export async function batchOf(
  inputs: readonly string[],
  output: string,
  rename?: (name: string) => string,
): Promise<{ readonly files: readonly BatchFile[]; readonly skipped: readonly Skipped[] } | undefined> {
  const alone = { files: inputs.map((input) => ({ input, relative: basename(input) })), skipped: [] };
  const found = (await filesOf(inputs)) ?? ((await isFolder(output)) ? alone : undefined);
  if (found && formatOfName(output) !== undefined && !(await isFolder(output))) {
    const rule = 'must be a folder for several images';
    throw new OptionError('-o', rule, output, 'name a folder, or end the name with a slash');
  }
  return found && { files: inFolder(found.files, output, '-o', rename), skipped: found.skipped };
}

/** Where the result of each file goes in a folder: to the place it has in its own, under the name that `rename` gives. */
export function inFolder(
  files: readonly FoundFile[],
  folder: string,
  parameter: string,
  rename: (name: string) => string = (name) => name,
): BatchFile[] {
  const taken = new Map<string, string>();
  return files.map(({ input, relative }) => {
    const output = join(folder, rename(relative));
    const other = taken.get(output);
    if (other !== undefined) {
      const value = `${other} and ${input}`;
      throw new OptionError(parameter, 'must not get two files of one name', value, 'give them one after the other');
    }
    taken.set(output, input);
    return { input, output };
  });
}

/** Whether an output is a folder: it is one already, or its name ends in a slash. */
export async function isFolder(path: string): Promise<boolean> {
  return (
    path.endsWith('/') || path.endsWith(sep) || ((await stat(path).catch(() => undefined))?.isDirectory() ?? false)
  );
}

/** The files of a folder or a pattern; undefined for anything else. */
async function expand(input: string): Promise<Found | undefined> {
  const present = await stat(input).catch(() => undefined);
  // What is there is meant, though its name could be a pattern.
  if (present && !present.isDirectory()) return undefined;
  const parts = input.split(sep === '/' ? '/' : /[\\/]/);
  const wild = present ? parts.length : parts.findIndex((part) => /[*?]/.test(part));
  if (wild < 0) return undefined;
  const folder = parts.slice(0, wild).join('/') || (input.startsWith('/') ? '/' : '.');
  const pattern = parts.slice(wild);
  const found = await walk(folder, pattern.includes('**') ? Number.POSITIVE_INFINITY : pattern.length);
  const anyImage = pattern.length === 0 || pattern.at(-1) === '**';
  const matches = expressionOf(pattern);
  const files = found.files.filter((file) => matches.test(file) && (!anyImage || isImage(file)));
  if (files.length === 0) {
    const rule = present ? 'must hold images' : 'must match a file';
    throw new InputError('IMAGE', rule, input, `images end in ${readExtensions.join(', ')}`);
  }
  const others = anyImage ? found.files.filter((file) => matches.test(file) && !isImage(file)) : [];
  return {
    files: files.map((relative) => ({ input: join(folder, relative), relative })),
    skipped: [
      ...others.map((file): Skipped => ({ path: join(folder, file), reason: 'not an image' })),
      ...(anyImage ? found.skipped : found.skipped.filter(({ reason }) => reason !== 'a subfolder')),
    ],
  };
}

/** The files of a folder and of its subfolders down to a depth, by their paths below it, in the order of their names. */
async function walk(folder: string, depth: number, below = ''): Promise<{ files: string[]; skipped: Skipped[] }> {
  const here = join(folder, below);
  const entries = await readdir(here, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return { files: [], skipped: [{ path: here, reason: 'a folder that cannot be read' }] };
  const [files, skipped]: [string[], Skipped[]] = [[], []];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    const linked = entry.isSymbolicLink() && (await stat(join(folder, path)).catch(() => undefined))?.isDirectory();
    if (entry.isDirectory() && depth > 1) {
      const deeper = await walk(folder, depth - 1, path);
      files.push(...deeper.files);
      skipped.push(...deeper.skipped);
    } else if (entry.isDirectory() || linked) skipped.push({ path: join(folder, path), reason: 'a subfolder' });
    else files.push(path);
  }
  return { files, skipped };
}

function isImage(name: string): boolean {
  return readExtensions.includes(extname(name).toLowerCase());
}

/** What matches the parts of a pattern, which a path has between its slashes; no parts match everything. */
function expressionOf(pattern: readonly string[]): RegExp {
  const sources = pattern.map((part, i) => {
    const last = i === pattern.length - 1;
    if (part === '**') return last ? '.*' : '(?:[^/]+/)*';
    const source = part
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*/g, '[^/]*')
      .replace(/\?/g, '[^/]');
    return last ? source : `${source}/`;
  });
  return new RegExp(`^${sources.length === 0 ? '.*' : sources.join('')}$`, 'su');
}
