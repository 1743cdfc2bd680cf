/**
 * Names of images that mean the same on every machine: `root:relative/path`, where each machine says which folder a root is. A
 * worker opens nothing outside its roots, whatever a request says.
 *
 * Links are resolved before they are checked. Nothing guards against a program that changes links inside a root at the
 * same time, or an image folder with links in it: everyone who may write into a root is trusted.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep, win32 } from 'node:path';
import { EnvironmentError, InputError, OptionError } from 'ght';
import type { Scratch } from 'ght/plans';
import {
  type CodesLayout,
  type CodesStore,
  codesStore,
  folderScratch,
  openSource,
  type Picture,
  type Places,
  type Sink,
  type Source,
  zarrSink,
} from 'ght-tiles';
import { type Claim, claim, discard, endingOf, namesIn, type Output, publish } from './attempt.js';

/** Folders by the names of roots. */
export type Roots = Readonly<Record<string, string>>;

/** Where a process may read and write. */
export interface PlacesOptions {
  /** The folders by the names of roots, such as `{ data: '/mnt/slides' }`. Names of images are `data:relative/path`. */
  readonly roots: Roots;
  /**
   * What the addresses of sources over HTTP must begin with, such as `https://slides.example/`; `https://` allows any host.
   * @default [], no source over HTTP
   */
  readonly http?: readonly string[];
  /** Opens files by their paths; it is given only those inside the roots. @default the stores of ght-tiles */
  readonly files?: Files;
}

/** Opens files by their paths. */
export interface Files {
  /** The image at a path or address. */
  source(path: string): Promise<Source>;
  /** The image that a run writes to a path; created if a picture is given. What is there is renamed when the run has ended. */
  sink(path: string, run: string, picture?: Picture): Promise<Sink>;
  /** The codes in the Zarr that a run writes; begun if a layout is given. @default codes are not kept */
  codes?(path: string, run: string, layout?: CodesLayout): Promise<CodesStore>;
  /** The intermediate results in a folder. */
  scratch(path: string): Promise<Scratch>;
}

/** TIFF, Zarr and other images in, Zarr out. */
const imageFiles: Files = {
  source: (path) => openSource(path, { http: true }),
  sink: (path, run, picture) => zarrSink(path, { run, picture }),
  codes: (path, run, layout) => codesStore(path, { run, layout }),
  scratch: async (path) => folderScratch(path),
};

/** Two letters at least, so that a drive of Windows is not taken for a root. */
const ROOT_NAME = /^[A-Za-z][\w-]+$/;
const ADDRESS = /^https?:\/\//i;

/** The roots of arguments such as `data=/mnt/slides`, one per root. */
export function parseRoots(args: readonly string[]): Roots {
  const roots: Record<string, string> = {};
  for (const arg of args) {
    const at = arg.indexOf('=');
    const [name, folder] = [arg.slice(0, Math.max(at, 0)), arg.slice(at + 1)];
    const remedy = 'give a name and a folder, such as data=/mnt/slides';
    if (at < 1 || folder === '') throw new OptionError('root', 'must be name=folder', arg, remedy);
    if (Object.hasOwn(roots, name))
      throw new OptionError('root', 'must have each name once', arg, 'remove one of them');
    roots[name] = resolve(folder);
  }
  checkRoots(roots);
  return roots;
}

/** The bytes of an amount of memory such as `2G`, `512M` or `1.5G`, in powers of 1024. */
export function parseMemory(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([KMGT])(?:i?B)?$/i.exec(text) ?? [];
  const bytes = Number(amount) * 1024 ** ('KMGT'.indexOf(unit?.toUpperCase()) + 1);
  if (!(bytes > 0))
    throw new OptionError('memory', 'must be an amount with a unit', text, 'give 2G or 512M, for example');
  return Math.floor(bytes);
}

/** The name of a file that lies in one of the roots; the file need not be there yet. */
export function nameInRoots(roots: Roots, path: string): string {
  if (ADDRESS.test(path)) return path;
  const real = nearestReal(resolve(path));
  for (const [name, folder] of Object.entries(checkRoots(roots))) {
    if (isInside(folder, real) && real !== folder) return `${name}:${relative(folder, real).split(sep).join('/')}`;
  }
  const known = Object.entries(roots).map(([name, folder]) => `${name}=${folder}`);
  const rule = `must lie in a root (${known.join(', ') || 'none is given'}), because workers open it by that name`;
  throw new InputError('file', rule, path, 'move it there, or add a root for its folder');
}

/** Checks names and folders; returns the real paths of the folders. */
function checkRoots(roots: Roots): Roots {
  return Object.fromEntries(
    Object.entries(roots).map(([name, folder]) => {
      if (!ROOT_NAME.test(name) || /^https?$/i.test(name)) {
        const rule = 'must have a name of two or more letters, digits, - and _';
        throw new OptionError('root', rule, name, 'give a name such as data');
      }
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
        throw new InputError(
          `root ${name}`,
          'must be a folder that is there',
          folder,
          'create it, or give another one',
        );
      }
      return [name, realpathSync(folder)];
    }),
  );
}

const isInside = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The path with the links of its existing part resolved. */
function nearestReal(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) || dirname(path) === path) return realpathSync(path);
  return join(nearestReal(dirname(path)), basename(path));
}

/** The attempt at a run that places belong to; see attempt.ts. */
export interface PlacesAttempt {
  /** The attempt, whose outputs are in folders of their own. */
  readonly attempt: string;
  /** Whether this process is a coordinator of the run, which makes these folders. */
  readonly claims: boolean;
}

/** Places in roots. What they opened stays open for the next tile, until they are closed. */
export interface RootedPlaces extends Places {
  /** Gives the outputs of an attempt their names, and closes everything. */
  publish(): Promise<void>;
  /** Whether an output was created here, so that nothing of the run is in it yet. */
  isNew(): boolean;
  /**
   * Ends a run that has not come to its end: outputs that were there before get their names again. New ones into which nothing was
   * written are removed if the run was refused, since it has nothing to continue.
   */
  restore(refused: boolean): Promise<void>;
  /** Closes all sources and sinks. They are opened again when they are needed. */
  close(): Promise<void>;
}

/**
 * Checks the roots, and returns the places of runs: they know images by their names in roots, and open nothing else. Without an
 * attempt, outputs are written where they will be.
 */
export function rootedPlaces({
  roots,
  http = [],
  files = imageFiles,
}: PlacesOptions): (run: string, attempt?: PlacesAttempt) => RootedPlaces {
  const folders = checkRoots(roots);
  const prefixes = http.map(addressPrefix);
  return (run, at) => {
    const ending = at ? endingOf(run, at.attempt) : '';
    const outputs = new Map<string, Promise<Output>>();
    const claims: { readonly output: Output; readonly claimed: Claim; readonly names: string }[] = [];
    /** The output of an attempt, whose folder a coordinator makes or finds the first time. */
    const outputOf = async (
      { attempt, claims: asCoordinator }: PlacesAttempt,
      name: string,
      picture?: Picture,
    ): Promise<Output> => {
      const open: Output['open'] = (path, begin) => files.sink(path, run, begin ? picture : undefined);
      const [path, part] = [await pathOf(name, folders), await pathOf(name + ending, folders)];
      const output: Output = { path, part, run, attempt, open };
      if (!asCoordinator) return output;
      const claimed = await claim(output);
      claims.push({ output, claimed, names: claimed === 'new' ? await namesIn(output) : '' });
      return output;
    };
    const pathOfOutput = async (name: string, picture?: Picture): Promise<string> => {
      if (!at) return pathOf(name, folders);
      const output = outputs.get(name) ?? outputOf(at, name, picture);
      outputs.set(name, output);
      output.catch(() => outputs.delete(name));
      return (await output).part;
    };
    const close = async () => {
      const images = [...opened.values()];
      opened.clear();
      for (const image of await Promise.allSettled(images)) if (image.status === 'fulfilled') await image.value.close();
    };
    const opened = new Map<string, Promise<Source | Sink>>();
    const kept = <T extends Source | Sink>(key: string, open: () => Promise<T>): Promise<T> => {
      const image = (opened.get(key) as Promise<T> | undefined) ?? open();
      opened.set(key, image);
      // What could not be opened is tried again the next time.
      image.catch(() => opened.delete(key));
      return image;
    };
    return {
      source: (name) => {
        return kept(`source ${name}`, async () => {
          return files.source(ADDRESS.test(name) ? allowed(name, prefixes) : await pathOf(name, folders));
        });
      },
      sink: async (name, picture) => {
        const key = `sink ${name}`;
        if (picture) {
          await opened.get(key)?.then((sink) => sink.close());
          opened.delete(key);
        }
        return kept(key, async () => files.sink(await pathOfOutput(name, picture), run, picture));
      },
      ...(files.codes && {
        codes: async (name: string, layout?: CodesLayout) =>
          (files.codes as NonNullable<Files['codes']>)(await pathOfOutput(name), run, layout),
      }),
      // Another run would find other results under the same names.
      scratch: async (name) => {
        const own = at ? endingOf(run, at.attempt, 'scratch') : `.${run}.scratch`;
        return files.scratch(await pathOf(name + own, folders));
      },
      publish: async () => {
        await close();
        for (const output of outputs.values()) await publish(await output);
      },
      isNew: () => claims.some(({ claimed }) => claimed === 'new'),
      restore: async (refused) => {
        await close();
        for (const { output, claimed, names } of claims) {
          // What cannot be renamed is found by the next attempt.
          if (claimed === 'renamed') await publish(output).catch(() => {});
          if (claimed === 'new' && refused && (await namesIn(output)) === names) await discard(output).catch(() => {});
        }
      },
      close,
    };
  };
}

/** The real path of a name. Nothing on the way to it may lead outside its root. */
async function pathOf(name: string, folders: Roots): Promise<string> {
  const at = name.indexOf(':');
  const [root, path] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
  if (!Object.hasOwn(folders, root)) {
    const known = Object.keys(folders).join(', ') || 'none';
    const remedy = 'add the root to this process, or leave such images to others';
    throw new EnvironmentError('image', `must be root:path with a root of this process (${known})`, name, remedy);
  }
  const parts = path.split(/[/\\]/);
  if (path === '' || path.includes('\0') || isAbsolute(path) || win32.isAbsolute(path) || parts.includes('..')) {
    throw outside(name);
  }
  const folder = folders[root];
  const real = await realOrAbsent(join(folder, path), name);
  if (!isInside(folder, real) || real === folder) throw outside(name);
  return real;
}

/** The path with links resolved; a part that is not there yet is kept. A link to something absent is refused: it could be anywhere. */
async function realOrAbsent(path: string, name: string): Promise<string> {
  if (await isThere(path)) {
    try {
      return await realpath(path);
    } catch (error) {
      // Another coordinator may have finished, and renamed it meanwhile.
      if (await isThere(path)) throw outside(name, error);
    }
  }
  return join(await realOrAbsent(dirname(path), name), basename(path));
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

function outside(name: string, cause?: unknown): InputError {
  const rule = 'must lie inside its root, also after links are resolved';
  return new InputError('image', rule, name, 'give a path without .. or links that leave the root', { cause });
}

/** A prefix that ends with a slash, so that `https://a.example` does not allow `https://a.example.evil.example`. */
function addressPrefix(text: string): string {
  if (/^https?:\/\/$/i.test(text)) return text.toLowerCase();
  if (!ADDRESS.test(text) || !URL.canParse(text)) {
    throw new OptionError(
      'http',
      'must be the beginning of addresses',
      text,
      'give one such as https://slides.example/',
    );
  }
  const { href } = new URL(text);
  return href.endsWith('/') ? href : `${href}/`;
}

function allowed(address: string, prefixes: readonly string[]): string {
  const href = URL.canParse(address) ? new URL(address).href : undefined;
  if (href !== undefined && prefixes.some((prefix) => href.startsWith(prefix))) return href;
  const rule = `must begin with an address that this process allows (${prefixes.join(', ') || 'none'})`;
  throw new EnvironmentError('source', rule, address, 'add the beginning of the address to http');
}
