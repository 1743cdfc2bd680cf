/** What is in the packed packages, and what they say about themselves. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { run } from './project.js';
import { installed } from './tools.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lines = (text: string) => text.trim().split('\n');
const packed = readdirSync(inject('tarballs')).map((name) => {
  const file = join(inject('tarballs'), name);
  const files = lines(execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }));
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
  return { name: manifest.name as string, manifest, files: files.map((path) => path.replace(/^package\//, '')) };
});
const versions = new Map(packed.map(({ name, manifest }) => [name, manifest.version as string]));

describe.each(packed)('the package $name', ({ name, manifest, files }) => {
  it('holds its build, a licence and a readme, and nothing else', () => {
    const build =
      name === 'ght-studio' ? /^dist\// : /^(dist\/.+\.(js|d\.ts)|bin\/ght\.js|weights\/grey\.npz|colour\.npz)$/;
    expect(files.filter((path) => !build.test(path)).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    if (name === 'ght-colour') expect(files).toContain('colour.npz');
    else expect(files.filter((path) => path.startsWith('dist/')).length).toBeGreaterThan(5);
  });

  it('has every file that its manifest names', () => {
    const named = JSON.stringify([manifest.bin ?? {}, manifest.exports ?? {}, manifest.imports ?? {}]);
    const paths = [...named.matchAll(/"(?:\.\/)?((?:dist|bin)\/[^"]+)"/g)].map(([, path]) => path);
    expect(paths.filter((path) => !files.includes(path))).toEqual([]);
  });

  it('asks for the other packages in the version that they have', () => {
    const asked = Object.entries(manifest.dependencies ?? {}).filter(([dependency]) => versions.has(dependency));
    expect(asked).toEqual(asked.map(([dependency]) => [dependency, versions.get(dependency)]));
  });
});

it('all packages have the version of the newest release in CHANGELOG.md', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const released = /^## (\d+\.\d+\.\d+)\b/m.exec(changelog)?.[1];
  expect(new Set(versions.values())).toEqual(new Set([released]));
});

it('the library has the files for pages without a bundler, and they import nothing by a bare name', () => {
  const browser = join(root, 'packages/ght/dist/browser');
  expect(readdirSync(browser).sort()).toEqual(['ght.js', 'worker.js']);
  for (const name of ['ght.js', 'worker.js']) {
    const text = readFileSync(join(browser, name), 'utf8');
    const imported = [...text.matchAll(/^\s*(?:import|export)\b[^;"']*["']([^"']+)["']/gm)];
    expect(imported.map(([, target]) => target).filter((target) => !target.startsWith('./'))).toEqual([]);
    // The weights of the learned denoiser would nearly double it.
    expect(text.length, name).toBeLessThan(600_000);
  }
});

it('the library is below 1.2 MB as it is downloaded, with the weights in it once', () => {
  const ght = packed.find(({ name }) => name === 'ght');
  expect(ght?.files.filter((path) => path.endsWith('.npz'))).toEqual(['weights/grey.npz']);
  expect(statSync(join(inject('tarballs'), `ght-${versions.get('ght')}.tgz`)).size).toBeLessThan(1_200_000);
});

const tools = installed('publint@0.3.25', '@arethetypeswrong/cli@0.18.5');

describe.skipIf(!tools).each(packed)('the package $name, to tools that examine packages', ({ name, manifest }) => {
  const file = join(inject('tarballs'), `${name}-${versions.get(name)}.tgz`);
  const tool = (path: string, ...args: string[]) =>
    run(tools ?? '', process.execPath, join(tools ?? '', path), ...args);

  it('has no fault that publint knows', () => {
    const { status, stdout, stderr } = tool('publint/src/cli.js', 'run', '--strict', file);
    expect([status, /All good!/.test(stdout)], stdout + stderr).toEqual([0, true]);
  });

  it.skipIf(!manifest.exports)('has types that every resolution of modules finds, that of node10 included', () => {
    // Packages are ES modules alone, which Node 20.19 and later can also require. A worker, weights and a manifest have no types.
    const rules = ['--ignore-rules', 'cjs-resolves-to-esm'];
    const untyped = name === 'ght' ? ['--exclude-entrypoints', 'worker', 'weights/grey.npz', 'package.json'] : [];
    const { status, stdout } = tool(
      '@arethetypeswrong/cli/dist/index.js',
      file,
      '--format',
      'ascii',
      ...rules,
      ...untyped,
    );
    expect(status, stdout).toBe(0);
  });
});
