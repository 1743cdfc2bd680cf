import { describeBySubject } from 'ght';
import { bytes } from 'ght/format';
import { type ExperimentName, experimentNames } from '../catalogue.js';
import { NATURAL_RHO, optionsOf, PAPER_RHO, titleOf } from '../contenders.js';
import { experiments } from '../experiments/index.js';
import { loadText } from '../machine.js';
import type { Report } from '../report.js';
import { html, type Markup } from './markup.js';
import { count, duration, superscript } from './numbers.js';
import { factsHtml } from './section.js';

/** The conditions of the measurements: machine, engine, sizes, images, times, parameters. */
export function conditionsHtml(report: Report): Markup {
  const { machine, engine, seed, version, date } = report;
  const run = experimentNames.filter((name) => report.findings[name] !== undefined);
  const total = run.reduce((sum, name) => sum + (report.seconds[name] ?? 0), 0);
  return html`
${factsHtml([
  ['Run', `${report.quick ? 'quick' : 'full'}, ${run.length} of ${experimentNames.length} experiments`],
  ['Finished', dateOf(date)],
  ['Took', duration(total)],
  ['Version', `GHT ${version}`],
  ['Seed', seed],
  ['Processor', `${machine.processor}, ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`],
  ['Load', loadText(machine)],
  ['Memory', bytes(machine.memoryBytes)],
  ['System', `${machine.system}, Node.js ${machine.node.replace(/^v/, '')}`],
  [
    'Engine',
    `${engine.name}, ${engine.threads} ${engine.threads === 1 ? 'thread' : 'threads'}: ${describeBySubject(engine).engine}`,
  ],
])}
${report.quick && quickHtml(report)}
<h3>Images</h3>
<p>The paper’s photographs (Chicago, hot-dog, eagle) and its collection of natural images are not included. They are replaced by:</p>
<ul>
${report.images.map(({ name, source, width, height }) => html`<li><b>${name}</b>, ${width}×${height}: ${source}</li>\n`)}${
  report.collection.length > 0 &&
  html`<li>random patches are cut from ${report.collection.map(({ name }) => name).join(', ')}: ${[
    ...new Set(report.collection.map(({ source }) => source)),
  ].join('; ')}</li>\n`
}</ul>
<h3>Times</h3>
<p>One process, one engine, the same number of threads for every solver of an experiment; times are computing times after the problem is loaded, without reading, cutting or writing images. The paper’s times are from MATLAB R2012b on another machine, so only their ratios can be compared.</p>
<h3>Parameters</h3>
<p>${parameters(report)}</p>`;
}

/** How long an experiment took, for its section. */
export function tookText(report: Report, name: ExperimentName): string {
  const seconds = report.seconds[name];
  return seconds === undefined ? '' : `It took ${duration(seconds)}.`;
}

function parameters({ findings }: Report): string {
  const { maxIterations, tolerance = 0 } = optionsOf('qpm', 'natural');
  const stop = `10${superscript(Math.round(Math.log10(tolerance)))}`;
  const reference = findings.rho ? ` (see “${title('rho')}”)` : '';
  return (
    `ρ = ${PAPER_RHO} as in the paper, for GHT-QPM everywhere and for GHT-ADMM on synthetic signals. On natural patches ` +
    `GHT-ADMM with that value is still far from its best after ${maxIterations} iterations${reference}, so there it has ` +
    `the best constant value, ρ = ${NATURAL_RHO} ‖D‖₂². Z and Λ start at zero. ${titleOf('qpm')} and ${titleOf('admm')} stop when the ` +
    `RMSE changes by less than ${stop}, for signals whose full scale is 1, or after ${maxIterations} iterations; only the ` +
    'sections on convergence and on ρ run all of them. Joint OMP is not in the paper: it is OMP under the global budget.'
  );
}

/** What is smaller in a quick run, from its findings. */
function quickHtml({ findings }: Report): Markup {
  const { synthetic, megapixel, million, convergence, denoising, rho, learning, inpainting } = findings;
  const middles = 'the middle of each image, a quarter of its width and height';
  const smaller = [
    synthetic &&
      `${synthetic.dictionaries} dictionary for 5, s = ${synthetic.budgets.join(', ')} only (${title('synthetic')})`,
    megapixel && `${middles}, s = ${megapixel.budgets.join(', ')} only (${title('megapixel')})`,
    million && `P up to 2${superscript(Math.log2(Math.max(...million.sizes)))} for 2²⁰ (${title('million')})`,
    convergence && `${count(convergence.P)} patches for a million (${title('convergence')})`,
    denoising && `${middles}, σ = ${denoising.sigmas.join(', ')} only (${title('denoising')})`,
    rho && `${middles}, ${new Set(rho.runs.map(({ absolute }) => absolute)).size} values of ρ (${title('rho')})`,
    learning &&
      `${count(learning.training)} patches, ${learning.iterations} iterations, one budget (${title('learning')})`,
    inpainting &&
      `${inpainting.images.length} images of ${inpainting.images[0].width}×${inpainting.images[0].height} pixels (${title('inpainting')})`,
  ].filter((line) => line !== undefined);
  if (smaller.length === 0)
    return html`<p class="note"><b>This was a quick run</b>, but everything it ran has full size.</p>`;
  return html`<div class="note"><p><b>This was a quick run.</b> It runs everything at smaller sizes than the paper’s, so its numbers are rough, its times in particular. Smaller are:</p>
<ul>${smaller.map((line) => html`<li>${line}</li>`)}</ul></div>`;
}

function title(name: ExperimentName): string {
  return experiments[name].title;
}

function dateOf(date: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*Z$/.test(date) ? `${date.slice(0, 10)}, ${date.slice(11, 16)} UTC` : date;
}
