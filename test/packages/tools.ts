/** Programs of others that the packages are tried with: installed from the user's registry for the test, or absent without one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { emptyFolder } from './project.js';

/** The folder of the installed packages, named with their versions; undefined if there is no registry, so that tests are skipped. */
export function installed(...names: readonly string[]): string | undefined {
  const folder = emptyFolder('tools');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--fetch-retries', '0'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...options, ...names], {
    cwd: folder,
    stdio: 'ignore',
    shell: process.platform === 'win32',
    timeout: 240_000,
  });
  return status === 0 ? join(folder, 'node_modules') : undefined;
}
