import { titleOf } from '../../contenders.js';
import type { CloseUp } from '../../experiments/close-up.js';
import { html } from '../markup.js';
import { decibels, grouped, significant } from '../numbers.js';
import { pictureHtml } from '../pictures.js';
import { row, type Section } from '../section.js';
import { type Table, tableHtml } from '../table.js';

/** Figure 6: the same window by both solvers. */
export function drawCloseUp({ image, s, original, results }: CloseUp): Section {
  const table: Table = {
    name: 'close-up',
    caption: `The whole image with ${s} atoms per patch on average.`,
    columns: [
      { head: 'solver' },
      { head: 'RMSE per patch', csv: 'RMSE (grey levels per patch)', show: significant },
      { head: 'PSNR (dB)', show: decibels },
      { head: 'SSIM', show: (value) => grouped(value, 4) },
    ],
    rows: results.map(({ solver, rmse, psnr, ssim }) => [titleOf(solver), rmse, psnr, ssim]),
  };
  const pictures = results.map(({ solver, rmse, psnr, ssim, picture }) =>
    pictureHtml(picture, `The window of ${image} by ${titleOf(solver)}`, [
      html`<b>${titleOf(solver)}</b> `,
      `RMSE ${significant(rmse)}, PSNR ${decibels(psnr)} dB, SSIM ${grouped(ssim, 4)}`,
    ]),
  );
  const first = pictureHtml(original, `The window of ${image}, original`, html`<b>Original</b> ${image}`);
  return { figures: [], tables: [table], body: html`${row([first, ...pictures], 'pictures')}${tableHtml(table)}` };
}
