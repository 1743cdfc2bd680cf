import type { SolverName } from 'ght';
import { contenders, paperSolvers } from '../../contenders.js';
import type { RecoveryRun, Synthetic } from '../../experiments/synthetic.js';
import { html } from '../markup.js';
import { grouped, seconds, share, significant } from '../numbers.js';
import { type Axis, drawCurves } from '../plot.js';
import { type Figure, figureHtml, LEGEND, row, type Section, solverCurves, tablesHtml } from '../section.js';
import { solverTable, type Table } from '../table.js';

/** The budgets shown in the table on the page. */
const SHOWN = [5, 10, 15, 20, 25, 30];

/** Figure 3: support recovery, error and time. */
export function drawSynthetic(data: Synthetic): Section {
  const figures = [
    plotOf(data, 'mismatch', 'Support mismatch', { label: 'support mismatch ratio', zero: true }),
    plotOf(data, 'rmse', 'Reconstruction error', { label: 'RMSE per signal', zero: true }),
    plotOf(data, 'seconds', 'Computation time', { label: 'time (s), logarithmic', log: true }),
  ];
  const tables = [
    tableOf(data, 'mismatch', 'support mismatch ratio', contenders, share),
    tableOf(data, 'rmse', 'RMSE per signal', contenders, significant),
    tableOf(data, 'seconds', 'time (s)', contenders, seconds),
    tableOf(data, 'iterations', 'iterations', paperSolvers, (mean) => grouped(mean, Number.isInteger(mean) ? 0 : 1)),
  ];
  return {
    figures,
    tables,
    body: html`<p>${LEGEND}</p>
${row(figures.map(figureHtml), 'plots')}${tablesHtml(tables)}`,
  };
}

type Measure = Exclude<keyof RecoveryRun, 'solver' | 's'>;

const CAPTIONS: Readonly<Record<Measure, string>> = {
  mismatch: 'The share of the support that was missed; 0 is perfect recovery.',
  rmse: 'The reconstruction error, RMSE per signal.',
  seconds: 'The time for all signals of one dictionary, in seconds.',
  iterations: 'Iterations until the stopping rule, at most 100.',
};

function plotOf({ runs }: Synthetic, measure: Measure, what: string, y: Axis): Figure {
  return {
    name: `synthetic-${measure}`,
    caption: CAPTIONS[measure],
    svg: drawCurves({
      alt: `${what} of each solver over s, the atoms per signal.`,
      x: { label: 's, atoms per signal' },
      y,
      curves: solverCurves(runs, contenders, (run) => ({ x: run.s, y: run[measure] })),
    }),
  };
}

function tableOf(
  { budgets, runs }: Synthetic,
  measure: Measure,
  quantity: string,
  solvers: readonly SolverName[],
  show: (value: number) => string,
): Table {
  const judged = measure !== 'iterations';
  return solverTable<number>({
    name: `synthetic-${measure}`,
    caption: `${CAPTIONS[measure]}${judged ? ' Boxed: the smallest of each row.' : ''}`,
    quantity,
    solvers,
    heads: [{ head: 's', csv: 's (atoms per signal)', of: (s) => s }],
    rows: budgets,
    value: (s, solver) => runs.find((run) => run.s === s && run.solver === solver)?.[measure],
    show,
    shown: budgets.length > SHOWN.length ? ([s]) => SHOWN.includes(Number(s)) : undefined,
    best: judged ? { of: 'row', want: 'least' } : undefined,
  });
}
