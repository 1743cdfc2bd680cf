// The library for pages without a bundler: `dist/browser/ght.js` and the worker beside it import nothing by a bare name.
// Import maps could not do this, because workers have none.
import { defineConfig } from 'vite';

/** Fixed names, so that a page can rely on them. */
const output = { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' };

export default defineConfig({
  base: './',
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/browser',
    lib: { entry: { ght: 'dist/index.js' }, formats: ['es'] },
    rolldownOptions: { output },
  },
  worker: { format: 'es', rolldownOptions: { output } },
});
