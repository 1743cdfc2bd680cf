import type { CodedPatch, TwoPatches } from '../../experiments/two-patches.js';
import { html, type Markup } from '../markup.js';
import { significant } from '../numbers.js';
import { img } from '../pictures.js';
import type { Section } from '../section.js';
import { type Table, tableHtml } from '../table.js';

/** Figure 1: each patch, its atoms and its reconstruction, for both ways to use the budget. */
export function drawTwoPatches(data: TwoPatches): Section {
  const { budget, patches, joint, even, needed } = data;
  const table = atomTable(data);
  const body = html`
<div class="row allocations">
${allocation(data, joint, `${budget} atoms shared by both patches (GHT-QPM)`)}
${allocation(data, even, `${budget / patches.length} atoms for each patch (OMP)`)}
</div>
<p>Patch ${patches[0].label} needs ${needed} atoms to be as close as patch ${patches[1].label} is with one.</p>
${tableHtml(table)}`;
  return { figures: [], tables: [table], body };
}

function allocation({ patches }: TwoPatches, coded: readonly CodedPatch[], caption: string): Markup {
  const patch = ({ label, picture }: TwoPatches['patches'][number], { atoms, error, picture: shown }: CodedPatch) => {
    const shownError = significant(error, 3);
    return html`
<div class="patch">
<div class="tile"><span>patch ${label}</span>${img(picture, `Patch ${label}, original`)}</div>
<div class="tile"><span>error ${shownError}</span>${img(shown, `Patch ${label}, reconstruction, error ${shownError} per pixel`)}</div>
<span class="sum" aria-hidden="true">=</span>
${atoms.map(
  ({ down, across, coefficient, picture }) =>
    html`<div class="tile atom"><span>${significant(coefficient, 3)}</span>${img(picture, `DCT atom ${down} down, ${across} across`)}</div>\n`,
)}</div>`;
  };
  return html`<figure class="allocation">
${patches.map((each, p) => patch(each, coded[p]))}
<figcaption>${caption}: the original, the reconstruction with its root mean square error per pixel, and its atoms, each under its coefficient.</figcaption>
</figure>`;
}

function atomTable({ patches, joint, even }: TwoPatches): Table {
  const rows = [['joint', joint] as const, ['even', even] as const].flatMap(([name, coded]) =>
    coded.flatMap(({ atoms, error }, p) =>
      atoms.map(({ down, across, coefficient }) => [name, patches[p].label, down, across, coefficient, error]),
    ),
  );
  return {
    name: 'two-patches',
    caption: 'The atoms used; frequencies are in half periods per patch.',
    heads: 2,
    columns: [
      { head: 'budget' },
      { head: 'patch' },
      { head: 'frequency down' },
      { head: 'frequency across' },
      { head: 'coefficient', show: significant },
      {
        head: 'error of the patch',
        csv: 'error of the patch (grey levels RMS per pixel)',
        show: (v) => significant(v, 3),
      },
    ],
    rows,
  };
}
