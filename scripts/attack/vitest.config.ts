import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The tests of the library name its source; it is attacked as it is built and shipped.
const alias = [{ find: /^(\.\.\/)+src\//, replacement: `${root}packages/ght/dist/` }];
const hours = { testTimeout: 0, hookTimeout: 0 };
const library = 'scripts/attack/numbers.attack.ts';

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      { root, test: { name: 'readers', include: ['scripts/attack/*.attack.ts'], exclude: [library], ...hours } },
      { root, resolve: { alias }, test: { name: 'library', include: [library], ...hours } },
    ],
  },
});
