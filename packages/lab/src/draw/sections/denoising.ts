import { tabled, titleOf } from '../../contenders.js';
import type { Denoising } from '../../experiments/denoising.js';
import { type PaperTable, paperSigmas, paperTables } from '../../paper.js';
import { html, type Markup } from '../markup.js';
import { decibels, slug } from '../numbers.js';
import { neutral } from '../palette.js';
import { pictureHtml } from '../pictures.js';
import { drawCurves } from '../plot.js';
import { type Figure, figureHtml, row, type Section, solverCurves } from '../section.js';
import { type Cell, type Table, tableHtml } from '../table.js';

const NOISY = 'noisy image';

type DenoisedImage = Denoising['images'][number];

/** Tables 1 to 3 and Figure 9: our tables next to the paper's, in the same order, and a window for comparison. */
export function drawDenoising({ sigmas, images, closeUp, s }: Denoising): Section {
  const parts = images.map((image, i) => {
    const file = `${i + 1}-${slug(image.name)}`;
    const figure = psnrPlot(`denoising-psnr-${file}`, image, sigmas);
    const own = ownTable(`denoising-psnr-${file}`, image, sigmas);
    // A run may have more images than the paper has tables.
    const paper = i < paperTables.length ? [paperTable(paperTables[i])] : [];
    return { figure, tables: [own, ...paper] };
  });
  const body = html`
<p class="note">The second table of each image is the paper’s table at the same position. The images differ, since the paper’s three are not public. So only the order of the solvers and the differences between them can be compared, not the numbers themselves.</p>
${parts.map(({ figure, tables }, i) => html`<h3>${images[i].name}</h3>${row([figureHtml(figure), ...tables.map(tableHtml)], 'plots')}`)}
${closeUp && closeUpHtml(closeUp, s)}`;
  return { figures: parts.map(({ figure }) => figure), tables: parts.flatMap(({ tables }) => tables), body };
}

function psnrPlot(name: string, image: DenoisedImage, sigmas: readonly number[]): Figure {
  const noisy = { label: NOISY, look: neutral, points: sigmas.map((x, i) => ({ x, y: image.noisy[i] })) };
  return {
    name,
    caption: `PSNR against the clean image; dotted: the noisy image itself.`,
    svg: drawCurves({
      alt: `PSNR of each solver over the noise level on ${image.name}.`,
      x: { label: 'σ, standard deviation of the noise (grey levels)', ticks: sigmas },
      y: { label: 'PSNR (dB)' },
      curves: [...solverCurves(image.runs, tabled, ({ sigma, psnr }) => ({ x: sigma, y: psnr })), noisy],
    }),
  };
}

function ownTable(
  name: string,
  { name: image, width, height, runs, noisy }: DenoisedImage,
  sigmas: readonly number[],
): Table {
  const rows = tabled.map((solver) => [
    titleOf(solver),
    ...sigmas.map((sigma) => runs.find((run) => run.solver === solver && run.sigma === sigma)?.psnr ?? null),
  ]);
  return psnrTable(name, `Ours: ${image}, ${width}×${height}. PSNR in dB`, sigmas, [...rows, [NOISY, ...noisy]]);
}

function paperTable({ table, image, size, psnr }: PaperTable): Table {
  const rows = tabled.map((solver) => [titleOf(solver), ...paperSigmas.map((_, i) => psnr[solver]?.[i] ?? null)]);
  const caption = `The paper’s Table ${table}, another image: ${image}, ${size}. PSNR in dB`;
  return psnrTable(`paper-table-${table}`, caption, paperSigmas, rows);
}

function psnrTable(name: string, caption: string, sigmas: readonly number[], rows: readonly Cell[][]): Table {
  return {
    name,
    caption: `${caption}; boxed: the best of each column.`,
    columns: [
      { head: 'solver, σ =', csv: 'solver' },
      ...sigmas.map((sigma) => ({ head: String(sigma), csv: `PSNR at σ = ${sigma} (dB)`, show: decibels })),
    ],
    rows,
    best: { of: 'column', want: 'most', without: ([solver]) => solver === NOISY },
  };
}

function closeUpHtml({ image, sigma, window, clean, noisy, omp, admm }: Denoising['closeUp'], s: number): Markup {
  const of = (what: string) => `A window of ${image}, ${what}`;
  return html`<h3>A close-up at σ = ${sigma}</h3>
<p>${image}, the ${window.width}×${window.height} window at (${window.left}, ${window.top}), with ${s} atoms per patch on average.</p>
${row(
  [
    pictureHtml(clean, of('clean'), html`<b>Clean</b>`),
    pictureHtml(noisy, of(`with noise of σ = ${sigma}`), html`<b>Noisy</b> σ = ${sigma}`),
    pictureHtml(omp, of('denoised by OMP'), html`<b>OMP</b>`),
    pictureHtml(admm, of('denoised by GHT-ADMM'), html`<b>GHT-ADMM</b>`),
  ],
  'pictures',
)}`;
}
