import { constants } from 'node:fs';
import { access, mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EnvironmentError, OptionError } from 'ght';
import { writingErrorOf } from './files.js';

/**
 * Makes the folder that a flag names, unless it is there, and the folders above it. Refuses a file of that name, a place
 * where none can be made, and a folder that cannot be written to. Gives the topmost folder it made, if any.
 */
export async function makeFolder(
  folder: string,
  rule = 'must be a folder or a place to make one',
  parameter = 'output',
): Promise<string | undefined> {
  const there = await checkFolder(folder, rule, parameter);
  if (there) return undefined;
  return mkdir(folder, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    const Kind = writingErrorOf(cause);
    throw new Kind(parameter, `${rule} (${cause.code})`, folder, 'choose a place that can be written to', { cause });
  });
}

/** Whether there is such a folder; refuses a file of that name, and a folder that cannot be written to. */
export async function checkFolder(
  folder: string,
  rule = 'must be a folder or a place to make one',
  parameter = 'output',
): Promise<boolean> {
  const place = await stat(folder).catch(() => undefined);
  if (!place) return false;
  if (!place.isDirectory()) throw new OptionError(parameter, rule, folder, 'a file of this name is in the way');
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    const remedy = 'allow writing to it or choose another folder';
    throw new EnvironmentError(parameter, 'must be a folder that can be written to', folder, remedy, { cause });
  });
  return true;
}

/** Removes a folder and those above it up to `topmost`, which `makeFolder` gave, as far as they are empty. */
export async function removeEmptyFolders(folder: string, topmost: string): Promise<void> {
  const last = resolve(topmost);
  for (let at = resolve(folder); at.startsWith(last); at = dirname(at)) {
    const isRemoved = await rmdir(at).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}
