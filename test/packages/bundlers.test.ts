/** Programs with the packed library through bundlers, for browsers and for Node: they build, denoise, and have threads and weights. */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../packages/studio/test/browser.js';
import { isolated, titleIn, titleOf } from './page.js';
import { emptyFolder, output } from './project.js';
import { installed } from './tools.js';

const tools = installed(
  ...['esbuild@0.28.2', 'webpack@5.112.2', '@rspack/core@2.3.2', 'rollup@4.68.3'],
  ...['@rollup/plugin-node-resolve@16', '@web/rollup-plugin-import-meta-assets@2'],
);
const here = fileURLToPath(new URL('bundlers/', import.meta.url));
const user = emptyFolder('bundlers');
output(user, 'npm', 'install', 'ght');

/** Loads a bundler. */
async function tool(name: string) {
  const path = createRequire(join(tools ?? '', 'x.js')).resolve(name);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)).default;
}

/** No options: bundlers that find the files by themselves need none. */
const NONE = 'export const options = {};';

/** A project with the program, a page for it and these options, and the folder of what is built from it. */
function project(name: string, options = NONE): { source: string; built: string } {
  const source = join(user, name);
  const built = join(source, 'built');
  mkdirSync(built, { recursive: true });
  copyFileSync(join(here, 'program.js'), join(source, 'program.js'));
  writeFileSync(join(source, 'options.js'), options);
  const page = (script: string) => `<!doctype html><link rel="icon" href="data:,"><title></title>${script}`;
  writeFileSync(join(source, 'index.html'), page('<script type="module" src="./program.js"></script>'));
  writeFileSync(join(built, 'index.html'), page('<script type="module" src="./program.js"></script>'));
  return { source, built };
}

/** What the built program prints in Node. */
const printed = (built: string, name: string) => JSON.parse(output(built, process.execPath, join(built, name)));

const whole = { threads: 2, learned: 'learned' };

interface Compiler {
  run(done: (error: Error | null, stats: { toJson(options: object): { errors: unknown } }) => void): void;
  close(done: () => void): void;
}

/** Builds with webpack or Rspack, which are configured in the same way. */
async function pack(bundler: (config: object) => Compiler, config: object) {
  const compiler = bundler({ mode: 'production', entry: './program.js', ...config });
  const errors = await new Promise((resolve, reject) =>
    compiler.run((error, stats) =>
      error ? reject(error) : resolve(stats.toJson({ all: false, errors: true }).errors),
    ),
  );
  await new Promise<void>((resolve) => compiler.close(resolve));
  expect(errors).toEqual([]);
}

afterAll(async () => {
  if (tools) (await tool('esbuild')).stop();
});

describe.skipIf(!hasBrowser)('for browsers', () => {
  it('Vite builds it, and serves it while it is developed', async () => {
    const { source, built } = project('vite');
    const { build, createServer } = await import('vite');
    await build({ root: source, logLevel: 'error', build: { outDir: built } });
    expect(await titleIn(built)).toEqual(whole);
    const server = await createServer({
      root: source,
      logLevel: 'error',
      server: { headers: isolated, host: '127.0.0.1' },
    });
    try {
      await server.listen(0);
      expect(await titleOf(server.resolvedUrls?.local[0] ?? '')).toEqual(whole);
    } finally {
      await server.close();
    }
  });

  it.skipIf(!tools).each(['webpack', '@rspack/core'])('%s builds it', async (name) => {
    const { source, built } = project(name.replaceAll(/\W/g, ''));
    const bundler = await tool(name);
    await pack(bundler, { context: source, output: { path: built, filename: 'program.js' } });
    expect(await titleIn(built)).toEqual(whole);
  });

  it.skipIf(!tools)(
    'Rollup builds it, with a plugin that copies the files that code names by their address',
    async () => {
      const { source, built } = project('rollup');
      const { rollup } = await tool('rollup');
      const { nodeResolve } = await tool('@rollup/plugin-node-resolve');
      const { importMetaAssets } = await tool('@web/rollup-plugin-import-meta-assets');
      const plugins = [nodeResolve({ browser: true }), importMetaAssets()];
      const bundle = await rollup({ input: join(source, 'program.js'), plugins });
      await bundle.write({ dir: built, format: 'es' });
      expect(await titleIn(built)).toEqual(whole);
    },
  );

  it.skipIf(!tools)('esbuild builds it, with the worker as a second program and the weights as a file', async () => {
    const { source, built } = project(
      'esbuild',
      `import weights from 'ght/weights/grey.npz';
       export const options = {
         worker: new URL('./worker.js', import.meta.url),
         weights: new URL(weights, import.meta.url),
       };`,
    );
    const { build } = await tool('esbuild');
    await build({
      ...{ absWorkingDir: source, bundle: true, minify: true, format: 'esm', outdir: built, logLevel: 'error' },
      entryPoints: { program: 'program.js', worker: 'ght/worker' },
      loader: { '.npz': 'file' },
    });
    expect(readdirSync(built).some((name) => /^grey-.*\.npz$/.test(name))).toBe(true);
    expect(await titleIn(built)).toEqual(whole);
  });

  it.skipIf(!tools)('a program whose files were left out says which option gives each', async () => {
    const { source, built } = project('lost');
    const { build } = await tool('esbuild');
    await build({
      absWorkingDir: source,
      bundle: true,
      format: 'esm',
      outdir: built,
      logLevel: 'error',
      entryPoints: ['program.js'],
    });
    expect(await titleIn(built)).toEqual({
      threads: 1,
      reason: expect.stringContaining('give the address of ght/worker as the option worker'),
      learned: expect.stringContaining('give its address or its bytes as the option weights'),
    });
  });
});

describe.skipIf(!tools)('for Node', () => {
  /** The weights as bytes in the program, and the worker as a file next to it. */
  const together = (worker: string) => `import weights from 'ght/weights/grey.npz';
    export const options = { weights, worker: ${worker} };`;

  it.each([
    { format: 'esm', extension: '.mjs', worker: "new URL('./worker.mjs', import.meta.url)" },
    { format: 'cjs', extension: '.cjs', worker: "__dirname + '/worker.cjs'" },
  ])('esbuild builds it as $format', async ({ format, extension, worker }) => {
    const { source, built } = project(`esbuild-${format}`, together(worker));
    const { build } = await tool('esbuild');
    await build({
      ...{ absWorkingDir: source, bundle: true, platform: 'node', target: 'node20', format, outdir: built },
      entryPoints: { program: 'program.js', worker: 'ght/worker' },
      loader: { '.npz': 'binary' },
      external: ['webgpu'],
      outExtension: { '.js': extension },
      // It warns that a bundle in CommonJS has no address; the library needs none if both options are given.
      logLevel: 'error',
    });
    expect(printed(built, `program${extension}`)).toEqual(whole);
  });

  it('as CommonJS by esbuild, without options, it can be loaded and says which option gives each file', async () => {
    const { source, built } = project('lost-cjs');
    const { build } = await tool('esbuild');
    await build({
      ...{ absWorkingDir: source, bundle: true, platform: 'node', format: 'cjs', outfile: join(built, 'program.cjs') },
      ...{ entryPoints: ['program.js'], external: ['webgpu'], logLevel: 'silent' },
    });
    expect(printed(built, 'program.cjs')).toEqual({
      threads: 1,
      reason: expect.stringContaining('as the option worker'),
      learned: expect.stringContaining('as the option weights'),
    });
  });

  it('Rollup builds it, with the worker as a second program and the weights where they are installed', async () => {
    const weights = pathToFileURL(join(user, 'node_modules/ght/weights/grey.npz')).href;
    const options = { weights, worker: 'OWN' };
    const { source, built } = project(
      'rollup-node',
      `export const options = ${JSON.stringify(options).replace('"OWN"', "new URL('./worker.js', import.meta.url)")};`,
    );
    writeFileSync(join(built, 'package.json'), '{ "type": "module" }');
    const { rollup } = await tool('rollup');
    const { nodeResolve } = await tool('@rollup/plugin-node-resolve');
    const input = { program: join(source, 'program.js'), worker: 'ght/worker' };
    const plugins = [nodeResolve({ exportConditions: ['node'], rootDir: source })];
    const bundle = await rollup({ input, plugins, external: [/^node:/, 'webgpu'] });
    await bundle.write({ dir: built, format: 'es' });
    expect(printed(built, 'program.js')).toEqual(whole);
  });

  it('Rspack builds it', async () => {
    const { source, built } = project('rspack-node');
    const rspack = await tool('@rspack/core');
    const output = { path: built, filename: 'program.cjs' };
    await pack(rspack, { context: source, target: 'node20', externals: { webgpu: 'import webgpu' }, output });
    expect(printed(built, 'program.cjs')).toEqual(whole);
  });

  it('webpack builds it; the option worker gives the threads that its import of Node workers loses', async () => {
    const weights = NONE.replace('{}', "{ worker: __dirname + '/worker.cjs' }");
    const { source, built } = project('webpack-node', weights);
    const webpack = await tool('webpack');
    await pack(webpack, {
      ...{ context: source, target: 'node20', externals: { webgpu: 'import webgpu' }, node: { __dirname: false } },
      entry: { program: './program.js', worker: 'ght/worker' },
      output: { path: built, filename: '[name].cjs' },
    });
    expect(printed(built, 'program.cjs')).toEqual(whole);
  });
});
