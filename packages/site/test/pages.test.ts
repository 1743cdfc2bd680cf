/** The built pages, without a browser: links, the reference, the search index, the tables. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as ght from 'ght';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillTables, readResults } from '../src/bench-tables.js';
import { layout, PAPER } from '../src/layout.js';
import { dist, pages, textOf } from './built.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const links = (page: string) =>
  [...textOf(page).matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target]) => target.replaceAll('&amp;', '&'));

describe('the pages', () => {
  it('are those of docs/, the changelog, the examples and the reference', () => {
    for (const name of docs) expect(pages).toContain(name.replace('.md', '.html'));
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'changelog.html', 'contributing.html']));
    for (const name of readdirSync(join(root, 'examples'))) {
      expect(pages).toContain(`examples/${name.replace('.js', '.html')}`);
    }
    expect(existsSync(join(dist, 'studio/index.html'))).toBe(true);
  });

  it('link only to files and headings of the site, and by relative addresses', () => {
    const anchors = new Map<string, Set<string>>();
    const anchorsOf = (page: string) => {
      const known = anchors.get(page) ?? new Set([...textOf(page).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
      anchors.set(page, known);
      return known;
    };
    const broken: string[] = [];
    for (const page of pages) {
      for (const target of links(page).filter((each) => !/^https?:/.test(each))) {
        const [file, anchor] = target.split('#');
        const path = file === '' ? page : posix.join(posix.dirname(page), file);
        const found = !target.startsWith('/') && existsSync(join(dist, path));
        // What follows the # in a link to the studio are settings.
        const isHeading = anchor && !path.startsWith('studio/');
        if (!found || (isHeading && !anchorsOf(path).has(decodeURI(anchor)))) broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('link to the paper, and to the source where its address is known', () => {
    const page = { address: 'index.html', title: 'Home', description: '', html: '' };
    const frame = { menu: [], top: [], version: '1.0.0' };
    const from = (html: string) => [...html.matchAll(/<a href="(https:[^"]+)"/g)].map(([, address]) => address);
    expect(from(layout(page, frame))).toEqual([PAPER]);
    const repository = 'https://example.org/somebody/ght';
    expect(from(layout(page, { ...frame, repository }))).toEqual([PAPER, repository]);
  });

  it('load nothing from other hosts', () => {
    for (const page of pages) {
      const loaded = [...textOf(page).matchAll(/<(?:script|link|img)\b[^>]*(?:src|href)="(https?:[^"]+)"/g)];
      expect(loaded.map(([, address]) => address)).toEqual([]);
    }
  });

  it('have formulas that were typeset, and none that stayed text', () => {
    const text = textOf('mathematics.html');
    expect(text.match(/class="katex-display"/g)?.length).toBeGreaterThan(10);
    expect(text.replace(/<annotation[\s\S]*?<\/annotation>/g, '')).not.toMatch(/\$|\\lVert|\\rho/);
  });
});

describe('the front page', () => {
  const front = textOf('index.html');
  it('says what one gets, how to install it and one call, before it says how it works', () => {
    const order = ['Remove noise from images', 'before-after', 'npm install ght', 'readImage', 'one budget'];
    const places = order.map((words) => front.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('compares with numbers of the kept results', () => {
    const { tables } = readResults(join(root, 'bench/results')).real;
    const { psnr } = tables[0].rows.find(({ what }: { what: string }) => what === 'balanced, tables read');
    const mean = psnr.reduce((sum: number, value: number) => sum + value, 0) / psnr.length;
    expect(front).toContain(`${mean.toFixed(2)} dB`);
  });
});

describe('the search', () => {
  type Section = { title: string; address: string };
  let find: (query: string) => string[];
  beforeAll(async () => {
    await import('../assets/search.js');
    const { searchSections } = globalThis as unknown as { searchSections: (i: Section[], q: string) => Section[] };
    const text = readFileSync(join(dist, 'assets/search-index.js'), 'utf8');
    const index = JSON.parse(text.replace(/^window\.searchIndex = |;$/g, ''));
    find = (query) => searchSections(index, query).map(({ address }) => address);
  });

  it.each([
    ['denoise', 'denoising.html'],
    ['install', 'quick-start.html#install-and-denoise'],
    ['upscale x3', 'upscaling.html'],
    ['inpaint', 'inpainting.html'],
    ['noisy photo', 'photographs.html'],
    ['GPU', 'gpu.html'],
    ['z-stack', 'files.html#stacks'],
    ['ght/npy', 'api/ght/npy/index.html'],
    ['estimateMemory', 'api/ght/functions/estimateMemory.html'],
  ])('finds for "%s" %s first', (query, address) => expect(find(query)[0]).toBe(address));

  it.each(['denoize', 'denosing', 'dnoise'])('forgives one wrong letter: "%s"', (query) => {
    expect(find(query)[0]).toBe('denoising.html');
  });

  it('has nothing for words that are nowhere', () => expect(find('no such word anywhere')).toEqual([]));
});

it('the list of pages for programs names every guide once, with what it is about', () => {
  const list = textOf('llms.txt');
  for (const name of docs) expect(list.split(`](${name.replace('.md', '.html')}): `).length, name).toBe(2);
  expect(list).not.toMatch(/undefined|: *$/m);
});

describe('the reference', () => {
  it('begins with the functions that most programs need', () => {
    const names = [...textOf('api/index.html').matchAll(/<td><a href="ght\/functions\/(\w+)\.html"/g)].map(
      ([, name]) => name,
    );
    expect(names.slice(0, 3)).toEqual(['denoise', 'diagnose', 'inpaint']);
    expect(names).toHaveLength(10);
    const page = textOf('api/ght/index.html');
    expect(page.indexOf('Start here')).toBeLessThan(page.indexOf('Building blocks'));
    expect(page.indexOf('functions/denoise.html"')).toBeLessThan(page.indexOf('Building blocks'));
    expect(page).toContain('class="katex-display"');
  });

  it('describes the parameters of these functions', () => {
    for (const name of ['denoise', 'inpaint', 'deblur', 'upscale', 'represent', 'learn', 'solve']) {
      const rows = [
        ...textOf(`api/ght/functions/${name}.html`).matchAll(/<tr>\s*<td><code>\w+\??<\/code>[\s\S]*?<\/tr>/g),
      ];
      expect(rows.length, name).toBeGreaterThan(0);
      for (const [row] of rows) expect(row, name).toMatch(/<td>[A-Z][^<]*(<code>[\s\S]*?)?<\/td>\s*<\/tr>/);
    }
  });

  it('has a page for every name that the library exports', () => {
    const kinds = ['functions', 'classes', 'variables'];
    const missing = Object.keys(ght).filter(
      (name) => !kinds.some((kind) => pages.includes(`api/ght/${kind}/${name}.html`)),
    );
    expect(missing).toEqual([]);
    for (const name of ['ght-images', 'ght-images/node', 'ght-tiles', 'ght-queue']) {
      expect(pages.filter((page) => page.startsWith(`api/${name}/`)).length).toBeGreaterThan(10);
    }
  });

  it('shows defaults and examples', () => {
    const options = textOf('api/ght/interfaces/DenoiseOptions.html');
    expect(options).toMatch(/Default[\s\S]{0,200}balanced/);
    for (const name of [
      'represent',
      'denoise',
      'solve',
      'learn',
      'inpaint',
      'deblur',
      'upscale',
      'restore',
      'reconstruct',
    ]) {
      expect(textOf(`api/ght/functions/${name}.html`), name).toMatch(
        /id="example"[\s\S]*<span class="c\d+">import<\/span>/,
      );
    }
  });
});

describe('tables of measured numbers', () => {
  const results = readResults(join(root, 'bench/results'));
  const textIn = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

  it.each(docs)('docs/%s has the numbers of the kept results: node scripts/bench-tables.js', (name) => {
    expect(textIn(name)).toBe(fillTables(textIn(name), results));
  });

  it('are marked on three pages', () => {
    const marked = docs.flatMap((name) => textIn(name).match(/<!-- table: [\w-]+ -->/g) ?? []);
    expect(marked.length).toBeGreaterThanOrEqual(4);
  });

  it('follow the results', () => {
    const changed = structuredClone(results);
    changed.spams.rows[0].spams.cpu = 9999;
    changed.spams.rows[0].solver.cpu = 1351;
    expect(fillTables(textIn('performance.md'), changed)).toContain('| 5 | 9,999 | 1,351 | 7.40× |');
  });

  it('of the GPU follow the results, and tell which goals are met', () => {
    const changed = structuredClone(results);
    const isLargest = ({ solver, bits }: { solver: string; bits: number }) => solver === 'qpm' && bits === 20;
    changed.gpu.iterations.find(isLargest).ms = 0.5;
    for (const row of changed.gpu.peers.filter(isLargest)) row.ms = row.form === 'compiled' ? 4 : 9;
    const drawn = fillTables(textIn('performance.md'), changed);
    expect(drawn).toContain('| QPM | 64×100 | 2^20 | 0.500 | 4.00 (8.0×) | 9.00 (18.0×) |');
    expect(drawn).toContain('| QPM, 2^20 patches, ms per iteration | at most 0.35 | 0.500 | no |');
  });
});
