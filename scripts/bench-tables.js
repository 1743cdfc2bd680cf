// Redraws the tables of docs/ that come from kept results: node scripts/bench-tables.js, after a benchmark has written bench/results/.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillTables, readResults } from '../packages/site/src/bench-tables.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = readResults(join(root, 'bench/results'));
for (const name of readdirSync(join(root, 'docs')).filter((each) => each.endsWith('.md'))) {
  const page = join(root, 'docs', name);
  const text = readFileSync(page, 'utf8');
  const filled = fillTables(text, results);
  if (filled !== text) {
    writeFileSync(page, filled);
    console.log(`docs/${name}`);
  }
}
