// Installs Node 24 from npm into .node24/, to run the tests with it too and to compare its results with those of the Node in use.
// It is not a dependency: its package links a command called `node`, which would replace the real one in every script.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const target = fileURLToPath(new URL('../.node24/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ght-node24-'));
try {
  const options = ['--no-save', '--no-bin-links', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, `${name}@24`], {
    stdio: 'inherit',
    timeout: 300_000,
  });
  mkdirSync(target, { recursive: true });
  copyFileSync(join(folder, 'node_modules', name, 'bin', 'node'), join(target, 'node'));
} finally {
  rmSync(folder, { recursive: true });
}
