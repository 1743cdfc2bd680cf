/**
 * Which process may write the output of a run, and where.
 *
 * A worker can be stopped in the middle of a tile, by SIGSTOP, a suspended machine or a slow disk, and go on when its run has long
 * ended and another one writes to the same output. Asking before each write does not help alone: the worker may be stopped between
 * the answer and the write. So the place of the write belongs to the attempt:
 *
 * - Each time a run starts from the beginning it gets an attempt, a random number that is kept with the run in Redis. A run that is
 *   continued, after it was interrupted, cancelled or has failed, keeps its attempt.
 * - Workers write into the folder `OUTPUT.RUN-ATTEMPT.part` next to the output. No other attempt ever uses this path, and the folder
 *   holds nothing but samples of this attempt. All its writers compute the same bits, so that writing twice does no harm.
 * - At the end the coordinator renames the folder to the output. From then on the path of the attempt leads nowhere: a worker that
 *   wakes up fails to write, or leaves a `.part` folder that is never read.
 * - If Redis has forgotten a run, its folder is found next to the output by the name of the run, and renamed for the new attempt. A
 *   file in it says that a coordinator has made it and has not renamed it since; what a late worker leaves has no such file.
 *
 * In addition the state of the run and its attempt are asked for before each write ({@link fenced}), and watched during the work. That
 * ends the work of an attempt that is over within a second, and leaves nothing behind in almost all cases.
 */
import { randomBytes } from 'node:crypto';
import { lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EnvironmentError, InputError, OptionError } from 'ght';
import type { Scratch } from 'ght/plans';
import type { CodesStore, Places, Sink } from 'ght-tiles';

/** What an attempt is called in Redis and on the disk. */
export const ATTEMPT = /^[0-9a-f]{12}$/;

/** A new attempt. */
export const newAttempt = (): string => randomBytes(6).toString('hex');

/** What the name of a folder of an attempt adds to that of its output. */
export const endingOf = (run: string, attempt: string, kind: 'part' | 'scratch' = 'part'): string =>
  `.${run}-${attempt}.${kind}`;

/** The file that a coordinator puts into the folder of an attempt, until the folder has the name of the output. */
const MARKER = '.ght-attempt';

/** An output: its path in the end, the path of the attempt, and how it is opened. */
export interface Output {
  readonly path: string;
  readonly part: string;
  readonly run: string;
  readonly attempt: string;
  /** Opens what is at a path; `begin`: creates it if it is not there. */
  readonly open: (path: string, begin: boolean) => Promise<Sink>;
}

/**
 * What the folder of an attempt was before: `renamed`, the output of the same run; `continued`, the folder of this attempt or of an
 * earlier one; `new`, nothing.
 */
export type Claim = 'renamed' | 'continued' | 'new';

/**
 * Makes the folder of an attempt, or finds it: that of a run that is continued, that of an earlier attempt which Redis has
 * forgotten, or the output of the same run. An output of another run is refused, as without a queue.
 */
export async function claim({ path, part, run, attempt, open }: Output): Promise<Claim> {
  if (part !== path + endingOf(run, attempt)) {
    throw new OptionError('output', 'must not be a link', path, 'name the folder that it leads to');
  }
  const earlier: string[] = [];
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const [, other, attempted] = partPattern(basename(path)).exec(name) ?? [];
    if (attempted === undefined) continue;
    if (other !== run) {
      const remedy = `continue run ${other} by its command, or remove this folder`;
      throw new OptionError('output', 'must not be that of another run', join(dirname(path), name), remedy);
    }
    if (attempted !== attempt) earlier.push(attempted);
  }
  if (await isThere(part)) {
    if (!(await isThere(path))) return 'continued';
    const remedy = `remove it or choose another name: run ${run} is in progress and will write there`;
    throw new OptionError('output', 'must be a new folder', path, remedy);
  }
  for (const before of earlier) {
    const folder = path + endingOf(run, before);
    if (!(await isThere(join(folder, MARKER)))) continue;
    await rename(folder, part);
    const scratch = path + endingOf(run, before, 'scratch');
    await rename(scratch, path + endingOf(run, attempt, 'scratch')).catch(() => {});
    return 'continued';
  }
  const present = await isThere(path);
  await (await open(path, true)).close();
  try {
    await rename(path, part);
  } catch (error) {
    // Another coordinator of this run may have been quicker.
    if (!(await isThere(part))) throw unmovable(error, path, part);
    return 'continued';
  }
  await writeFile(join(part, MARKER), '').catch((error: NodeJS.ErrnoException) => {
    // An output that is a file is not found again.
    if (error.code !== 'ENOTDIR') throw unmovable(error, path, part);
  });
  return present ? 'renamed' : 'new';
}

/** What is in the folder of an attempt: other names than before show that something was written. */
export async function namesIn({ part }: Output): Promise<string> {
  const names = await readdir(part, { recursive: true }).catch(() => []);
  return names.sort().join('\n');
}

/** Removes the folders of an attempt. */
export async function discard({ path, part, run, attempt }: Output): Promise<void> {
  await rm(part, { recursive: true, force: true });
  await rm(path + endingOf(run, attempt, 'scratch'), { recursive: true, force: true });
}

/** Gives an output its name. Another coordinator of the run may have done so. */
export async function publish({ path, part, run, open }: Output): Promise<void> {
  try {
    await rm(join(part, MARKER), { force: true }).catch(() => {});
    await rename(part, path);
  } catch (error) {
    if (await isThere(part)) throw unmovable(error, part, path);
    if (await isThere(path)) return (await open(path, false)).close();
    const remedy = 'start the same command again, and leave its folders alone until it has ended';
    throw new InputError(`output of run ${run}`, 'must stay until the run has ended', part, remedy, { cause: error });
  }
}

function unmovable(cause: unknown, from: string, to: string): EnvironmentError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const rule = `must be a place to which ${basename(from)} can be renamed (${code ?? message})`;
  const remedy = 'remove what is there, or allow renaming in this folder, and start the same command again';
  return new EnvironmentError('output', rule, to, remedy, { cause });
}

/** The folders of attempts at an output: run and attempt. */
function partPattern(output: string): RegExp {
  const literal = output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal}\\.([\\w.-]+)-([0-9a-f]{12})\\.part$`);
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Thrown where a run has ended, or has begun again elsewhere, before a tile of it was written. */
export class RunEnded extends Error {
  override readonly name = 'AbortError';
}

/**
 * Places that ask before each write, and before opening an output, whether the attempt goes on; `permit` throws if it does not. Then
 * nothing makes a folder that was renamed.
 */
export function fenced(places: Places, permit: () => Promise<void>): Places {
  const { codes } = places;
  return {
    source: (name) => places.source(name),
    sink: async (name, picture) => {
      await permit();
      return fencedSink(await places.sink(name, picture), permit);
    },
    scratch: async (name) => fencedScratch(await places.scratch(name), permit),
    ...(codes && { codes: async (name, layout) => fencedCodes(await codes(name, layout), permit) }),
  };
}

function fencedSink(sink: Sink, permit: () => Promise<void>): Sink {
  return {
    picture: sink.picture,
    chunk: sink.chunk,
    has: (window) => sink.has(window),
    write: async (window, planes) => {
      await permit();
      await sink.write(window, planes);
    },
    finish: async (signal) => {
      await permit();
      await sink.finish(signal);
    },
    close: () => sink.close(),
  };
}

function fencedScratch(scratch: Scratch, permit: () => Promise<void>): Scratch {
  return {
    get: (key) => scratch.get(key),
    put: async (key, value) => {
      await permit();
      await scratch.put(key, value);
    },
    clear: async () => {
      await permit();
      await scratch.clear();
    },
  };
}

function fencedCodes(store: CodesStore, permit: () => Promise<void>): CodesStore {
  return {
    layout: store.layout,
    has: (tile) => store.has(tile),
    read: (plane, window) => store.read(plane, window),
    write: async (tile, codes) => {
      await permit();
      await store.write(tile, codes);
    },
  };
}
