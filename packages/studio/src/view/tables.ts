/** The measurements of several runs as tables for a paper. */
import { solverCatalogue } from 'ght';
import type { Readings } from '../worker/protocol.js';

/** A run and its similarity, if that is known by now. */
export interface TableRow {
  readonly readings: Readings;
  readonly ssim: number | undefined;
}

const columns: readonly {
  readonly name: string;
  readonly latex: string;
  readonly value: (row: TableRow) => number | undefined;
  readonly digits: number;
}[] = [
  { name: 'psnr', latex: 'PSNR (dB)', value: ({ readings }) => readings.psnr, digits: 2 },
  { name: 'rmse', latex: 'RMSE', value: ({ readings }) => readings.rmse, digits: 1 },
  { name: 'ssim', latex: 'SSIM', value: ({ ssim }) => ssim, digits: 3 },
  { name: 'atoms', latex: 'Atoms', value: ({ readings }) => readings.nonzeros, digits: 0 },
  {
    name: 'atoms_per_patch',
    latex: 'Per patch',
    value: ({ readings }) => readings.nonzeros / readings.patches,
    digits: 2,
  },
  { name: 'seconds', latex: 'Time (s)', value: ({ readings }) => readings.seconds, digits: 2 },
];

/** With all digits, for further computation. */
export function tableCsv(rows: readonly TableRow[]): string {
  const head = ['solver', ...columns.map(({ name }) => name)].join(',');
  const body = rows.map((row) => [row.readings.solver, ...columns.map(({ value }) => value(row) ?? '')].join(','));
  return `${[head, ...body].join('\n')}\n`;
}

/** With the digits of the page, for the package booktabs. */
export function tableLatex(rows: readonly TableRow[]): string {
  const cell = (row: TableRow, { value, digits }: (typeof columns)[number]) => value(row)?.toFixed(digits) ?? '--';
  return [
    '% \\usepackage{booktabs}',
    `\\begin{tabular}{l${'r'.repeat(columns.length)}}`,
    '\\toprule',
    `Solver & ${columns.map(({ latex }) => latex).join(' & ')} \\\\`,
    '\\midrule',
    ...rows.map((row) => {
      const { title } = solverCatalogue[row.readings.solver];
      return `${title} & ${columns.map((column) => cell(row, column)).join(' & ')} \\\\`;
    }),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}
