import { PAPER_RHO, paperSolvers, titleOf } from '../../contenders.js';
import type { Rho } from '../../experiments/rho.js';
import { html } from '../markup.js';
import { share, significant } from '../numbers.js';
import { drawCurves } from '../plot.js';
import { figureHtml, row, type Section, solverCurves } from '../section.js';
import { type Table, tableHtml } from '../table.js';

/** The effect of ρ on both algorithms. */
export function drawRho({ s, synthetic, normSquared, runs }: Rho): Section {
  const x = { label: 'ρ, as in the formulas (logarithmic)', log: true };
  const rule = { x: PAPER_RHO, label: `paper’s ρ = ${PAPER_RHO}` };
  const top = (unit: number) => ({ label: 'upper scale: ρ / ‖D‖₂²', unit });
  const figures = [
    {
      name: 'rho-rmse',
      caption: `The error after the last iteration on natural images, s = ${s}; ‖D‖₂² = ${significant(normSquared, 3)}.`,
      svg: drawCurves({
        alt: 'RMSE of GHT-QPM and GHT-ADMM on natural images over the penalty ρ.',
        x,
        y: { label: 'RMSE per patch (grey levels), logarithmic', log: true },
        top: top(normSquared),
        rule,
        curves: solverCurves(runs, paperSolvers, ({ absolute, rmse }) => ({ x: absolute, y: rmse })),
      }),
    },
    {
      name: 'rho-mismatch',
      caption: `The support missed on synthetic signals, s = ${synthetic.s}; ‖D‖₂² = ${significant(synthetic.normSquared, 3)}.`,
      svg: drawCurves({
        alt: 'Support mismatch of GHT-QPM and GHT-ADMM on synthetic signals over the penalty ρ.',
        x,
        y: { label: 'support mismatch ratio', zero: true },
        top: top(synthetic.normSquared),
        rule,
        curves: solverCurves(runs, paperSolvers, ({ absolute, mismatch }) => ({ x: absolute, y: mismatch })),
      }),
    },
  ];
  const table = rhoTable(runs);
  return { figures, tables: [table], body: html`${row(figures.map(figureHtml), 'plots')}${tableHtml(table)}` };
}

/** One row per value of ρ, with both solvers side by side. */
function rhoTable(runs: Rho['runs']): Table {
  const first = runs.filter(({ solver }) => solver === runs[0].solver);
  const measured = (absolute: number, measure: 'rmse' | 'mismatch') =>
    paperSolvers.map((name) => runs.find((run) => run.solver === name && run.absolute === absolute)?.[measure] ?? null);
  const both = (head: string, csv: string, show: (value: number) => string) =>
    paperSolvers.map((solver) => ({
      head: `${titleOf(solver)} ${head}`,
      csv: `${titleOf(solver)} ${csv}`,
      show,
    }));
  return {
    name: 'rho',
    caption: `RMSE per patch, in grey levels, and the support mismatch ratio; the paper uses ρ = ${PAPER_RHO}.`,
    columns: [
      { head: 'ρ', show: String },
      { head: 'ρ / ‖D‖₂²', csv: 'ρ / ‖D‖₂² of the DCT', show: (value) => significant(value, 2) },
      ...both('RMSE', 'RMSE (grey levels per patch)', significant),
      ...both('mismatch', 'support mismatch ratio', share),
    ],
    rows: first.map(({ absolute, relative }) => [
      absolute,
      relative,
      ...measured(absolute, 'rmse'),
      ...measured(absolute, 'mismatch'),
    ]),
  };
}
