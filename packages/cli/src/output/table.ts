import { fixed } from 'ght/format';
import { oneLine } from './line.js';

export { bytes, count } from 'ght/format';

/** A table for people: padded columns, the first `textColumns` aligned to the left, the others to the right. */
export function table(header: readonly string[], content: readonly (readonly string[])[], textColumns = 1): string {
  const rows = content.map((row) => row.map(oneLine));
  const widths = header.map((title, c) =>
    Math.max(...[title, ...rows.map((row) => row[c])].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => (c < textColumns ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** A list of named facts for people. */
export function facts(rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${oneLine(value)}`).join('\n');
}

/** Four significant digits, without an exponent where that is readable. */
export function measure(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '∞';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3);
  return size < 1e4 ? value.toPrecision(4) : value.toFixed(0);
}

/** A level in dB. */
export function decibels(value: number): string {
  return `${fixed(value, 2)} dB`;
}
