// Lint, types, build and all tests; ends with the tests that failed and one line of counts. If `npm run node24` has installed
// Node 24, all tests except those of the studio and the lab run on it as well.
// usage: npm test [-- --all]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tests on a GPU in software and those of the built site take minutes, so they run by a flag. */
const all = process.argv.includes('--all');

/** The projects that run on both Nodes. */
const onBoth = ['ght', 'images', 'tiles', 'queue', 'cli', 'packages'];
const named = (projects) => projects.flatMap((name) => ['--project', name]);

/** More failed files than this are not run again: that is not an accident of timing. */
const MOST_FILES_AGAIN = 10;

const root = fileURLToPath(new URL('..', import.meta.url));
const passes = (command, ...args) => spawnSync(command, args, { stdio: 'inherit', cwd: root }).status === 0;
const run = (tool, ...args) => passes('npx', '--no-install', tool, ...args);

const folder = mkdtempSync(join(tmpdir(), 'ght-test-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
const notes = [];

/** Runs Vitest on a Node. Returns its report (see test-report.js): the files, and errors outside all tests. */
function vitest(node, ...args) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/test-report.js'];
  const { status, signal } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporters], {
    stdio: 'inherit',
    cwd: root,
    env: { ...process.env, GHT_TEST_REPORT: report },
  });
  const { files, errors } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { files: [], errors: [] };
  const explained = status === 0 || errors.length > 0 || files.some(({ passed }) => !passed);
  return { files, errors: explained ? errors : [`Vitest ended with ${signal ?? `status ${status}`}`] };
}

/** What failed in a file, by name, each with its errors. */
function failuresIn({ path, passed, errors, tests }) {
  if (passed) return [];
  const failed = tests.filter(({ state }) => state === 'failed').map((test) => ({ path, ...test }));
  // Without a failed test, an import or a hook failed.
  return errors.length > 0 || failed.length === 0 ? [{ path, name: '(outside its tests)', errors }, ...failed] : failed;
}

/** Runs the tests on a Node, those of failed files a second time, and counts them. Returns whether all passed in the end. */
function test(node, ...projects) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const note = (what, { path, name, errors }) => {
    const text = errors.flatMap((error) => error.split('\n')).map((line) => `\n    ${line}`);
    notes.push(`${what} on Node ${version}: ${path}: ${name}${text.join('')}`);
  };
  const first = vitest(node, ...projects);
  const failed = first.files.filter(({ passed }) => !passed).map(({ path }) => path);
  const again = failed.length > 0 && failed.length <= MOST_FILES_AGAIN;
  const second = again ? vitest(node, ...projects, ...failed, '--no-file-parallelism') : undefined;
  const outside = [...first.errors, ...(second?.errors ?? [])].map((error) => {
    return { path: 'Vitest', name: '(outside all tests)', errors: [error] };
  });
  counts.failed += outside.length;
  let passed = outside.length === 0;
  for (const failure of outside) note('failed', failure);
  for (const file of first.files) {
    const last = second?.files.find(({ path }) => path === file.path) ?? file;
    const stillFailing = failuresIn(last);
    const names = stillFailing.map(({ name }) => name);
    const passedAgain = failuresIn(file).filter(({ name }) => !names.includes(name));
    for (const failure of stillFailing) note('failed', failure);
    for (const failure of passedAgain) note('failed once, passed when run again', failure);
    counts.passed += last.tests.filter(({ state }) => state === 'passed').length;
    counts.failed += stillFailing.length;
    counts.skipped += last.tests.filter(({ state }) => state === 'skipped').length;
    passed &&= last.passed;
  }
  return passed;
}

try {
  const tidy = run('biome', 'check');
  const typed = run('tsc', '-b') && run('svelte-check', '--workspace', 'packages/studio', '--output', 'machine');
  const built = run('npm', 'run', 'build', '-w', 'ght', '-w', 'ght-studio');
  const other = join(root, '.node24/node');
  const tested = test(process.execPath, ...named([...onBoth, 'lab', 'studio', ...(all ? ['site'] : [])]));
  // In a process of its own, because the driver in software is found by the environment of the process.
  const testedGpu = !all || test(process.execPath, ...named(['webgpu']));
  // The experiments of the lab are calls of the library, whose bits are compared between both Nodes by a test of their own.
  const testedBoth = existsSync(other) ? test(other, ...named(onBoth)) : true;
  if (!tidy) console.log('lint failed: npm run format fixes most of it');
  if (!typed) console.log('types failed');
  if (!built) console.log('building the page or the library for pages failed');
  if (!testedBoth) console.log('tests failed on Node 24');
  for (const text of notes) console.log(text);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = tidy && typed && built && tested && testedGpu && testedBoth ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
