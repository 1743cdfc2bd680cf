/** The library as npm would bring it: packed, put into a fresh project, and used there in three ways. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'ght-package-'));
const run = (file: string, ...args: string[]) =>
  execFileSync(process.execPath, [file, ...args], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
let files: string[] = [];

beforeAll(() => {
  const pack = ['pack', '--workspace', 'ght', '--pack-destination', project, '--json', '--ignore-scripts'];
  const [{ filename, files: packed }] = JSON.parse(
    execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  files = packed.map(({ path }: { path: string }) => path);
  mkdirSync(join(project, 'node_modules/ght'), { recursive: true });
  execFileSync('tar', [
    '-xzf',
    join(project, filename),
    '-C',
    join(project, 'node_modules/ght'),
    '--strip-components=1',
  ]);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  writeFileSync(
    join(project, 'use.ts'),
    `import { represent, type Image, type Representation } from 'ght';
     const plane = Float32Array.from({ length: 64 * 64 }, (_, i) => 128 + 90 * Math.sin(i / 7));
     const image: Image = { width: 64, height: 64, planes: [plane], peak: 255 };
     const result: Representation = await represent(image, { solver: 'admm', budget: { perPatch: 4 }, threads: 2 });
     const text: string = JSON.stringify({ nonzeros: result.nonzeros, engine: result.engine.name });
     console.log(text);`,
  );
});

afterAll(() => rmSync(project, { recursive: true }));

describe('the packed library', () => {
  it('holds the build, the types, the licence and the readme, and nothing else', () => {
    const others = files.filter((file) => !/^dist\/.+\.(js|d\.ts)$/.test(file));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(files).toContain('dist/engines/wasm/run/worker.js');
  });

  it('runs in Node as an ES module, threads included', () => {
    const plain = readFileSync(join(project, 'use.ts'), 'utf8').replace(
      /import .* from 'ght';/,
      "import { represent } from 'ght';",
    );
    writeFileSync(join(project, 'use.js'), plain.replace(/: (Image|Representation|string)(?= =)/g, ''));
    expect(JSON.parse(run('use.js'))).toEqual({ nonzeros: 256, engine: 'wasm' });
  });

  it.each(['nodenext', 'bundler'])('passes the strictest TypeScript with the resolution of %s', (resolution) => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ target: 'es2022', lib: ['es2023', 'dom'], types: [], moduleResolution: resolution },
      module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    expect(run(realpathSync(join(root, 'node_modules/.bin/tsc')), '-p', '.')).toBe('');
  });

  it('goes through a bundler for browsers, its worker as a file of its own, and nothing of Node in it', async () => {
    writeFileSync(join(project, 'index.html'), '<script type="module" src="./use.ts"></script>');
    const { build } = await import('vite');
    await build({ root: project, logLevel: 'error', build: { target: 'es2022' }, worker: { format: 'es' } });
    const assets = readdirSync(join(project, 'dist/assets'));
    expect(assets.some((name) => /^worker-.*\.js$/.test(name))).toBe(true);
    for (const name of assets)
      expect(readFileSync(join(project, 'dist/assets', name), 'utf8')).not.toMatch(/["']node:/);
  });
});

describe('what the packages depend on', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  interface Entry {
    readonly license?: string;
    readonly dev?: boolean;
    readonly link?: boolean;
    readonly hasInstallScript?: boolean;
    readonly integrity?: string;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }
  const entries = Object.entries(lock.packages as Record<string, Entry>).filter(([path]) =>
    path.startsWith('node_modules/'),
  );

  it('is locked with its checksum, for every platform: npm ci refuses a lock with gaps', () => {
    const outside = entries.filter(([, { link }]) => !link);
    expect(outside.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    const paths = new Set(entries.map(([path]) => path));
    const gaps = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
      ),
    );
    expect(gaps).toEqual([]);
  });

  it('runs no script when it is installed', () => {
    expect(entries.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  it('has licences that ask for no more than their names; LGPL only for the shared library of sharp', () => {
    const free =
      /^\(?((MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|CC0-1\.0|Unlicense|Zlib|BlueOak-1\.0\.0)( (OR|AND) )?)+\)?$/;
    const others = entries.filter(([, { dev, link, license = '' }]) => !dev && !link && !free.test(license));
    expect(others.filter(([path]) => !path.startsWith('node_modules/@img/sharp-')).map(([path]) => path)).toEqual([]);
  });

  it('is listed with its licences in docs/licences.md', () => {
    const listed = execFileSync(process.execPath, [join(root, 'scripts/licences.js')], { encoding: 'utf8' });
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(listed);
  });
});
