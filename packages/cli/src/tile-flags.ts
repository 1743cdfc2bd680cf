/** The flags of images that are processed in tiles, here or on a queue, and what decides that one is. */
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { MemorySize } from 'ght';
import { EnvironmentError, OptionError } from 'ght';
import { pixelLimit } from 'ght-images';
import { type Picture, pictureIn } from 'ght-tiles';
import { numberOf } from './flags.js';
import { isStream } from './io/index.js';
import { fitsInMemory, memorySizeIn } from './memory-limit.js';

/** What the flags leave in a command's options. */
export interface TileFlags {
  readonly tile?: number;
  readonly workers?: string;
  readonly root?: readonly string[];
}

/** `--tile`, `--workers` and `--root`. */
export function tileFlags(command: Command): Command {
  return command
    .option(
      '--tile <n>',
      'process the image in tiles of about n×n pixels; the result is the same to the bit (default: only if the image is too large for ' +
        'the memory of this machine, or -o ends in .zarr)',
      numberOf('--tile'),
    )
    .option(
      '--workers <url>',
      'have the tiles processed by ght worker on other machines, through a Redis at redis://host/ or rediss://user@host/; the same ' +
        'command again continues a run',
    )
    .option(
      '--root <name=folder>',
      'with --workers: the folder that workers know by this name; IMAGE and -o lie in it (default: data=., the current folder)',
      (text: string, before: readonly string[] = []) => [...before, text],
    );
}

/** Whether a name is that of a Zarr. */
export function isZarr(path: string): boolean {
  return /\.zarr[/\\]*$/i.test(path);
}

/** Whether a name is an address on the web. */
export function isAddress(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** Smaller files hold no image that is too large, unless they unpack to more than may be: headers are read only of larger ones. */
const SMALL_FILE = 2 ** 20;

/** Whether an image is to be processed in tiles: because the user requests it, or because it is too large for memory. */
export async function goesInTiles(
  paths: readonly string[],
  output: string | undefined,
  { tile, workers, root }: TileFlags,
  memory: (pixels: MemorySize) => number,
): Promise<boolean> {
  if (root !== undefined && workers === undefined) {
    throw new OptionError('--root', 'must come with --workers', root.join(' '), 'add --workers, or remove it');
  }
  const requested = tile !== undefined || workers !== undefined || (output !== undefined && isZarr(output));
  if (requested || paths.some(isAddress) || paths.some(isZarr)) return true;
  return paths.length === 1 && (await tooLarge(paths[0], memory)) !== undefined;
}

/** What is known about a file that is too large to be processed as a whole on this machine; undefined for all others. */
export async function tooLarge(path: string, memory: (pixels: MemorySize) => number): Promise<Picture | undefined> {
  if (isStream(path)) return undefined;
  const place = await stat(path).catch(() => undefined);
  if (!place?.isFile() || place.size < SMALL_FILE) return undefined;
  // A file that cannot be opened has its error from the reader of whole files.
  const picture = await pictureIn(path).catch(() => undefined);
  if (picture === undefined) return undefined;
  const size = memorySizeIn(picture);
  return size.width * size.height > pixelLimit || !fitsInMemory(memory(size)) ? picture : undefined;
}

/** Refuses flags that have no meaning for tiles. */
export function refuseWithTiles(flags: Readonly<Record<string, unknown>>): void {
  for (const [flag, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    throw new OptionError(flag, 'must be left out for an image that is processed in tiles', value, 'remove it');
  }
}

/** The package of the queue, which is installed only by those who want it. */
export async function loadQueue(): Promise<typeof import('ght-queue')> {
  try {
    return await import('ght-queue');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const remedy = 'run npm install ght-queue where ght is installed';
    throw new EnvironmentError('ght-queue', 'must be installed for a queue', 'not installed', remedy, { cause });
  }
}
