import { constants } from 'node:fs';
import { access, type FileHandle, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { EnvironmentError, type GhtError, InputError, isGhtError, OptionError, ResourceError } from 'ght';
import { removeStrays, temporaryFor } from './temporaries.js';

/** The bytes by which {@link readBytes} decides whether a file is worth reading. */
const HEAD_BYTES = 512;

/** What is known of a file before it is read. */
export interface Expected {
  /**
   * If this is false for the first bytes of a file, only these are read: gigabytes of another format need not be read to be refused.
   * It may also throw. @default always true
   */
  readonly isWanted?: (head: Uint8Array) => boolean;
  /** The most bytes that the file can have. @default 2 GiB */
  readonly most?: number;
}

/** The content of a file; an error that names `parameter` when it is missing, a folder, unreadable, too large or empty. */
export async function readBytes(
  path: string,
  parameter: string,
  { isWanted = () => true, most = Number.POSITIVE_INFINITY }: Expected = {},
): Promise<Buffer> {
  const present = await stat(path).catch(() => undefined);
  if (present && !present.isFile() && !present.isDirectory()) {
    // A device may never end and a pipe may never begin.
    throw new InputError(parameter, 'must be an ordinary file', path, 'this is a device or a pipe; save it to a file');
  }
  if (present?.isFile() && present.size > most) {
    const rule = `must have at most ${most} bytes, not ${present.size}`;
    throw new ResourceError(parameter, rule, path, 'check that this is the file you mean');
  }
  const bytes = await readUnless(path, isWanted).catch((error: NodeJS.ErrnoException) => {
    throw isGhtError(error) ? error : unreadable(error, path, parameter);
  });
  if (bytes.length === 0) {
    throw new InputError(parameter, 'must not be empty', path, 'the file has zero bytes; fetch or save it again');
  }
  return bytes;
}

async function readUnless(path: string, isWanted: (head: Uint8Array) => boolean): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const start = head.subarray(0, bytesRead);
    return bytesRead === HEAD_BYTES && !isWanted(start) ? start : await readFile(path);
  } finally {
    await file.close();
  }
}

type ErrorClass = typeof OptionError | typeof InputError | typeof ResourceError | typeof EnvironmentError;

function unreadable(cause: NodeJS.ErrnoException, path: string, parameter: string): GhtError {
  const refuse = (Kind: ErrorClass, rule: string, remedy: string) => new Kind(parameter, rule, path, remedy, { cause });
  switch (cause.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refuse(InputError, 'must be an existing file', 'check the path');
    case 'EISDIR':
      return refuse(InputError, 'must be a file', 'this is a folder; name a file in it');
    case 'EACCES':
    case 'EPERM':
      return refuse(EnvironmentError, 'must be readable', 'allow reading with the permissions of the file');
    case 'ERR_FS_FILE_TOO_LARGE':
      return refuse(ResourceError, 'must be smaller than 2 GiB', 'cut it into smaller files');
    default:
      return refuse(InputError, `must be readable (${cause.code ?? cause.message})`, 'check the file');
  }
}

/** Links that are followed, one after the other; the system gives up as early. */
const MOST_LINKS = 40;

/**
 * The real path of the file that writing to `path` makes or replaces: links are followed, also those to what does not
 * exist yet. Two paths are the same file exactly if this is the same, hard links apart, which writing takes apart.
 */
export async function destinationOf(path: string, links = MOST_LINKS): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  const folder = await destinationOf(dirname(path), links);
  const target = links > 0 ? await readlink(path).catch(() => undefined) : undefined;
  return target === undefined ? join(folder, basename(path)) : destinationOf(resolve(folder, target), links - 1);
}

/** A file that a command reads or writes, and what named it. */
export interface Named {
  /** The path as it was given. */
  readonly path: string;
  /** What named it, for the error. */
  readonly parameter: string;
}

/** Refuses outputs that would replace an input of the same command, or each other. */
export async function refuseOverwriting(inputs: readonly Named[], outputs: readonly Named[]): Promise<void> {
  const taken = new Map<string, string>();
  for (const { path, parameter } of inputs) taken.set(await destinationOf(path), parameter);
  for (const { path, parameter } of outputs) {
    const destination = await destinationOf(path);
    const other = taken.get(destination);
    if (other !== undefined) {
      const rule = other === parameter ? 'must not get two results in one file' : `must not be the file of ${other}`;
      throw new OptionError(parameter, rule, path, 'choose another name or folder');
    }
    taken.set(destination, parameter);
  }
}

/** An output that a flag may request. */
export interface Requested {
  readonly path: string | undefined;
  readonly kinds: readonly string[];
  readonly parameter: string;
}

/** `checkOutput` and `refuseOverwriting` for all requested outputs, before any work is done for them. */
export async function checkOutputs(inputs: readonly Named[], requested: readonly Requested[]): Promise<void> {
  const outputs: Named[] = [];
  for (const { path, kinds, parameter } of requested) {
    if (path === undefined) continue;
    await checkOutput(path, kinds, parameter);
    outputs.push({ path, parameter });
  }
  await refuseOverwriting(inputs, outputs);
}

/**
 * Refuses an output path that could not be written, before any work is done for it: its extension is one of `kinds`
 * (such as `imageExtensions`), its folder exists and can be written to, and what lies at the path, if anything, is a
 * file that may be replaced. For a link, all this must hold for the file it leads to.
 */
export async function checkOutput(path: string, kinds: readonly string[], parameter = 'output'): Promise<void> {
  const refuse = (
    rule: string,
    remedy: string,
    Kind: ErrorClass = OptionError,
    options?: { readonly cause: unknown },
  ) => new Kind(parameter, rule, path, remedy, options);
  const checkWritable = (place: string, rule: string, remedy: string) =>
    access(place, constants.W_OK).catch((cause: unknown) => {
      throw refuse(rule, remedy, EnvironmentError, { cause });
    });
  const present = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    const remedy = 'this is a link to itself; name another file';
    if (cause.code === 'ELOOP') throw refuse('must be a file', remedy, OptionError, { cause });
    if (cause.code === 'ENAMETOOLONG') {
      throw refuse('must have a name that the file system can hold', 'choose a shorter name', OptionError, { cause });
    }
    return undefined;
  });
  if (present?.isDirectory()) throw refuse('must be a file', 'this is a folder; name a file in it');
  if (!kinds.includes(extname(path).toLowerCase())) {
    throw refuse(`must end in ${kinds.join(', ')}`, 'choose one of these extensions');
  }
  const link = await readlink(path).catch(() => undefined);
  const folder = dirname(link === undefined ? path : await destinationOf(path));
  const place = await stat(folder).catch(() => undefined);
  if (!place?.isDirectory()) throw refuse('must lie in an existing folder', `create the folder "${folder}" first`);
  const remedy = `allow writing to "${folder}" or choose another folder`;
  await checkWritable(folder, 'must lie in a folder that can be written to', remedy);
  if (present === undefined) return;
  if (!present.isFile()) throw refuse('must be an ordinary file', 'this is a device or a pipe; name another file');
  await checkWritable(path, 'must not be a read-only file', 'allow writing to it or choose another name');
}

/** A file to be written. */
export interface Output {
  /** Where it goes. */
  readonly path: string;
  /** Its content. */
  readonly bytes: Uint8Array;
  /** The parameter that names it, for the error. */
  readonly parameter: string;
  /** What of the metadata of the input it does not keep, in words. */
  readonly notKept?: readonly string[];
}

/** Writes a file whole or not at all, as `writeTogether` does several. */
export function writeFileAtomically(path: string, bytes: Uint8Array, parameter = 'output'): Promise<void> {
  return writeTogether([{ path, bytes, parameter }]);
}

/**
 * Writes the files of one result: each into a temporary file in its folder, and only once the bytes of all are on the disk
 * do they take their names. A failure, such as a full disk, leaves what was there as it was, and no temporary file; what a
 * killed run has left behind in the folders is removed on the way. A link is followed, so that it stays a link.
 */
export function writeTogether(files: readonly Output[]): Promise<void> {
  return writeStaged(
    files.map(({ path, parameter, bytes }) => ({ path, parameter, fill: (file) => file.writeFile(bytes) })),
  );
}

/** Writes a file whole or not at all that is too large to be in memory: `fill` writes its content, in any order. */
export function writeFileBy(
  path: string,
  fill: (file: FileHandle) => Promise<void>,
  parameter = 'output',
): Promise<void> {
  return writeStaged([{ path, parameter, fill }]);
}

interface Staged extends Named {
  readonly fill: (file: FileHandle) => Promise<void>;
}

async function writeStaged(files: readonly Staged[]): Promise<void> {
  const staged: { readonly temporary: string; readonly target: string; readonly file: Staged }[] = [];
  let at: Staged | undefined;
  try {
    for (const file of files) {
      at = file;
      const target = await destinationOf(file.path);
      await removeStrays(dirname(target));
      const temporary = temporaryFor(target);
      staged.push({ temporary, target, file });
      await writeSynced(temporary, file.fill, await modeOf(target));
    }
    for (const { temporary, target, file } of staged) {
      at = file;
      await rename(temporary, target);
    }
  } catch (error) {
    for (const { temporary } of staged) await rm(temporary, { force: true });
    // What `fill` reads may fail too, and it may be aborted: only the errors of the file system are about the output.
    if (!at || !isSystemError(error)) throw error;
    throw unwritable(error, at.path, at.parameter);
  }
}

/** Whether an error has a code of the system, such as ENOSPC. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && /^E[A-Z0-9]+$/.test(String((error as NodeJS.ErrnoException).code));
}

/** The permissions of the file that is replaced; undefined for a new file, which gets those of any new file. */
async function modeOf(path: string): Promise<number | undefined> {
  const present = await stat(path).catch(() => undefined);
  return present && present.mode & 0o777;
}

/** The permissions of a file that is being written: a run that is killed leaves nothing that others can read. */
const PRIVATE = 0o600;

async function writeSynced(path: string, fill: Staged['fill'], replaced: number | undefined): Promise<void> {
  const file = await open(path, 'wx', replaced);
  try {
    const mode = replaced ?? (await file.stat()).mode & 0o777;
    // Not every file system has permissions to set.
    await file.chmod(PRIVATE).catch(() => {});
    await fill(file);
    // The umask takes from the mode a file is opened with.
    await file.chmod(mode).catch(() => {});
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What failed writing is about: the space on the disk, or anything else about the place. */
export function writingErrorOf({ code }: NodeJS.ErrnoException): typeof ResourceError | typeof EnvironmentError {
  return code === 'ENOSPC' || code === 'EDQUOT' ? ResourceError : EnvironmentError;
}

function unwritable(cause: NodeJS.ErrnoException, path: string, parameter: string): GhtError {
  const remedies: Readonly<Record<string, string>> = {
    ENOSPC: 'free some space on the disk',
    EDQUOT: 'free some space on the disk',
    ENOENT: 'create the folder first',
    EISDIR: 'this is a folder; name a file in it',
  };
  const remedy = remedies[cause.code ?? ''] ?? 'choose a place that can be written to';
  const Kind = writingErrorOf(cause);
  return new Kind(parameter, `must be writable (${cause.code ?? cause.message})`, path, remedy, { cause });
}
