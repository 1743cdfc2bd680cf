/** The library as npm brings it, used in an empty folder by Node, by TypeScript, through a bundler, and by a page without one. */
import { copyFileSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../packages/studio/test/browser.js';
import { isolated, startHost, titleOf } from './page.js';
import { emptyFolder, output } from './project.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('library/', import.meta.url));
const project = emptyFolder('project');
const compiler = realpathSync(join(root, 'node_modules/.bin/tsc'));

beforeAll(() => {
  output(project, 'npm', 'install', 'ght', '@types/node');
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, private: true, type: 'module' }));
  copyFileSync(join(here, 'use.ts'), join(project, 'use.ts'));
});

/** Compiles `use.ts` as strictly as TypeScript can, the types of the library included. */
function compile(resolution: string, options: object, others: readonly string[] = []): string {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ target: 'es2022', module: resolution === 'nodenext' ? 'nodenext' : 'esnext', moduleResolution: resolution },
    ...options,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts', ...others] }));
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

  it('compiles with the older resolution of modules, its other entries included', () => {
    writeFileSync(join(project, 'entries.ts'), readFileSync(join(here, 'entries.ts')));
    const options = { lib: ['es2023', 'dom'], types: [], noEmit: true, ignoreDeprecations: '6.0' };
    expect(compile('node10', options, ['entries.ts'])).toBe('');
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

/** What the page with a module script reports; `from` is where its script is from, `policy` its security policy. */
async function report(headers: Readonly<Record<string, string>>, { from = './', policy = '' } = {}) {
  const text = readFileSync(join(here, 'page.html'), 'utf8').replace('./node_modules', `${from}node_modules`);
  const meta = policy && `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  writeFileSync(join(project, 'page.html'), text.replace('<link', `${meta}<link`));
  const { server, url } = await startHost(project, headers);
  try {
    return await titleOf(`${url}page.html`);
  } finally {
    server.close();
  }
}

describe.skipIf(!hasBrowser)('a page with a module script and no bundler', () => {
  const whole = { nonzeros: 256, engine: 'wasm', threads: 2, quality: 'learned' };

  it('computes, with threads if it has the headers that these need', async () => {
    expect(await report(isolated)).toEqual(whole);
    const { threads, ...rest } = await report({});
    expect(rest).toEqual({ ...whole, threads: undefined, reason: expect.stringMatching(/not cross-origin isolated/) });
    expect(threads).toBe(1);
  });

  it('computes with the script, its threads and the weights from another origin, as from a CDN', async () => {
    const { server, url } = await startHost(project, { 'Access-Control-Allow-Origin': '*' });
    try {
      expect(await report(isolated, { from: url })).toEqual(whole);
      expect(await report({}, { from: url })).toMatchObject({ threads: 1, quality: 'learned' });
    } finally {
      server.close();
    }
  });

  it('computes where its policy forbids WebAssembly, and says that it takes the portable engine', async () => {
    const policy = "script-src 'self' 'unsafe-inline'";
    const reported = await report(isolated, { policy });
    expect(reported).toMatchObject({ engine: 'portable', threads: 1, quality: 'learned' });
    expect(reported.fallback).toMatch(/^this host does not compile WebAssembly at run time \(.*wasm-unsafe-eval/);
  });
});
