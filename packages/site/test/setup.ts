/** Builds the site once, for all tests of this folder. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function setup() {
  const build = fileURLToPath(new URL('../build.js', import.meta.url));
  execFileSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
}
