import { contenders, titleOf } from '../../contenders.js';
import type { Million } from '../../experiments/million.js';
import { html } from '../markup.js';
import { seconds, superscript } from '../numbers.js';
import { drawCurves } from '../plot.js';
import { type Figure, figureHtml, LEGEND, row, type Section, solverCurves } from '../section.js';
import { solverTable, type Table, tableHtml } from '../table.js';

/** Figure 7: the time over the number of patches. */
export function drawMillion(data: Million): Section {
  const figure = timePlot(data);
  const tables = [timeTable(data), exponentTable(data)];
  const column = html`<div class="column">${tables.map(tableHtml)}</div>`;
  return { figures: [figure], tables, body: row([figureHtml(figure), column], 'tables') };
}

function timePlot({ s, sizes, runs, slopes }: Million): Figure {
  const exponents = new Map(slopes.map(({ solver, slope }) => [solver, slope.toFixed(2)]));
  return {
    name: 'million-seconds',
    caption: `The time at s = ${s}; behind each name, the fitted exponent of P, where 1 is linear. ${LEGEND}`,
    svg: drawCurves({
      alt: 'Computation time of each solver over the number of patches, both axes logarithmic.',
      x: {
        label: 'P, number of patches (logarithmic)',
        log: true,
        ticks: sizes,
        format: (P) => `2${superscript(Math.round(Math.log2(P)))}`,
      },
      y: { label: 'time (s), logarithmic', log: true },
      curves: solverCurves(
        runs,
        contenders,
        (run) => ({ x: run.P, y: run.seconds }),
        (solver) => `${titleOf(solver)} ${exponents.get(solver) ?? ''}`,
      ),
      heading: 'exponent of P',
    }),
  };
}

function timeTable({ sizes, runs }: Million): Table {
  return solverTable<number>({
    name: 'million-seconds',
    caption: 'Time in seconds. Boxed: the smallest of each row.',
    quantity: 'time (s)',
    solvers: contenders,
    heads: [{ head: 'P', csv: 'P (patches)', of: (P) => P }],
    rows: sizes,
    value: (P, solver) => runs.find((run) => run.P === P && run.solver === solver)?.seconds,
    show: seconds,
    best: { of: 'row', want: 'least' },
  });
}

function exponentTable({ slopes }: Million): Table {
  return {
    name: 'million-exponents',
    caption: 'The exponent of P in the time.',
    columns: [
      { head: 'solver' },
      { head: 'exponent', csv: 'exponent of P in the time', show: (slope) => slope.toFixed(3) },
    ],
    rows: slopes.map(({ solver, slope }) => [titleOf(solver), slope]),
  };
}
