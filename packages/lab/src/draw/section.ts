import type { SolverName } from 'ght';
import { titleOf } from '../contenders.js';
import { type Content, html, type Markup } from './markup.js';
import { looks } from './palette.js';
import type { Curve } from './plot.js';
import { type Table, tableHtml } from './table.js';

/** A plot: its file and its caption. */
export interface Figure {
  /** The name of its file. */
  readonly name: string;
  readonly caption: Content;
  /** A standalone SVG, which the page embeds. */
  readonly svg: string;
}

/** The presentation of an experiment: plots and tables as values, and their arrangement on the page. */
export interface Section {
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  readonly body: Markup;
}

/** Stated once per section that has curves of all solvers. */
export const LEGEND = 'Solid lines are global solvers, dashed ones patch-wise.';

/** A plot on the page. */
export function figureHtml({ name, caption, svg }: Figure): Markup {
  const file = html`<a class="file" href="figures/${name}.svg">SVG</a>`;
  return html`<figure class="plot">\n${{ markup: svg }}<figcaption>${caption} ${file}</figcaption></figure>\n`;
}

/** Contents side by side, if the page is wide enough. */
export function row(contents: readonly Content[], kind: 'plots' | 'pictures' | 'tables' | 'allocations'): Markup {
  return html`<div class="row ${kind}">${contents}</div>\n`;
}

/** Facts as pairs of a name and a value. */
export function factsHtml(facts: readonly (readonly [string, Content])[]): Markup {
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

/** Tables side by side, if there is room. */
export function tablesHtml(tables: readonly Table[]): Markup {
  return row(tables.map(tableHtml), 'tables');
}

/** One curve per solver, in the solver's look. */
export function solverCurves<Run extends { readonly solver: SolverName }>(
  runs: readonly Run[],
  solvers: readonly SolverName[],
  point: (run: Run) => { readonly x: number; readonly y: number },
  label: (solver: SolverName) => string = (solver) => titleOf(solver),
): Curve[] {
  return solvers.map((solver) => ({
    label: label(solver),
    look: looks[solver],
    points: runs.filter((run) => run.solver === solver).map(point),
  }));
}
