// The gallery as a grid: every section of docs/gallery.md becomes a card with its picture before and after, its numbers, its command, and
// a way to try it.
import { wordsOf } from './html.js';
import { slider } from './slider.js';

/** Pixels between the panels of a picture, as `scripts/gallery.js` draws them. */
const GAP = 6;

/** Of each picture: the panels before and after, of three, and what opens in the studio. */
const cards = {
  'atoms.jpg': { panels: [0, 2], open: { image: 'nagasaki-boats', overlay: 'heatmap' } },
  'budget.jpg': { panels: [1, 2], open: { tab: 'compare', image: 'nagasaki-boats', s: 3, left: 'omp' } },
  'white.jpg': { panels: [0, 1], open: { tab: 'denoise', image: 'nagasaki-boats', noise: 25 } },
  'grain.jpg': { panels: [0, 1], open: { tab: 'denoise', image: 'black-canyon-camera' } },
  'scratches.jpg': { panels: [0, 1], open: { tab: 'restore', image: 'dust-bowl-home' } },
  'focus.jpg': { panels: [0, 1], open: { tab: 'restore', image: 'nagasaki-boats', restore: 'deblur' } },
  'larger.jpg': { panels: [0, 1], open: { tab: 'restore', image: 'dust-bowl-home', restore: 'upscale' } },
};

/** The address of the studio with these settings. */
export function addressOfStudio(settings) {
  return `studio/index.html#${new URLSearchParams(settings)}`;
}

/** One panel of a picture of three, as a style. */
function panel(k, { width }) {
  const one = (width - 2 * GAP) / 3;
  return `width: ${((100 * width) / one).toFixed(3)}%; left: ${((-100 * k * (one + GAP)) / one).toFixed(3)}%`;
}

/** A picture that opens large. */
const enlarged = (src, alt) => `<a class="enlarge" href="${src}" aria-label="Enlarge: ${alt}">Enlarge</a>`;

/** The page of the gallery; `sizeOf(name)` is the size of a picture in pixels. */
export async function gridOf(html, sizeOf) {
  const [intro, ...sections] = html.split(/(?=<h2 )/);
  const items = sections.map(async (section) => {
    const [, heading, picture, rest] = /^(<h2 .*?<\/h2>)\s*<p>(<img.*?>)<\/p>(.*)$/s.exec(section) ?? [];
    if (heading === undefined) throw new Error(`a section of the gallery has no picture: ${section.slice(0, 80)}`);
    const src = /src="([^"]+)"/.exec(picture)[1];
    const alt = /alt="([^"]+)"/.exec(picture)[1];
    const name = src.split('/').pop();
    const [caption, ...programs] = rest.split(/(?=<div class="code">)/);
    const card = cards[name];
    const code = `<details><summary>Command and program</summary>${programs.join('')}</details>`;
    if (!card) return `<article class="wide-card">${heading}${picture}${caption}${enlarged(src, alt)}${code}</article>`;
    const size = await sizeOf(name);
    const [before, after] = card.panels.map((k) => ({ src, alt: '', style: panel(k, size) }));
    const ratio = `${(size.width - 2 * GAP) / 3} / ${size.height}`;
    return `<article>${heading}
${slider(before, after, `${wordsOf(heading)}: where the picture changes from before to after`, ratio)}
${caption}<p class="ways">${enlarged(src, alt)} <a href="${addressOfStudio(card.open)}">Open in the studio</a></p>
${code}</article>`;
  });
  return `${intro}<div class="grid">${(await Promise.all(items)).join('\n')}</div>
<dialog class="large" aria-label="Picture"><form method="dialog"><button>Close</button></form><img alt=""></dialog>`;
}
