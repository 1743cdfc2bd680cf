import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { configDefaults, defineConfig } from 'vitest/config';

// The library is tested as it is built and shipped: its worker threads are files of the build.
const build = fileURLToPath(new URL('packages/ght/dist/', import.meta.url));
const alias = [{ find: /^(\.\.\/)+src\//, replacement: build }];

/**
 * Which tests run (scripts/test.js sets it). Files named *.slow.test.ts are slow: they kill processes, open browsers, load the
 * machine, run the documentation, or repeat quick tests with more data. `npm test` runs the quick ones, Vitest itself all of them.
 */
const files = { quick: '!(*.slow).test.ts', rest: '*.slow.test.ts', all: '*.test.ts' }[process.env.GHT_TESTS ?? 'all'];

/** The tests of a folder and its subfolders that are to run. */
const testsIn = (folder: string) => ({ include: [`${folder}/**/${files}`], exclude: configDefaults.exclude });

/** On a busy machine, unpacking a browser, packing the library or a condition that is waited for takes longer than Vitest's limits. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } };
const setupFiles = fileURLToPath(new URL('test/equal-numbers.ts', import.meta.url));

/** Builds are loaded by Node instead of Vite, which takes three times as long, and once per worker, as these tests replace no modules. */
const onNode = { isolate: false, server: { deps: { external: [/\/packages\/\w+\/dist\//] } }, setupFiles, ...timeouts };

export default defineConfig({
  test: {
    // Most tests use one core, so that a worker per core is quicker than Vitest's one core less.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'ght',
          ...testsIn('packages/ght/test'),
          exclude: [...configDefaults.exclude, 'packages/ght/test/webgpu/**'],
          ...onNode,
        },
      },
      // Some of these replace functions of Node's file system, which others must not see.
      { test: { name: 'images', ...testsIn('packages/images/test'), ...onNode, isolate: true } },
      { test: { name: 'tiles', ...testsIn('packages/tiles/test'), ...onNode } },
      { test: { name: 'queue', ...testsIn('packages/queue/test'), ...onNode } },
      { test: { name: 'lab', ...testsIn('packages/lab/test'), ...onNode } },
      { test: { name: 'cli', ...testsIn('packages/cli/test'), ...onNode } },
      {
        plugins: [svelte({ configFile: 'packages/studio/svelte.config.js' })],
        test: { name: 'studio', ...testsIn('packages/studio/test'), setupFiles, ...timeouts },
      },
      // The rules of the project, its documentation and its examples.
      { test: { name: 'project', include: [`test/${files}`], ...onNode } },
      // The rest is slow as a whole: packing and installing, the built site, and a GPU in software.
      {
        test: {
          name: 'packages',
          include: ['test/packages/*.test.ts'],
          globalSetup: ['test/packages/setup.ts'],
          ...onNode,
        },
      },
      {
        test: {
          name: 'site',
          include: ['packages/site/test/**/*.test.ts'],
          globalSetup: ['packages/site/test/setup.ts'],
          ...timeouts,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'webgpu',
          include: [
            'packages/ght/test/webgpu/**/*.test.ts',
            'packages/ght/test/engines/{suite,denoisers,learned,colour}.test.ts',
          ],
          env: { GHT_TEST_ENGINES: 'webgpu' },
          globalSetup: ['packages/ght/test/webgpu/setup.ts'],
          ...onNode,
        },
      },
    ],
  },
});
