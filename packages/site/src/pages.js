// The pages of the site: where each file of the repository is found on it, and what is on each page.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { referencePage } from './api.js';
import { wordsOf } from './html.js';

/** The folders of packages, and the address of their reference. */
const packages = {
  'packages/ght': 'ght',
  'packages/images': 'ght-images',
  'packages/tiles': 'ght-tiles',
  'packages/queue': 'ght-queue',
};

/** The address of a file or folder of the repository on the site, or undefined if it has no page. */
export function addressOf(path) {
  const plain = path.replace(/\/$/, '');
  if (plain === 'README.md') return 'index.html';
  if (plain === 'examples') return 'examples/index.html';
  if (/^(CHANGELOG|CONTRIBUTING)\.md$/.test(plain)) return plain.toLowerCase().replace('.md', '.html');
  const entry = packages[plain.replace(/\/README\.md$/, '')];
  if (entry) return `api/${entry}/index.html`;
  if (plain.startsWith('api/')) return plain.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
  if (/^docs\/.+\.md$/.test(plain)) return plain.replace(/^docs\//, '').replace(/\.md$/, '.html');
  if (/^docs\/.+\.(png|jpg|svg)$/.test(plain)) return plain.replace(/^docs\//, '');
  if (/^examples\/.+\.js$/.test(plain)) return plain.replace(/\.js$/, '.html');
  // Other files of the repository are offered as they are.
  return posix.extname(plain) === '' ? undefined : `files/${plain}`;
}

/** The address of `to` in a page at `from`. Every link is relative, so that the site works in any folder of a host. */
export function relativeTo(from, to) {
  return posix.relative(posix.dirname(from), to) || '.';
}

/** A function that turns the links of a file into addresses, and notes the files that the site must bring. */
export function linksOf(path, address, files) {
  return (target) => {
    if (/^(\w+:|#)/.test(target)) return target;
    const [file, anchor] = target.split('#');
    const full = posix.join(posix.dirname(path), decodeURI(file));
    const found = addressOf(full);
    if (found === undefined)
      throw new Error(`${path} links to ${target}, which has no page: link to a page or to a file`);
    if (!found.endsWith('.html')) files.set(found, full);
    return relativeTo(address, found) + (anchor ? `#${anchor}` : '');
  };
}

const markdownIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replaceAll('\\', '/'));

/** The pages that are written in Markdown: `path` in the repository, `address` on the site, `text`. */
export function markdownPages(root, api) {
  const page = (path, text) => ({ path, address: addressOf(path), text });
  const own = ['CHANGELOG.md', 'CONTRIBUTING.md', ...markdownIn(join(root, 'docs')).map((name) => `docs/${name}`)];
  return [
    ...own.map((path) => page(path, readFileSync(join(root, path), 'utf8'))),
    ...markdownIn(api).map((name) => page(`api/${name}`, referencePage(api, name))),
  ];
}

/** The examples: each is a page with its first comment as text and the program below. */
export function examplePages(root) {
  const folder = join(root, 'examples');
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const pages = names.map((name) => {
    const source = readFileSync(join(folder, name), 'utf8');
    const comment = /^(?:\/\/.*\n)+/.exec(source)?.[0] ?? '';
    const about = comment.replace(/^\/\/ ?/gm, '').trim();
    const text = `# ${name}\n\n${about}\n\n\`\`\`js\n${source.slice(comment.length).trim()}\n\`\`\`\n`;
    return { path: `examples/${name}`, address: addressOf(`examples/${name}`), text, about };
  });
  const list = pages.map(({ path, about }) => `- [${path.slice(9)}](${path.slice(9)}): ${about.replaceAll('\n', ' ')}`);
  const intro =
    'Short programs that run as they are: `node examples/represent.js` in a checkout. The tests run all of them.';
  return [
    {
      path: 'examples',
      address: 'examples/index.html',
      text: `# Examples\n\n${intro}\n\n${list.join('\n')}\n`,
      base: 'examples/index.md',
    },
    ...pages,
  ];
}

/**
 * The sections of a page for the search: the title of the page, the heading, its address and the words below it. A heading that only
 * has others below it is left out.
 */
export function sectionsOf({ address, title, html }) {
  const parts = html.split(/(?=<h[1-3] id=")/);
  const sections = parts.map((part) => {
    const [, anchor = '', heading = ''] = /^<h[1-3] id="([^"]*)">(.*?)(?:<a class="anchor"|<\/h)/s.exec(part) ?? [];
    const words = wordsOf(part.replace(/^<h[1-3] id=.*?<\/h[1-3]>/s, ''));
    const plain = wordsOf(heading);
    return {
      address: plain === title || anchor === '' ? address : `${address}#${anchor}`,
      title,
      heading: plain === title ? '' : plain,
      words,
    };
  });
  return sections.filter(({ heading, words }) => heading === '' || words !== '');
}
