/**
 * The temporary files that results are written into before they take their name: how they are called, and how those that a killed run
 * has left behind differ from those that another run is writing at this moment.
 *
 * A file is removed at once only if its process is known to be dead. Process numbers say so only to processes that see the same ones:
 * two containers may have one host name, and their processes the same number 1. So a name has the identity of the host, of its boot and
 * of its process namespace, and the time at which the process was started. All other files are kept until they are old.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** `.NAME.ght-SPACE-PID-START-RANDOM.tmp`; earlier versions had no START. */
const pattern = /^\..{0,40}\.ght-([0-9a-f]{8})-([1-9]\d{0,9})(?:-(\d{1,20}))?-[0-9a-f]{8}\.tmp$/su;
/** No process writes for an hour without the file changing: then its run is gone, wherever it was. */
const ABANDONED_MS = 3_600_000;

/** Where process numbers have the same meaning as here, in a form that any file system takes. */
const space = createHash('sha256').update(processSpace()).digest('hex').slice(0, 8);
/** When this process was started, in ticks since the boot; 0 if that is not known. */
const started = startOf(process.pid) ?? '0';

/** The temporary files of this thread. */
const ours = new Set<string>();
/** The folders that have been looked through. */
const tidied = new Set<string>();

/** What processes have in common that see each other under the same numbers. */
function processSpace(): string {
  if (process.platform === 'linux') {
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
      return JSON.stringify([hostname(), boot, readlinkSync('/proc/self/ns/pid')]);
    } catch {
      // Without /proc nothing is known about other processes: the name is then that of a space of its own.
      return randomBytes(16).toString('hex');
    }
  }
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ mac }) => mac) ?? []);
  return JSON.stringify([hostname(), [...new Set(addresses)].sort()]);
}

/** When a process was started, in ticks since the boot; undefined if that is not known. */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in brackets, may contain spaces and brackets.
    const ticks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
    return /^\d{1,20}$/.test(ticks ?? '') ? ticks : undefined;
  } catch {
    return undefined;
  }
}

/** A new hidden name next to `target`, which says which process on which machine writes there. */
export function temporaryFor(target: string): string {
  // Cut, because a long name plus the suffix could pass the 255 bytes that file systems allow.
  const start = basename(target).slice(0, 40);
  const name = `.${start}.ght-${space}-${process.pid}-${started}-${randomBytes(4).toString('hex')}.tmp`;
  ours.add(name);
  return join(dirname(target), name);
}

/**
 * Removes the temporary files of dead runs from a folder, once per process unless `again` is set: at once if their process is known to
 * be dead, otherwise when they have not changed for an hour. What cannot be removed stays.
 */
export async function removeStrays(folder: string, again = false): Promise<void> {
  if (tidied.has(folder) && !again) return;
  tidied.add(folder);
  const names = await readdir(folder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const [, where, pid, start] = pattern.exec(name) ?? [];
      if (pid === undefined || ours.has(name)) return;
      const path = join(folder, name);
      const dead = (where === space && !runs(Number(pid), start)) || (await isAbandoned(path));
      if (dead) await rm(path, { recursive: true, force: true }).catch(() => {});
    }),
  );
}

/** Whether the process with this number and start may be running. */
function runs(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // One that we may not signal runs all the same.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // The number may have been given to another process since. Other threads of this one have the same number and start.
  const now = startOf(pid);
  return now === undefined || start === undefined || start === '0' || now === start;
}

async function isAbandoned(path: string): Promise<boolean> {
  const present = await stat(path).catch(() => undefined);
  return present?.isFile() === true && Date.now() - present.mtimeMs > ABANDONED_MS;
}
