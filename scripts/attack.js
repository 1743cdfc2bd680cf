// Attacks the readers, the command and the numbers with damaged files, bombs, cuts, kills and extremes, and prints the table of
// docs/reliability.md. Ends with 1 if anything was wrong. The same seed and minutes give the same cases.
// usage: npm run attack -- [--seed 1] [--minutes 5] [--only bombs,tiff] [--write]
import { parseArgs } from 'node:util';
import { parts } from './attack/parts.js';
import { drawTable, writeTable } from './attack/table.js';

/** The length of a run of scale 1 on two cores. */
const DEFAULT_MINUTES = 5;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: String(DEFAULT_MINUTES) },
    only: { type: 'string', default: Object.keys(parts).join(',') },
    write: { type: 'boolean', default: false },
  },
});
const [seed, minutes, chosen] = [Number(values.seed), Number(values.minutes), values.only.split(',')];
const unknown = chosen.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`--only must be some of ${Object.keys(parts).join(', ')}, not ${unknown.join(', ')}`);
if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, not ${values.seed}`);
if (!(minutes > 0)) throw new Error(`--minutes must be a positive number, not ${values.minutes}`);

const rows = [];
for (const [name, run] of Object.entries(parts)) {
  if (!chosen.includes(name)) continue;
  const began = performance.now();
  console.log(`${name} ...`);
  rows.push(...(await run({ seed, scale: minutes / DEFAULT_MINUTES, log: console.log })));
  console.log(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
}
const wrong = rows.flatMap((row) => row.wrong.map((line) => `wrong: ${line}`));
const table = drawTable(rows);
console.log(`\n${table}`);
for (const line of wrong) console.log(line);
if (values.write) {
  writeTable(table, `\`npm run attack -- --seed ${seed} --minutes ${minutes}\`, Node ${process.versions.node}.`);
}
process.exitCode = wrong.length > 0 || rows.length === 0 ? 1 : 0;
