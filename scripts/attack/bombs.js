// Bombs through the command: each is refused in one line, or handled, within 10 seconds and 1 GiB.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBombs } from './bomb-files.js';
import { binary, measured } from './measured.js';

const MOST_SECONDS = 10;
const MOST_MEBIBYTES = 1024;

const argumentsOf = {
  info: (file) => ['info', file, '--json'],
  denoise: (file) => ['denoise', file, '-o', 'out.tif', '--quality', 'fast', '--json'],
  'denoise --tile': (file) => ['denoise', file, '-o', 'out.zarr', '--quality', 'fast', '--tile', '512', '--json'],
  represent: (file) => ['represent', file, '-o', 'out.tif', '--budget', '3', '--max-iterations', '2', '--json'],
  decode: (file) => ['decode', file, '-o', 'out.png', '--json'],
};

/** Runs all bombs, one after the other. `log` gets a line for each. */
export async function runBombs({ log }) {
  const folder = mkdtempSync(join(tmpdir(), 'ght-bombs-'));
  const row = { what: '', cases: 0, exact: 0, refused: 0, undetected: 0, wrong: [] };
  let [longest, most] = [0, 0];
  try {
    for (const { name, what, commands } of makeBombs(folder, binary)) {
      for (const command of commands) {
        const before = readdirSync(folder);
        const run = await measured(argumentsOf[command](name), folder);
        const written = readdirSync(folder).filter((file) => !before.includes(file));
        for (const file of written) rmSync(join(folder, file), { recursive: true });
        const figures = `${run.seconds.toFixed(1)} s, ${Math.round(run.mebibytes)} MiB`;
        const complaint = complaintAbout(run, written);
        row.cases++;
        [longest, most] = [Math.max(longest, run.seconds), Math.max(most, run.mebibytes)];
        if (complaint) row.wrong.push(`${what}: ght ${command} ${name}: ${complaint} (${figures})`);
        else row[run.code === 0 ? 'exact' : 'refused']++;
        log(`  ${complaint ? 'WRONG  ' : run.code === 0 ? 'handled' : 'refused'} ${figures}  ght ${command} ${name}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  row.what = `Bombs through the command, within ${MOST_SECONDS} s and 1 GiB (at most ${longest.toFixed(1)} s, ${Math.round(most)} MiB)`;
  return [row];
}

/** What is wrong with a run; undefined if nothing is. */
function complaintAbout({ code, signal, stderr, seconds, mebibytes }, written) {
  if (signal) return `ended by ${signal}`;
  if (mebibytes > MOST_MEBIBYTES) return 'too much memory';
  if (seconds > MOST_SECONDS) return 'too long';
  if (code === 0) return undefined;
  const line = stderr.trimEnd();
  if (code !== 2 || !/^ght: [^\n]+$/.test(line) || line.includes('internal error')) {
    return `exit code ${code}: ${line.split('\n').slice(0, 2).join(' ').slice(0, 200)}`;
  }
  return written.length > 0 ? `refused, but wrote ${written.join(', ')}` : undefined;
}
