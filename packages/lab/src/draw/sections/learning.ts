import { titleOf } from '../../contenders.js';
import { type Learning, learnedBy } from '../../experiments/learning.js';
import { html } from '../markup.js';
import { significant } from '../numbers.js';
import { pictureHtml } from '../pictures.js';
import { row, type Section } from '../section.js';
import { type Table, tableHtml } from '../table.js';

const titles = {
  dct: 'DCT',
  omp: `learned with ${titleOf('omp')}`,
  'joint-omp': `learned with ${titleOf('joint-omp')}`,
} as const;

/** What learning gives, with each coder, and the atoms. */
export function drawLearning({ L, runs, atoms }: Learning): Section {
  const budgets = [...new Set(runs.map(({ s }) => s))];
  const rows = budgets.flatMap((s) =>
    (['omp', 'joint-omp'] as const).map((coder) => [
      s,
      titleOf(coder),
      ...learnedBy.map(
        (name) => runs.find((run) => run.s === s && run.coder === coder && run.dictionary === name)?.rmse ?? null,
      ),
    ]),
  );
  const table: Table = {
    name: 'learning',
    caption: `RMSE per patch, in grey levels, on patches that were not learned from; all dictionaries are 64×${L}.`,
    columns: [
      { head: 's', show: String },
      { head: 'coded by' },
      ...learnedBy.map((name) => ({
        head: titles[name],
        csv: `${titles[name]} RMSE (grey levels per patch)`,
        show: significant,
      })),
    ],
    rows,
    heads: 2,
    best: { of: 'row', want: 'least' },
  };
  const pictures = atoms.map(({ dictionary, picture }) =>
    pictureHtml(picture, `The ${L} atoms of the dictionary: ${titles[dictionary]}`, [
      html`<b>${titles[dictionary]}</b> `,
      `s = ${budgets[0]}${dictionary === 'dct' ? '' : ', the most used first'}`,
    ]),
  );
  return { figures: [], tables: [table], body: html`${tableHtml(table)}${row(pictures, 'pictures')}` };
}
