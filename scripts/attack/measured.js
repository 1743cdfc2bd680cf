// Runs the command in a process of its own, and measures its time and memory.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command as it is installed. */
export const binary = fileURLToPath(new URL('../../packages/cli/bin/ght.js', import.meta.url));

const POLL_MS = 10;
/** A run is ended when it needs this much: it has failed long before, and the machine is needed. */
const STOP_SECONDS = 40;
const STOP_MEBIBYTES = 4096;

/** Runs `ght` in a folder. Returns how it ended, what it printed, its seconds and its highest resident memory in MiB. */
export async function measured(args, folder) {
  const report = join(folder, 'peak-memory');
  const child = spawn(
    process.execPath,
    ['--import', new URL('peak-memory.js', import.meta.url).href, binary, ...args],
    {
      cwd: folder,
      env: { ...process.env, GHT_PEAK_MEMORY: report },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let [mebibytes, stdout, stderr] = [0, '', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const poll = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakOf(child.pid));
    if (mebibytes > STOP_MEBIBYTES || seconds() > STOP_SECONDS) child.kill('SIGKILL');
  }, POLL_MS);
  const [code, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
  clearInterval(poll);
  return { code, signal, stdout, stderr, seconds: seconds(), mebibytes: Math.max(mebibytes, reported(report)) };
}

/** The highest memory so far of a process that may be ended from outside; 0 where there is no /proc. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** What peak-memory.js has written; 0 if the process had no time to. */
function reported(path) {
  try {
    return Number(readFileSync(path, 'utf8')) / 1024;
  } catch {
    return 0;
  } finally {
    rmSync(path, { force: true });
  }
}
