// The parts of the attack. A part returns rows of the table: what was attacked, cases, exact, refused, undetected, and a list of
// what was wrong.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBombs } from './bombs.js';
import { fullMatrix } from './full-matrix.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * All parts, in their order. To add one that is written in TypeScript, write NAME.attack.ts in this folder, which calls `report` of
 * report.ts, and add a line here.
 */
export const parts = {
  kills,
  bombs: runBombs,
  cuts: (options) => attackFiles(['cuts'], options),
  tiff: (options) => attackFiles(['tiff', 'tiff-page'], options, 'tiff'),
  zarr: (options) => attackFiles(['zarr'], options, 'zarr'),
  numbers: (options) => attackFiles(['numbers'], options),
};

/** Runs Vitest. Returns its exit status; what it printed is shown only if it failed. */
function vitest(args, env, log) {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      if (status !== 0) log(printed);
      resolve(status);
    });
  });
}

/** Gives a function the path of a file in an empty folder. */
async function withFile(use) {
  const folder = mkdtempSync(join(tmpdir(), 'ght-attack-'));
  try {
    return await use(join(folder, 'report'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs files NAME.attack.ts of this folder, with a full matrix of files if they need one. */
async function attackFiles(names, { seed, scale, log }, matrix) {
  const files = names.map((name) => `scripts/attack/${name}.attack.ts`);
  const made = matrix ? await fullMatrix(matrix, log) : undefined;
  return withFile(async (path) => {
    const status = await vitest(
      ['--config', 'scripts/attack/vitest.config.ts', ...files],
      {
        GHT_ATTACK_ROWS: path,
        GHT_ATTACK_SEED: String(seed),
        GHT_ATTACK_SCALE: String(scale),
        GHT_ATTACK_FILES: made ?? '',
      },
      log,
    );
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
    const rows = lines.map((line) => JSON.parse(line)).sort((a, b) => (a.what < b.what ? -1 : 1));
    if (status === 0 && rows.length > 0) return rows;
    const wrong = [`${files.join(', ')}: the attack itself failed with status ${status}`];
    return [...rows, { what: names[0], cases: 1, exact: 0, refused: 0, undetected: 0, wrong }];
  });
}

/** Runs the tests that kill the command; a test that fails is one wrong case. */
function kills({ seed, scale, log }) {
  return withFile(async (path) => {
    const reporter = ['--reporter', './scripts/test-report.js'];
    await vitest(
      ['--project', 'cli', 'packages/cli/test/faults/kill.slow.test.ts', ...reporter],
      {
        GHT_FAULTS: String(scale),
        GHT_SEED: String(seed),
        GHT_TEST_REPORT: path,
      },
      log,
    );
    const { files = [], errors = [] } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    const tests = files.flatMap((file) => file.tests);
    const failed = tests.filter(({ state }) => state !== 'passed');
    const passed = tests.filter(({ state }) => state === 'passed');
    const exact = passed.reduce((sum, { name }) => sum + Number(/killed at (\d+) moments/.exec(name)?.[1] ?? 0), 0);
    const wrong = [...failed.map((test) => `${test.name}: ${test.errors.join(' ')}`), ...errors];
    if (tests.length === 0) wrong.push('kills: the attack itself failed');
    const what =
      'Runs of represent, denoise, learn and reproduce ended by `kill -9`: files old or new, and the next run succeeds';
    return [{ what, cases: exact + wrong.length, exact, refused: 0, undetected: 0, wrong }];
  });
}
