import type { SolverName } from 'ght';
import { titleOf } from '../contenders.js';
import { type Content, html, type Markup } from './markup.js';
import { count, grouped } from './numbers.js';

/** A cell of a table; null if nothing was measured. */
export type Cell = string | number | null;

/** A column: its name with the unit, and the format of its numbers on the page. */
export interface Column {
  readonly head: string;
  /** The name in the CSV, if it has to be more explicit there. */
  readonly csv?: string;
  readonly show?: (value: number) => string;
}

/** A table, from which both the page and the CSV are made. */
export interface Table {
  /** The name of its file. */
  readonly name: string;
  readonly caption: Content;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The number of columns that name the row. @default 1 */
  readonly heads?: number;
  /** Which rows the page shows. @default all */
  readonly shown?: (row: readonly Cell[]) => boolean;
  /** Which value of each row or column is the best; rows can be excluded. */
  readonly best?: {
    readonly of: 'row' | 'column';
    readonly want: 'least' | 'most';
    readonly without?: (row: readonly Cell[]) => boolean;
  };
}

/** A table with one column per solver. */
export function solverTable<Row>(
  table: Pick<Table, 'name' | 'caption' | 'shown' | 'best'> & {
    /** The quantity measured, with the unit, for the headers of the CSV. */
    readonly quantity: string;
    readonly solvers: readonly SolverName[];
    /** The columns that name a row. */
    readonly heads: readonly (Column & { readonly of: (row: Row) => Cell })[];
    readonly rows: readonly Row[];
    readonly value: (row: Row, solver: SolverName) => number | undefined;
    readonly show: (value: number) => string;
  },
): Table {
  const { name, caption, shown, best, quantity, solvers, heads, rows, value, show } = table;
  return {
    name,
    caption,
    shown,
    best,
    heads: heads.length,
    columns: [
      ...heads,
      ...solvers.map((solver) => ({
        head: titleOf(solver),
        csv: `${titleOf(solver)} ${quantity}`,
        show,
      })),
    ],
    rows: rows.map((row) => [
      ...heads.map(({ of }) => of(row)),
      ...solvers.map((solver) => value(row, solver) ?? null),
    ]),
  };
}

/** The table as comma-separated values (RFC 4180), with all digits. */
export function tableCsv({ columns, rows }: Table): string {
  const lines = [columns.map(({ head, csv }) => csv ?? head), ...rows];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** The table for the page, in a box that scrolls by itself on a narrow page. */
export function tableHtml(table: Table): Markup {
  const { name, caption, columns, rows, heads = 1, shown = () => true } = table;
  const best = bestCells(table);
  const head = ({ head }: Column, c: number) =>
    html`<th scope="col"${html` class="${c < heads ? 'name' : 'number'}"`}>${head}</th>`;
  const cell = (value: Cell, r: number, c: number) => {
    const text = shownCell(value, columns[c]);
    if (c < heads) return html`<th scope="row">${text}</th>`;
    const kind = typeof value === 'string' ? 'text' : 'number';
    return html`<td class="${kind}">${best.has(`${r} ${c}`) ? html`<strong class="best">${text}</strong>` : text}</td>`;
  };
  return html`
<div class="scroll" tabindex="0" role="group" aria-label="Table ${name}">
<table>
<caption>${caption} <a class="file" href="tables/${name}.csv">CSV</a></caption>
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>
${rows.map((row, r) => shown(row) && html`<tr>${row.map((value, c) => cell(value, r, c))}</tr>\n`)}</tbody>
</table>
</div>`;
}

/**
 * The best cells, as `row column`. Numbers that look the same on the page count as equal: all of them are marked, or none
 * if that would mark every cell.
 */
export function bestCells({ columns, rows, heads = 1, best }: Table): Set<string> {
  const marked = new Set<string>();
  if (!best) return marked;
  const judged = [...rows.keys()].filter((r) => !best.without?.(rows[r]));
  const values = [...columns.keys()].slice(heads);
  const lines =
    best.of === 'row'
      ? judged.map((r) => values.map((c) => ({ r, c })))
      : values.map((c) => judged.map((r) => ({ r, c })));
  for (const line of lines) {
    const measured = line.filter(({ r, c }) => Number.isFinite(rows[r][c] ?? Number.NaN));
    const numbers = measured.map(({ r, c }) => rows[r][c] as number);
    const target = best.want === 'least' ? Math.min(...numbers) : Math.max(...numbers);
    const winners = measured.filter(({ r, c }) => shownCell(rows[r][c], columns[c]) === shownCell(target, columns[c]));
    if (winners.length < measured.length) for (const { r, c } of winners) marked.add(`${r} ${c}`);
  }
  return marked;
}

function shownCell(value: Cell, { show }: Column): string {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  return show ? show(value) : Number.isInteger(value) ? count(value) : grouped(value, 2);
}

function csvCell(value: Cell): string {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
