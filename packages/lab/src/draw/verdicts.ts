import { experiments } from '../experiments/index.js';
import type { Outcome, Verdict } from '../report.js';
import { html, type Markup } from './markup.js';

/** In the order of the count; symbol, word and colour have the same meaning. */
const outcomes: readonly { readonly outcome: Outcome; readonly symbol: string; readonly kind: string }[] = [
  { outcome: 'confirmed', symbol: '✓', kind: 'confirmed' },
  { outcome: 'partly', symbol: '◐', kind: 'partly' },
  { outcome: 'not reproduced', symbol: '✗', kind: 'not' },
];

/** Under a verdict that another run may not repeat. */
const TIMING = 'About time: the verdict holds for this machine and its load, which the conditions state.';

/** The number of claims per outcome: “11 confirmed, 4 partly, 3 not reproduced”. */
export function countOutcomes(verdicts: readonly Verdict[]): string {
  return outcomes
    .map(({ outcome }) => `${verdicts.filter((verdict) => verdict.outcome === outcome).length} ${outcome}`)
    .join(', ');
}

/** Every claim with its measurement. The roles keep it a table for screen readers where a narrow page shows it as blocks. */
export function verdictsHtml(verdicts: readonly Verdict[]): Markup {
  if (verdicts.length === 0) return html`<p>No experiment of this run decides a claim of the paper.</p>`;
  const line = ({ experiment, where, claim, rule, measured, outcome, timing }: Verdict) => html`<tr role="row">
<td role="cell">${badge(outcome)}</td>
<th role="rowheader" scope="row">${claim}<small>${rule}</small>${timing && html`<small>${TIMING}</small>`}</th>
<td role="cell"><span class="label">Measured: </span>${measured}</td>
<td role="cell"><span class="label">In the paper: </span>${where}; <a href="#${experiment}">${experiments[experiment].title}</a></td>
</tr>
`;
  return html`
<p class="count">${countOutcomes(verdicts)}</p>
<table class="verdicts" role="table">
<caption>The claims of the paper, in its order; under each, the rule that decides.</caption>
<thead role="rowgroup"><tr role="row">${['Outcome', 'Claim', 'What was measured', 'Where in the paper'].map(
    (head) => html`<th role="columnheader" scope="col">${head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${verdicts.map(line)}</tbody>
</table>`;
}

/** The verdicts that an experiment decides, for its section. */
export function sectionVerdictsHtml(verdicts: readonly Verdict[]): Markup | null {
  if (verdicts.length === 0) return null;
  return html`<h3>What the paper says about it</h3>
<ul class="claims">
${verdicts.map(({ claim, measured, outcome }) => html`<li>${badge(outcome)} <div>${claim} <span class="measured">${measured}</span></div></li>\n`)}</ul>`;
}

function badge(outcome: Outcome): Markup {
  const { symbol, kind } = outcomes.find((known) => known.outcome === outcome) ?? outcomes[1];
  return html`<span class="outcome ${kind}"><span aria-hidden="true">${symbol}</span> ${outcome}</span>`;
}
