// Builds the site into dist/: `npm run docs`. It needs the builds of the library and of the studio (`npm run build`).
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { apiMenu, writeApi } from './src/api.js';
import { fillTables, readResults } from './src/bench-tables.js';
import { cleanFor, front, sampleFor } from './src/front.js';
import { gridOf } from './src/gallery.js';
import { createHighlighter } from './src/highlight.js';
import { wordsOf } from './src/html.js';
import { layout } from './src/layout.js';
import { createRenderer } from './src/markdown.js';
import { menuOf } from './src/menu.js';
import { examplePages, linksOf, markdownPages, sectionsOf } from './src/pages.js';
import { listForPrograms, notFound } from './src/plain-pages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = fileURLToPath(new URL('.', import.meta.url));
const dist = join(own, 'dist');
const version = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')).version;

/** Where the source is, known to the workflow that publishes the site. */
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const repository = GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

/** The links at the top of every page; `at` tells on which pages a link is the present one. */
const top = [
  { name: 'Guide', to: 'quick-start.html', at: /^(?!index|gallery|changelog|contributing|licences)[\w-]+\.html$/ },
  { name: 'API', to: 'api/index.html', at: /^api\// },
  { name: 'Examples', to: 'examples/index.html', at: /^examples\// },
  { name: 'Gallery', to: 'gallery.html', at: /^gallery/ },
  { name: 'Studio', to: 'studio/index.html', at: /^studio\// },
];

function write(address, content) {
  const file = join(dist, address);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The style sheets, in the order in which later rules refine earlier ones. */
const styles = ['text', 'frame', 'front', 'pictures', 'narrow'];

/** Copies the builds and the files that pages need. */
function copyAssets() {
  cpSync(join(own, 'assets'), join(dist, 'assets'), { recursive: true });
  for (const [from, to] of [
    ['packages/studio/dist', 'studio'],
    ['packages/ght/dist/browser', 'assets/ght'],
  ]) {
    if (!existsSync(join(root, from))) throw new Error(`${from} is missing: run "npm run build" first`);
    cpSync(join(root, from), join(dist, to), { recursive: true });
  }
  const katex = dirname(createRequire(import.meta.url).resolve('katex/dist/katex.min.css'));
  cpSync(join(katex, 'katex.min.css'), join(dist, 'assets/katex/katex.min.css'));
  cpSync(join(katex, '../LICENSE'), join(dist, 'assets/katex/LICENSE'));
  const fonts = readdirSync(join(katex, 'fonts')).filter((name) => name.endsWith('.woff2'));
  for (const name of fonts) cpSync(join(katex, 'fonts', name), join(dist, 'assets/katex/fonts', name));
}

async function build() {
  rmSync(dist, { recursive: true, force: true });
  copyAssets();
  const temporary = mkdtempSync(join(tmpdir(), 'ght-site-'));
  try {
    const api = join(temporary, 'api');
    const [highlighter, found] = await Promise.all([
      createHighlighter(),
      cleanFor(join(dist, 'studio/samples'), join(dist, 'assets')),
      writeApi(root, api),
      sampleFor(join(dist, 'assets')),
    ]);
    const render = createRenderer(highlighter);
    const results = readResults(join(root, 'bench/results'));
    const files = new Map();
    const pages = [...markdownPages(root, api), ...examplePages(root)].map((page) => {
      const { path, address, base = path } = page;
      const { html, headings } = render(fillTables(page.text, results), linksOf(base, address, files));
      const title = headings[0]?.title ?? path;
      const description = wordsOf(/<p>(?!<img)(.+?)<\/p>/s.exec(html)?.[1] ?? title).slice(0, 200);
      return { address, title, html, headings, description };
    });
    const titles = new Map(pages.map(({ address, title }) => [address, title]));
    const link = (to) => ({ to, name: titles.get(to) });
    const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const guide = menuOf(docs.map((name) => name.replace('.md', ''))).map((section) => ({
      title: section.title,
      links: section.pages.map((name) => link(`${name}.html`)),
    }));
    guide.at(-1).links.push(link('changelog.html'), link('contributing.html'));
    const examples = [
      { title: 'Examples', links: [...titles.keys()].filter((to) => to.startsWith('examples/')).map(link) },
    ];
    const reference = apiMenu(titles);
    const menuFor = (address) => {
      if (address.startsWith('api/')) return reference(address);
      return address.startsWith('examples/') ? examples : guide;
    };
    const gallery = pages.find(({ address }) => address === 'gallery.html');
    gallery.html = await gridOf(gallery.html, (name) => sharp(join(root, 'docs/gallery', name)).metadata());
    write('404.html', notFound());
    write('llms.txt', listForPrograms(guide, pages));
    for (const page of pages)
      write(page.address, layout(page, { menu: menuFor(page.address), top, version, repository }));
    write('index.html', layout(front(highlighter, { found, results }), { menu: [], top, version, repository }));
    for (const [to, from] of files) {
      mkdirSync(dirname(join(dist, to)), { recursive: true });
      cpSync(join(root, from), join(dist, to));
    }
    const sheets = styles.map((name) => readFileSync(join(own, `styles/${name}.css`), 'utf8'));
    write('assets/style.css', [...sheets, highlighter.css()].join('\n'));
    // In the order of the menu, so that of sections that fit equally well the first to read comes first.
    const order = guide.flatMap(({ links }) => links.map(({ to }) => to));
    const place = ({ address }) => (order.includes(address) ? order.indexOf(address) : order.length);
    const sections = pages.toSorted((a, b) => place(a) - place(b)).flatMap(sectionsOf);
    write('assets/search-index.js', `window.searchIndex = ${JSON.stringify(sections)};`);
    return pages.length + 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const started = performance.now();
const count = await build();
console.log(`${count} pages in packages/site/dist, ${((performance.now() - started) / 1000).toFixed(1)} s`);
