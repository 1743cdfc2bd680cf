// The table of docs/reliability.md.
import { readFileSync, writeFileSync } from 'node:fs';

const page = new URL('../../docs/reliability.md', import.meta.url);
const [begin, end] = ['<!-- attack -->\n', '<!-- /attack -->'];

/** Draws the table in Markdown. */
export function drawTable(rows) {
  const count = (number) => number.toLocaleString('en');
  const lines = rows.map(({ what, cases, exact, refused, undetected, wrong }) => {
    return `| ${[what, ...[cases, exact, refused, undetected, wrong.length].map(count)].join(' | ')} |`;
  });
  const head =
    '| What was attacked | Cases | Exact | Refused | Undetected by the format | Wrong |\n|---|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n`;
}

/** Puts the table into the page. */
export function writeTable(table, note) {
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/reliability.md must have the lines ${begin.trim()} and ${end}`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${table}\n${note}\n\n${text.slice(to)}`);
}
