// Lint, types, build and all tests; ends with a plain line that counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const run = (tool, ...args) => spawnSync('npx', ['--no-install', tool, ...args], { stdio: 'inherit' }).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'ght-test-'));
const report = join(folder, 'report.json');
try {
  const tidy = run('biome', 'check');
  const typed = run('tsc', '-b') && run('svelte-check', '--workspace', 'packages/studio', '--output', 'machine');
  const built = run('npm', 'run', 'build', '-w', 'ght-studio');
  const tested = run('vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`);
  const counts = JSON.parse(readFileSync(report, 'utf8'));
  if (!tidy) console.log('lint failed: npm run format mends most of it');
  if (!typed) console.log('types failed');
  if (!built) console.log('building the studio failed');
  const { numPassedTests, numFailedTests, numPendingTests } = counts;
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  process.exitCode = tidy && typed && built && tested ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
