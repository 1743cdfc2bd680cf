// Lint, types, build and all tests; ends with one line of counts. If `npm run node24` has installed Node 24, all tests except
// those in a browser run on it as well.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const passes = (command, ...args) => spawnSync(command, args, { stdio: 'inherit', cwd: root }).status === 0;
const run = (tool, ...args) => passes('npx', '--no-install', tool, ...args);

const folder = mkdtempSync(join(tmpdir(), 'ght-test-'));
const counts = { passed: 0, failed: 0, skipped: 0 };

/** Runs the tests on a Node, and counts them. */
function test(node, ...projects) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
  const passed = passes(node, 'node_modules/vitest/vitest.mjs', 'run', ...projects, ...reporters);
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  counts.passed += numPassedTests;
  counts.failed += numFailedTests;
  counts.skipped += numPendingTests;
  return passed;
}

try {
  const tidy = run('biome', 'check');
  const typed = run('tsc', '-b') && run('svelte-check', '--workspace', 'packages/studio', '--output', 'machine');
  const built = run('npm', 'run', 'build', '-w', 'ght', '-w', 'ght-studio');
  const other = join(root, '.node24/node');
  const tested = test(process.execPath);
  const projects = ['ght', 'images', 'tiles', 'queue', 'lab', 'cli', 'packages'].flatMap((name) => ['--project', name]);
  const testedBoth = existsSync(other) ? test(other, ...projects) : true;
  if (!tidy) console.log('lint failed: npm run format fixes most of it');
  if (!typed) console.log('types failed');
  if (!built) console.log('building the page or the library for pages failed');
  if (!testedBoth) console.log('tests failed on Node 24');
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = tidy && typed && built && tested && testedBoth ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
