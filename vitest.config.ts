import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// The library is tested as it is built and shipped: its worker threads are files of the build.
const build = fileURLToPath(new URL('packages/ght/dist/', import.meta.url));
const alias = [{ find: /^(\.\.\/)+src\//, replacement: build }];

/** On a busy machine, unpacking a browser, packing the library or a condition that is waited for takes longer than Vitest's limits. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } };

/** Builds are loaded by Node instead of Vite, which takes three times as long. */
const onNode = { server: { deps: { external: [/\/packages\/\w+\/dist\//] } }, ...timeouts };

export default defineConfig({
  test: {
    // Most tests use one core, so that a worker per core is quicker than Vitest's one core less.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'ght',
          include: ['packages/ght/test/**/*.test.ts'],
          exclude: ['packages/ght/test/webgpu/**'],
          ...onNode,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'webgpu',
          include: [
            'packages/ght/test/webgpu/**/*.test.ts',
            'packages/ght/test/engines/{suite,denoisers,learned}.test.ts',
          ],
          env: { GHT_TEST_ENGINES: 'webgpu' },
          globalSetup: ['packages/ght/test/webgpu/setup.ts'],
          ...onNode,
        },
      },
      { test: { name: 'images', include: ['packages/images/test/**/*.test.ts'], ...onNode } },
      { test: { name: 'tiles', include: ['packages/tiles/test/**/*.test.ts'], ...onNode } },
      { test: { name: 'queue', include: ['packages/queue/test/**/*.test.ts'], ...onNode } },
      { test: { name: 'lab', include: ['packages/lab/test/**/*.test.ts'], ...onNode } },
      {
        plugins: [svelte({ configFile: 'packages/studio/svelte.config.js' })],
        test: { name: 'studio', include: ['packages/studio/test/**/*.test.ts'], ...timeouts },
      },
      {
        test: {
          name: 'site',
          include: ['packages/site/test/**/*.test.ts'],
          globalSetup: ['packages/site/test/setup.ts'],
          ...timeouts,
        },
      },
      { test: { name: 'cli', include: ['packages/cli/test/**/*.test.ts', 'test/*.test.ts'], ...onNode } },
      {
        test: {
          name: 'packages',
          include: ['test/packages/*.test.ts'],
          globalSetup: ['test/packages/setup.ts'],
          ...onNode,
        },
      },
    ],
  },
});
