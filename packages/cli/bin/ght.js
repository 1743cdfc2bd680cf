#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  const { run } = await import(main.href);
  await run(process.argv.slice(2));
} else {
  process.stderr.write('ght: the command must be built first, but dist/ is missing: run "npm run build"\n');
  process.exitCode = 2;
}
