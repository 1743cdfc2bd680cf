// Lint, types, build and tests; ends with the tests that failed and one line of counts.
//
//     npm test                 the quick tests of everything
//     npm run test:all         the slow ones too: files named *.slow.test.ts, and the projects packages, site and webgpu
//     npm run test:rest        what test:all has and npm test has not
//
// vitest.config.ts says which tests are quick. If `npm run node24` has installed Node 24, the last two also run the tests on it,
// except those of the studio and the lab.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm test -- --all` is another name for `npm run test:all`.
const set = ['all', 'rest'].find((name) => process.argv.includes(`--${name}`)) ?? 'quick';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ght-test-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

/** Runs a tool, and prints its output when it has ended. Returns whether it succeeded. */
function passes(name, ...args) {
  const child = spawn('npx', ['--no-install', ...args], { cwd: root, shell: process.platform === 'win32' });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (status) => {
      if (status !== 0) failures.push(`${name} failed`);
      process.stdout.write(`${name}: ${status === 0 ? 'passed' : 'failed'}\n${status === 0 ? '' : text}`);
      resolve(status === 0);
    });
  });
}

/** Lint, types and build; the tests run on the build. */
async function check() {
  const lint = passes('lint (npm run format fixes most of it)', 'biome', 'check');
  const types = passes('types', 'tsc', '-b');
  await types;
  const page = passes('types of the page', 'svelte-check', '--workspace', 'packages/studio', '--output', 'machine');
  const build = passes('build', 'npm', 'run', 'build', '-w', 'ght', '-w', 'ght-studio');
  return (await Promise.all([lint, types, page, build])).every((passed) => passed);
}

/** What failed in a file, by name, each with its errors. */
function failuresIn({ path, passed, errors, tests }) {
  if (passed) return [];
  const failed = tests.filter(({ state }) => state === 'failed').map((test) => ({ path, ...test }));
  // Without a failed test, an import or a hook failed.
  return errors.length > 0 || failed.length === 0 ? [{ path, name: '(outside its tests)', errors }, ...failed] : failed;
}

/** Runs projects on a Node: the quick tests, all of them or the rest. Counts them, and returns whether all passed. */
function test(node, tests, ...projects) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const names = projects.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=./scripts/test-report.js'];
  const { status, signal } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...names, ...reporters], {
    stdio: 'inherit',
    cwd: root,
    env: { ...process.env, GHT_TESTS: tests, GHT_TEST_REPORT: report },
  });
  const { files, errors } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { files: [], errors: [] };
  const failed = [
    ...errors.map((error) => ({ path: 'Vitest', name: '(outside all tests)', errors: [error] })),
    ...files.flatMap(failuresIn),
  ];
  if (status !== 0 && failed.length === 0) {
    const end = `Vitest ended with ${signal ?? `status ${status}`}`;
    failed.push({ path: 'Vitest', name: '(outside all tests)', errors: [end] });
  }
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  for (const { path, name, errors } of failed) {
    const text = errors.flatMap((error) => error.split('\n')).map((line) => `\n    ${line}`);
    failures.push(`failed on Node ${version}: ${path}: ${name}${text.join('')}`);
  }
  const count = (wanted) => files.flatMap(({ tests }) => tests).filter(({ state }) => state === wanted).length;
  counts.passed += count('passed');
  counts.failed += failed.length;
  counts.skipped += count('skipped');
  return status === 0;
}

try {
  const everywhere = ['ght', 'images', 'tiles', 'queue', 'cli', 'project'];
  const here = [...everywhere, 'lab', 'studio'];
  const passed = [];
  if (set !== 'rest') passed.push(await check());
  if (set === 'quick') passed.push(test(process.execPath, 'quick', ...here));
  else {
    passed.push(test(process.execPath, set, ...here, 'packages', 'site'));
    // In a process of its own, because the driver in software is found by the environment of the process.
    passed.push(test(process.execPath, 'all', 'webgpu'));
    const node24 = join(root, '.node24/node');
    if (existsSync(node24)) passed.push(test(node24, 'all', ...everywhere, 'packages'));
  }
  for (const text of failures) console.log(text);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
