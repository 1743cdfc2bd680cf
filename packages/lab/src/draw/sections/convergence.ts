import { titleOf } from '../../contenders.js';
import type { Convergence } from '../../experiments/convergence.js';
import { html } from '../markup.js';
import { significant } from '../numbers.js';
import { looks } from '../palette.js';
import { drawCurves } from '../plot.js';
import { figureHtml, row, type Section } from '../section.js';
import { type Table, tableHtml } from '../table.js';

/** The iterations shown in the table on the page. */
const SHOWN = [1, 2, 3, 5, 10, 20, 50, 100];
/** One per budget: solid, dashed, dotted. */
const DASHES = [undefined, '7 3', '2 3'];

/** Figure 8: the error after each iteration. */
export function drawConvergence({ iterations, series }: Convergence): Section {
  const budgets = [...new Set(series.map(({ s }) => s))];
  const plot = (name: string, from: number, caption: string) => ({
    name,
    caption,
    svg: drawCurves({
      alt: `RMSE of GHT-QPM and GHT-ADMM over iterations ${from} to ${iterations}, for ${budgets.length} budgets.`,
      x: { label: 'iteration k' },
      y: { label: 'RMSE per patch (grey levels), logarithmic', log: true },
      curves: series.map(({ solver, s, rmse }) => ({
        label: `${titleOf(solver)} s = ${s}`,
        look: { ...looks[solver], dash: DASHES[budgets.indexOf(s) % DASHES.length] },
        points: rmse.map((y, i) => ({ x: i + 1, y })).filter(({ x }) => x >= from),
      })),
    }),
  });
  const figures = [
    plot('convergence', 1, 'All iterations. The budgets are solid, dashed and dotted lines, from small to large.'),
    plot('convergence-late', 10, 'From iteration 10, by which both have converged according to the paper.'),
  ];
  const table: Table = {
    name: 'convergence',
    caption: 'RMSE per patch, in grey levels, after iteration k.',
    columns: [
      { head: 'k', csv: 'iteration k' },
      ...series.map(({ solver, s }) => ({
        head: `${titleOf(solver)} ${s}P`,
        csv: `${titleOf(solver)} S = ${s}P RMSE (grey levels per patch)`,
        show: significant,
      })),
    ],
    rows: Array.from({ length: iterations }, (_, i) => [i + 1, ...series.map(({ rmse }) => rmse[i] ?? null)]),
    shown: ([k]) => SHOWN.includes(Number(k)),
  };
  return { figures, tables: [table], body: html`${row(figures.map(figureHtml), 'plots')}${tableHtml(table)}` };
}
