// The frame of every page: header with search, menu, the page, its outline, footer.
import { escapeHtml } from './html.js';
import { relativeTo } from './pages.js';

const here = (address, to) => (address === to ? ' aria-current="page"' : '');

/** A list of links in the menu. */
function section(address, { title, links }) {
  const items = links.map(
    ({ name, to }) => `<li><a href="${relativeTo(address, to)}"${here(address, to)}>${escapeHtml(name)}</a></li>`,
  );
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul>`;
}

/** The outline of a page. A single one needs no outline. */
function outline(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, title, anchor }) => `<li class="level${level}"><a href="#${anchor}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('\n')}</ul></nav>`;
}

/** The links between a page and its neighbours in the menu. */
function neighbours(address, menu) {
  const all = menu.flatMap(({ links }) => links);
  const at = all.findIndex(({ to }) => to === address);
  if (at < 0) return '';
  const link = (page, label) =>
    page
      ? `<a class="${label}" href="${relativeTo(address, page.to)}"><small>${label}</small>${escapeHtml(page.name)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Previous and next page">${link(all[at - 1], 'Previous')}${link(all[at + 1], 'Next')}</nav>`;
}

/** The paper in which the method was published. */
export const PAPER = 'https://arxiv.org/abs/1705.09816';

/** Chosen before the first paint, so that a dark page does not flash. */
const theme = `const t=localStorage.getItem('theme');if(t)document.documentElement.dataset.theme=t`;

/**
 * A whole page. `page` has address, title, description, html and headings; `menu` the sections next to it, none on the front page;
 * `repository` is the address of the source, if it is known.
 */
export function layout(page, { menu, top, version, repository = '' }) {
  const { address, title, description, html, headings = [] } = page;
  const to = (target) => relativeTo(address, target);
  const front = address === 'index.html';
  const links = top.map(({ name, to: target, at }) => {
    const current = at.test(address) ? ' aria-current="true"' : '';
    return `<a href="${to(target)}"${current}>${name}</a>`;
  });
  const formulas = html.includes('class="katex')
    ? `<link rel="stylesheet" href="${to('assets/katex/katex.min.css')}">`
    : '';
  return `<!doctype html>
<html lang="en" data-root="${to('.')}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(front ? title : `${title} · GHT`)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${to('studio/favicon.svg')}">
<script>${theme}</script>
${formulas}
<link rel="stylesheet" href="${to('assets/style.css')}">
<script defer src="${to('assets/search.js')}"></script>
<script defer src="${to('assets/site.js')}"></script>
</head>
<body class="${front ? 'front' : 'inner'}">
<a class="skip" href="#page">Skip to the page</a>
<header>
<button class="menu-button" aria-expanded="false" aria-controls="menu" aria-label="Menu"><span></span></button>
<a class="brand" href="${to('index.html')}"><img src="${to('studio/favicon.svg')}" alt="" width="24" height="24">GHT</a>
<nav class="top" aria-label="Site">${links.join('\n')}</nav>
<button class="search-button" aria-haspopup="dialog"><span>Search</span><kbd>/</kbd></button>
<button class="theme-button" aria-label="Light or dark"><span></span></button>
</header>
<div class="columns">
<nav class="menu" id="menu" aria-label="Pages"><ul class="site-links">${links.map((each) => `<li>${each}</li>`).join('')}</ul>
${menu.map((each) => section(address, each)).join('\n')}</nav>
<main id="page" tabindex="-1">
${html}
${front ? '' : neighbours(address, menu)}
<footer>GHT ${version} · MIT licence · <a href="${PAPER}">the paper</a> · ${repository ? `<a href="${escapeHtml(repository)}">source</a> · ` : ''}<a href="${to('changelog.html')}">changelog</a> · <a href="${to('licences.html')}">licences of others</a></footer>
</main>
${front ? '' : outline(headings)}
</div>
<dialog class="search" aria-label="Search"><form method="dialog"><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false"><button aria-label="Close">Esc</button></form><p class="status" role="status"></p><ol></ol></dialog>
</body>
</html>
`;
}
