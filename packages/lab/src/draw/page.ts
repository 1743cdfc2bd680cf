import { type ExperimentName, experimentNames } from '../catalogue.js';
import { experiments } from '../experiments/index.js';
import type { Report } from '../report.js';
import { conditionsHtml, tookText } from './conditions.js';
import { html, type Markup } from './markup.js';
import type { Section } from './section.js';
import { style } from './style.js';
import { countOutcomes, sectionVerdictsHtml, verdictsHtml } from './verdicts.js';

/** Nothing is loaded and no script runs, so the page can be sent, kept and opened anywhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The report as one self-contained page. */
export function page(report: Report, sections: ReadonlyMap<ExperimentName, Section>): string {
  const drawn = experimentNames.filter((name) => sections.has(name));
  const title = 'Global hard thresholding, rerun';
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The experiments of the paper on global hard thresholding, rerun: ${countOutcomes(report.verdicts)}.">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>Borhani, Watt and Katsaggelos, <cite>Global hard thresholding algorithms for joint sparse image representation and denoising</cite>, share one budget of atoms among all patches of an image. This page reruns ${drawn.length === experimentNames.length ? 'every experiment' : `${drawn.length} of the ${experimentNames.length} experiments`} of that paper with GHT ${report.version} and compares each claim with the measurements${report.quick && ', in a quick run of smaller sizes'}. Numbers in figures and tables are data of this run; the files next to this page have them in full.</p>
</header>
${contents(drawn)}
<main>
<section id="verdicts"><h2>Verdicts</h2>
${verdictsHtml(report.verdicts)}
</section>
<section id="conditions"><h2>How it was run</h2>
${conditionsHtml(report)}
</section>
${drawn.map((name) => sectionHtml(report, name, sections.get(name) as Section))}
</main>
<footer><p>Written by GHT ${report.version}. Data: <a href="report.json">report.json</a>; each plot is in <i>figures</i> as SVG, each table in <i>tables</i> as CSV.</p></footer>
</body>
</html>
`.markup
  }`;
}

function contents(drawn: readonly ExperimentName[]): Markup {
  return html`<nav aria-label="Contents">
<ol>
<li><a href="#verdicts">Verdicts</a></li>
<li><a href="#conditions">How it was run</a></li>
${drawn.map((name) => html`<li><a href="#${name}">${experiments[name].title}</a> <small>${experiments[name].paper}</small></li>\n`)}</ol>
</nav>`;
}

function sectionHtml(report: Report, name: ExperimentName, { body }: Section): Markup {
  const { title, paper, describe } = experiments[name];
  const verdicts = report.verdicts.filter(({ experiment }) => experiment === name);
  return html`<section id="${name}" class="experiment">
<p class="paper">${paper}</p>
<h2>${title}</h2>
<p>${(describe as (data: unknown) => string)(report.findings[name])} ${tookText(report, name)}</p>
${body}
${sectionVerdictsHtml(verdicts)}
</section>
`;
}
