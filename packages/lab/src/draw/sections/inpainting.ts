import { type Filling, fillings, type Inpainting, type Missing } from '../../experiments/inpainting.js';
import { html } from '../markup.js';
import { decibels } from '../numbers.js';
import { type Look, looks, neutral } from '../palette.js';
import { pictureHtml } from '../pictures.js';
import { drawCurves } from '../plot.js';
import { type Figure, figureHtml, row, type Section } from '../section.js';
import { type Table, tableHtml } from '../table.js';

const titles: Readonly<Record<Filling, string>> = {
  biharmonic: 'biharmonic',
  'joint-omp': 'joint OMP, one budget',
  fast: 'inpaint, fast',
  balanced: 'inpaint, balanced',
};

const marks: Readonly<Record<Filling, Look>> = {
  biharmonic: neutral,
  'joint-omp': looks['joint-omp'],
  fast: { ...looks.qpm, dash: '5 3' },
  balanced: looks.qpm,
};

/** How well each method fills missing pixels, and a window for comparison. */
export function drawInpainting({ masks, images, closeUp }: Inpainting): Section {
  const shares = masks.filter((missing) => missing !== 'text');
  const means = masks.map((missing) => ['mean', named(missing), ...fillings.map((filling) => mean(missing, filling))]);
  const table: Table = {
    name: 'inpainting',
    caption: 'PSNR in dB of the whole image; boxed: the best of each row.',
    columns: [
      { head: 'image' },
      { head: 'missing' },
      ...fillings.map((filling) => ({ head: titles[filling], csv: `${titles[filling]} PSNR (dB)`, show: decibels })),
    ],
    rows: [
      ...images.flatMap(({ name, runs }) =>
        masks.map((missing) => [
          name,
          named(missing),
          ...fillings.map((filling) => psnrOf(runs, missing, filling) ?? null),
        ]),
      ),
      ...means,
    ],
    heads: 2,
    best: { of: 'row', want: 'most' },
  };
  const figure: Figure = {
    name: 'inpainting-psnr',
    caption: 'Mean over the images; pixels missing at random. Dotted: biharmonic, where the loop starts.',
    svg: drawCurves({
      alt: 'PSNR of each method of inpainting over the share of missing pixels.',
      x: { label: 'missing pixels (%)', ticks: shares.map((share) => 100 * share) },
      y: { label: 'PSNR (dB)' },
      curves: fillings.map((filling) => ({
        label: titles[filling],
        look: marks[filling],
        points: shares.map((share) => ({ x: 100 * share, y: mean(share, filling) })),
      })),
    }),
  };
  const of = (what: string) => `A window of ${closeUp.image}, ${what}`;
  const pictures = [
    pictureHtml(closeUp.original, of('original'), html`<b>Original</b> ${closeUp.image}`),
    pictureHtml(closeUp.known, of('known pixels'), html`<b>Known pixels</b> ${named(closeUp.missing)} missing`),
    ...closeUp.results.map(({ filling, psnr, picture }) =>
      pictureHtml(picture, of(titles[filling]), html`<b>${titles[filling]}</b> ${decibels(psnr)} dB`),
    ),
  ];
  const body = html`${row([figureHtml(figure), tableHtml(table)], 'plots')}${row(pictures, 'pictures')}`;
  return { figures: [figure], tables: [table], body };

  function mean(missing: Missing, filling: Filling): number {
    return images.reduce((sum, { runs }) => sum + (psnrOf(runs, missing, filling) ?? Number.NaN), 0) / images.length;
  }
}

function psnrOf(runs: Inpainting['images'][number]['runs'], missing: Missing, filling: Filling): number | undefined {
  return runs.find((run) => run.missing === missing && run.filling === filling)?.psnr;
}

function named(missing: Missing): string {
  return missing === 'text' ? missing : `${100 * missing}%`;
}
