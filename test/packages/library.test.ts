/** The library as npm brings it, used in an empty folder by Node, by TypeScript, through a bundler, and by a page without one. */
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, startBrowser } from '../../packages/studio/test/browser.js';
import { emptyFolder, output } from './project.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('library/', import.meta.url));
const project = emptyFolder('project');
const compiler = realpathSync(join(root, 'node_modules/.bin/tsc'));

beforeAll(() => {
  output(project, 'npm', 'install', 'ght', '@types/node');
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, private: true, type: 'module' }));
  for (const name of ['use.ts', 'page.html']) copyFileSync(join(here, name), join(project, name));
});

/** Compiles `use.ts` as strictly as TypeScript can, the types of the library included. */
function compile(resolution: string, options: object): string {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ target: 'es2022', module: resolution === 'nodenext' ? 'nodenext' : 'esnext', moduleResolution: resolution },
    ...options,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  return output(project, process.execPath, compiler, '-p', '.');
}

describe('the library in an empty folder', () => {
  it('compiles for Node without the types of the DOM and runs there as an ES module, threads included', () => {
    expect(compile('nodenext', { lib: ['es2023'], types: ['node'] })).toBe('');
    const result = JSON.parse(output(project, process.execPath, 'use.js'));
    expect(result).toEqual({ nonzeros: 256, engine: 'wasm', threads: 2, quality: 'learned' });
  });

  it('compiles for bundlers without the types of Node', () => {
    expect(compile('bundler', { lib: ['es2023', 'dom'], types: [], noEmit: true })).toBe('');
  });

  it('goes through a bundler for browsers, its worker and its weights as files of their own, and nothing of Node in it', async () => {
    writeFileSync(join(project, 'index.html'), '<script type="module" src="./use.ts"></script>');
    const { build } = await import('vite');
    await build({ root: project, logLevel: 'error', build: { target: 'es2022' }, worker: { format: 'es' } });
    const assets = readdirSync(join(project, 'dist/assets'));
    expect(assets.some((name) => /^worker-.*\.js$/.test(name))).toBe(true);
    expect(assets.some((name) => /^grey-.*\.npz$/.test(name))).toBe(true);
    for (const name of assets.filter((asset) => asset.endsWith('.js'))) {
      const text = readFileSync(join(project, 'dist/assets', name), 'utf8');
      expect(text).not.toMatch(/["']node:/);
      expect(text.length, name).toBeLessThan(500_000);
    }
  });
});

/** A host for the files of the project, with the headers that threads need or without. */
async function startHost(headers: Readonly<Record<string, string>>) {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer(({ url = '/' }, response) => {
    const file = join(project, url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? '', ...headers }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page.html` };
}

describe.skipIf(!hasBrowser)('a page with a module script and no bundler', () => {
  const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  it.each([
    { name: 'with the headers that threads need', headers: isolated, threads: 2 },
    { name: 'without these headers', headers: {}, threads: 1 },
  ])('computes $name', async ({ headers, threads }) => {
    const { server, url } = await startHost(headers);
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('requestfailed', (request) => complaints.push(`${request.url()} was not loaded`));
      await page.goto(url);
      await expect.poll(async () => complaints[0] ?? (await page.title()), { timeout: 30_000 }).not.toBe('');
      expect(complaints).toEqual([]);
      expect(JSON.parse(await page.title())).toEqual({ nonzeros: 256, engine: 'wasm', threads, quality: 'learned' });
    } finally {
      await browser.close();
      server.close();
    }
  });
});
