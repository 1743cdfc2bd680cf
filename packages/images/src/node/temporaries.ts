/**
 * The temporary files that results are written into before they take their name: how they are called, and how those that
 * a killed run has left behind are told from those that another run is writing at this moment.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** This machine, in a form that any file system takes. Containers have host names, and so process numbers, of their own. */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const pattern = /^\..{0,40}\.ght-([0-9a-f]{8})-([1-9]\d{0,9})-[0-9a-f]{8}\.tmp$/su;
/** Nobody writes for an hour without the file changing: then its run is gone, wherever it was. */
const ABANDONED = 3_600_000;

/** The temporary files of this process. */
const ours = new Set<string>();
/** The folders that have been looked through. */
const tidied = new Set<string>();

/** A new name beside `target`, hidden, that tells which process on which machine writes there. */
export function temporaryFor(target: string): string {
  // Cut, because a long name plus the suffix could pass the 255 bytes that file systems allow.
  const start = basename(target).slice(0, 40);
  const name = `.${start}.ght-${host}-${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  ours.add(name);
  return join(dirname(target), name);
}

/**
 * Removes the temporary files of dead runs from a folder, once per process unless `again` is set: of this machine when their process is no more,
 * of others, whose processes cannot be seen, when they have not changed for an hour. What cannot be removed stays.
 */
export async function removeStrays(folder: string, again = false): Promise<void> {
  if (tidied.has(folder) && !again) return;
  tidied.add(folder);
  const names = await readdir(folder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const [, where, pid] = pattern.exec(name) ?? [];
      if (pid === undefined || ours.has(name)) return;
      const path = join(folder, name);
      const dead = (where === host && !runs(Number(pid))) || (await isAbandoned(path));
      if (dead) await rm(path, { force: true }).catch(() => {});
    }),
  );
}

/** Whether a process other than this one has the number: this one knows its own files. */
function runs(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that we may not signal runs all the same.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const present = await stat(path).catch(() => undefined);
  return present?.isFile() === true && Date.now() - present.mtimeMs > ABANDONED;
}
