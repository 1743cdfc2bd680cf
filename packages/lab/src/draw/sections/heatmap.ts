import type { Heatmap } from '../../experiments/heatmap.js';
import { html } from '../markup.js';
import { count, decibels, significant } from '../numbers.js';
import { looks } from '../palette.js';
import { pictureHtml } from '../pictures.js';
import { drawBars } from '../plot.js';
import { factsHtml, figureHtml, row, type Section } from '../section.js';
import type { Table } from '../table.js';

/** Figure 2: where the atoms are used. */
export function drawHeatmap(data: Heatmap): Section {
  const { image, histogram, s, patches } = data;
  const most = histogram.length - 1;
  const figure = {
    name: 'heatmap-histogram',
    caption: html`Atoms per patch, from 0 to ${most}; an even budget would give ${s} to each patch. <a class="file" href="tables/heatmap-histogram.csv">CSV</a>`,
    svg: drawBars(
      {
        alt: `Histogram of the atoms that each of ${count(patches)} patches uses, 0 to ${most}.`,
        x: { label: 'atoms per patch' },
        y: { label: 'number of patches' },
        counts: histogram,
        rule: { x: s, label: `average ${s}` },
      },
      looks.qpm,
    ),
  };
  const table: Table = {
    name: 'heatmap-histogram',
    caption: 'How many patches use how many atoms.',
    columns: [{ head: 'atoms per patch' }, { head: 'number of patches' }],
    rows: histogram.map((patches, atoms) => [atoms, patches]),
  };
  const facts = factsHtml([
    ['RMSE per patch', significant(data.rmse)],
    ['RMSE per pixel', significant(data.rmsePixel)],
    ['PSNR', `${decibels(data.psnr)} dB`],
    ['Patches', count(patches)],
    ['Iterations', count(data.iterations)],
    ['Rank correlation of atoms with energy', data.correlation.toFixed(3)],
  ]);
  const body = html`
${row(
  [
    pictureHtml(data.original, `${image}, original`, 'The original.'),
    pictureHtml(data.atoms, `Heatmap of the atoms per patch: bright where ${image} has detail`, [
      `The atoms per patch: dark for none, bright for ${most}.`,
    ]),
    pictureHtml(data.reconstruction, `${image}, reconstruction`, [
      `The reconstruction, ${decibels(data.psnr)} dB from ${s} atoms per patch on average.`,
    ]),
  ],
  'pictures',
)}
${row([figureHtml(figure), facts], 'tables')}`;
  return { figures: [figure], tables: [table], body };
}
