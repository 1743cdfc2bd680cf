/** The links between the pages of the documentation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const { dirname, join } = posix;
const root = fileURLToPath(new URL('..', import.meta.url));
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)];
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** The targets of links and pictures within the project. */
const targetsIn = (page: string) =>
  [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter((target) => !/^\w+:/.test(target));

/** The anchors that a page has, as GitHub names them. */
const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(pages)('%s links only to files and headings that exist', (page) => {
  for (const target of targetsIn(page)) {
    const [file, anchor] = target.split('#');
    const path = file === '' ? page : join(dirname(page), file);
    expect(existsSync(join(root, path)), target).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(path), target).toContain(anchor);
  }
});

it('README.md is short, with the two commands of a checkout', () => {
  const readme = textOf('README.md');
  expect(readme.split('\n').length).toBeLessThanOrEqual(72);
  expect(readme).toMatch(/^ {4}npm install && npm start\b/m);
  expect(readme).toMatch(/^ {4}npm install-test\b/m);
});

it('CONTRIBUTING.md fits on two screens', () => {
  expect(textOf('CONTRIBUTING.md').split('\n').length).toBeLessThanOrEqual(120);
});

it('README.md leads to every page of docs/, itself or by a page that it links to', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const target of page.endsWith('.md') ? targetsIn(page) : []) {
      const path = join(dirname(page), target.split('#')[0]);
      if (existsSync(join(root, path))) reached.add(path);
    }
  }
  expect(docs.filter((name) => !reached.has(`docs/${name}`))).toEqual([]);
});
