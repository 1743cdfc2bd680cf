import type { SolverName } from 'ght';
import { contenders, paperSolvers } from '../../contenders.js';
import type { Megapixel } from '../../experiments/megapixel.js';
import { html } from '../markup.js';
import { count, seconds, significant, slug } from '../numbers.js';
import { pictureHtml } from '../pictures.js';
import { type Axis, drawCurves } from '../plot.js';
import { type Figure, figureHtml, LEGEND, row, type Section, solverCurves, tablesHtml } from '../section.js';
import { solverTable, type Table } from '../table.js';

/** The budgets shown in the table on the page. */
const SHOWN = [5, 10, 20, 30];

type TestImage = Megapixel['images'][number];
type Measure = 'rmse' | 'seconds' | 'iterations';

/** Figures 4 and 5: error and time over the budget, image by image. */
export function drawMegapixel(data: Megapixel): Section {
  const errors = data.images.map((image, i) =>
    plotOf(image, i, 'rmse', 'RMSE', { label: 'RMSE per patch (grey levels)', zero: true }),
  );
  const times = data.images.map((image, i) =>
    plotOf(image, i, 'seconds', 'Computation time', { label: 'time (s), logarithmic', log: true }),
  );
  const tables = [
    tableOf(data, 'rmse', 'RMSE (grey levels per patch)', contenders, significant),
    tableOf(data, 'seconds', 'time (s)', contenders, seconds),
    tableOf(data, 'iterations', 'iterations', paperSolvers, count),
  ];
  const pictures = data.images.map(({ name, width, height, patches, picture }) =>
    pictureHtml(picture, name, html`<b>${name}</b> ${width}×${height}, ${count(patches)} patches`),
  );
  const body = html`${row(pictures, 'pictures')}<p>${LEGEND}</p>
${row(errors.map(figureHtml), 'plots')}${row(times.map(figureHtml), 'plots')}${tablesHtml(tables)}`;
  return { figures: [...errors, ...times], tables, body };
}

const CAPTIONS: Readonly<Record<Measure, string>> = {
  rmse: 'RMSE per patch, in grey levels. Boxed: the smallest of each row.',
  seconds: 'Time in seconds. Boxed: the smallest of each row.',
  iterations: 'Iterations until the stopping rule, at most 100.',
};

function plotOf(image: TestImage, i: number, measure: Measure, what: string, y: Axis): Figure {
  const { name, runs } = image;
  return {
    name: `megapixel-${measure}-${i + 1}-${slug(name)}`,
    caption: html`<b>${name}</b>`,
    svg: drawCurves({
      alt: `${what} of each solver over the budget on ${name}.`,
      x: { label: 's, atoms per patch' },
      y,
      curves: solverCurves(runs, contenders, (run) => ({ x: run.s, y: run[measure] })),
    }),
  };
}

function tableOf(
  { budgets, images }: Megapixel,
  measure: Measure,
  quantity: string,
  solvers: readonly SolverName[],
  show: (value: number) => string,
): Table {
  return solverTable<{ image: TestImage; s: number }>({
    name: `megapixel-${measure}`,
    caption: CAPTIONS[measure],
    quantity,
    solvers,
    heads: [
      { head: 'image', of: ({ image }) => image.name },
      { head: 's', csv: 's (atoms per patch)', of: ({ s }) => s },
    ],
    rows: images.flatMap((image) => budgets.map((s) => ({ image, s }))),
    value: ({ image, s }, solver) => image.runs.find((run) => run.s === s && run.solver === solver)?.[measure],
    show,
    shown: budgets.length > SHOWN.length ? (cells) => SHOWN.includes(Number(cells[1])) : undefined,
    best: measure === 'iterations' ? undefined : { of: 'row', want: 'least' },
  });
}
