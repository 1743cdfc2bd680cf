import { describe, expect, it } from 'vitest';
import { bestCells, type Table, tableCsv, tableHtml } from '../../src/draw/table.js';

const plain: Table = {
  name: 'plain',
  caption: 'A table.',
  columns: [{ head: 'solver' }, { head: 'a' }, { head: 'b' }],
  rows: [],
};

describe('a table as CSV', () => {
  it('is read back unchanged by any RFC 4180 parser', () => {
    const rows = [
      ['comma, quote " and\nline', 0.1 + 0.2, -1e-7],
      ['=1+1', 1e21, null],
      ['ρ / ‖D‖₂²', Number.NaN, 0],
    ];
    const text = tableCsv({ ...plain, rows });
    expect(parseCsv(text)).toEqual([
      ['solver', 'a', 'b'],
      ['comma, quote " and\nline', '0.30000000000000004', '-1e-7'],
      ['=1+1', '1e+21', ''],
      ['ρ / ‖D‖₂²', '', '0'],
    ]);
  });

  it('has the unit in the header and every row, also those the page leaves out', () => {
    const columns = [{ head: 's' }, { head: 'OMP', csv: 'OMP time (s)', show: (value: number) => value.toFixed(1) }];
    const table: Table = {
      ...plain,
      columns,
      rows: [
        [5, 0.123456789],
        [6, 1],
      ],
      shown: ([s]) => s === 5,
    };
    expect(tableCsv(table)).toBe('s,OMP time (s)\r\n5,0.123456789\r\n6,1\r\n');
    expect(tableHtml(table).markup.match(/<tr>/g)).toHaveLength(2);
    expect(tableHtml(table).markup).toContain('<td class="number">0.1</td>');
  });
});

describe('the best of a table', () => {
  const rows = [
    ['OMP', 28.011, 20],
    ['GHT-QPM', 31.49, 20.4],
    ['GHT-ADMM', 31.494, null],
    ['noisy image', 34, 16],
  ];
  const columns = [
    { head: 'solver' },
    ...['5', '40'].map((head) => ({ head, show: (value: number) => value.toFixed(2) })),
  ];
  const best = { of: 'column', want: 'most', without: ([name]: readonly unknown[]) => name === 'noisy image' } as const;

  it('is found in each column; values shown the same are equal, and some rows are excluded', () => {
    expect([...bestCells({ ...plain, columns, rows, best })].sort()).toEqual(['1 1', '1 2', '2 1']);
  });

  it('is found in each row; none is marked if all are equal', () => {
    const table: Table = {
      ...plain,
      rows: [
        ['5', 0, 0],
        ['10', 2, 1],
      ],
      best: { of: 'row', want: 'least' },
    };
    expect([...bestCells(table)]).toEqual(['1 2']);
  });

  it('is marked by more than colour', () => {
    const { markup } = tableHtml({ ...plain, columns, rows, best });
    expect(markup).toContain('<strong class="best">31.49</strong>');
    expect(markup).not.toContain('<strong class="best">34.00</strong>');
  });
});

/** An independent parser of RFC 4180. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error('not RFC 4180');
    lines[lines.length - 1].push(match[1]?.replaceAll('""', '"') ?? match[2]);
    if (match[3] === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
}
