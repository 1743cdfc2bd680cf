import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The library is tested as it is built and shipped: its worker threads are files of the build.
const build = fileURLToPath(new URL('packages/ght/dist/', import.meta.url));

export default defineConfig({
  test: {
    testTimeout: 120_000,
    projects: [
      {
        resolve: { alias: [{ find: /^(\.\.\/)+src\//, replacement: build }] },
        test: { name: 'ght', include: ['packages/ght/test/**/*.test.ts'], testTimeout: 120_000 },
      },
      { test: { name: 'lab', include: ['packages/lab/test/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'studio', include: ['packages/studio/test/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'cli', include: ['packages/cli/test/**/*.test.ts', 'test/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
});
